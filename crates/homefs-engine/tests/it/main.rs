//! Tests of the engine through its door.

mod basics;
mod common;
mod guard;
mod kills;
mod origin;
mod upkeep;
