//! Handles: what a recall cites, and every call takes instead of a path.

use std::collections::BTreeMap;

use homefs_core::{ErrorKind, Path};
use homefs_search::index::{HANDLE_DIGITS, Handle};
use homefs_view::{
    Edit, Kind, MakeNode, Moment, RecallOptions, RememberOptions, RenameMode, Right, SearchOptions,
    SetMeta, Subject, TimelineOptions, Tokenizer, View, Who, WriteOptions,
};

use crate::common::{agent, files_with, open, parents, path, view_of};

/// More files than it takes, nearly always, until two handles of six digits are one.
const FILES_MAX: usize = 20_000;

fn remember(view: &View, text: &str) -> Path {
    view.remember(text, &RememberOptions::default()).expect("it is remembered").path
}

/// The handle by which the best memory is cited, as a path.
fn cited(view: &View, question: &str) -> Path {
    let recalled = view.recall(question, &RecallOptions::default()).expect("a recall");
    let best = recalled.memories.first().expect("something is known");
    assert!(recalled.text.contains(&best.handle), "{}", recalled.text);
    path(&format!("/{}", best.handle))
}

fn text(view: &View, at: &Path) -> String {
    String::from_utf8_lossy(&view.read(at).expect("it is there")).into_owned()
}

#[test]
fn a_call_takes_the_handle_that_a_recall_cites() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let handle = cited(&me, "what does Ann drink?");
    assert_eq!(text(&me, &handle), "Ann drinks green tea, never coffee\n");
    assert_eq!(me.stat(&handle).unwrap().node, me.stat(&kept).unwrap().node);
    // Where one stands does not matter, nor does a probe of it.
    let below = path("/memories").join(handle.name().unwrap()).unwrap();
    assert_eq!(text(&me, &below), text(&me, &kept));
    let probed = path(&format!("{handle}:history"));
    assert!(!text(&me, &probed).is_empty());
    let tags = SetMeta { add_tags: vec!["tea".into()], ..SetMeta::default() };
    me.set_meta(&handle, &tags).unwrap();
    assert_eq!(me.meta(&kept).unwrap().tags, ["tea"]);
    me.write(&handle, b"Ann drinks black tea\n", &WriteOptions::default()).unwrap();
    assert_eq!(text(&me, &kept), "Ann drinks black tea\n");
    assert_eq!(me.log(&handle, None, 10).unwrap().len(), me.log(&kept, None, 10).unwrap().len());
    me.forget(&handle, false).unwrap();
    assert_eq!(me.read(&kept).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(me.read(&handle).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_handle_stays_while_its_file_is_moved_saved_and_opened_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let handle = cited(&me, "what does Ann drink?");
    me.rename(&kept, &path("/ann.md"), RenameMode::Replace).unwrap();
    assert_eq!(cited(&me, "what does Ann drink?"), handle);
    // As editors save: the new file is another node, of the same lineage.
    me.write(&path("/new"), b"Ann drinks black tea\n", &WriteOptions::default()).unwrap();
    me.rename(&path("/new"), &path("/ann.md"), RenameMode::Replace).unwrap();
    let told_at_once = cited(&me, "what does Ann drink?");
    // Whoever asks for the past waits for the fold, which knows the lineage.
    assert_eq!(me.log(&path("/ann.md"), None, 10).unwrap().len(), 2);
    assert_eq!(cited(&me, "what does Ann drink?"), handle);
    for at in [&handle, &told_at_once] {
        assert_eq!(text(&me, at), "Ann drinks black tea\n");
    }
    drop((me, store));
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert_eq!(cited(&me, "what does Ann drink?"), handle);
    let past = me.read_past(&handle, Moment::Version(homefs_core::Version(1)), 0, 100).unwrap();
    assert_eq!(&past[..], b"Ann drinks green tea, never coffee\n");
}

/// Saves a file as editors do: the new one is another node, of the same lineage.
fn save(view: &View, at: &Path, text: &str) {
    view.write(&path("/new"), text.as_bytes(), &WriteOptions::default()).expect("it is saved");
    view.rename(&path("/new"), at, RenameMode::Replace).expect("it is saved");
}

#[test]
fn a_handle_leads_to_a_saved_file_that_comes_back_from_the_trash() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let handle = cited(&me, "what does Ann drink?");
    save(&me, &kept, "Ann drinks black tea\n");
    assert_eq!(me.log(&kept, None, 10).unwrap().len(), 2);
    assert_eq!(cited(&me, "what does Ann drink?"), handle);
    me.remove(&kept, false).unwrap();
    assert_eq!(me.read(&handle).unwrap_err().kind(), ErrorKind::NotFound);
    me.untrash(&kept, None).unwrap();
    assert_eq!(text(&me, &handle), "Ann drinks black tea\n");
    assert_eq!(cited(&me, "what does Ann drink?"), handle);
    // Also if nobody looked while it was in the trash, and below a directory.
    me.make_dir(&path("/deep"), false).unwrap();
    me.rename(&kept, &path("/deep/tea.md"), RenameMode::Replace).unwrap();
    me.remove(&path("/deep"), true).unwrap();
    drop((me, store));
    let store = open(dir.path());
    let me = view_of(&store, "me");
    assert_eq!(me.read(&handle).unwrap_err().kind(), ErrorKind::NotFound);
    me.untrash(&path("/deep"), None).unwrap();
    assert_eq!(text(&me, &handle), "Ann drinks black tea\n");
    assert_eq!(store.verify_indexes().unwrap(), []);
}

