//! The scenarios, one file each.

mod barrier;
mod fold;
mod open;
mod read_small;
mod socket;
mod write_small;

use anyhow::Result;

use crate::bench::Bench;
use crate::report::Report;

/// What a second process does with its words.
type Part = fn(&[String]) -> Result<()>;

/// One scenario.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Bench, &mut Report) -> Result<()>,
    /// What its second process does, if it needs one.
    pub(crate) child: Option<Part>,
}

/// Every scenario.
pub(crate) const SCENARIOS: &[Scenario] = &[
    write_small::SCENARIO,
    read_small::SCENARIO,
    barrier::SCENARIO,
    open::SCENARIO,
    socket::SCENARIO,
    fold::SCENARIO,
];
