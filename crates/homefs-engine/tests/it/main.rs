//! Tests of the engine through its door.

mod bad_input;
mod basics;
mod both_ends;
mod common;
mod golden;
mod guard;
mod kills;
mod metadata;
mod nodes;
mod origin;
mod probes;
mod upkeep;
