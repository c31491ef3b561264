//! The real binary, run as a person or a program runs it.
#![expect(clippy::disallowed_methods, reason = "tests look at host files directly")]

mod aborts;
mod access;
mod chroma;
mod clouds;
mod docs;
mod files;
mod full_disk;
mod harness;
mod history;
mod hostile_sources;
mod leaks;
mod mcp;
mod memory;
mod meta;
mod mount;
mod other_users;
mod processes;
mod remote;
mod settings;
mod shell;
mod sources;
mod store;
mod sync;
mod sync_kills;
mod sync_readable;
mod take_up;
mod tour;
mod transfer;
mod workers;
mod wrong;
