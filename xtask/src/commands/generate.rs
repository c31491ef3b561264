//! `cargo xtask gen`: writes the pages that `homefs` knows best itself, or checks that they are fresh;
//! the parts of pages that show recorded results, as `cargo xtask numbers` does alone; and what the
//! SDKs take from the table of methods.
//!
//! The hidden command `homefs gen-docs DIR` writes all pages below `DIR`. It runs into a folder of
//! its own first, so that a page that it no longer writes is found too.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;

use super::{Command, numbers, only_flag};
use crate::{process, wire};

/// The command.
pub(super) const COMMAND: Command = Command {
    name: "gen",
    usage: "gen [--check]",
    about: "write the generated pages; --check fails if one is stale",
    run,
};

/// The generated files and folders below `docs`; everything else there is written by hand.
const GENERATED: &[&str] = &["cli.md", "faces.md", "settings.md", "man"];

/// Where `homefs gen-docs` writes, seen from the root.
const FRESH: &str = "target/generated-docs";

/// Generates, then compares or copies.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let check_only = only_flag(arguments, "--check")?;
    let has_numbers = numbers::write(check_only)?;
    let has_wire = wire::write(check_only)?;
    let fresh = process::root().join(FRESH);
    let docs = process::root().join("docs");
    match fs::remove_dir_all(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&fresh)?,
    }
    let line = ["cargo", "run", "--quiet", "--package", "homefs-cli", "--", "gen-docs", FRESH];
    anyhow::ensure!(process::run(&line)?, "homefs gen-docs failed");
    let differing = differing(&fresh, &docs)?;
    if check_only {
        for path in &differing {
            println!("stale: docs/{} (mend with: cargo xtask gen)", path.display());
        }
        return Ok(differing.is_empty() && has_numbers && has_wire);
    }
    for path in &differing {
        update(&fresh.join(path), &docs.join(path))?;
        println!("wrote docs/{}", path.display());
    }
    Ok(true)
}

/// Returns the generated files that are new, gone or different, relative to both folders.
fn differing(fresh: &Path, docs: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let fresh = generated_files(fresh)?;
    let docs = generated_files(docs)?;
    let mut differing: Vec<PathBuf> = fresh
        .keys()
        .chain(docs.keys())
        .filter(|p| fresh.get(*p) != docs.get(*p))
        .cloned()
        .collect();
    differing.sort();
    differing.dedup();
    Ok(differing)
}

/// Reads the generated files of a folder; those that do not exist are left out.
fn generated_files(folder: &Path) -> anyhow::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut pending: Vec<PathBuf> = GENERATED.iter().map(PathBuf::from).collect();
    while let Some(relative) = pending.pop() {
        let path = folder.join(&relative);
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                pending.push(relative.join(entry?.file_name()));
            }
        } else if path.exists() {
            let bytes = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            files.insert(relative, bytes);
        }
    }
    Ok(files)
}

/// Makes `to` like `from`, which may be gone.
fn update(from: &Path, to: &Path) -> anyhow::Result<()> {
    if !from.exists() {
        return fs::remove_file(to).with_context(|| format!("remove {}", to.display()));
    }
    fs::create_dir_all(to.parent().expect("a page is in a folder"))?;
    fs::copy(from, to).with_context(|| format!("write {}", to.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn new_changed_and_dropped_pages_differ_and_hand_written_ones_do_not_matter() {
        let fresh = folder(&[("cli.md", "new"), ("man/homefs.1", "same"), ("man/new.1", "")]);
        let docs = folder(&[
            ("cli.md", "old"),
            ("man/homefs.1", "same"),
            ("man/dropped.1", ""),
            ("glossary.md", "by hand"),
        ]);
        let paths = differing(fresh.path(), docs.path()).unwrap();
        let expected = ["cli.md", "man/dropped.1", "man/new.1"].map(PathBuf::from);
        assert_eq!(paths, expected);

        for path in &paths {
            update(&fresh.path().join(path), &docs.path().join(path)).unwrap();
        }
        assert_eq!(differing(fresh.path(), docs.path()).unwrap(), Vec::<PathBuf>::new());
        assert!(docs.path().join("glossary.md").exists());
    }
}