#[test]
fn an_index_of_saved_files_is_found_to_be_right() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let handle = cited(&me, "what does Ann drink?");
    save(&me, &kept, "Ann drinks black tea\n");
    assert_eq!(store.verify_indexes().unwrap(), []);
    assert_eq!(me.log(&kept, None, 10).unwrap().len(), 2);
    assert_eq!(cited(&me, "what does Ann drink?"), handle);
    assert_eq!(store.verify_indexes().unwrap(), []);
}

#[test]
fn what_really_has_the_name_wins() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let handle = cited(&me, "what does Ann drink?");
    make_real(&me, &handle);
    me.write(&handle, b"a real file\n", &WriteOptions::default()).unwrap();
    assert_eq!(text(&me, &handle), "a real file\n");
    assert_eq!(text(&me, &kept), "Ann drinks green tea, never coffee\n");
    // It is it to the end: what is erased is not looked for anew, and it can be brought back.
    me.purge(&handle).unwrap();
    assert_eq!(text(&me, &kept), "Ann drinks green tea, never coffee\n");
    make_real(&me, &handle);
    me.forget(&handle, false).unwrap();
    assert_eq!(text(&me, &kept), "Ann drinks green tea, never coffee\n");
    let away = path("/away");
    me.rename(&kept, &away, RenameMode::Replace).unwrap();
    me.forget(&away, false).unwrap();
    me.untrash(&handle, None).unwrap();
    assert_eq!(me.stat(&handle).unwrap().size, 0);
}

/// Makes a file whose name is a handle, as a mount does: there, names are names.
fn make_real(view: &View, at: &Path) {
    let nodes = view.nodes();
    let make = MakeNode { kind: Kind::File, mode: 0o600, uid: 0, gid: 0, target: "" };
    let name = at.name().expect("it has one");
    nodes.make(&nodes.root(), name, &make).expect("it is made");
}

#[test]
fn a_handle_is_taken_as_it_is_cited_with_its_lines() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    me.write(&path("/a.md"), b"# Tea\n\nAnn drinks green tea.\n", &parents()).unwrap();
    let handle = cited(&me, "what does Ann drink?");
    for lines in ["#3", "#1-3"] {
        let at = path(&format!("{handle}{lines}"));
        assert_eq!(me.stat(&at).unwrap().node, me.stat(&path("/a.md")).unwrap().node);
        assert!(!text(&me, &path(&format!("{at}:history"))).is_empty());
    }
    me.write(&path(&format!("{handle}#3")), b"Ann drinks black tea.\n", &parents()).unwrap();
    assert_eq!(text(&me, &path("/a.md")), "Ann drinks black tea.\n");
}

#[test]
fn what_is_erased_by_its_handle_is_erased_as_by_its_path() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let owner = view_of(&store, "owner");
    owner.make_dir(&path("/shared/lab"), false).unwrap();
    let operator = Who { agent: agent("owner"), operator: true, all: true };
    let all = store.view(&operator).unwrap();
    for (at, view) in [("/a.md", &owner), ("/shared/lab/b.md", &owner), ("/shared/lab/c.md", &all)]
    {
        // What was removed from there before belongs to it.
        owner.write(&path(at), b"The parsnip was a turnip\n", &parents()).unwrap();
        owner.remove(&path(at), false).unwrap();
        owner.write(&path(at), b"The parsnip is in the cellar\n", &parents()).unwrap();
        let handle = cited(view, "where is the parsnip?");
        let receipt = view.forget(&handle, true).unwrap();
        assert_eq!((receipt.path.as_str(), receipt.nodes), (at, 2), "{handle}");
        assert_eq!(owner.trash(None, 10).unwrap().items, [], "{at}");
        drop(cited_or_nothing(&owner));
        for word in [&b"parsnip"[..], b"turnip"] {
            assert_eq!(files_with(dir.path(), word), <[String; 0]>::default(), "{at}");
        }
    }
}

