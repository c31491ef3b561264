//! A search finds what a plain look into every file finds, whatever happened just before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homefs_core::{NodeId, Path, Timestamp};
use homefs_search::embed::BuiltIn;
use homefs_testkit::{CrashDisk, VirtualClock};
use homefs_view::{
    Components, Kind, Moment, RenameMode, SearchKind, SearchOptions, SetMeta, Settings, Store, View,
};

use crate::common::{parents, path, view_of};

/// A store on a disk that crashes; its base is on the host.
struct Desk {
    host: tempfile::TempDir,
    disk: CrashDisk,
    clock: Arc<VirtualClock>,
    store: Option<Store>,
    view: View,
    /// Whether a thread keeps the index up beside the searches.
    is_followed: bool,
    /// How often it was opened, which seeds what it draws.
    opened: u64,
    random: u64,
    /// Words that were written so far.
    words: u64,
}

impl Desk {
    #[expect(clippy::disallowed_methods, reason = "bases are on the host")]
    fn new(seed: u64, is_followed: bool) -> Self {
        let host = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(host.path().join("spaces/agents/me")).expect("the host has room");
        let disk = CrashDisk::new();
        let clock = Arc::new(VirtualClock::new(Timestamp(1_769_860_800 * 1_000_000_000)));
        let (store, view) = open(&host, &disk, &clock, is_followed, 1);
        let store = Some(store);
        Self { host, disk, clock, store, view, is_followed, opened: 1, random: seed, words: 0 }
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % below
    }

    /// Chooses one of some.
    fn choose<'a, T>(&mut self, some: &'a [T]) -> Option<&'a T> {
        some.get(usize::try_from(self.draw(some.len().max(1) as u64)).ok()?)
    }

    /// A word that no file had before.
    fn new_word(&mut self) -> String {
        self.words += 1;
        word(self.words)
    }

    /// One of a few places, so that things meet.
    fn place(&mut self) -> Path {
        let names = ["a", "b", "c"];
        let mut at = String::new();
        for _ in 0..self.draw(3) {
            at += "/folder-";
            at += self.choose(&names).expect("there are some");
        }
        at += if self.draw(8) == 0 { "/folder-" } else { "/note-" };
        path(&(at + self.choose(&names).expect("there are some")))
    }

    /// Does something, which may well fail.
    fn step(&mut self) -> String {
        self.clock.advance(Duration::from_secs(1));
        let (kind, at, other) = (self.draw(16), self.place(), self.place());
        let text = format!("{} and {}\n", self.new_word(), self.new_word());
        let view = self.view.clone();
        let done = match kind {
            0..=2 => view.write(&at, text.as_bytes(), &parents()).map(drop),
            3 => {
                let long = format!("{}\n{text}", "filling of a long file\n".repeat(4000));
                view.write(&at, long.as_bytes(), &parents()).map(drop)
            }
            4 => view.append(&at, text.as_bytes(), &parents()).map(drop),
            5 => view.stat(&at).and_then(|stat| {
                let offset = self.draw(stat.size + 1);
                view.write_at(&at, offset, format!(" {text}").as_bytes()).map(drop)
            }),
            6 => view.stat(&at).and_then(|stat| {
                let size = self.draw(stat.size + 1);
                view.truncate(&at, size).map(drop)
            }),
            7 => view.rename(&at, &other, RenameMode::Replace).map(drop),
            8 => {
                let moved = above(&other).join("moved").expect("a good name");
                view.rename(&above(&at), &moved, RenameMode::Replace).map(drop)
            }
            9 => view.remove(&at, true).map(drop),
            10 => view.remove(&above(&at), true).map(drop),
            11 => view.log(&at, None, 5).and_then(|editions| {
                let first = editions.last();
                let moment = first.map_or(Moment::Now, |first| Moment::Version(first.version));
                view.restore(&at, moment).map(drop)
            }),
            12 => view.trash(None, 100).and_then(|trashed| {
                let back = self.choose(&trashed.items);
                back.map_or(Ok(()), |back| view.untrash(&back.path, None).map(drop))
            }),
            13 => view.copy(&at, &other, true).map(drop),
            14 => view.set_meta(&at, &SetMeta::one("ttl", "1h")).map(drop),
            _ => {
                let hours = self.draw(3);
                self.clock.advance(Duration::from_hours(hours));
                view.link(&at, &other).map(drop)
            }
        };
        format!("{kind} at {at} and {other}: {:?}", done.map_err(|error| error.kind()))
    }

    /// Compares searches with what the files say.
    fn check(&mut self, all: bool, context: &str) {
        let said = said(&self.view);
        let last = self.words;
        let asked: Vec<u64> = if all {
            (1..=last).collect()
        } else {
            let older: Vec<u64> = (0..6).map(|_| self.draw(last) + 1).collect();
            [last, last.saturating_sub(1)].into_iter().chain(older).collect()
        };
        for number in asked {
            let word = word(number);
            let options =
                SearchOptions { limit: 1000, kind: SearchKind::Text, ..SearchOptions::default() };
            let hits = self.view.search(&word, &options).expect("a search");
            let found: BTreeSet<NodeId> = hits
                .iter()
                .map(|hit| self.view.stat(&hit.path).expect("it is there").node)
                .collect();
            let expected = said.get(&word).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{word} after {context}: {hits:?}");
        }
    }

    fn reopen(&mut self) {
        self.opened += 1;
        let (store, view) =
            open(&self.host, &self.disk, &self.clock, self.is_followed, self.opened);
        (self.store, self.view) = (Some(store), view);
    }

    fn close(&mut self) {
        self.store.take().expect("it is open").close().expect("it closes");
    }

    fn index_file(&self) -> PathBuf {
        self.host.path().join("spaces/agents/me/index")
    }

    /// Checks all, and that the index is what one made anew would be.
    fn check_all(&mut self, context: &str) {
        self.check(true, context);
        let store = self.store.as_ref().expect("it is open");
        assert_eq!(store.verify_indexes().expect("a check"), [], "{context}");
    }
}

