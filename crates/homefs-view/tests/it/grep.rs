//! A search for lines finds what reading every file finds.

use homefs_core::{ErrorKind, Path};
use homefs_view::{GrepLine, GrepOptions, GrepPlace, Kind, Right, Subject, View};
use proptest::prelude::*;
use regex::bytes::RegexBuilder;

use crate::common::{agent, open, parents, path, view_of};

/// Reads every file and looks at every line.
fn naive(view: &View, pattern: &str, options: &GrepOptions) -> Vec<GrepLine> {
    let escaped = if options.literal { regex::escape(pattern) } else { pattern.to_owned() };
    let regex = RegexBuilder::new(&escaped)
        .case_insensitive(options.ignore_case)
        .build()
        .expect("a good pattern");
    let below = &options.below;
    let globbed = options.glob.as_ref().map(|glob| {
        let found = view.find(below, glob, None, 10_000).expect("a good pattern");
        found.items.into_iter().map(|found| found.path).collect::<Vec<_>>()
    });
    let mut found = Vec::new();
    for file in view.walk(below, None, 10_000).expect("it is there").items {
        let is_wanted = globbed.as_ref().is_none_or(|paths| paths.contains(&file.path));
        if file.stat.kind != Kind::File || !is_wanted {
            continue;
        }
        let content = view.read(&file.path).expect("it may be read");
        if content.iter().take(8192).any(|byte| *byte == 0) {
            continue;
        }
        let text = String::from_utf8_lossy(&content).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            if regex.is_match(line.as_bytes()) {
                let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect();
                let end = (index + 1 + options.after).min(lines.len());
                found.push(GrepLine {
                    path: file.path.clone(),
                    line: index as u64 + 1,
                    text: (*line).to_owned(),
                    before: owned(&lines[index.saturating_sub(options.before)..index]),
                    after: owned(&lines[index + 1..end]),
                });
            }
        }
    }
    found
}

/// Asks page by page.
fn paged(view: &View, pattern: &str, options: &GrepOptions) -> Vec<GrepLine> {
    let (mut lines, mut options) = (Vec::new(), options.clone());
    loop {
        let answer = view.grep(pattern, &options).expect("it answers");
        assert!(answer.lines.len() <= options.limit);
        lines.extend(answer.lines);
        match answer.next {
            Some(next) => options.since = Some(next),
            None => return lines,
        }
    }
}

fn file() -> impl Strategy<Value = (String, String)> {
    let text = "((ab|AB|ba|abc|k\u{212a}|\u{ff}|[ac .]){0,6}(\n|\r\n)){0,8}([abc]{0,3}|\0)";
    ("[a-c]{1,2}(-[a-c])?(/[a-c][a-c.]{1,2}){0,2}", text)
}

fn asked() -> impl Strategy<Value = (String, GrepOptions)> {
    let patterns = vec![
        "abc", "ab.*ba", "^ab", "ba$", "[^a]b", "a.c", "", "kk", "\u{ff}a", "ab|AB", r"\s",
        r"\Aab\z",
    ];
    let globs = vec![None, Some("a*"), Some("*/*"), Some("**/b?")];
    (
        prop::sample::select(patterns),
        prop::sample::select(globs),
        any::<(bool, bool)>(),
        (0..3_usize, 0..3_usize, 1..5_usize),
    )
        .prop_map(|(pattern, glob, (literal, ignore_case), (before, after, limit))| {
            let glob = glob.map(str::to_owned);
            let options = GrepOptions {
                glob,
                literal,
                ignore_case,
                before,
                after,
                limit,
                ..GrepOptions::default()
            };
            (pattern.to_owned(), options)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_search_finds_what_reading_everything_finds(
        files in prop::collection::vec(file(), 0..24),
        asked in prop::collection::vec(asked(), 1..12),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let view = view_of(&store, "me");
        for (name, text) in &files {
            // A file may be where another wants a directory.
            view.write(&path(name), text.as_bytes(), &parents()).ok();
        }
        for (pattern, options) in &asked {
            let expected = naive(&view, pattern, options);
            prop_assert_eq!(paged(&view, pattern, options), expected, "{} {:?}", pattern, options);
        }
    }
}

#[test]
fn a_page_ends_only_if_there_is_more() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    view.write(&path("/a"), b"x\ny\nx\n", &parents()).unwrap();
    view.write(&path("/b"), b"x", &parents()).unwrap();
    let next = |limit| {
        let options = GrepOptions { limit, ..GrepOptions::default() };
        view.grep("x", &options).unwrap().next
    };
    let place = |at: &str, line| Some(GrepPlace { path: path(at), line });
    assert_eq!([1, 2, 3, 4].map(next), [place("/a", 2), place("/b", 0), None, None]);
}

#[test]
fn a_file_and_a_link_can_be_asked_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let view = view_of(&store, "me");
    view.write(&path("/d/a"), b"x", &parents()).unwrap();
    view.symlink("d", &path("/to-directory")).unwrap();
    view.symlink("d/a", &path("/to-file")).unwrap();
    let found = |below: &str| {
        let options = GrepOptions { below: path(below), ..GrepOptions::default() };
        let found = view.grep("x", &options).map(|answer| answer.lines);
        found.map(|lines| lines.into_iter().map(|line| line.path.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(found("/d/a").unwrap(), ["/d/a"]);
    assert_eq!(found("/to-file").unwrap(), ["/to-file"]);
    assert_eq!(found("/to-directory").unwrap(), ["/to-directory/a"]);
    assert_eq!(found("/").unwrap(), ["/d/a"]);
    assert_eq!(found("/nope").unwrap_err().kind(), ErrorKind::NotFound);
    let wrong = view.grep("(", &GrepOptions::default()).unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::Invalid);
}

#[test]
fn no_line_is_shown_that_the_agent_may_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (owner, reader) = (view_of(&store, "owner"), view_of(&store, "reader"));
    owner.make_dir(&path("/shared/lab"), false).unwrap();
    for at in ["/own", "/shared/lab/open/a", "/shared/lab/hidden/b"] {
        owner.write(&path(at), b"falcon", &parents()).unwrap();
    }
    let found = |view: &View| -> Vec<Path> {
        let lines = view.grep("falcon", &GrepOptions::default()).unwrap().lines;
        lines.into_iter().map(|line| line.path).collect()
    };
    assert_eq!(found(&reader), []);
    let subject = Subject::Agent(agent("reader"));
    owner.grant(&path("/shared/lab/open"), &subject, Right::Read).unwrap();
    assert_eq!(found(&reader), [path("/shared/lab/open/a")]);
    assert_eq!(found(&owner).len(), 3);
}
