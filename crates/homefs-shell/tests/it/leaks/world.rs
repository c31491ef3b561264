//! A store in which some is hidden from one agent.
//!
//! What the agent may see follows from one seed, what is hidden from it from another. A change of
//! the shared space is one record, whatever it changes: versions count those, and are told.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{AgentId, HostDisk, Path, Result, Timestamp};
use homefs_testkit::VirtualClock;
use homefs_view::{
    Components, RenameMode, Right, SearchOptions, SetAttrs, SetMeta, Settings, Store, Subject,
    View, Who, WriteOptions,
};

/// The agent from whom things are hidden.
pub(super) const EVE: &str = "eve";

/// A source of numbers that gives the same for the same seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Returns a number below `sides`.
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}

/// One store.
pub(super) struct World {
    pub(super) clock: Arc<VirtualClock>,
    pub(super) eve: View,
    _store: Store,
    pub(super) dir: tempfile::TempDir,
    /// Manages the shared space.
    ann: View,
    operator: View,
    hidden: Dice,
}

/// Directories of the shared space that eve may not read, beside the way to what she may.
const HIDDEN: [&str; 4] = ["/shared/lab", "/shared/lab/way", "/shared/lab/secret", "/shared/lab/x"];
/// Directories where she may read, and at the first write.
pub(super) const SEEN: [&str; 3] =
    ["/shared/lab/open", "/shared/lab/open/sub", "/shared/lab/way/in"];
/// What is written, and asked for.
pub(super) const WORDS: [&str; 8] =
    ["harbour", "lantern", "copper", "meadow", "glacier", "violin", "saffron", "thunder"];

pub(super) fn at(text: &str) -> Path {
    Path::parse(text).expect("a good path")
}

fn options() -> WriteOptions {
    WriteOptions { parents: true, ..WriteOptions::default() }
}

/// Returns a text of some words, with a link and a heading.
fn text(dice: &mut Dice) -> String {
    let mut text = format!("# {}\n\nSee [[n{}]].\n", dice.pick(&WORDS), dice.roll(4));
    for _ in 0..dice.roll(30) {
        text += dice.pick(&WORDS);
        text += if dice.roll(6) == 0 { ".\n" } else { " " };
    }
    text
}

