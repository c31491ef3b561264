//! homefs for Node.js: one `Home` object is one [`Client`](homefs_api::Client).
//!
//! Each method has two forms: a promise, whose work is done on another thread unless it needs no
//! waiting, and a `…Sync` twin. Most are made of the table in `homefs-wire` (`calls.rs`). The choice a reader may question: errors
//! cross into JavaScript as one encoded text (`error.rs`), because only there can they be made of
//! the class that users catch; `index.cjs` is that layer, and checks arguments too.

#![expect(unreachable_pub, reason = "what JavaScript sees must be public, and has no other user")]
#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments are made for one call and are its own"
)]
#![cfg_attr(test, allow(dead_code, reason = "functions are given to JavaScript in a library only"))]

mod calls;
mod error;
mod files;
mod home;
mod options;
mod records;
mod remote;
mod shell;
mod shown;
mod task;
mod watch;
