//! The chapter in which programs that know nothing of homefs use the home.

use std::path::PathBuf;

use super::stage::Stage;
use crate::error::{Failure, Result};
use crate::host;

/// A mount that goes with the tour, also if that ends early.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        if homefs_fuse::mounted().is_ok_and(|mounted| mounted.contains(&self.0)) {
            // Nobody waits for a tour that has failed already.
            homefs_fuse::unmount(&self.0, true).ok();
        }
    }
}

/// Mounts the home and uses it with what every host has; where nothing can be mounted, says so.
pub(super) fn show(stage: &Stage<'_>) -> Result<()> {
    stage.chapter("Any program can use it")?;
    if let Err(error) = homefs_fuse::check_available() {
        return stage.say(&format!("Not here: {}", Failure::from(error).told()));
    }
    let dir = stage.folder("home");
    host::make_dirs(&dir)?;
    let dir = host::follow(&dir)?;
    let shown = dir.to_string_lossy().into_owned();
    let mounted = Mounted(dir.clone());
    if stage.show("akashi", &["mount", &shown])? != Some(0) {
        return stage.say("So this host cannot mount; everything else works without.");
    }
    for typed in [
        "ls -l notes",
        "grep -rn export .",
        "echo 'Sold half at 130.' >> notes/nvda.md",
        "cat notes/nvda.md:history",
        "cat ':recall?q=what+does+Ann+drink'",
    ] {
        stage.run_there(&dir, typed)?;
    }
    stage.run("akashi", &["unmount", &shown])?;
    drop(mounted);
    Ok(())
}
