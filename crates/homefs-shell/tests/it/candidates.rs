//! A search that leaves out files, as an index says, finds the same as one that reads all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use homefs_core::Path;
use homefs_shell::{AllFiles, Candidates, Limits, LinePattern, Shell, Workers};
use homefs_view::{RenameMode, View, WriteOptions};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{Home, who};

/// Something that happens to a home between two searches.
#[derive(Clone, Debug)]
enum Step {
    Write(String, Vec<u8>),
    Append(String, Vec<u8>),
    Rename(String, String),
    Remove(String),
    Link(String, String),
    Symlink(String, String),
}

fn step() -> impl Strategy<Value = Step> {
    let name = || "(shared/t/)?[a-c]{1,2}(/[a-c][a-c.]{1,2}){0,2}";
    prop_oneof![
        6 => (name(), content()).prop_map(|(name, text)| Step::Write(name, text)),
        2 => (name(), content()).prop_map(|(name, text)| Step::Append(name, text)),
        2 => (name(), name()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => name().prop_map(Step::Remove),
        1 => (name(), name()).prop_map(|(from, to)| Step::Link(from, to)),
        1 => (name(), name()).prop_map(|(to, path)| Step::Symlink(to, path)),
    ]
}

/// Lines of a few words that come again and again; some end as on Windows, some are no text.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let text =
        "((ab|AB|ba|abc|k\u{212a}|\u{17f}s|\u{ff}|straße|É|[ac .]){0,6}\r?\n){0,5}[abc]{0,3}";
    let odd = select(vec![&b"\0"[..], b"abc\0ab", b"\xffabc\n", b"ab\xc3", b"\0\nabca\n"]);
    (text, odd, 0..6_u8).prop_map(|(text, odd, whether)| {
        let mut content = text.into_bytes();
        if whether == 0 {
            content.extend_from_slice(odd);
        }
        content
    })
}

/// Takes a step; one that is not possible is left out.
fn take(view: &View, step: &Step) {
    let path = |name: &str| Path::parse(name).expect("it is a path");
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    match step {
        Step::Write(name, text) => drop(view.write(&path(name), text, &options)),
        Step::Append(name, text) => drop(view.append(&path(name), text, &options)),
        Step::Rename(from, to) => drop(view.rename(&path(from), &path(to), RenameMode::Replace)),
        Step::Remove(name) => drop(view.remove(&path(name), true)),
        Step::Link(from, to) => drop(view.link(&path(from), &path(to))),
        Step::Symlink(to, name) => drop(view.symlink(&format!("/{to}"), &path(name))),
    }
}

/// Patterns that once were wrong or may be; blanks part them.
const PATTERNS: &str = r"abc abca ab.*ba ^abc bab$ [ab]ba a*bab ab\{2\} kk abss (ab|abc)+
    \(ab\)\1 abc|ba. ÿab STRASSE straße ^$ ^abc$";
/// What others are put together from.
const PIECES: &str = r"abc abc ab bab AB K k S ss ſ é É ß . \. [ab] [^a] [a-c] [[:alpha:]]
    [[:upper:]] \w \W \s \b \< \> ^ $ a* ab* a\+ b? (ab) (abc|ba) \(ab\) \| | {2} \{1,2\} c+";

fn pattern() -> impl Strategy<Value = String> {
    let known = select(PATTERNS.split_whitespace().collect::<Vec<_>>());
    let mut pieces: Vec<&str> = PIECES.split_whitespace().collect();
    pieces.extend([" ", "\r", "\u{212a}"]);
    let made = prop::collection::vec(select(pieces), 1..5).prop_map(|pieces| pieces.concat());
    prop_oneof![1 => known.prop_map(str::to_owned), 2 => made]
}

