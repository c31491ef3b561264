//! The shell from outside.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make trees on the host and say what they skip"
)]

mod aborts;
mod archives;
mod candidates;
mod common;
mod fixture;
mod greedy;
mod hostile;
mod leaks;
mod moments;
mod options;
mod oracle;
mod random;
mod sandbox;
mod words;