impl World {
    /// Makes a store; `seen` and `hidden` are the seeds of what eve sees and does not see.
    pub(super) fn new(seen: u64, hidden: u64) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let clock = Arc::new(VirtualClock::new(Timestamp(1_700_000_000_000_000_000)));
        let components =
            Components { clock: clock.clone(), disk: Arc::new(HostDisk), seed: hidden };
        let store = Store::open(dir.path(), Settings::default(), components).expect("it opens");
        let view = |agent: &str, operator: bool| {
            let agent = AgentId::new(agent).expect("a good name");
            store.view(&Who { agent, operator, all: false }).expect("there is a view")
        };
        let (eve, ann, operator) = (view(EVE, false), view("ann", false), view("root", true));
        let mut world =
            Self { clock, eve, _store: store, dir, ann, operator, hidden: Dice::new(hidden) };
        world.begin().expect("ann may");
        let mut dice = Dice::new(seen);
        for _ in 0..12 {
            world.clock.advance(Duration::from_secs(1));
            world.show(&mut dice).expect("what is seen can be changed");
            world.hide(&mut dice);
            world.hide_elsewhere().expect("others may");
        }
        world
    }

    fn begin(&mut self) -> Result<()> {
        let ann = &self.ann;
        ann.make_dir(&at("/shared/lab"), false)?;
        for directory in SEEN.iter().chain(&HIDDEN[2..]) {
            ann.make_dir(&at(directory), true)?;
        }
        for (name, right) in [("open", Right::Write), ("way/in", Right::Read)] {
            let eve = Subject::Agent(AgentId::new(EVE)?);
            ann.grant(&at(&format!("/shared/lab/{name}")), &eve, right)?;
        }
        // No word of it is searched for: a file with several names is not found by them.
        ann.write(&at("/shared/lab/open/kept.md"), b"kept quietly", &options())?;
        Ok(())
    }

    /// Changes something that eve sees, alike in every store.
    fn show(&self, dice: &mut Dice) -> Result<()> {
        let (home, name) = (dice.roll(3) == 0, format!("n{}.md", dice.roll(4)));
        let (who, directory) =
            if home { (&self.eve, "/notes") } else { (&self.ann, dice.pick(&SEEN)) };
        let path = at(&format!("{directory}/{name}"));
        match dice.roll(5) {
            0 if who.stat(&path).is_ok() => who.remove(&path, false),
            1 if who.stat(&path).is_ok() => {
                who.set_meta(&path, &SetMeta::one("tags", dice.pick(&WORDS)))
            }
            _ => who.write(&path, text(dice).as_bytes(), &options()),
        }?;
        Ok(())
    }

    /// Changes something in the shared space that eve does not see: one record, whatever is drawn.
    ///
    /// What is drawn may be refused, or be so already: then something else is drawn.
    pub(super) fn hide(&mut self, seen: &mut Dice) {
        // Who gives a file another name changes the file, and that is told.
        let is_of_kept = seen.roll(8) == 0;
        let before = self.version();
        while self.version() == before {
            drop(if is_of_kept { self.change_kept() } else { self.change_hidden() });
        }
        assert_eq!(self.version(), before + 1, "a change is one record");
    }

    /// Gives a file that eve sees a name that she does not see, or changes it alike.
    fn change_kept(&mut self) -> Result<()> {
        let kept = at("/shared/lab/open/kept.md");
        let name = at(&format!("/shared/lab/secret/l{}", self.clock_seconds()));
        let mode = Some(self.ann.stat(&kept)?.mode);
        match self.hidden.roll(2) {
            0 => self.ann.link(&kept, &name),
            _ => self.ann.set_attrs(&kept, &SetAttrs { mode, ..SetAttrs::default() }),
        }
        .map(drop)
    }

    /// Changes something of which eve sees nothing.
    fn change_hidden(&mut self) -> Result<()> {
        let seconds = self.clock_seconds();
        let dice = &mut self.hidden;
        let path = at(&format!("{}/n{}.md", dice.pick(&HIDDEN), dice.roll(4)));
        let new = at(&format!("{}/{}{seconds}", dice.pick(&HIDDEN), dice.pick(&WORDS)));
        let (ann, there) = (&self.ann, self.ann.stat(&path).is_ok());
        match dice.roll(10) {
            0 if there => ann.remove(&path, true),
            1 if there => ann.set_meta(&path, &SetMeta::one("tags", dice.pick(&WORDS))),
            2 if there => ann.rename(&path, &new, RenameMode::Replace),
            3 => ann.make_dir(&new, true),
            4 => ann.symlink("n1.md", &new),
            5 => {
                let bob = Subject::Agent(AgentId::new("bob")?);
                ann.grant(&at("/shared/lab/secret"), &bob, dice.pick(&[Right::Read, Right::Write]))
            }
            6 => {
                let mode = Some(dice.pick(&[0o700, 0o750, 0o711]));
                ann.set_attrs(&at("/shared/lab/way"), &SetAttrs { mode, ..SetAttrs::default() })
            }
            _ => ann.write(&path, text(dice).as_bytes(), &options()),
        }
        .map(drop)
    }

    /// Changes any number of things elsewhere.
    pub(super) fn hide_elsewhere(&mut self) -> Result<()> {
        let dice = &mut self.hidden;
        for _ in 0..dice.roll(4) {
            let word = dice.pick(&WORDS);
            match dice.roll(6) {
                0 => {
                    let team = AgentId::new(word)?;
                    self.operator.set_member(&team, &AgentId::new("bob")?, true)?;
                }
                1 => drop(self.ann.make_dir(&at(&format!("/shared/{word}")), false)),
                2 => drop(self.ann.search(word, &SearchOptions::default())?),
                3 => drop(self.operator.write(&at("/notes/big"), &vec![7; 100_000], &options())?),
                _ => {
                    let path = at(&format!("/notes/{word}.md"));
                    self.ann.write(&path, text(dice).as_bytes(), &options())?;
                }
            }
        }
        Ok(())
    }

    /// Lets the shared space hold no more than it does.
    pub(super) fn fill(&self) -> Result<()> {
        let quota = homefs_view::Quota { bytes: Some(1), nodes: Some(1) };
        self.operator.set_quota(&at("/shared/lab"), quota).map(drop)
    }

    /// Returns paths in the shared space that eve does not see here.
    pub(super) fn hidden_paths(&self) -> Vec<String> {
        let all = self.ann.walk(&at("/shared/lab"), None, 1000).expect("ann may");
        let paths = all.items.into_iter().map(|found| found.path.to_string());
        paths
            .filter(|path| {
                !SEEN.iter().any(|seen| seen.starts_with(&**path) || path.starts_with(seen))
            })
            .collect()
    }

    /// Returns the version of the shared space: how many records changed it.
    pub(super) fn version(&self) -> u64 {
        let cursor = self.ann.cursor().expect("ann may").to_string();
        let lab = cursor.split(',').find_map(|part| part.strip_prefix("shared/lab:"));
        lab.expect("it is there").parse().expect("a number")
    }

    fn clock_seconds(&self) -> i64 {
        use homefs_core::Clock as _;
        self.clock.now().seconds()
    }
}