fn flags() -> impl Strategy<Value = String> {
    let flags =
        "-n -i -i -l -L -c -v -o -w -x -C1 -h -m1 -E -E -F -P -ebac -ecab -q -s -a -I -z -U -b";
    let flag = select(flags.split(' ').collect::<Vec<_>>());
    prop::collection::vec(flag, 0..4).prop_map(|flags| flags.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn a_search_by_the_index_finds_the_same(
        rounds in prop::collection::vec((
            prop::collection::vec(step(), 1..12),
            prop::collection::vec((
                pattern(),
                flags(),
                select(vec!["", "--include=a*", "--exclude=*b", "--exclude-dir=b"]),
                select(vec![".", "a", "/shared", "/shared/t", "ab/", "c a", ""]),
            ), 1..5),
        ), 1..4),
    ) {
        let home = Home::new();
        home.view.make_dir(&Path::parse("/shared/t").expect("a path"), true).expect("made");
        let workers = Arc::new(Workers::default());
        let mut plain = Shell::new(home.view.clone(), &workers).with_candidates(Arc::new(AllFiles));
        let mut indexed = Shell::new(home.view.clone(), &workers);
        for (steps, searches) in rounds {
            // The index has these changes still before it when the first search comes.
            for step in &steps {
                take(&home.view, step);
            }
            for (pattern, flags, include, operand) in searches {
                let script = format!(
                    "grep -r {flags} {include} -e '{pattern}' {operand}; echo $?\n\
                     rg -n -e '{pattern}' {operand}; echo $?"
                );
                let found = indexed.run(&script, &Limits::default()).expect("it runs");
                let expected = plain.run(&script, &Limits::default()).expect("it runs");
                prop_assert_eq!(found, expected, "{} after {:?}", script, steps);
            }
        }
    }
}

/// Names what was a file when it was looked at.
struct Stale;

impl Candidates for Stale {
    fn below(&self, _: &Path, _: &LinePattern) -> Option<Vec<Path>> {
        let names = ["/d", "/gone", "/n"];
        Some(names.map(|name| Path::parse(name).expect("a path")).into())
    }
}

#[test]
fn what_is_gone_since_a_walk_is_no_failure() {
    let home = Home::new();
    let path = |text: &str| Path::parse(text).expect("a path");
    home.view.make_dir(&path("/d"), false).expect("made");
    home.view.write(&path("/n"), b"words\n", &WriteOptions::default()).expect("written");
    let workers = Arc::new(Workers::default());
    let mut shell = Shell::new(home.view.clone(), &workers).with_candidates(Arc::new(Stale));
    for (script, stdout, status) in [
        ("grep -r words .", "./n:words\n", 0),
        ("grep -r other .", "", 1),
        ("rg words", "n:words\n", 0),
        ("rg words .", "./n:words\n", 0),
        ("rg other .", "", 1),
    ] {
        let output = shell.run(script, &Limits::default()).expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((&*said, output.status), ("", status), "{script}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{script}");
    }
    let output = shell.run("rg words gone", &Limits::default()).expect("it runs");
    assert_eq!(output.status, 2, "who names a file is told that it is not there");
}

#[test]
fn a_search_finds_what_was_just_written_while_others_write() {
    const FILES: usize = 150;
    let home = Home::new();
    let path = |text: &str| Path::parse(text).expect("a path");
    let write = |view: &View, name: &str, text: &str| {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        view.write(&path(name), text.as_bytes(), &options).expect("written");
    };
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // A bound, so that a test that fails ends.
            for number in 0..20_000 {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let (name, other) = (format!("/b/{}", number % 40), format!("/c/{}", number % 40));
                write(&home.view, &name, &format!("noise {number} without what is looked for"));
                home.view.make_dir(&path("/c"), true).expect("made");
                home.view.rename(&path(&name), &path(&other), RenameMode::Replace).expect("moved");
            }
        });
        let mut shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
        for number in 0..FILES {
            let name = format!("/a/{}", number % 20);
            write(&home.view, &name, &format!("this is token{number}x\n"));
            let script =
                format!("grep -rl token{number}x /a /b /c 2>/dev/null; grep -rl token{number}x");
            let output = shell.run(&script, &Limits::default()).expect("it runs");
            let found = String::from_utf8(output.stdout).expect("text");
            assert_eq!(found, format!("{name}\n{}\n", &name[1..]), "{number}");
        }
        ended.store(true, Ordering::Relaxed);
    });
}

#[test]
fn an_index_tells_of_every_name_and_of_nothing_hidden() {
    let home = Home::new();
    let path = |text: &str| Path::parse(text).expect("a path");
    let write = |name: &str, text: &str| {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        home.view.write(&path(name), text.as_bytes(), &options).expect("written");
    };
    write("/a/one.md", "the zanzibar note");
    write("/a/two.md", "something else");
    write("/b/three.md", "ZANZIBAR in capitals");
    let ask = |below: &str, pattern: &str, fold| {
        let mut found = home.view.candidates(&path(below), pattern, fold).expect("it answers")?;
        found.sort();
        Some(found.iter().map(Path::to_string).collect::<Vec<_>>())
    };
    let some = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
    assert_eq!(ask("/a", "zanz.bar", false), some(&["/a/one.md"]));
    assert_eq!(ask("/", "zanzibar", true), some(&["/a/one.md", "/b/three.md"]));
    assert_eq!(ask("/", "z.", true), None, "too short to tell");
    home.view.link(&path("/a/one.md"), &path("/b/other.md")).expect("linked");
    assert_eq!(ask("/b", "the zanzibar", false), some(&["/b/other.md"]));
    home.view.symlink("/a", &path("/to-a")).expect("linked");
    assert_eq!(ask("/to-a", "zanzibar", false), None, "files have other paths there");
    let other = home.store.view(&who("bob")).expect("there is a view");
    assert_eq!(
        other.candidates(&Path::root(), "zanzibar", true).expect("it answers"),
        Some(vec![])
    );
}
