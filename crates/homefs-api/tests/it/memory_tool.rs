//! The memory tool says what the reference implementation says, to the letter.

use homefs_api::{Client, MemoryCommand};
use homefs_core::ErrorKind;
use homefs_view::{RecallOptions, WriteOptions};
use serde_json::{Value, json};

use crate::{open, path};

/// Runs a command as its message says it; an error is its kind and its words.
fn run(client: &Client, command: Value) -> Result<String, (ErrorKind, String)> {
    let command: MemoryCommand = serde_json::from_value(command).expect("the command is good");
    client.memory_command(&command).map_err(|error| (error.kind(), error.to_string()))
}

fn parents() -> WriteOptions {
    WriteOptions { parents: true, ..WriteOptions::default() }
}

/// Runs commands one after another and compares what is said.
fn check(client: &Client, cases: &[(Value, &str)]) {
    for (command, expected) in cases {
        let said = run(client, command.clone()).unwrap_or_else(|(_, message)| message);
        assert_eq!(said, *expected, "{command}");
    }
}

fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

fn create(path: &str, text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": text})
}

fn replace(path: &str, old: &str, new: &str) -> Value {
    json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
}

fn insert(path: &str, line: i64, text: &str) -> Value {
    json!({"command": "insert", "path": path, "insert_line": line, "insert_text": text})
}

fn delete(path: &str) -> Value {
    json!({"command": "delete", "path": path})
}

fn rename(old: &str, new: &str) -> Value {
    json!({"command": "rename", "old_path": old, "new_path": new})
}

/// Tries something with the owner of a store, and with a client of that owner.
fn here_and_there(attempt: impl Fn(&Client)) {
    let make = || tempfile::tempdir().expect("make a temporary directory");
    let dir = make();
    attempt(&open(dir.path()));
    let dir = make();
    let (_owner, client) = (open(dir.path()), open(dir.path()));
    attempt(&client);
}

#[test]
fn directories_are_shown_two_levels_deep_without_hidden_names() {
    const HEADER: &str = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:";
    here_and_there(|client| {
        check(client, &[(view("/memories"), &format!("{HEADER}\n4K\t/memories"))]);
        for (place, bytes) in [
            ("/memories/b.md", 0),
            ("/memories/a.md", 1536),
            ("/memories/.hidden", 1),
            ("/memories/project/deep/unseen.md", 1),
            ("/memories/project/plan.md", 2048),
            ("/memories/project/.git", 1),
        ] {
            run(client, create(place, &"x".repeat(bytes))).unwrap();
        }
        let below = "1.5K\t/memories/a.md\n0B\t/memories/b.md\n4K\t/memories/project/\n\
                     4K\t/memories/project/deep/\n2K\t/memories/project/plan.md";
        check(
            client,
            &[
                (view("/memories"), &format!("{HEADER}\n4K\t/memories\n{below}")),
                (
                    view("/memories/project/"),
                    "Here're the files and directories up to 2 levels deep in /memories/project/, \
                 excluding hidden items:\n4K\t/memories/project/\n4K\t/memories/project/deep/\n\
                 1B\t/memories/project/deep/unseen.md\n2K\t/memories/project/plan.md",
                ),
            ],
        );
    });
}

#[test]
fn files_are_shown_with_numbers_and_by_ranges() {
    here_and_there(|client| {
        run(client, create("/memories/a.md", "one\ntwo\r\nthree\n")).unwrap();
        run(client, create("/memories/empty", "")).unwrap();
        let header = "Here's the content of /memories/a.md with line numbers:\n";
        let (one, two, three, last) = ("     1\tone", "     2\ttwo\r", "     3\tthree", "     4\t");
        let ranged = |range: Value| json!({"command": "view", "path": "/memories/a.md", "view_range": range});
        for (range, lines) in [
            (Value::Null, [one, two, three, last].join("\n")),
            (json!([2, 3]), [two, three].join("\n")),
            (json!([3, -1]), [three, last].join("\n")),
            (json!([-5, 1]), one.into()),
            (json!([2, 999]), [two, three, last].join("\n")),
            (json!([1, -2]), [one, two].join("\n")),
            (json!([9, 12]), String::new()),
            (json!([3, 2]), String::new()),
            (json!([i64::MAX, i64::MIN]), String::new()),
            (json!([1]), [one, two, three, last].join("\n")),
        ] {
            check(client, &[(ranged(range), &format!("{header}{lines}"))]);
        }
        check(
            client,
            &[(
                view("/memories/empty"),
                "Here's the content of /memories/empty with line numbers:\n     1\t",
            )],
        );
    });
}

