//! Inode numbers: a node has one for ever, wherever and whenever it is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::{DirEntryExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, FileType, Mode, mknodat};

use crate::harness::{Mounted, is_plain};

#[test]
fn a_number_outlives_the_mount() {
    let Some(mut mounted) = mount() else { return };
    let before = numbers(&mounted.root());
    assert_eq!(before.len(), NODES, "{before:?}");
    mounted.homefs(&["unmount", mounted.root().to_str().unwrap()]);
    // It has ended already; what is left of it is taken away.
    mounted.kill();
    mounted.start();
    assert_eq!(numbers(&mounted.root()), before, "after unmounting");
    mounted.kill();
    mounted.start();
    assert_eq!(numbers(&mounted.root()), before, "after a kill");
    fs::rename(mounted.path("dir"), mounted.path("moved")).unwrap();
    fs::write(mounted.path("moved/inner/a.md"), "new").unwrap();
    mounted.homefs(&["write", "b.md", "new"]);
    let after = numbers(&mounted.root());
    let moved = |path: &Path| path.strip_prefix("moved").map(|rest| Path::new("dir").join(rest));
    let after = after.into_iter().map(|(path, number)| (moved(&path).unwrap_or(path), number));
    assert_eq!(after.collect::<BTreeMap<_, _>>(), before, "after moving and writing");
}

#[test]
fn a_number_is_not_used_again() {
    let Some(mut mounted) = mount() else { return };
    let mut seen: BTreeSet<u64> = numbers(&mounted.root()).into_values().collect();
    assert_eq!(seen.len(), NODES - 1, "the hard link has no number of its own");
    for round in 0..3 {
        for _ in 0..300 {
            let file = mounted.path("brief");
            fs::write(&file, "x").unwrap();
            assert!(seen.insert(number(&file)), "round {round}");
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
            assert!(seen.insert(number(&file)), "round {round}");
            fs::remove_dir(&file).unwrap();
        }
        mounted.kill();
        mounted.start();
    }
}

#[test]
fn names_of_one_node_share_its_number() {
    let Some(mounted) = mount() else { return };
    let (file, link) = (mounted.path("b.md"), mounted.path("dir/linked.md"));
    assert_eq!(number(&file), number(&link));
    let held = File::open(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(number(&link), held.metadata().unwrap().ino());
    fs::write(&file, "another").unwrap();
    assert_ne!(number(&file), number(&link));
    fs::remove_file(&link).unwrap();
    let unnamed = held.metadata().unwrap();
    assert_eq!(unnamed.nlink(), 0);
    assert_ne!(unnamed.ino(), number(&file));
}

#[test]
fn a_listing_tells_the_numbers() {
    let Some(mounted) = mount() else { return };
    mounted.homefs(&["spaces", "create", "market"]);
    mounted.homefs(&["write", "shared/market/c.md", "c"]);
    for dir in ["", "dir", "dir/inner", "shared", "shared/market"].map(|name| mounted.path(name)) {
        for entry in fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(entry.ino(), number(&entry.path()), "{}", entry.path().display());
        }
        let found: BTreeMap<_, _> = Dir::read_from(File::open(&dir).unwrap())
            .unwrap()
            .map(|entry| entry.map(|entry| (entry.file_name().to_owned(), entry.ino())).unwrap())
            .collect();
        assert_eq!(found[c"."], number(&dir), "{}", dir.display());
        // What is above the root belongs to the host.
        if dir != mounted.path("") {
            assert_eq!(found[c".."], number(dir.parent().unwrap()), "{}", dir.display());
        }
    }
}

#[test]
fn another_mount_shows_the_same_numbers() {
    let Some(mounted) = mount() else { return };
    let expected = numbers(&mounted.root());
    let second = Second::new(&mounted, "second", &[]);
    assert_eq!(numbers(second.dir()), expected);
    let everything = Second::new(&mounted, "everything", &["--operator", "--all"]);
    let mut found = numbers(&everything.dir().join("agents/me"));
    // Only the root of a mount has a number that the kernel fixes.
    found.insert(PathBuf::new(), expected[Path::new("")]);
    assert_eq!(found, expected);
}

/// One more mount of the same store, which is taken away at its end.
pub(crate) struct Second<'a> {
    mounted: &'a Mounted,
    dir: PathBuf,
}

impl<'a> Second<'a> {
    /// Mounts it beside the first, with more arguments for `homefs mount`.
    pub(crate) fn new(mounted: &'a Mounted, name: &str, options: &[&str]) -> Self {
        let second = Self { mounted, dir: mounted.beside(name) };
        mounted.homefs(&[&["mount", second.dir.to_str().unwrap()], options].concat());
        second
    }

    /// Returns where it is mounted.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Second<'_> {
    fn drop(&mut self) {
        let unmounted = self.mounted.command().args(["unmount", "--lazy"]).arg(&self.dir).output();
        let unmounted = unmounted.is_ok_and(|output| output.status.success());
        assert!(unmounted || std::thread::panicking(), "the second mount stays");
    }
}

/// How many paths [`mount`] leaves, the root among them; one node has two of them.
const NODES: usize = 8;

/// Mounts a home with a node of every kind; a plain directory promises less.
fn mount() -> Option<Mounted> {
    if is_plain() {
        return None;
    }
    let mounted = Mounted::new(60)?;
    fs::create_dir_all(mounted.path("dir/inner")).unwrap();
    fs::write(mounted.path("dir/inner/a.md"), "a").unwrap();
    fs::write(mounted.path("b.md"), "b").unwrap();
    fs::hard_link(mounted.path("b.md"), mounted.path("dir/linked.md")).unwrap();
    symlink("b.md", mounted.path("link")).unwrap();
    mknodat(CWD, mounted.path("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    Some(mounted)
}

/// Returns the numbers of everything below a directory, and its own.
fn numbers(root: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::from([(PathBuf::new(), number(root))]);
    let mut directories = vec![root.to_owned()];
    while let Some(dir) = directories.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.strip_prefix(root).unwrap().to_owned(), number(&path));
            if path.is_dir() && !path.is_symlink() {
                directories.push(path);
            }
        }
    }
    found
}

fn number(path: &Path) -> u64 {
    fs::symlink_metadata(path).unwrap().ino()
}
