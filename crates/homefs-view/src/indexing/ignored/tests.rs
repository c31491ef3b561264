//! Ignore rules: as git has them, and those that hold without a file.
#![expect(clippy::disallowed_methods, reason = "git looks at files of the host")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path as HostPath;
use std::process::{Command, Stdio};

use homefs_testkit::program;
use proptest::prelude::*;
use proptest::sample::select;

use super::pattern::Patterns;
use super::{NAMES, Rules, Source};

/// Rules of some files, and no others.
fn rules(files: &BTreeMap<String, String>) -> Rules {
    let mut rules = Rules::with("");
    for (node, (directory, text)) in (0..).zip(files) {
        let (directory, text) = (directory.as_str().into(), text.as_str().into());
        rules.put(node, Some(Source { directory, rank: 0, text }));
    }
    rules
}

#[test]
fn what_is_no_memory_without_a_file_of_rules() {
    let rules = Rules::with(super::DEFAULTS);
    for (path, is_ignored) in [
        ("/notes/a.md", false),
        ("/.git/hooks/pre-commit.sample", true),
        ("/code/.git/HEAD", true),
        ("/code/.github/workflows/test.yml", true),
        ("/.env", false),
        ("/.gitignore", true),
        ("/code/.homefsignore", true),
        ("/code/node_modules/left-pad/README.md", true),
        ("/node_modules.md", false),
        ("/code/target/debug/build/x.d", true),
        ("/target", false),
        ("/code/__pycache__/a.pyc", true),
        ("/code/lib/python3/site-packages/x.py", true),
        ("/code/build/out.js", true),
        ("/code/build/deep/er/out.js", true),
        ("/code/build/plan.md", false),
        ("/build/deep/er/plan.txt", false),
        ("/code/build/node_modules/x/plan.md", true),
        ("/dist/index.html", true),
        ("/dist/README.md", false),
        ("/dist", false),
        ("/code/Cargo.lock", true),
        ("/code/package-lock.json", true),
        ("/code/package.json", false),
        ("/web/jquery.min.js", true),
        ("/web/jquery.js", false),
        ("/web/app.js.map", true),
        ("/mind.map", false),
        ("", false),
        ("/", false),
    ] {
        assert_eq!(rules.says(path) == Some(true), is_ignored, "{path}");
    }
}

#[test]
fn nearer_rules_win_and_the_homes_own_over_those_of_git() {
    let mut rules = Rules::with(super::DEFAULTS);
    let files = [
        (1, "/", 0, "*.log\n/secret/\n!.config/\n"),
        (2, "/", 1, "!keep.log\ndrafts\n"),
        (3, "/a/", 0, "!*.log\nkeep.log"),
        (4, "/secret/", 0, "!*"),
    ];
    for (node, directory, rank, text) in files {
        rules.put(node, Some(Source { directory: directory.into(), rank, text: text.into() }));
    }
    for (path, is_ignored) in [
        ("/x.log", true),
        ("/keep.log", false),
        ("/a/x.log", false),
        ("/a/keep.log", true),
        ("/drafts/x.md", true),
        ("/a/drafts", true),
        ("/secret/x.md", true),
        ("/a/secret/x.md", false),
        ("/.config/x.md", false),
        ("/.cache/x.md", true),
    ] {
        assert_eq!(rules.says(path) == Some(true), is_ignored, "{path}");
    }
    rules.put(3, None);
    assert_eq!((rules.says("/a/x.log"), rules.says("/a/keep.log")), (Some(true), Some(false)));
}

#[test]
fn no_pattern_takes_long() {
    let pattern = format!("{}b", "*a".repeat(500));
    let path = "a".repeat(4000);
    assert_eq!(Patterns::new(&pattern).says(&path, false), None);
    let deep = Patterns::new(&format!("{}b", "**/a/".repeat(200)));
    assert_eq!(deep.says(&"a/".repeat(1000), false), None);
}

