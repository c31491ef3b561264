//! `homefs conflicts`.

use homefs_view::Conflict;

use crate::context::Context;
use crate::error::Result;
use crate::{text, time};

/// List what two machines changed, and what was done about it
///
/// Nothing is lost in a conflict: both contents are in the file, beside it or in its history.
/// `homefs resolve` closes them.
#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        context.output.listing(&context.client()?.conflicts()?, Clone::clone, row, &[])
    }
}

fn row(conflict: &Conflict) -> Vec<String> {
    let beside = conflict.beside.as_ref().map(|beside| format!(", as {beside}"));
    vec![
        conflict.number.clone(),
        time::local(conflict.time),
        text::printable(conflict.path.as_str()),
        text::printable(&format!("{}{}", conflict.what, beside.unwrap_or_default())),
        text::printable(&conflict.machine),
    ]
}
