//! `homefs push`.

use homefs_view::Direction;

use super::sync;
use crate::context::Context;
use crate::error::Result;

/// Send what changed here to the remote
#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        sync::one_way(context, Direction::Push)
    }
}
