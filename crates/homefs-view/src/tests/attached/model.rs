//! Random changes over an attached folder, compared with the same changes of a copy in the home.

use proptest::prelude::*;

use super::{Desk, path, picture};
use crate::{Kind, RenameMode, View, WriteOptions};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// One step, at paths of up to three names.
#[derive(Clone, Debug)]
enum Step {
    Write(String, Vec<u8>),
    Append(String, Vec<u8>),
    WriteAt(String, u64, Vec<u8>),
    Remove(String, bool),
    MakeDir(String),
    Rename(String, String),
    Copy(String, String),
    Reopen,
}

fn below() -> impl Strategy<Value = String> {
    let name = prop::sample::select(&NAMES[..]);
    prop::collection::vec(name, 1..=3).prop_map(|names| names.join("/"))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..6);
    let step = prop_oneof![
        4 => (below(), bytes()).prop_map(|(at, bytes)| Step::Write(at, bytes)),
        2 => (below(), bytes()).prop_map(|(at, bytes)| Step::Append(at, bytes)),
        2 => (below(), 0..8u64, bytes()).prop_map(|(at, from, bytes)| Step::WriteAt(at, from, bytes)),
        4 => (below(), any::<bool>()).prop_map(|(at, all)| Step::Remove(at, all)),
        2 => below().prop_map(Step::MakeDir),
        4 => (below(), below()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (below(), below()).prop_map(|(from, to)| Step::Copy(from, to)),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..24)
}

/// Does a step below a directory; returns the kind of the error, if it fails.
fn act(view: &View, top: &str, step: &Step) -> Option<homefs_core::ErrorKind> {
    let at = |below: &str| path(&format!("{top}/{below}"));
    let options = WriteOptions::default();
    let done = match step {
        Step::Write(to, bytes) => view.write(&at(to), bytes, &options),
        Step::Append(to, bytes) => view.append(&at(to), bytes, &options),
        Step::WriteAt(to, offset, bytes) => view.write_at(&at(to), *offset, bytes),
        Step::Remove(to, all) => view.remove(&at(to), *all),
        Step::MakeDir(to) => view.make_dir(&at(to), false),
        Step::Rename(from, to) => view.rename(&at(from), &at(to), RenameMode::Replace),
        Step::Copy(from, to) => view.copy(&at(from), &at(to), true),
        Step::Reopen => return None,
    };
    done.err().map(|error| error.kind())
}

/// Returns what is below a directory: kinds and contents.
fn seen(view: &View, top: &str) -> Vec<(String, Kind, Vec<u8>)> {
    let found = view.walk(&path(top), None, 10_000).expect("it can be walked").items;
    let mut seen = Vec::new();
    for one in found {
        let content = match one.stat.kind {
            Kind::File => {
                let content = view.read(&one.path).expect("it can be read").to_vec();
                assert_eq!(content.len() as u64, one.stat.size, "{}", one.path);
                content
            }
            _ => Vec::new(),
        };
        seen.push((one.path.as_str()[top.len()..].to_owned(), one.stat.kind, content));
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn an_attached_folder_behaves_like_a_copy(
        files in prop::collection::btree_map(below(), prop::collection::vec(any::<u8>(), 0..6), 0..8),
        steps in steps(),
    ) {
        let mut desk = Desk::new();
        for (at, bytes) in &files {
            // A name may be a file already where another path wants a directory.
            let place = desk.folder(at);
            let is_free = place.ancestors().skip(1).all(|above| !above.is_file());
            if is_free && !place.is_dir() {
                super::make_dir(place.parent().expect("it is in the folder"));
                super::write(&place, bytes);
            }
        }
        let before = picture(&desk.folder(""));
        desk.attach("/over", false);
        desk.view().copy(&path("/over"), &path("/copy"), true).expect("copied");
        let mut view = desk.view();
        for step in &steps {
            if let Step::Reopen = step {
                drop(view);
                desk.reopen();
                view = desk.view();
                continue;
            }
            let over = act(&view, "/over", step);
            // A directory of a source is not moved, as between two file systems.
            if over == Some(homefs_core::ErrorKind::Unsupported) {
                prop_assert!(matches!(step, Step::Rename(..)));
                continue;
            }
            prop_assert_eq!(over, act(&view, "/copy", step), "{:?}", step);
            prop_assert_eq!(seen(&view, "/over"), seen(&view, "/copy"), "{:?}", step);
        }
        prop_assert_eq!(picture(&desk.folder("")), before);
        drop(view);
        desk.reopen();
        let view = desk.view();
        prop_assert_eq!(seen(&view, "/over"), seen(&view, "/copy"));
        let findings = desk.store.as_ref().expect("a store is open").verify().expect("verified");
        prop_assert!(findings.is_empty(), "{:?}", findings);
    }
}