/// The directory that holds a path.
fn above(path: &Path) -> Path {
    path.parent().unwrap_or_else(Path::root)
}

fn open(
    host: &tempfile::TempDir,
    disk: &CrashDisk,
    clock: &Arc<VirtualClock>,
    is_followed: bool,
    seed: u64,
) -> (Store, View) {
    let components = Components { clock: clock.clone(), disk: disk.process(), seed };
    let store = Store::open(host.path(), Settings::default(), components).expect("it opens");
    if is_followed {
        store.start_indexing(Arc::new(BuiltIn::Static)).expect("it starts");
    }
    let view = view_of(&store, "me");
    (store, view)
}

/// A word without vowels, which has no stem but itself.
fn word(mut number: u64) -> String {
    let letters = b"bcdfghjklmnpqrtvwxz";
    let mut word = String::from("zq");
    while number > 0 {
        let letter = usize::try_from(number).expect("a small number") % letters.len();
        word.push(letters[letter].into());
        number /= letters.len() as u64;
    }
    word + "zq"
}

/// What files say, by reading all of them.
fn said(view: &View) -> BTreeMap<String, BTreeSet<NodeId>> {
    let mut said: BTreeMap<String, BTreeSet<NodeId>> = BTreeMap::new();
    for found in view.walk(&Path::root(), None, 10_000).expect("a walk").items {
        if found.stat.kind == Kind::File {
            let text = view.read(&found.path).expect("it is there");
            for word in String::from_utf8_lossy(&text).split_whitespace() {
                said.entry(word.to_owned()).or_default().insert(found.stat.node);
            }
        }
    }
    said
}

fn run(seed: u64, is_followed: bool) {
    let mut desk = Desk::new(seed, is_followed);
    for number in 0..120 {
        let done = desk.step();
        desk.check(false, &format!("step {number} of seed {seed}, {done}"));
    }
    desk.check_all(&format!("all steps of seed {seed}"));
}

#[test]
fn a_search_sees_every_write_that_returned_before_it() {
    for seed in 1..=2 {
        run(seed, false);
    }
}

#[test]
fn a_search_sees_every_write_also_beside_the_follower() {
    run(5, true);
}

/// Searches rarely, so that much is new to the index each time.
#[test]
fn an_index_outlives_its_process_in_every_way_to_end() {
    for seed in 10..=11 {
        let mut desk = Desk::new(seed, false);
        for round in 0..6 {
            for _ in 0..20 {
                desk.step();
            }
            if round % 2 == 1 {
                desk.check(false, "some steps");
            }
            for _ in 0..10 {
                desk.step();
            }
            let context = format!("round {round} of seed {seed}");
            match desk.draw(3) {
                0 => desk.close(),
                1 => {
                    desk.disk.crash_process();
                    drop(desk.store.take());
                }
                _ => {
                    // As if it had been saved, and then somebody had killed the process.
                    desk.close();
                    desk.reopen();
                    desk.check(false, &context);
                    desk.step();
                    desk.disk.crash_process();
                    drop(desk.store.take());
                }
            }
            desk.reopen();
            desk.check_all(&context);
        }
    }
}

#[test]
fn an_index_that_is_gone_or_damaged_is_made_again() {
    let mut desk = Desk::new(20, false);
    for _ in 0..60 {
        desk.step();
    }
    desk.check_all("the first steps");
    desk.close();
    let file = desk.index_file();
    let whole = desk.disk.files()[&file].clone();
    let garbage: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let flipped = |at: usize| {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        damaged
    };
    let cases = [
        ("empty", Some(Vec::new())),
        ("missing", None),
        ("cut in its header", Some(whole[..5].to_vec())),
        ("cut in a frame", Some(whole[..whole.len() / 2].to_vec())),
        ("cut at its end", Some(whole[..whole.len() - 1].to_vec())),
        ("garbage", Some(garbage.clone())),
        ("followed by garbage", Some([whole.clone(), garbage].concat())),
        ("damaged in its header", Some(flipped(3))),
        ("damaged at the length", Some(flipped(18))),
        ("damaged in a frame", Some(flipped(whole.len() / 2))),
    ];
    for (what, content) in cases {
        match &content {
            Some(content) => desk.disk.plant(&file, content),
            None => desk.disk.process().remove(&file).expect("it was there"),
        }
        desk.reopen();
        let store = desk.store.clone().expect("it is open");
        let is_damaged = content.is_some_and(|content| !content.is_empty());
        let found = store.verify_indexes().expect("a check");
        assert_eq!(
            found.iter().filter(|found| found.mended.is_some()).count(),
            usize::from(is_damaged),
            "{what}: {found:?}"
        );
        assert_eq!(found.iter().filter(|found| found.mended.is_none()).count(), 0, "{found:?}");
        desk.check_all(what);
        desk.step();
        desk.check_all(what);
        drop(store);
        desk.close();
    }
}