#[test]
fn a_file_is_created_once_with_its_directories() {
    here_and_there(|client| {
        check(
            client,
            &[
                (
                    create("/memories/x/y.md", "text\n"),
                    "File created successfully at: /memories/x/y.md",
                ),
                (create("/memories/x/y.md", "other"), "File /memories/x/y.md already exists"),
                (create("/memories/x", "other"), "File /memories/x already exists"),
                (create("/memories", "other"), "File /memories already exists"),
                (
                    create("/memories/x/../z.md", ""),
                    "File created successfully at: /memories/x/../z.md",
                ),
            ],
        );
        assert_eq!(&client.read(&path("/memories/x/y.md")).unwrap()[..], b"text\n");
        assert_eq!(client.stat(&path("/memories/z.md")).unwrap().mode, 0o600);
        let (kind, _) = run(client, create("/memories/z.md/below", "")).unwrap_err();
        assert_eq!(kind, ErrorKind::NotADirectory);
    });
}

#[test]
fn one_occurrence_is_replaced_and_shown_with_two_lines_around() {
    here_and_there(|client| {
        run(client, create("/memories/a.md", "1\n2\n3\n4\n5\n6\nsame\nsame same\naaaa\n")).unwrap();
        let edited = "The memory file has been edited. Here is the snippet showing the change \
                      (with line numbers):\n";
        check(
            client,
            &[
                (
                    replace("/memories/a.md", "4\n", "four\nand a half\n"),
                    &format!(
                        "{edited}     2\t2\n     3\t3\n     4\tfour\n     5\tand a half\n     6\t5"
                    ),
                ),
                (
                    replace("/memories/a.md", "1", "one"),
                    &format!("{edited}     1\tone\n     2\t2\n     3\t3"),
                ),
                (
                    replace("/memories/a.md", "nothing", "x"),
                    "No replacement was performed, old_str `nothing` did not appear verbatim in \
                 /memories/a.md.",
                ),
                (
                    replace("/memories/a.md", "", "x"),
                    "No replacement was performed, old_str `` did not appear verbatim in \
                 /memories/a.md.",
                ),
                (
                    replace("/memories/a.md", "same", "x"),
                    "No replacement was performed. Multiple occurrences of old_str `same` in lines: \
                 8, 9, 9. Please ensure it is unique",
                ),
                (
                    replace("/memories/a.md", "aa", "x"),
                    "No replacement was performed. Multiple occurrences of old_str `aa` in lines: \
                 10, 10, 10. Please ensure it is unique",
                ),
                // Three of four overlap, so that they are one occurrence as the reference counts.
                (
                    replace("/memories/a.md", "aaa", "x"),
                    &format!("{edited}     8\tsame\n     9\tsame same\n    10\txa\n    11\t"),
                ),
                (
                    replace("/memories/none", "a", "b"),
                    "The path /memories/none does not exist. Please provide a valid path.",
                ),
                (replace("/memories", "a", "b"), "The path /memories is not a file."),
            ],
        );
        let without =
            json!({"command": "str_replace", "path": "/memories/a.md", "old_str": "xa\n"});
        run(client, without).unwrap();
        let content = client.read(&path("/memories/a.md")).unwrap();
        assert_eq!(&content[..], b"one\n2\n3\nfour\nand a half\n5\n6\nsame\nsame same\n");
    });
}

#[test]
fn text_is_inserted_after_a_line_within_the_file() {
    here_and_there(|client| {
        run(client, create("/memories/a.md", "1\n2")).unwrap();
        run(client, create("/memories/empty", "")).unwrap();
        let edited = "The file /memories/a.md has been edited.";
        let refused = |line: i64, lines: usize| {
            format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {lines}]."
            )
        };
        check(
            client,
            &[
                (insert("/memories/a.md", 3, "x"), &refused(3, 2)),
                (insert("/memories/a.md", -1, "x"), &refused(-1, 2)),
                (insert("/memories/a.md", i64::MIN, "x"), &refused(i64::MIN, 2)),
                (insert("/memories/a.md", 2, "3\n\n"), edited),
                (insert("/memories/a.md", 0, "0"), edited),
                (insert("/memories/a.md", 1, "a\nb"), edited),
                (insert("/memories/empty", 1, "x"), &refused(1, 0)),
                (insert("/memories/empty", 0, "x"), "The file /memories/empty has been edited."),
                (
                    insert("/memories/none", 0, "x"),
                    "The path /memories/none does not exist. Please provide a valid path.",
                ),
            ],
        );
        assert_eq!(&client.read(&path("/memories/a.md")).unwrap()[..], b"0\na\nb\n1\n2\n3\n");
        assert_eq!(&client.read(&path("/memories/empty")).unwrap()[..], b"x\n");
    });
}

