//! Answers are as long as a model reads them, and say how to go on.

use serde_json::json;

use super::{Profile, Rig};

/// Serves a home whose answers have so many bytes.
fn rig(answer_bytes_max: usize) -> Rig {
    Rig::with(Profile { answer_bytes_max, ..Profile::default() })
}

/// Returns 500 lines.
fn numbered(line: impl Fn(usize) -> String) -> String {
    (0..500).map(line).collect::<Vec<_>>().concat()
}

#[test]
fn a_file_is_read_in_parts_that_make_the_whole() {
    let rig = rig(1000);
    for (name, text) in [
        ("lines", numbered(|number| format!("line {number}\n"))),
        ("no-end", numbered(|number| format!("\u{fc}{number}\r\n")) + "end"),
        ("fits", "x".repeat(1000)),
        ("empty", String::new()),
    ] {
        rig.ok("write_file", json!({"path": name, "content": text}));
        let (mut whole, mut offset, mut parts) = (String::new(), json!(null), 0);
        loop {
            let arguments = json!({"path": name, "offset": offset});
            let read = rig.call("read_text_file", arguments).unwrap();
            let blocks: Vec<&str> = read
                .content
                .iter()
                .filter_map(|block| Some(block.as_text()?.text.as_str()))
                .collect();
            assert!(blocks[0].len() <= 1000);
            whole.push_str(blocks[0]);
            parts += 1;
            let Some(next) = read.meta.unwrap().0.get("homefs/next_offset").cloned() else { break };
            assert!(blocks[1].contains(&format!("go on with offset {next}]")), "{blocks:?}");
            offset = next;
        }
        assert_eq!(whole, text, "{name}");
        assert_eq!(parts > 1, text.len() > 1000, "{name}");
    }
}

#[test]
fn lines_are_read_from_one_to_another() {
    let rig = rig(1000);
    rig.ok("write_file", json!({"path": "/a", "content": "one\ntwo\nthree\nfour"}));
    for (arguments, expected) in [
        (json!({"path": "/a", "offset": 2, "limit": 2}), "two\nthree\n"),
        (json!({"path": "/a", "offset": 4}), "four"),
        (json!({"path": "/a", "offset": 5}), ""),
        (json!({"path": "/a", "start_line": 3, "limit": 1}), "three\n"),
        (json!({"path": "/a", "limit": 1}), "one\n"),
    ] {
        assert_eq!(rig.ok("read_text_file", arguments.clone()), expected, "{arguments}");
    }
    let both = json!({"path": "/a", "offset": 2, "tail": 1});
    assert_eq!(rig.refused("read_text_file", both), "give offset and limit, or head, or tail");
}

#[test]
fn a_line_that_does_not_fit_says_where_the_rest_is() {
    let rig = rig(1000);
    let text = format!("first\n{}\nlast\n", "\u{e4}".repeat(3000));
    rig.ok("write_file", json!({"path": "/a", "content": text}));
    let said = rig.ok("read_text_file", json!({"path": "/a", "offset": 2}));
    let (shown, note) = said.split_once('[').unwrap();
    assert_eq!(shown, "\u{e4}".repeat(500));
    let script = note.split_once("others: ").unwrap().1.split_once(';').unwrap().0;
    assert_eq!(script, "tail -c +1007 /a | head -c 1000");
    assert_eq!(rig.ok("shell", json!({"script": script})), "\u{e4}".repeat(500));
    assert!(note.ends_with("go on with offset 3]"), "{note}");
    rig.ok("write_file", json!({"path": "/it's one", "content": "\u{e4}".repeat(900)}));
    let said = rig.ok("read_text_file", json!({"path": "/it's one"}));
    let script = said.split_once("others: ").unwrap().1.split_once(';').unwrap().0;
    assert_eq!(rig.ok("shell", json!({"script": script})), "\u{e4}".repeat(400));
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a", "offset": 3})), "last\n");
    let tail = rig.ok("read_text_file", json!({"path": "/a", "tail": 3}));
    assert!(tail.starts_with("last\n[only the last 2 lines fit"), "{tail}");
}

#[test]
fn a_version_that_does_not_fit_tells_how_long_it_was() {
    let rig = rig(1000);
    let text = numbered(|number| format!("line {number}\n"));
    rig.ok("write_file", json!({"path": "/a", "content": text}));
    let listed = rig.ok("history", json!({"path": "/a"}));
    let version: u64 = listed.split_once(' ').unwrap().0.trim_start_matches('v').parse().unwrap();
    rig.ok("write_file", json!({"path": "/a", "content": "now"}));
    let said = rig.ok("history", json!({"path": "/a", "version": version}));
    assert!(said.contains(&format!(" of {} bytes are shown; restore it", text.len())), "{said}");
}

#[test]
fn no_answer_is_longer_than_it_may_be() {
    let rig = rig(2000);
    let script = "mkdir d; for i in $(seq 1 300); do echo \"a rather long line $i\" > d/file-$i.md; done; \
                  cat d/* > all";
    rig.ok("shell", json!({"script": script}));
    for (name, arguments, how) in [
        ("list_directory", json!({"path": "/d"}), "search_files"),
        ("list_directory_with_sizes", json!({"path": "/d"}), "search_files"),
        ("directory_tree", json!({"path": "/"}), "excludePatterns"),
        ("search_files", json!({"path": "/", "pattern": "**/*.md"}), "narrow"),
        ("grep", json!({"pattern": "rather"}), "narrow path, glob or pattern"),
        ("shell", json!({"script": "cat d/*; echo wrong >&2"}), "grep, head or tail"),
        ("shell", json!({"script": "cat d/* >&2"}), "grep, head or tail"),
        ("read_multiple_files", json!({"paths": ["/all", "/d/file-1.md"]}), "go on with offset"),
        ("search", json!({"query": "line", "limit": 100}), "smaller limit"),
        ("history", json!({"path": "/all", "version": null, "limit": 1}), ""),
    ] {
        let said = rig.ok(name, arguments.clone());
        assert!(said.contains(how), "{name} {arguments}: {said}");
        assert!(said.len() < 2400, "{name} {arguments}: {} bytes", said.len());
    }
    for path in ["all", "d/file-1.md", "none"] {
        let paths = vec![path; 300];
        let said = rig.ok("read_multiple_files", json!({"paths": paths}));
        assert!(said.len() < 2500, "{path}: {} bytes", said.len());
        assert!(said.ends_with(" more files are not shown: there is no room left]"), "{said}");
    }
    let many = rig.ok("read_multiple_files", json!({"paths": ["/all", "/d/file-1.md"]}));
    assert!(many.contains("/d/file-1.md: Error - there is no room left; read it alone"), "{many}");
}