fn cited_or_nothing(view: &View) -> Option<String> {
    let recalled = view.recall("where is the parsnip?", &RecallOptions::default()).expect("recall");
    recalled.memories.first().map(|best| best.handle.clone())
}

#[test]
fn a_receipt_names_the_file_that_a_handle_meant() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let handle = cited(&me, "what does Ann drink?");
    assert_eq!(me.meant(&handle).unwrap(), kept);
    assert_eq!(me.meant(&kept).unwrap(), kept);
    let receipt = me.forget(&handle, false).unwrap();
    assert_eq!(receipt.path, kept);
    me.untrash(&receipt.path, None).unwrap();
    assert_eq!(text(&me, &handle), "Ann drinks green tea, never coffee\n");
}

#[test]
fn a_handle_below_a_directory_means_what_is_there_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    me.write(&path("/private/pay.md"), b"Ann earns 4711\n", &parents()).unwrap();
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    me.symlink("memories", &path("/link")).unwrap();
    let (tea, pay) = (cited(&me, "what does Ann drink?"), cited(&me, "what does Ann earn?"));
    let below = |directory: &str, at: &Path| path(&format!("{directory}{at}"));
    for directory in ["/memories", "/link", ""] {
        assert_eq!(me.stat(&below(directory, &tea)).unwrap().node, me.stat(&kept).unwrap().node);
    }
    assert_eq!(text(&me, &below("/private", &pay)), "Ann earns 4711\n");
    let write = WriteOptions::default();
    for directory in ["/memories", "/link", "/nowhere", "/memories/ann-drinks-green-tea-never.md"] {
        let at = below(directory, &pay);
        let edit = Edit::Insert { line: 0, text: "x".into() };
        for refused in [
            me.read(&at).err(),
            me.stat(&at).err(),
            me.write(&at, b"x", &write).err(),
            me.append(&at, b"x", &write).err(),
            me.edit(&at, &edit, &write).err(),
            me.log(&at, None, 9).err(),
            me.remove(&at, false).err(),
            me.purge(&at).err(),
            me.copy(&at, &path("/copied"), false).err(),
            me.rename(&at, &path("/moved"), RenameMode::Replace).err(),
            me.read(&path(&format!("{at}:history"))).err(),
        ] {
            let kind = refused.expect("it is not there").kind();
            assert!(matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory), "{at}: {kind}");
        }
    }
    assert_eq!(text(&me, &pay), "Ann earns 4711\n");
}

#[test]
fn nothing_new_is_called_like_a_handle() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    let kept = remember(&me, "Ann drinks green tea, never coffee");
    let (at, write) = (path("/^999999"), parents());
    let inner = path("/^999999/a.md");
    for refused in [
        me.write(&at, b"x", &write).err(),
        me.write(&at, &vec![1; 70_000], &write).err(),
        me.write(&path("/^999999#4-6"), b"x", &write).err(),
        me.write(&inner, b"x", &write).err(),
        me.append(&at, b"x", &write).err(),
        me.writer(&at, &write).err(),
        me.make_dir(&at, true).err(),
        me.make_dir(&inner, true).err(),
        me.symlink("x", &at).err(),
        me.link(&kept, &at).err(),
        me.rename(&kept, &at, RenameMode::Replace).err(),
        me.copy(&kept, &at, false).err(),
    ] {
        let error = refused.expect("it is refused");
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains("handle"), "{error}");
    }
    let seen = me.walk(&Path::root(), None, 10).unwrap().items;
    assert_eq!(seen.len(), 2, "{seen:?}");
    // What a mount made so is copied with what it is in, and can be written.
    make_real(&me, &at);
    me.write(&at, b"real\n", &write).unwrap();
    me.make_dir(&path("/made"), false).unwrap();
    me.rename(&at, &path("/made/^999999"), RenameMode::Replace).unwrap_err();
    me.make_dir(&path("/shared/lab"), false).unwrap();
    me.copy(&path("/memories"), &path("/shared/lab/copied"), true).unwrap();
}

/// Writes files in two places in turn until one of each have the same six digits.
fn two_alike(view: &View, places: [&str; 2]) -> [Path; 2] {
    let mut known: [BTreeMap<Handle, Path>; 2] = Default::default();
    for number in 0..FILES_MAX {
        let side = number % 2;
        let at = path(&format!("{}/{number}.md", places[side]));
        view.write(&at, b"a note\n", &parents()).expect("it may");
        let handle = Handle::of(view.stat(&at).expect("it is there").node.0, HANDLE_DIGITS[0]);
        if let Some(other) = known[1 - side].get(&handle) {
            let pair = [at, other.clone()];
            return if side == 0 { pair } else { [pair[1].clone(), pair[0].clone()] };
        }
        known[side].insert(handle, at);
    }
    unreachable!("no two of {FILES_MAX} files are alike")
}

