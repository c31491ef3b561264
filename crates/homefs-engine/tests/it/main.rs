//! Tests of the engine through its door.

mod basics;
mod kills;
mod origin;
mod upkeep;
