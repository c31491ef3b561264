//! The tools of the official file system server.

use serde_json::{Value, json};

use super::Rig;

#[test]
fn files_are_written_and_read() {
    let rig = Rig::new();
    let text = "one\ntwo\nthree\n";
    let said = rig.ok("write_file", json!({"path": "notes/a.md", "content": text}));
    assert_eq!(said, "Successfully wrote to notes/a.md");
    for (arguments, expected) in [
        (json!({"path": "/notes/a.md"}), text),
        (json!({"path": "~/notes/a.md"}), text),
        (json!({"path": "notes/../notes/./a.md", "head": 0}), text),
        (json!({"path": "/notes/a.md", "head": 2}), "one\ntwo"),
        (json!({"path": "/notes/a.md", "head": 2.0}), "one\ntwo"),
        (json!({"path": "/notes/a.md", "head": 9}), "one\ntwo\nthree"),
        (json!({"path": "/notes/a.md", "tail": 1}), ""),
        (json!({"path": "/notes/a.md", "tail": 2}), "three\n"),
        (json!({"path": "/notes/a.md", "tail": 9}), text),
    ] {
        assert_eq!(rig.ok("read_text_file", arguments.clone()), expected, "{arguments}");
        assert_eq!(rig.ok("read_file", arguments), expected);
    }
    let both = json!({"path": "/notes/a.md", "head": 1, "tail": 1});
    let said = "Cannot specify both head and tail parameters simultaneously";
    assert_eq!(rig.refused("read_text_file", both), said);
    let many = rig.ok("read_multiple_files", json!({"paths": ["/notes/a.md", "/none"]}));
    assert!(many.starts_with("/notes/a.md:\none\ntwo\nthree\n\n\n---\n/none: Error - "), "{many}");
    assert!(rig.refused("read_multiple_files", json!({"paths": []})).contains("At least one"));
    assert!(rig.refused("read_text_file", json!({"path": "/notes"})).contains("is a directory"));
}

#[test]
fn a_write_with_a_version_is_for_that_version_only() {
    let rig = Rig::new();
    let write = |content: &str, version: Value| json!({"path": "/a", "content": content, "expected_version": version});
    let first = rig.record("write_file", write("1", json!(0)))["version"].clone();
    assert!(rig.refused("write_file", write("2", json!(0))).contains("expected version 0"));
    let read = rig.record("read_text_file", json!({"path": "/a"}));
    assert_eq!(read, json!({"content": "1", "version": first}));
    let second = rig.record("write_file", write("2", first.clone()))["version"].clone();
    let refused = rig.call("write_file", write("3", first.clone())).unwrap();
    let meta = refused.meta.unwrap();
    assert_eq!(meta.0["homefs/error"], json!({"kind": "conflict", "path": "/a"}));
    let edit = |version: &Value| json!({"path": "/a", "edits": [{"oldText": "2", "newText": "3"}], "expected_version": version});
    assert!(rig.refused("edit_file", edit(&first)).contains("expected version"));
    let third = rig.record("edit_file", edit(&second))["version"].clone();
    assert_eq!(rig.record("get_file_info", json!({"path": "/a"}))["version"], third);
}

#[test]
fn edits_answer_with_a_diff() {
    let rig = Rig::new();
    rig.ok("write_file", json!({"path": "/a", "content": "one\r\ntwo\r\n"}));
    let edits = |dry: bool| {
        let edit = json!({"oldText": "two\n", "newText": "2\n"});
        json!({"path": "/a", "edits": [edit], "dryRun": dry})
    };
    let expected = format!(
        "```diff\nIndex: /a\n{}\n--- /a\toriginal\n+++ /a\tmodified\n@@ -1,2 +1,2 @@\n one\n-two\n\
         +2\n```\n\n",
        "=".repeat(67)
    );
    assert_eq!(rig.ok("edit_file", edits(true)), expected);
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a"})), "one\r\ntwo\r\n");
    assert_eq!(rig.ok("edit_file", edits(false)), expected);
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a"})), "one\r\n2\r\n");
    let said = rig.refused("edit_file", edits(false));
    assert_eq!(said, "Could not find exact match for edit:\ntwo\n");
    rig.refused("edit_file", json!({"path": "/none", "edits": []}));
}

