//! Links, tags, timelines, stale files, and what to know at the start.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{ErrorKind, HostDisk, Path, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, Count, RecallOptions, RenameMode, SetMeta, Settings, Store, TimelineOptions,
    Tokenizer, View,
};

use crate::common::{parents, path, view_of};

/// A store whose clock stands still.
struct Desk {
    dir: tempfile::TempDir,
    clock: Arc<VirtualClock>,
    store: Store,
    me: View,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
        let store = open(&dir, &clock);
        let me = view_of(&store, "me");
        Self { dir, clock, store, me }
    }

    fn reopen(&mut self) {
        self.store.close().expect("it closes");
        self.store = open(&self.dir, &self.clock);
        self.me = view_of(&self.store, "me");
    }

    /// Writes a file, and lets a minute pass.
    fn write(&self, at: &str, text: &str) {
        self.me.write(&path(at), text.as_bytes(), &parents()).expect("a write");
        self.clock.advance(Duration::from_mins(1));
    }

    fn set(&self, at: &str, key: &str, value: &str) {
        self.me.set_meta(&path(at), &SetMeta::one(key, value)).expect("a note");
    }

    fn stale(&self, days: u32) -> Vec<String> {
        let stale = self.me.stale(days, 100, &Path::root()).expect("an answer");
        stale.into_iter().map(|noted| noted.path.to_string()).collect()
    }

    fn probe(&self, at: &str) -> String {
        let text = self.me.read(&path(at)).expect(at);
        String::from_utf8(text.into()).expect("text")
    }
}

fn open(dir: &tempfile::TempDir, clock: &Arc<VirtualClock>) -> Store {
    let components = Components { clock: clock.clone(), disk: Arc::new(HostDisk), seed: 1 };
    Store::open(dir.path(), Settings::default(), components).expect("it opens")
}

