//! `homefs fsck`.

use homefs_core::ErrorKind;
use homefs_view::{Components, Finding};

use crate::context::Context;
use crate::error::{Failure, Result};
use crate::text;

/// Verify checksums and references of the whole store
///
/// Exits with 1 if something is damaged. Contents that the remote has come back from there. An
/// index holds nothing of its own: one that is wrong is made again from the files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Set damaged parts aside and go on with the rest; nothing is deleted
    ///
    /// What is lost is named by its path, and reading it is an error.
    #[arg(long)]
    repair: bool,
    /// Compare the indexes of all spaces with their files, and nothing else
    #[arg(long, conflicts_with = "repair")]
    index: bool,
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
            0 if findings.is_empty() && self.index => context.output.say("the indexes are sound"),
            0 if findings.is_empty() => context.output.say("the store is sound"),
            0 => context.output.say("everything found was mended"),
            left => {
                let place = if self.index { "the indexes" } else { "the store" };
                let failure = Failure::no(format!("{} in {place}", text::count(left, "problem")));
                return Err(failure.hint(match self {
                    Self { index: true, .. } => {
                        "delete the file `index` in the directory of the space while no process \
                         has the store open; it is made again"
                    }
                    Self { repair: true, .. } => {
                        "what is lost stays an error until it is written again, removed, or \
                         brought back with `homefs restore`; `homefs log` shows what there is"
                    }
                    _ => "`homefs fsck --repair` brings back what it can and sets damaged parts aside",
                }));
            }
        }
        Ok(())
    }

    fn findings(&self, context: &Context) -> Result<Vec<Finding>> {
        if self.index {
            return Ok(context.upkeep_client()?.verify_indexes()?);
        }
        if !self.repair {
            return Ok(context.upkeep_client()?.verify()?);
        }
        // Mending is done from outside, because a damaged store may not open at all.
        let dir = &context.settings()?.store;
        let mut findings = homefs_view::repair(dir, &Components::host()).map_err(|error| {
            let held = error.kind() == ErrorKind::Unavailable;
            let mut failure = Failure::from(error);
            if held {
                failure.hints = vec!["a store is mended while no process has it open".into()];
            }
            failure
        })?;
        // What was mended must open. What the remote has is fetched, and what is lost is named.
        let client = context.upkeep_client()?;
        findings.extend(client.verify()?);
        if client.remote()?.is_some() {
            match client.mend() {
                Ok(found) => findings.extend(found),
                Err(error) => {
                    context.output.say(format_args!("the remote was not looked at: {error}"));
                }
            }
        }
        Ok(findings)
    }
}
