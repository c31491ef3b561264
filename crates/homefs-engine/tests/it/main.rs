//! Tests of the engine through its door.

mod backups;
mod bad_input;
mod basics;
mod both_ends;
mod common;
mod conflicts;
mod damage;
mod follower;
mod golden;
mod grep;
mod guard;
mod hasty;
mod kills;
mod lineage;
mod many;
mod memories;
mod memory_fresh;
mod memory_guard;
mod memory_views;
mod metadata;
mod nodes;
mod origin;
mod probes;
mod sync_faults;
mod sync_losses;
mod upkeep;
