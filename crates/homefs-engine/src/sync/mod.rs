//! Making a space and its remote agree.
//!
//! [`format`] is what stands in the bucket for homefs, [`projection`] what stands there for people.
//! Both are pure: bytes in, bytes out, no clock and no network.

mod contents;
pub(crate) mod format;
mod known;
mod local;
pub(crate) mod projection;
mod reconcile;
mod round;
#[cfg(test)]
mod tests;