#[test]
fn links_lead_to_the_nearest_note() {
    let desk = Desk::new();
    desk.write(
        "/desk/a.md",
        "[[Note]] [[other#part|shown]] [[deep/far]] [[none]] [[note]] [[#here]]\n\
         [x](../top.md) [y](my%20file.md#part) [z](/desk/sub) [w](https://example.org/a.md) [v](#h)\n\
         `[[code]]` [up](../../..) [missing](gone.md)\n",
    );
    for at in [
        "/note.md",
        "/desk/note.md",
        "/x/y/other.md",
        "/z/other.md",
        "/deep/far.md",
        "/far.md",
        "/top.md",
        "/desk/my file.md",
        "/desk/sub/b.md",
    ] {
        desk.write(at, "text");
    }
    let links = desk.me.links(&path("/desk/a.md")).unwrap();
    let to: Vec<(&str, Option<&str>)> =
        links.to.iter().map(|link| (&*link.target, link.path.as_ref().map(Path::as_str))).collect();
    assert_eq!(
        to,
        [
            ("Note", Some("/desk/note.md")),
            ("other", Some("/z/other.md")),
            ("deep/far", Some("/deep/far.md")),
            ("none", None),
            ("note", Some("/desk/note.md")),
            ("../top.md", Some("/top.md")),
            ("my%20file.md", Some("/desk/my file.md")),
            ("/desk/sub", Some("/desk/sub")),
            ("../../..", None),
            ("gone.md", None),
        ]
    );
    assert_eq!(links.from, []);
    for (at, expected) in [
        ("/desk/note.md", &["/desk/a.md"][..]),
        ("/note.md", &[]),
        ("/top.md", &["/desk/a.md"]),
        ("/desk/my file.md", &["/desk/a.md"]),
        ("/far.md", &[]),
    ] {
        let from = desk.me.links(&path(at)).unwrap().from;
        assert_eq!(from.iter().map(Path::as_str).collect::<Vec<_>>(), expected, "{at}");
    }
    // A move of the nearest note leaves the next one.
    desk.me.rename(&path("/desk/note.md"), &path("/desk/else.md"), RenameMode::Replace).unwrap();
    let to = desk.me.links(&path("/desk/a.md")).unwrap().to;
    assert_eq!(to[0].path, Some(path("/note.md")));
    assert_eq!(desk.me.links(&path("/note.md")).unwrap().from, [path("/desk/a.md")]);
    assert!(desk.probe("/note.md:links").contains("| from | /desk/a.md |  |"));
    assert_eq!(desk.me.links(&path("/nothing")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_timeline_shows_the_newest_first_and_calls_each_file_something() {
    let desk = Desk::new();
    desk.write("/heading.md", "# The heading\n\ntext");
    desk.write("/words.md", "\n- first words of it\nmore");
    desk.write("/titled.md", "# Not this");
    desk.set("/titled.md", "title", "The title");
    desk.set("/titled.md", "tags", "x,y");
    desk.write("/below/empty.md", "");
    let all = TimelineOptions { after: None, before: None, limit: 100, below: Path::root() };
    let shown = |options: &TimelineOptions| -> Vec<(String, String)> {
        let noted = desk.me.timeline(options).unwrap();
        noted.into_iter().map(|noted| (noted.path.to_string(), noted.title)).collect()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(path, title)| ((*path).into(), (*title).into())).collect()
    };
    let expected = pairs(&[
        ("/below/empty.md", "empty.md"),
        ("/titled.md", "The title"),
        ("/words.md", "first words of it"),
        ("/heading.md", "The heading"),
    ]);
    assert_eq!(shown(&all), expected);
    assert_eq!(shown(&TimelineOptions { limit: 2, ..all.clone() }), expected[..2]);
    assert_eq!(shown(&TimelineOptions { below: path("/below"), ..all.clone() }), expected[..1]);
    let time = desk.me.stat(&path("/words.md")).unwrap().modified;
    assert_eq!(shown(&TimelineOptions { after: Some(time), ..all.clone() }), expected[..3]);
    assert_eq!(shown(&TimelineOptions { before: Some(time), ..all.clone() }), expected[3..]);
    assert_eq!(
        desk.probe("/:timeline?after=2026-01-31T12:02:00Z&before=2026-01-31T12:03:00Z"),
        "| modified | path | title | tags |\n| --- | --- | --- | --- |\n\
         | 2026-01-31T12:02:00Z | /titled.md | The title | x,y |\n"
    );
    assert_eq!(desk.probe("/below/:timeline,after=2026-02-01").lines().count(), 2);
    assert_eq!(
        desk.me.read(&path("/:timeline?after=soon")).unwrap_err().kind(),
        ErrorKind::Invalid
    );
}

#[test]
fn what_is_neither_written_nor_read_is_stale() {
    let mut desk = Desk::new();
    for at in ["/a.md", "/b.md", "/c.md", "/below/d.md"] {
        desk.write(at, "the garden is green");
    }
    desk.set("/a.md", "importance", "0.9");
    desk.set("/c.md", "importance", "0.1");
    assert_eq!(desk.stale(1), Vec::<String>::new());
    desk.clock.advance(Duration::from_hours(240));
    assert_eq!(desk.stale(7), ["/c.md", "/b.md", "/below/d.md", "/a.md"]);
    assert_eq!(desk.me.stale(7, 1, &Path::root()).unwrap().len(), 1);
    assert_eq!(desk.me.stale(7, 9, &path("/below")).unwrap()[0].path, path("/below/d.md"));
    // A look at all of them for a search is no reading, a recall of one is.
    desk.me.search("garden", &homefs_view::SearchOptions::default()).unwrap();
    desk.probe("/:timeline");
    assert_eq!(desk.stale(7).len(), 4);
    desk.me.read(&path("/c.md")).unwrap();
    assert_eq!(desk.stale(7), ["/b.md", "/below/d.md", "/a.md"]);
    // It is known to the next process, too.
    desk.reopen();
    assert_eq!(desk.stale(7), ["/b.md", "/below/d.md", "/a.md"]);
    let recalled = desk.me.recall("garden", &RecallOptions::default()).unwrap();
    let told: Vec<String> = recalled.memories.iter().map(|one| one.path.to_string()).collect();
    assert!(!told.is_empty());
    assert!(desk.stale(7).iter().all(|path| !told.contains(path)), "{told:?}");
    desk.clock.advance(Duration::from_hours(240));
    desk.reopen();
    let c = desk.me.stale(7, 9, &Path::root()).unwrap().remove(0);
    assert_eq!((c.path.as_str(), c.read.is_some()), ("/c.md", true));
    let shown = desk.probe("/:stale?days=7&limit=1");
    assert!(
        shown.contains("| 0.10 | 2026-01-31T12:02:00Z | 2026-02-10T12:04:00Z | /c.md |"),
        "{shown}"
    );
    assert!(shown.contains("kernel"), "{shown}");
    // What is purged was never read.
    let node = desk.me.stat(&path("/c.md")).unwrap().node;
    desk.me.purge(&path("/c.md")).unwrap();
    desk.store.close().unwrap();
    assert!(!reads_file(&desk).windows(16).any(|bytes| bytes == node.0.to_le_bytes()));
}

#[test]
fn damaged_statistics_are_none() {
    let mut desk = Desk::new();
    desk.write("/a.md", "text");
    desk.clock.advance(Duration::from_hours(240));
    desk.me.read(&path("/a.md")).unwrap();
    assert_eq!(desk.stale(7), Vec::<String>::new());
    desk.store.close().unwrap();
    let mut content = reads_file(&desk);
    let end = content.len();
    content[end - 6] ^= 1;
    #[expect(clippy::disallowed_methods, reason = "the test damages a file")]
    std::fs::write(desk.dir.path().join("spaces/agents/me/reads"), content).unwrap();
    desk.reopen();
    assert_eq!(desk.stale(7), ["/a.md"]);
    desk.me.read(&path("/a.md")).unwrap();
    desk.reopen();
    assert_eq!(desk.stale(7), Vec::<String>::new());
}

#[expect(clippy::disallowed_methods, reason = "the test looks at the file itself")]
fn reads_file(desk: &Desk) -> Vec<u8> {
    std::fs::read(desk.dir.path().join("spaces/agents/me/reads")).expect("it is there")
}

#[test]
fn tags_are_counted_below_a_directory() {
    let desk = Desk::new();
    desk.write("/a.md", "text");
    desk.write("/below/b.md", "text");
    desk.set("/a.md", "tags", "x,y");
    desk.set("/below/b.md", "tags", "y");
    desk.set("/below", "tags", "z");
    let tags = |at: &str| desk.me.tags(&path(at)).unwrap();
    assert_eq!(tags("/"), [("x".into(), 1), ("y".into(), 2), ("z".into(), 1)]);
    assert_eq!(tags("/below"), [("y".into(), 1)]);
}

#[test]
fn the_context_begins_with_what_is_pinned_and_keeps_its_budget() {
    let desk = Desk::new();
    desk.write("/rules.md", "Always answer in British English.");
    desk.set("/rules.md", "tags", "pinned");
    desk.write("/key.md", "The key is below the stone.");
    desk.set("/key.md", "importance", "1");
    for number in 0..60 {
        desk.write(&format!("/log/day-{number}.md"), &format!("On day {number} it rained again."));
        desk.set(&format!("/log/day-{number}.md"), "importance", "0.1");
    }
    for max_tokens in [1, 10, 50, 100, 200, 500, 10_000_000] {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Approx] {
            let standing = desk.me.context(max_tokens, tokenizer).unwrap();
            assert!(standing.tokens <= max_tokens, "{standing:?} for {max_tokens}");
            assert_eq!(standing.tokens, tokenizer.count(&standing.text));
        }
    }
    let text = desk.me.context(300, Tokenizer::O200k).unwrap().text;
    let place = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word}: {text}"));
    assert!(place("British") < place("the stone"), "{text}");
    assert!(place("the stone") < place("it rained"), "{text}");
    assert!(place("it rained") < place("/log (60)"), "{text}");
    assert_eq!(desk.probe("/log/:context?max_tokens=300"), text);
    assert_eq!(desk.me.context(1, Tokenizer::O200k).unwrap().text, "");
}

