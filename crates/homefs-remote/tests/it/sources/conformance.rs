//! What every source promises.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use homefs_core::{ErrorKind, Path, Source, SourceKind};

/// The files that a source shows while it is tried.
pub(crate) fn files() -> BTreeMap<String, String> {
    let long = "line of a long file\n".repeat(1000);
    let files = [
        ("/a.md", "alpha\nbeta\n"),
        ("/dir/b.md", "the needle_in_b is here"),
        ("/dir/sub/c", "x"),
        ("/dir-x/d.md", "between dir and dir/ in the order of keys"),
        ("/dir.y", "also"),
        ("/long", &long),
        ("/ü ber/é.md", "ünïcode\n"),
    ];
    files.map(|(path, content)| (path.to_owned(), content.to_owned())).into()
}

/// Reads a path.
pub(crate) fn path(text: &str) -> Path {
    Path::parse(text).expect("it is a path")
}

/// Returns all files below a directory, by path.
pub(crate) fn walk(source: &dyn Source, dir: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (name, node) in source.list_all(dir).expect("it is a directory").entries {
        let path = dir.join(&name).expect("it is a name");
        match node.kind {
            SourceKind::Directory => found.append(&mut walk(source, &path)),
            SourceKind::File => {
                let content = source.read_all(&path, 1 << 20).expect("it is readable");
                let content = String::from_utf8(content.to_vec()).expect("it is text");
                assert!(node.size_bytes.is_none_or(|size| size == content.len() as u64), "{path}");
                found.insert(path.to_string(), content);
            }
            SourceKind::Link { target } => {
                found.insert(path.to_string(), format!("-> {target}"));
            }
        }
    }
    found
}

/// Tries a source that shows [`files`].
pub(crate) fn check(source: Arc<dyn Source>) {
    let files = files();
    assert_eq!(walk(&*source, &Path::root()), files);
    names_are_shown_once_and_in_their_place(&*source);
    reads_end_where_the_file_does(&*source, &files);
    what_is_not_there_is_told(&*source);
    candidates_leave_no_match_out(&*source, &files);
    let seen = source.seen_by(&BTreeSet::new());
    assert_eq!(walk(&*seen, &Path::root()), files);
}

fn names_are_shown_once_and_in_their_place(source: &dyn Source) {
    let names = |dir: &str| -> Vec<String> {
        let all = source.list_all(&path(dir)).expect("it is there");
        assert!(all.unshown.is_empty(), "{:?}", all.unshown);
        all.entries.into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names("/"), ["a.md", "dir", "dir-x", "dir.y", "long", "ü ber"]);
    assert_eq!(names("/dir"), ["b.md", "sub"]);
    for (dir, kind) in [
        ("/", SourceKind::Directory),
        ("/dir/sub", SourceKind::Directory),
        ("/dir.y", SourceKind::File),
    ] {
        assert_eq!(source.stat(&path(dir)).expect("it is there").kind, kind, "{dir}");
    }
}

fn reads_end_where_the_file_does(source: &dyn Source, files: &BTreeMap<String, String>) {
    for (file, content) in files {
        let (file, size) = (path(file), content.len());
        for (offset, len) in
            [(0, 1), (0, size), (1, size), (size - 1, 9), (size, 1), (size + 5, 1), (0, 0)]
        {
            let read = source.read(&file, offset as u64, len).expect("it is readable");
            let expected = &content.as_bytes()
                [offset.min(size)..(offset + len).min(size).max(offset.min(size))];
            assert_eq!(read, expected, "{file} {offset} {len}");
        }
        let node = source.stat(&file).expect("it is there");
        assert!(node.size_bytes.is_none_or(|found| found == size as u64), "{node:?}");
        assert_eq!(source.stat(&file).expect("it is there").tag, node.tag);
    }
}

fn what_is_not_there_is_told(source: &dyn Source) {
    let none = [ErrorKind::NotFound, ErrorKind::NotADirectory];
    for missing in ["/none", "/dir/none", "/dir/sub/c/below", "/di"] {
        let missing = path(missing);
        let kinds = [
            source.stat(&missing).map(drop),
            source.list(&missing, None).map(drop),
            source.read(&missing, 0, 1).map(drop),
        ]
        .map(|answer| answer.expect_err("it is not there").kind());
        assert!(kinds.iter().all(|kind| none.contains(kind)), "{missing} {kinds:?}");
    }
    let listed = source.list(&path("/a.md"), None).expect_err("it is a file");
    assert_eq!(listed.kind(), ErrorKind::NotADirectory);
    let read = source.read(&path("/dir"), 0, 1).expect_err("it is a directory");
    assert_eq!(read.kind(), ErrorKind::IsADirectory);
}

fn candidates_leave_no_match_out(source: &dyn Source, files: &BTreeMap<String, String>) {
    for pattern in ["needle_in_b", "(?i)NEEDLE", "ünï", "alpha|needle_in", "^x$", "no such text"]
    {
        let regex = regex::Regex::new(pattern).expect("it is a pattern");
        let Some(found) = source.candidates(pattern).expect("it answers") else { continue };
        source.prefetch(&found).expect("they are there");
        let found: BTreeSet<String> = found.iter().map(Path::to_string).collect();
        for (file, content) in files {
            assert!(
                !content.lines().any(|line| regex.is_match(line)) || found.contains(file),
                "{pattern} {file}"
            );
        }
    }
}