#[test]
fn what_is_deleted_or_renamed_is_named() {
    here_and_there(|client| {
        run(client, create("/memories/a/b.md", "b")).unwrap();
        run(client, create("/memories/c.md", "c")).unwrap();
        check(
            client,
            &[
                (
                    rename("/memories/c.md", "/memories/a/b.md"),
                    "The destination /memories/a/b.md already exists",
                ),
                (rename("/memories/c.md", "/memories"), "The destination /memories already exists"),
                (rename("/memories/none", "/memories/d"), "The path /memories/none does not exist"),
                (
                    rename("/memories", "/memories/d"),
                    "Cannot rename the /memories directory itself",
                ),
                (
                    rename("/memories/c.md", "/memories/new/d.md"),
                    "Successfully renamed /memories/c.md to /memories/new/d.md",
                ),
                (
                    rename("/memories/a", "/memories/e"),
                    "Successfully renamed /memories/a to /memories/e",
                ),
                (delete("/memories/e"), "Successfully deleted /memories/e"),
                (delete("/memories/e"), "The path /memories/e does not exist"),
                (delete("/memories/"), "Cannot delete the /memories directory itself"),
                (delete("/memories/new/.."), "Cannot delete the /memories directory itself"),
            ],
        );
        let (kind, _) = run(client, rename("/memories/new", "/memories/new/in")).unwrap_err();
        assert_eq!(kind, ErrorKind::Invalid);
        assert_eq!(client.clear_memories().unwrap(), "All memory cleared");
        assert_eq!(client.clear_memories().unwrap(), "All memory cleared");
        assert!(client.list(&path("/memories"), None, 1).unwrap().items.is_empty());
        // What the tool takes away can be brought back.
        assert!(
            client
                .trash(None, 10)
                .unwrap()
                .items
                .iter()
                .any(|item| item.path == path("/memories/e"))
        );
    });
}

#[test]
fn nothing_outside_is_reached() {
    here_and_there(|client| {
        client.write(&path("/secret"), b"s", &WriteOptions::default()).unwrap();
        client.make_dir(&path("/memories/sub"), true).unwrap();
        client.symlink("/secret", &path("/memories/file")).unwrap();
        client.symlink("../..", &path("/memories/sub/up")).unwrap();
        client.symlink("loop", &path("/memories/loop")).unwrap();
        client.symlink("sub", &path("/memories/inside")).unwrap();
        for place in ["/secret", "", "memories/a", "/memoriesx", "/Memories", "relative"] {
            check(
                client,
                &[(view(place), &format!("Path must start with /memories, got: {place}"))],
            );
        }
        for place in [
            "/memories/../secret",
            "/memories/..",
            "/memories/sub/../../secret",
            "/memories/file",
            "/memories/sub/up/secret",
            "/memories/sub/up",
        ] {
            let escapes = format!("Path {place} would escape /memories directory");
            check(client, &[(view(place), &escapes)]);
            check(client, &[(replace(place, "s", "t"), &escapes)]);
        }
        let below = "/memories/sub/up/made";
        let escapes = format!("Path {below} would escape /memories directory");
        check(
            client,
            &[
                (create(below, "x"), &escapes),
                (delete(below), &escapes),
                (rename(below, "/memories/x"), &escapes),
                (rename("/memories/sub", below), &escapes),
                (create("/memories/file", "x"), "File /memories/file already exists"),
                (
                    create("/memories/inside/x", "x"),
                    "File created successfully at: /memories/inside/x",
                ),
                (delete("/memories/file"), "Successfully deleted /memories/file"),
            ],
        );
        assert_eq!(run(client, view("/memories/loop")).unwrap_err().0, ErrorKind::Invalid);
        assert_eq!(run(client, view("/memories/a\0b")).unwrap_err().0, ErrorKind::Invalid);
        let long = format!("/memories/{}", "x".repeat(300));
        assert_eq!(run(client, create(&long, "")).unwrap_err().0, ErrorKind::Invalid);
        assert_eq!(&client.read(&path("/secret")).unwrap()[..], b"s");
    });
}

