//! `homefs resolve`.

use homefs_core::ErrorKind;
use homefs_view::Side;
use serde_json::json;

use super::remote::advise;
use crate::context::Context;
use crate::error::{Failure, Result};
use crate::text;

/// Close conflicts, as they are or with one of their contents
///
/// The file keeps the content that it has unless one side is named; the other stays in history.
/// With --all every conflict is closed: those of the home, or with --operator of the whole store.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A number that `homefs conflicts` shows, a path with all below it, or a pattern such as
    /// 'notes/*.md'
    #[arg(value_name = "CONFLICT")]
    which: Vec<String>,
    /// Give the file the content of this side
    #[arg(long, conflicts_with = "theirs")]
    ours: bool,
    /// Give the file the content of the other side
    #[arg(long)]
    theirs: bool,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> Result<()> {
        let take = match (self.ours, self.theirs) {
            (true, _) => Some(Side::Ours),
            (_, true) => Some(Side::Theirs),
            _ => None,
        };
        let mut which = self.which;
        if which.is_empty() {
            if !context.says_all() {
                return Err(Failure::new("name a conflict, or all of them with --all")
                    .hint("`homefs conflicts` lists them"));
            }
            // That there is none is no reason to complain to someone who names none.
            let any = !context.client_of_all()?.conflicts()?.is_empty();
            which.extend(any.then(|| "/".to_owned()));
        }
        let client = context.client_of_all()?;
        let mut closed = Vec::new();
        for which in &which {
            closed.extend(client.resolve(which, take).map_err(|error| match error.kind() {
                ErrorKind::NotFound | ErrorKind::Invalid => {
                    Failure::from(error).hint("`homefs conflicts` lists them")
                }
                ErrorKind::Denied => error.into(),
                _ => advise(context, error),
            })?);
        }
        let told = match &closed[..] {
            [one] => format!("closed the conflict of {}", one.path),
            all => format!("closed {}", text::count(all.len() as u64, "conflict")),
        };
        context.output.changed(&json!({ "closed": closed, "take": take }), told)
    }
}
