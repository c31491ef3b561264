//! What a space is and what keeps it: journal, overlay, base, guard, and sources below.
//!
//! A change goes guard → journal → overlay and is acknowledged; the fold moves it into the base
//! later. The main type is [`space::Space`]. The choice a reader may question: the overlay is not
//! a cache in front of the base but the truth of the present, and SQL is asked only for what memory
//! never held.
//!
//! The modules lie in four layers, each of which uses only those before it. What a layer must tell
//! to one above it, or to the crates above, it says by a trait of its own.

// What everything is made of.
pub mod aside;
pub mod bell;
pub mod fields;
pub mod glob;
pub mod ids;
pub mod index_file;
pub mod journal;
pub mod lender;
pub mod lock;
pub mod meta;
pub mod model;
pub mod priority;
pub mod put_away;
pub mod record;
pub mod staged;

// What is on the disk.
pub mod base;
pub mod chunks;
pub mod database;
pub mod descriptors;

// The present: what a change does to it, and who may make one.
pub mod draft;
pub mod ground;
pub mod guard;
pub mod lineage;
pub mod observers;
pub mod special;
pub mod tree;

// A space, whole.
pub mod absent;
pub mod attached;
pub mod backlog;
pub mod contents;
pub mod expiry;
pub mod fold;
pub mod indexed;
pub mod names;
pub mod reads;
pub mod shown;
pub mod space;
pub mod spaces;
pub mod used;