/// Tells which paths git ignores.
fn by_git(git: &HostPath, files: &BTreeMap<String, String>, paths: &[&str]) -> Vec<bool> {
    let dir = tempfile::tempdir().expect("a directory");
    let command = || {
        let mut command = Command::new(git);
        command.current_dir(dir.path()).env("HOME", dir.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env_remove("XDG_CONFIG_HOME");
        command
    };
    let made = command().args(["init", "--quiet"]).status().expect("git runs");
    assert!(made.success());
    for path in paths {
        let path = dir.path().join(&path[1..]);
        fs::create_dir_all(path.parent().expect("a directory")).expect("room");
        fs::write(path, b"").expect("room");
    }
    for (directory, text) in files {
        let directory = dir.path().join(&directory[1..]);
        fs::create_dir_all(&directory).expect("room");
        fs::write(directory.join(NAMES[0]), text).expect("room");
    }
    let mut asked = command()
        .args(["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    let lines =
        paths.iter().map(|path| &path[1..]).fold(String::new(), |lines, path| lines + path + "\0");
    asked.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("git reads");
    let told = asked.wait_with_output().expect("git ends").stdout;
    let told = String::from_utf8(told).expect("text");
    let fields: Vec<&str> = told.split_terminator('\0').collect();
    assert_eq!(fields.len(), 4 * paths.len(), "{told:?}");
    let ignored = |four: &[&str]| !four[2].is_empty() && !four[2].starts_with('!');
    fields.chunks(4).map(ignored).collect()
}

/// Compares with git.
fn check(git: &HostPath, files: &BTreeMap<String, String>, paths: &[&str]) {
    let rules = rules(files);
    for (path, expected) in paths.iter().zip(by_git(git, files, paths)) {
        assert_eq!(rules.says(path) == Some(true), expected, "{path} by {files:?}");
    }
}

/// Paths that may be beside each other.
const PATHS: [&str; 24] = [
    "/a",
    "/b",
    "/ab",
    "/a.b",
    "/a b",
    "/c/a",
    "/c/b",
    "/c/ab",
    "/c/c/a",
    "/c/c/b",
    "/c/d/a",
    "/c/d/a.b",
    "/d/a",
    "/d/c/a",
    "/d/c/b.a",
    "/d/d/d/a",
    "/d/d/d/ab",
    "/d/d/b",
    "/!a",
    "/#a",
    "/ca/b",
    "/ca/ca/b",
    "/d/[a]",
    "/d/a-b",
];

#[test]
fn odd_lines_are_read_as_git_reads_them() {
    let Some(git) = program("git") else { return };
    let lines = [
        "a ",
        "a\\ ",
        "a\\  ",
        "a\t",
        "a\r",
        "\\#a",
        "#a",
        "\\!a",
        "!a",
        "! a",
        "/",
        "//",
        "/*",
        "**",
        "/**",
        "a/**",
        "c/**",
        "c/**/",
        "**/",
        "**/a",
        "c/**/a",
        "**/c/**",
        "c**",
        "/c**/b",
        "/ca**/b",
        "c/**b",
        "[",
        "[a",
        "[]a]",
        "[!a]",
        "[^a]",
        "[a-b]",
        "[b-a]",
        "[\\]a]",
        "[a\\-b]",
        "[[:alpha:]]",
        "[[:alpha:]",
        "[[:nope:]]",
        "[[:a]",
        "[[.a.]]",
        "?",
        "??",
        "c?a",
        "*/a",
        "*/*/a",
        "d/*",
        "d/*/",
        "d/",
        "/d/",
        "c/a/",
        "\\a",
        "\\[a\\]",
        "\\",
        "a\\",
        "{a,b}",
        "c//a",
        "./a",
        "../a",
        "*.b",
        "*a*",
        "c/",
        "!c/",
        "c/d",
        "/c/d",
        "**/**/a",
        "***",
        "c/***/a",
        "",
        " ",
        "[a-]",
        "[-a]",
        "[a/b]",
        "c[/]a",
        "c\\/a",
        "**\\/a",
        "[]-a]",
        "[]",
        "[]]",
    ];
    let texts = ["", "*\n", "*\n!*/\n"];
    for before in texts {
        for line in lines {
            let text = format!("{before}{line}\n{}", if line.is_empty() { "\u{feff}" } else { "" });
            check(&git, &BTreeMap::from([("/".into(), text)]), &PATHS);
        }
    }
    for text in ["\u{feff}a\r\nb", "a\n!a\n", "a\n!a\na", "d/\n!d/\n", "*\n!c\n!c/a\n"] {
        check(&git, &BTreeMap::from([("/".into(), text.into())]), &PATHS);
    }
}

/// A few lines that mean something, mostly.
fn text() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "a",
        "b",
        "c",
        "d",
        "*",
        "**",
        "?",
        "/",
        "/",
        ".",
        "[a-c]",
        "[!a]",
        "\\",
        " ",
        "**/",
        "/**",
        "[[:alpha:]]",
        "c/",
        "/d",
        "d/*",
    ];
    let body = prop::collection::vec(select(PARTS), 1..5).prop_map(|parts| parts.concat());
    let line = (select(&["", "", "!"][..]), body).prop_map(|(sign, body)| format!("{sign}{body}"));
    prop::collection::vec(line, 1..6).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn what_is_ignored_is_what_git_ignores(
        files in prop::collection::btree_map(
            select(&["/", "/c/", "/d/", "/d/d/", "/c/d/"][..]).prop_map(str::to_owned),
            text(),
            1..4,
        ),
    ) {
        if let Some(git) = program("git") {
            check(&git, &files, &PATHS);
        }
    }
}
