//! `cargo xtask numbers`: writes what the bench recorded into the pages that show it.

use anyhow::Context;

use super::{Command, only_flag};
use crate::{numbers, process};

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "numbers",
    usage: "numbers [--check]",
    about: "write recorded results into the pages; --check fails if one is stale",
    run,
};

/// Makes the pages, then compares or writes.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    write(only_flag(arguments, "--check")?)
}

/// Writes every page that is stale, or only names it; returns whether all is well.
pub(super) fn write(check_only: bool) -> anyhow::Result<bool> {
    let pages = numbers::pages(process::root())?;
    let stale: Vec<_> = pages.iter().filter(|page| page.present != page.fresh).collect();
    for page in &stale {
        if check_only {
            println!("stale: {} (mend with: cargo xtask numbers)", page.path);
        } else {
            let path = process::root().join(page.path);
            std::fs::write(path, &page.fresh).with_context(|| format!("write {}", page.path))?;
            println!("wrote {}", page.path);
        }
    }
    Ok(stale.is_empty() || !check_only)
}
