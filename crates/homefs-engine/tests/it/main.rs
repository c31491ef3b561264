//! Tests of the engine through its door.

mod basics;
mod upkeep;
