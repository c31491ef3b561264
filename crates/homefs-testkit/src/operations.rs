//! Random operations on one space, with few names, so that they meet often.

use homefs_core::Path;
use homefs_core::limits::{CHUNK_BYTES, INLINE_BYTES_MAX};
use proptest::prelude::*;
use proptest::sample::select;

/// Bytes made from two numbers, so that a failing case prints short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bulk {
    /// The letter that every line starts with.
    pub letter: char,
    /// How many bytes.
    pub len: usize,
}

impl Bulk {
    /// Returns the bytes: numbered lines of text, so that an edit finds one of them.
    pub fn bytes(self) -> Vec<u8> {
        let lines = (0..1000).map(|line| format!("{}{line:04}\n", self.letter));
        let lines: Vec<u8> = lines.take(self.len.div_ceil(6)).collect::<String>().into_bytes();
        let mut bytes = lines.repeat(self.len.div_ceil(lines.len().max(1)));
        bytes.truncate(self.len);
        bytes
    }
}

/// What a write says about the file that it expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Anything.
    Anything,
    /// The file as it is; nothing, if it is not there.
    Present,
    /// Nothing.
    Nothing,
    /// A version that no file has.
    Stale,
}

/// What a rename does with a target that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Replaces it.
    Replace,
    /// Fails.
    Fail,
    /// Swaps the two.
    Exchange,
}

/// One step of a model test.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the arguments of the call of the same name")]
pub enum Operation {
    /// Writes a whole file; `durable` waits for a barrier.
    Write {
        path: Path,
        content: Bulk,
        expect: Expect,
        create_only: bool,
        parents: bool,
        durable: bool,
    },
    /// Adds to the end.
    Append { path: Path, content: Bulk, parents: bool },
    /// Replaces one exact occurrence.
    Replace { path: Path, old: String, new: String },
    /// Inserts after a line.
    Insert { path: Path, line: usize, text: String },
    /// Writes a range, which may begin beyond the end.
    WriteAt { path: Path, offset: u64, content: Bulk },
    /// Gives a file another length.
    Truncate { path: Path, size: u64 },
    /// Makes a directory.
    MakeDir { path: Path, parents: bool },
    /// Makes a symbolic link.
    Symlink { target: String, path: Path },
    /// Gives a file another name.
    Link { existing: Path, new: Path },
    /// Removes a node.
    Remove { path: Path, recursive: bool },
    /// Moves a node.
    Rename { from: Path, to: Path, clash: Clash },
    /// Copies a node.
    Copy { from: Path, to: Path, recursive: bool },
    /// Sets the mode and sets or removes an extended attribute.
    SetAttrs { path: Path, mode: Option<u32>, xattr: Option<(String, Option<Vec<u8>>)> },
    /// Makes the content `back` settled ones before the newest the present one.
    Restore { path: Path, back: usize },
    /// Brings back what the last removal of a path took.
    Untrash { path: Path, to: Option<Path> },
    /// Waits until everything survives power loss.
    Barrier,
    /// Moves the clock, so that range writes settle.
    Quiet,
    /// Closes the store and opens it again.
    Reopen,
    /// Ends the process that owns the store, and opens it again.
    CrashProcess,
    /// Takes the power away, and opens the store again.
    CrashPower(u64),
}

/// The operations of one case; printed one to a line.
#[derive(Clone)]
pub struct Script(pub Vec<Operation>);

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|operation| write!(f, "\n    Operation::{operation:?},"))
    }
}

/// Makes up to `most` operations.
pub fn script(most: usize) -> impl Strategy<Value = Script> {
    // Boxed, because values that can be made smaller are large on the stack.
    let step = prop_oneof![
        30 => operation().prop_map(|operation| vec![operation]).boxed(),
        2 => save().boxed(),
    ];
    prop::collection::vec(step, 1..=most).prop_map(move |steps| {
        let mut operations = steps.concat();
        operations.truncate(most);
        Script(operations)
    })
}

/// The ways in which programs save a file without writing into it.
fn save() -> impl Strategy<Value = Vec<Operation>> {
    let end = select(vec!["~", ".bak"]);
    (path(), path(), bulk(), end, 0..5u8, any::<bool>()).prop_map(
        |(path, aside, content, end, way, removes)| {
            let Some(backup) = path.name().map(|name| format!("{name}{end}")) else {
                return Vec::new();
            };
            let above = path.parent().expect("it has a name");
            let backup = above.join(&backup).expect("the names are good");
            let write = |path: &Path| {
                let (path, expect) = (path.clone(), Expect::Anything);
                let (create_only, parents, durable) = (false, false, false);
                Operation::Write { path, content, expect, create_only, parents, durable }
            };
            let rename = |from: &Path, to: &Path| {
                let (from, to) = (from.clone(), to.clone());
                Operation::Rename { from, to, clash: Clash::Replace }
            };
            let touch = Operation::Truncate { path: path.clone(), size: 7 };
            let link = Operation::Link { existing: path.clone(), new: backup.clone() };
            let remove = |path: &Path| Operation::Remove { path: path.clone(), recursive: false };
            let mut steps = match way {
                0 => vec![remove(&aside), write(&aside), rename(&aside, &path)],
                1 => vec![touch, remove(&aside), write(&aside), rename(&aside, &path)],
                2 => vec![rename(&path, &backup), write(&path)],
                3 => {
                    let put_away = rename(&path, &backup);
                    vec![remove(&aside), write(&aside), put_away, rename(&aside, &path)]
                }
                _ => vec![remove(&aside), write(&aside), link, rename(&aside, &path)],
            };
            if removes {
                steps.push(remove(&backup));
            }
            steps
        },
    )
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => contents(),
        8 => ranges(),
        14 => names(),
        3 => (path(), 0usize..4).prop_map(|(path, back)| Operation::Restore { path, back }),
        3 => (path(), proptest::option::weighted(0.3, path()))
            .prop_map(|(path, to)| Operation::Untrash { path, to }),
        1 => Just(Operation::Barrier),
        1 => Just(Operation::Quiet),
        1 => prop_oneof![
            Just(Operation::Reopen),
            Just(Operation::CrashProcess),
            any::<u64>().prop_map(Operation::CrashPower),
        ],
    ]
}

