//! The shell: scripts run inside the process, on a [`Home`] and with the rights of its agent, and
//! start nothing.
//!
//! [`Shell`] is a session. The interpreter is crate `bashkit`, whose types stay in this crate;
//! commands in which it differs from GNU, or in which the store knows better, are in `builtins`.
//! The choice a reader may question: a script runs on a thread of its own, which costs some
//! microseconds, since only so a deadline holds whatever the script does.

mod ahead;
mod builtins;
mod candidates;
mod engine;
mod files;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod glob;
mod handed;
mod home;
mod interrupt;
mod limits;
mod memory;
mod nesting;
mod repairs;
mod shell;
mod worker;

pub use builtins::{Command, Invocation};
pub use candidates::{AllFiles, Candidates, LinePattern};
pub use home::{Home, OPERATIONS};
pub use interrupt::{Elsewhere, Interrupter};
pub use limits::Limits;
pub use shell::{Call, INTERRUPTED, Look, Output, STOPPED, Shell, Sink, Stream, TIMED_OUT};
pub use worker::{ABANDONED_MAX, Workers};
