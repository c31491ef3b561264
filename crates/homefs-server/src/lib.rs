//! The faces of a home that are served to programs that speak a protocol of their own.
//!
//! [`Mcp`] is the home for whatever speaks the Model Context Protocol. Everything goes through
//! [`homefs_api::Client`]; what waits for the network is asynchronous and lives in this crate
//! alone, while calls of the client, which may block, run on threads of their own.

mod mcp;
mod stop;

#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub use mcp::fuzzing;
pub use mcp::{Listening, MESSAGE_BYTES_MAX, Mcp, Profile, Token, ToolInfo, ToolSet, tools};
pub use stop::Stop;
