//! A view as messages, and the [`Client`] that every face holds.
//!
//! One process owns a store; it answers its own calls directly and those of other processes by a
//! socket in the store's directory. A [`Client`] hides which of the two it is, and changes from
//! one to the other when an owner dies, leaves or hands over. Every operation is one row of the
//! table in `operations.rs`, from which requests, answers and the client's methods are made.

mod apart;
mod calls;
mod channel;
mod client;
mod clones;
mod descriptors;
mod durable;
mod embedders;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod grep;
mod hello;
mod history;
pub mod json;
mod lent;
mod line;
mod memory_tool;
mod message;
#[cfg(feature = "mount")]
mod mount_dir;
#[cfg_attr(not(feature = "mount"), path = "no_mounts.rs")]
mod mounts;
mod operations;
mod paths;
mod program;
mod publishing;
mod remotes;
mod role;
mod server;
pub mod settings;
mod shells;
mod socket;
mod sources;
mod spooled;
pub mod time;
mod transfer;
mod tree;
pub mod words;
mod workers;

pub use apart::serve_scripts;
pub use calls::Call;
pub use client::{Client, ClientOptions, Hold};
pub use clones::{check_new, clone_remote};
pub use embedders::EmbedderConfig;
#[cfg(feature = "mount")]
pub use homefs_fuse::MountOptions;
pub use homefs_remote::{Capabilities, Races};
pub use homefs_shell::{
    Call as ShellCall, Interrupter, Limits, OPERATIONS as SHELL_OPERATIONS, Output as ShellOutput,
    Shell, Stream,
};
pub use homefs_view::pages;
pub use homefs_wire::operations::{Face, Needs, OPERATIONS, Operation, Way};
pub use lent::Lent;
pub use memory_tool::MemoryCommand;
#[cfg(feature = "mount")]
pub use mount_dir::resolve as resolve_mount_dir;
pub use operations::{Request, Response};
pub use paths::{is_address, resolve_path};
pub use publishing::Publication;
pub use remotes::{
    RemoteConfig, RemoteContents, RemoteInfo, check_remote, look_at_remote, machine_name,
};
pub use shells::Sessions;
pub use sources::source_address;
pub use spooled::Spooled;
pub use workers::{Job, Workers};
