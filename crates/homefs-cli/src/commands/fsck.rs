//! `homefs fsck`.

use homefs_core::ErrorKind;
use homefs_engine::{Components, Finding};

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::text;

/// Verify checksums and references of the whole store
///
/// Exits with 1 if something is damaged.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Set damaged parts aside and go on with the rest; nothing is deleted
    #[arg(long)]
    repair: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let findings = self.findings(context)?;
        context.output.listing(
            &findings,
            |finding| serde_json::json!(finding),
            |finding| {
                let mended = finding.mended.as_deref().unwrap_or("not mended");
                vec![finding.place.clone(), finding.problem.clone(), mended.into()]
            },
            &[],
        )?;
        match findings.iter().filter(|finding| finding.mended.is_none()).count() as u64 {
            0 if findings.is_empty() => context.output.say("the store is sound"),
            0 => context.output.say("everything found was mended"),
            left => {
                let failure = Failure::no(format!("{} in the store", text::count(left, "problem")));
                return Err(failure.hint("`homefs fsck --repair` sets damaged parts aside"));
            }
        }
        Ok(())
    }

    fn findings(&self, context: &Context) -> Result<Vec<Finding>> {
        match context.client() {
            Ok(client) => Ok(client.verify(self.repair)?),
            // A store that refuses to open is mended from outside, then verified from inside.
            Err(failure) if self.repair && failure.kind == Some(ErrorKind::Corrupt) => {
                let dir = &context.settings()?.store;
                let mut findings = homefs_engine::repair(dir, Components::host())?;
                findings.extend(context.client()?.verify(true)?);
                Ok(findings)
            }
            Err(failure) => Err(failure),
        }
    }
}
