//! `homefs pull`.

use homefs_view::Direction;

use super::sync;
use crate::context::Context;
use crate::error::Result;

/// Bring what changed in the remote to all spaces here
#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        sync::one_way(context, Direction::Pull)
    }
}