#[test]
fn directories_are_listed_and_searched() {
    let rig = Rig::new();
    for (path, content) in
        [("a/b/c.md", "x"), ("a/b/d.txt", ""), ("a/.hidden", ""), ("a/big", &*"y".repeat(1536))]
    {
        rig.ok("write_file", json!({"path": path, "content": content}));
    }
    let said = rig.ok("create_directory", json!({"path": "a/empty/deep"}));
    assert_eq!(said, "Successfully created directory a/empty/deep");
    rig.ok("create_directory", json!({"path": "a/empty/deep"}));
    let listed = rig.ok("list_directory", json!({"path": "a"}));
    assert_eq!(listed, "[FILE] .hidden\n[DIR] b\n[FILE] big\n[DIR] empty");
    let sized = rig.ok("list_directory_with_sizes", json!({"path": "a", "sortBy": "size"}));
    let lines = [
        format!("[FILE] {:<30} {:>10}", "big", "1.50 KB"),
        format!("[FILE] {:<30} {:>10}", ".hidden", "0 B"),
        format!("[DIR] {:<30} ", "b"),
        format!("[DIR] {:<30} ", "empty"),
        String::new(),
        "Total: 2 files, 2 directories".into(),
        "Combined size: 1.50 KB".into(),
    ];
    assert_eq!(sized, lines.join("\n"));
    let tree = rig.ok("directory_tree", json!({"path": "a", "excludePatterns": ["*.none", "big"]}));
    let expected = json!([
        {"name": ".hidden", "type": "file"},
        {"name": "b", "type": "directory", "children": [
            {"name": "c.md", "type": "file"}, {"name": "d.txt", "type": "file"}]},
        {"name": "empty", "type": "directory", "children": [
            {"name": "deep", "type": "directory", "children": []}]},
    ]);
    assert_eq!(serde_json::from_str::<Value>(&tree).unwrap(), expected);
    assert!(tree.starts_with("[\n  {\n    \"name\": \".hidden\","), "{tree}");
    for (pattern, exclude, expected) in [
        ("**/*.md", json!([]), "/a/b/c.md"),
        ("*", json!([]), "/a/.hidden\n/a/b\n/a/big\n/a/empty"),
        ("**/*", json!(["b", "**/deep"]), "/a/.hidden\n/a/big\n/a/empty"),
        ("*.md", json!([]), "No matches found"),
    ] {
        let arguments = json!({"path": "/a", "pattern": pattern, "excludePatterns": exclude});
        assert_eq!(rig.ok("search_files", arguments), expected, "{pattern}");
    }
    assert!(rig.refused("search_files", json!({"path": "/", "pattern": "["})).contains("pattern"));
    assert_eq!(rig.ok("list_allowed_directories", json!({})), "Allowed directories:\n/");
}

#[test]
fn what_is_moved_does_not_replace() {
    let rig = Rig::new();
    rig.ok("write_file", json!({"path": "/a", "content": "a"}));
    rig.ok("write_file", json!({"path": "/b", "content": "b"}));
    let said = rig.refused("move_file", json!({"source": "/a", "destination": "/b"}));
    assert_eq!(said, "Destination already exists: /b");
    let said = rig.ok("move_file", json!({"source": "/a", "destination": "/c"}));
    assert_eq!(said, "Successfully moved /a to /c");
    rig.refused("move_file", json!({"source": "/a", "destination": "/d"}));
}

#[test]
fn a_node_is_described() {
    let rig = Rig::new();
    rig.ok("write_file", json!({"path": "/a", "content": "abc"}));
    let info = rig.ok("get_file_info", json!({"path": "/a"}));
    let lines: Vec<&str> = info.lines().collect();
    assert_eq!((lines[0], lines[4], lines[5]), ("size: 3", "isDirectory: false", "isFile: true"));
    assert_eq!(lines[6], "permissions: 644");
    assert!(lines[1].starts_with("created: ") && lines[1].contains("GMT+0000 (Coordinated"));
    // A link is what it leads to.
    rig.client.symlink("/a", &homefs_core::Path::parse("/link").unwrap()).unwrap();
    assert_eq!(rig.ok("get_file_info", json!({"path": "/link"})).lines().next(), Some("size: 3"));
    assert_eq!(rig.ok("read_text_file", json!({"path": "/link", "tail": 1})), "abc");
}

#[test]
fn media_come_as_what_they_are() {
    let rig = Rig::new();
    for (name, kind, mime) in [
        ("a.PNG", "image", "image/png"),
        ("a.mp3", "audio", "audio/mpeg"),
        ("a.bin", "resource", ""),
    ] {
        rig.ok("write_file", json!({"path": name, "content": "abc"}));
        let read = rig.call("read_media_file", json!({"path": name})).unwrap();
        let block = &serde_json::to_value(&read.content[0]).unwrap();
        assert_eq!(block["type"], kind);
        if kind == "resource" {
            let resource = json!({"uri": "homefs:///a.bin", "mimeType": "application/octet-stream",
                "blob": "YWJj"});
            assert_eq!(block["resource"], resource);
        } else {
            assert_eq!((&block["mimeType"], &block["data"]), (&json!(mime), &json!("YWJj")));
        }
    }
}

#[test]
fn every_tool_is_annotated_and_has_a_schema() {
    let rig = Rig::new();
    let tools = rig.wait(rig.peer.list_all_tools()).unwrap();
    assert_eq!(tools.len(), crate::tools().count());
    for tool in tools {
        let hints = tool.annotations.expect("every tool has them");
        assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
        let changes = crate::tools().find(|known| known.name == tool.name).unwrap().changes;
        assert_eq!(hints.read_only_hint, Some(!changes), "{}", tool.name);
        assert_eq!(hints.destructive_hint.is_some(), changes, "{}", tool.name);
        assert_eq!(hints.idempotent_hint.is_some(), changes, "{}", tool.name);
        assert!(tool.output_schema.is_none() && tool.title.is_some(), "{}", tool.name);
    }
}