#[test]
fn memories_may_be_a_link_to_a_place_that_agents_share() {
    let dir = tempfile::tempdir().unwrap();
    let client = open(dir.path());
    client.make_dir(&path("/team"), false).unwrap();
    client.symlink("/team", &path("/memories")).unwrap();
    check(
        &client,
        &[
            (create("/memories/a.md", "x"), "File created successfully at: /memories/a.md"),
            (
                view("/memories/a.md"),
                "Here's the content of /memories/a.md with line numbers:\n     1\tx",
            ),
            (
                view("/memories"),
                "Here're the files and directories up to 2 levels deep in /memories, excluding hidden \
             items:\n4K\t/memories\n1B\t/memories/a.md",
            ),
        ],
    );
    assert!(client.stat(&path("/team/a.md")).is_ok());
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let client = open(dir.path());
    let write = |place: &str, bytes: &[u8]| {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        client.write(&path(place), bytes, &options).unwrap();
    };
    write("/memories/long", "\n".repeat(999_999).as_bytes());
    write("/memories/fits", "\n".repeat(999_998).as_bytes());
    write("/memories/bytes", &[0xff, 0xfe]);
    check(
        &client,
        &[(
            view("/memories/long"),
            "File /memories/long exceeds maximum line limit of 999,999 lines.",
        )],
    );
    assert!(run(&client, view("/memories/fits")).unwrap().ends_with("999999\t"));
    let (kind, message) = run(&client, view("/memories/bytes")).unwrap_err();
    assert_eq!(
        (kind, message.as_str()),
        (ErrorKind::Invalid, "/memories/bytes: is not UTF-8 text")
    );
    assert_eq!(run(&client, view("/memories/a.md/b")).unwrap_err().0, ErrorKind::NotFound);
}

#[test]
fn edits_at_the_same_time_are_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let client = open(dir.path());
    run(&client, create("/memories/a.md", "")).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let client = &client;
            scope.spawn(move || {
                for number in 0..25 {
                    let line = format!("{thread}-{number}");
                    run(client, insert("/memories/a.md", 0, &line)).unwrap();
                }
            });
        }
    });
    let content = client.read(&path("/memories/a.md")).unwrap();
    let text = std::str::from_utf8(&content).unwrap();
    assert_eq!(text.lines().count(), 100);
}

#[test]
fn a_command_that_makes_no_sense_is_no_command() {
    for message in [
        json!({"command": "explode", "path": "/memories"}),
        json!({"path": "/memories"}),
        json!({"command": "create", "path": "/memories/a"}),
        json!({"command": "insert", "path": "/memories/a", "insert_line": "1", "insert_text": ""}),
        json!("view"),
    ] {
        assert!(serde_json::from_value::<MemoryCommand>(message.clone()).is_err(), "{message}");
    }
    let read: MemoryCommand = serde_json::from_value(view("/memories")).unwrap();
    assert!(!read.changes());
}

#[test]
fn a_handle_leads_to_memories_alone() {
    here_and_there(|client| {
        client.write(&path("/private/pay.md"), b"Ann earns 4711\n", &parents()).unwrap();
        run(client, create("/memories/tea.md", "Ann drinks green tea\n")).unwrap();
        let handle = |question: &str| {
            let recalled = client.recall(question, &RecallOptions::default()).unwrap();
            recalled.memories[0].handle.clone()
        };
        let tea = format!("/memories/{}", handle("what does Ann drink?"));
        let pay = format!("/memories/{}", handle("what does Ann earn?"));
        assert!(run(client, view(&tea)).unwrap().contains("green tea"));
        run(client, replace(&tea, "green", "black")).unwrap();
        for command in [
            view(&pay),
            create(&pay, "x"),
            replace(&pay, "4711", "1"),
            insert(&pay, 0, "x"),
            delete(&pay),
            rename(&pay, "/memories/pay.md"),
        ] {
            let (kind, message) = run(client, command.clone()).unwrap_err();
            assert_eq!(kind, ErrorKind::NotFound, "{command}: {message}");
            assert!(!message.contains("private"), "{command}: {message}");
        }
        assert_eq!(&client.read(&path("/private/pay.md")).unwrap()[..], b"Ann earns 4711\n");
        run(client, rename(&tea, "/memories/black.md")).unwrap();
        run(client, delete(&tea)).unwrap();
        assert!(client.stat(&path("/memories/black.md")).is_err());
    });
}