fn contents() -> impl Strategy<Value = Operation> {
    let expect = prop_oneof![
        6 => Just(Expect::Anything),
        2 => Just(Expect::Present),
        1 => Just(Expect::Nothing),
        1 => Just(Expect::Stale),
    ];
    let flags = (prop::bool::weighted(0.1), any::<bool>(), prop::bool::weighted(0.1));
    let line = (letter(), 0..3u32).prop_map(|(letter, line)| format!("{letter}{line:04}"));
    prop_oneof![
        5 => (path(), bulk(), expect, flags).prop_map(
            |(path, content, expect, (create_only, parents, durable))| {
                Operation::Write { path, content, expect, create_only, parents, durable }
            }
        ),
        3 => (path(), bulk(), any::<bool>())
            .prop_map(|(path, content, parents)| Operation::Append { path, content, parents }),
        1 => (path(), line, "[xy]{0,2}")
            .prop_map(|(path, old, new)| Operation::Replace { path, old, new }),
        1 => (path(), 0usize..4, "[xy]{0,2}\n?")
            .prop_map(|(path, line, text)| Operation::Insert { path, line, text }),
    ]
}

fn ranges() -> impl Strategy<Value = Operation> {
    let small = bulk().prop_map(|bulk| Bulk { len: bulk.len.min(INLINE_BYTES_MAX), ..bulk });
    let place = prop_oneof![
        4 => 0..100u64,
        3 => (0..3u64).prop_map(|near| INLINE_BYTES_MAX as u64 - 1 + near),
        1 => (0..3u64).prop_map(|near| CHUNK_BYTES as u64 - 1 + near),
        1 => 0..3 * CHUNK_BYTES as u64,
    ];
    prop_oneof![
        (path(), place.clone(), small).prop_map(|(path, offset, content)| Operation::WriteAt {
            path,
            offset,
            content
        }),
        (path(), place).prop_map(|(path, size)| Operation::Truncate { path, size }),
    ]
}

fn names() -> impl Strategy<Value = Operation> {
    let clash = select(vec![Clash::Replace, Clash::Fail, Clash::Exchange]);
    let mode = proptest::option::of(0..0o10000u32);
    let value = proptest::option::of(prop::collection::vec(any::<u8>(), 0..4));
    let noted = proptest::option::of(select(vec![b"p".to_vec(), b"q".to_vec()]));
    let xattr = proptest::option::of(prop_oneof![
        (select(vec!["user.x", "user.y"]), value),
        (select(vec!["user.homefs.x", "user.homefs.y"]), noted),
    ]);
    prop_oneof![
        3 => (path(), any::<bool>())
            .prop_map(|(path, parents)| Operation::MakeDir { path, parents }),
        1 => (target(), path()).prop_map(|(target, path)| Operation::Symlink { target, path }),
        2 => (path(), path()).prop_map(|(existing, new)| Operation::Link { existing, new }),
        3 => (path(), any::<bool>())
            .prop_map(|(path, recursive)| Operation::Remove { path, recursive }),
        4 => (path(), path(), clash)
            .prop_map(|(from, to, clash)| Operation::Rename { from, to, clash }),
        3 => (path(), path(), any::<bool>())
            .prop_map(|(from, to, recursive)| Operation::Copy { from, to, recursive }),
        2 => (path(), mode, xattr).prop_map(|(path, mode, xattr)| {
            let xattr = xattr.map(|(name, value)| (name.to_owned(), value));
            Operation::SetAttrs { path, mode, xattr }
        }),
    ]
}

fn path() -> impl Strategy<Value = Path> {
    let name = || select(vec!["a", "b", "c"]);
    prop_oneof![
        10 => prop::collection::vec(name(), 1..=1),
        10 => prop::collection::vec(name(), 2..=2),
        5 => prop::collection::vec(name(), 3..=3),
        1 => Just(Vec::new()),
    ]
    .prop_map(|names| Path::parse(&format!("/{}", names.join("/"))).expect("the names are good"))
}

fn target() -> impl Strategy<Value = String> {
    let targets = ["a", "b", "c", "/a", "/b/c", "../a", "../../b", "a/b", ".", "/"];
    select(targets.map(str::to_owned).to_vec())
}

fn bulk() -> impl Strategy<Value = Bulk> {
    let inline = INLINE_BYTES_MAX;
    let len = prop_oneof![
        20 => prop_oneof![Just(0), Just(1), 2..100usize],
        3 => inline - 1..=inline + 1,
        1 => prop_oneof![Just(CHUNK_BYTES), Just(CHUNK_BYTES + 1), CHUNK_BYTES..3 * CHUNK_BYTES],
    ];
    (letter(), len).prop_map(|(letter, len)| Bulk { letter, len })
}

fn letter() -> impl Strategy<Value = char> {
    select(vec!['a', 'b', 'c'])
}