#[test]
fn a_handle_of_two_files_names_both_unless_one_is_hidden() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let owner = view_of(&store, "owner");
    owner.make_dir(&path("/shared/lab"), false).expect("a space");
    let [shown, hidden] = two_alike(&owner, ["/shared/lab/open", "/shared/lab/closed"]);
    let handle = Handle::of(owner.stat(&shown).unwrap().node.0, HANDLE_DIGITS[0]);
    let at = path(&format!("/{handle}"));
    let error = owner.read(&at).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let message = error.to_string();
    assert!(message.contains(shown.as_str()) && message.contains(hidden.as_str()), "{message}");
    // More of the same digits tell them apart.
    owner.write(&shown, b"The parsnip is shown\n", &WriteOptions::default()).unwrap();
    let longer = cited(&owner, "where is the parsnip?");
    assert!(longer.as_str().len() > at.as_str().len(), "{longer}");
    assert_eq!(text(&owner, &longer), "The parsnip is shown\n");
    // Who sees one of them is told nothing of the other.
    let ann = Subject::Agent(agent("ann"));
    owner.grant(&path("/shared/lab/open"), &ann, Right::Read).unwrap();
    let ann = view_of(&store, "ann");
    assert_eq!(cited(&ann, "where is the parsnip?"), at);
    assert_eq!(text(&ann, &at), "The parsnip is shown\n");
}

#[test]
fn a_handle_tells_a_file_from_all_that_the_agent_sees_wherever_it_looked() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let owner = view_of(&store, "owner");
    owner.make_dir(&path("/shared/lab"), false).expect("a space");
    let [here, there] = two_alike(&owner, ["/notes", "/shared/lab"]);
    owner.write(&here, b"The parsnip is here\n", &WriteOptions::default()).unwrap();
    owner.write(&there, b"The turnip is there\n", &WriteOptions::default()).unwrap();
    for (question, options) in [
        (
            "where is the turnip?",
            RecallOptions {
                spaces: vec!["shared/lab".parse().unwrap()],
                ..RecallOptions::default()
            },
        ),
        (
            "where is the parsnip?",
            RecallOptions { below: path("/notes"), ..RecallOptions::default() },
        ),
    ] {
        let recalled = owner.recall(question, &options).unwrap();
        let best = &recalled.memories[0];
        assert_eq!(owner.meant(&path(&best.handle)).unwrap(), best.path, "{}", best.handle);
    }
}

#[test]
fn what_is_asked_for_below_a_handle_is_its_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    remember(&me, "Ann drinks green tea, never coffee");
    remember(&me, "The boiler makes tea at noon");
    let below = cited(&me, "what does Ann drink?");
    let options = RecallOptions { below: below.clone(), ..RecallOptions::default() };
    assert_eq!(me.recall("tea", &options).unwrap().memories.len(), 1);
    let options = TimelineOptions { after: None, before: None, limit: 9, below };
    assert_eq!(me.timeline(&options).unwrap().len(), 1);
}

#[test]
fn what_is_looked_for_where_nothing_is_or_with_no_budget_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let me = view_of(&store, "me");
    remember(&me, "Ann drinks green tea, never coffee");
    me.write(&path("/notes/a.md"), b"The boiler makes tea at noon\n", &parents()).unwrap();
    me.symlink("notes", &path("/link")).unwrap();
    for (below, space, named) in [
        ("/nope", None, "/nope"),
        ("/shared", None, "/shared"),
        ("/shared/nope", None, "/shared/nope"),
        ("/", Some("shared/nope"), "shared/nope"),
        ("/", Some("agents/other"), "agents/other"),
    ] {
        let spaces: Vec<_> = space.iter().map(|name| name.parse().unwrap()).collect();
        let below = path(below);
        let recall = RecallOptions {
            below: below.clone(),
            spaces: spaces.clone(),
            ..RecallOptions::default()
        };
        let search = SearchOptions { below: below.clone(), spaces, ..SearchOptions::default() };
        let mut refused = vec![me.recall("tea", &recall).err(), me.search("tea", &search).err()];
        if space.is_none() {
            let options = TimelineOptions { after: None, before: None, limit: 9, below };
            refused.push(me.timeline(&options).err());
            refused.push(me.stale(0, 9, &options.below).err());
        }
        for error in refused {
            let error = error.expect("it is not there");
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            assert!(error.to_string().contains(named), "{error}");
        }
    }
    let linked = RecallOptions { below: path("/link"), ..RecallOptions::default() };
    assert_eq!(me.recall("tea", &linked).unwrap().memories[0].path, path("/notes/a.md"));
    let nothing = RecallOptions { max_tokens: 0, ..RecallOptions::default() };
    for error in
        [me.recall("tea", &nothing).unwrap_err(), me.context(0, Tokenizer::Approx).unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
}