#[test]
fn probes_search_below_their_directory_at_once() {
    let desk = Desk::new();
    desk.write("/memory/rsi.md", "RSI > 70 → exit\n");
    desk.write("/elsewhere/cat.md", "When to sell the cat & dog: 100% = never, c++\n");
    let text = desk.probe("/memory/:recall?q=when+to+exit&max_tokens=200");
    assert!(text.contains("RSI > 70 → exit") && text.contains(" ^"), "{text}");
    assert_eq!(text, desk.probe("/memory/:recall,q=when+to+exit,max_tokens=200"));
    assert!(!text.contains("cat"), "{text}");
    assert_eq!(desk.probe("/:recall?q=cat&max_tokens=1"), "");
    let explained = desk.probe("/:recall?q=cat&explain=1");
    assert!(
        explained.contains("| score | relevance |") && explained.contains("| kept |"),
        "{explained}"
    );
    for at in [
        "/:search?q=cat+%26+dog&kind=text",
        "/:search,q=100%25+%3D+never,kind=text",
        "/:search?c%2B%2B&kind=text&limit=1",
        "/elsewhere/:search?sell&kind=hybrid&format=json",
    ] {
        assert!(desk.probe(at).contains("/elsewhere/cat.md"), "{at}");
    }
    assert!(!desk.probe("/memory/:search?q=cat&kind=text").contains("cat.md"));
    assert!(desk.probe("/elsewhere/cat.md:related?limit=5").starts_with("| score | path |"));
    for at in [
        "/:search",
        "/:recall?q=+",
        "/:search?q=x&kind=magic",
        "/:search?q=x&limit=0",
        "/:recall?q=x&max_tokens=-1",
        "/:recall?q=x&max_tokens=0",
        "/:context?max_tokens=0",
        "/:recall?q=x&max_tokens=many",
        "/:recall?q=x&strategy=luck",
        "/:recall?q=x&tokenizer=runes",
        "/:recall?q=x&explain=why",
        "/:recall?q=x&min_score=high",
        "/:stale?days=-1",
        "/:context?max_tokens=x",
        "/:context?tokenizer=runes",
    ] {
        let answer = desk.me.read(&path(at)).map_err(|error| error.kind());
        assert_eq!(answer.map(drop), Err(ErrorKind::Invalid), "{at}");
    }
}
