//! Memories, the past, scripts, and the commands of the memory tool.

use serde_json::json;

use super::Rig;

#[test]
fn what_is_remembered_is_recalled_searched_and_forgotten() {
    let rig = Rig::new();
    let text = "The harbour opens at seven on weekdays.";
    let kept = rig.record("remember", json!({"text": text, "tags": ["port"], "importance": 0.9}));
    let path = kept["path"].as_str().unwrap().to_owned();
    assert!(path.starts_with("/memories/") && kept["version"].is_u64(), "{kept}");
    let recalled = rig.record("recall", json!({"question": "when does the harbour open?"}));
    assert!(recalled["content"].as_str().unwrap().contains("seven"), "{recalled}");
    let handle = recalled["content"].as_str().unwrap().trim_end().rsplit(' ').next().unwrap();
    assert_eq!(rig.ok("read_text_file", json!({"path": handle})).trim_end(), text);
    assert!(recalled["tokens"].as_u64().unwrap() <= 2000);
    let found = rig.record("search", json!({"query": "harbour tag:port"}));
    assert!(found["content"].as_str().unwrap().contains(&path), "{found}");
    assert_eq!(rig.ok("search", json!({"query": "zeppelin", "kind": "text"})), "Nothing found");
    assert!(rig.ok("context", json!({"max_tokens": 500})).contains("harbour"));
    // Probes are files to read as well.
    assert!(rig.ok("read_text_file", json!({"path": "/:tags"})).contains("port"));
    assert!(rig.ok("forget", json!({"path": path})).starts_with("Forgot /memories/"));
    rig.refused("read_text_file", json!({"path": path}));
    rig.ok("restore", json!({"path": path}));
    assert_eq!(rig.ok("read_text_file", json!({"path": path})).trim_end(), text);
    assert!(
        rig.ok("forget", json!({"path": path, "purge": true})).starts_with("Erased /memories/")
    );
    rig.refused("restore", json!({"path": path}));
    rig.refused("recall", json!({"question": "x", "strategy": "sideways"}));
    rig.refused("recall", json!({"question": "x", "spaces": ["nowhere/at/all"]}));
}

#[test]
fn the_past_is_listed_shown_and_brought_back() {
    let rig = Rig::new();
    let write = |content: &str| {
        rig.record("write_file", json!({"path": "/a", "content": content}))["version"].clone()
    };
    let first = write("one\n");
    write("two\n");
    let past = rig.ok("history", json!({"path": "/a"}));
    let versions: Vec<_> = past.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!((versions.len(), versions[1]), (2, first.to_string().as_str()), "{past}");
    assert_eq!(rig.ok("history", json!({"path": "/a", "version": first})), "one\n");
    let diff = rig.ok("history", json!({"path": "/a", "version": first, "diff": true}));
    assert!(diff.contains("-one\n+two\n"), "{diff}");
    rig.ok("restore", json!({"path": "/a", "version": first}));
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a"})), "one\n");
    rig.refused("restore", json!({"path": "/a", "version": 999_999}));
    rig.refused("history", json!({"path": "/none"}));
}

#[test]
fn scripts_run_on_the_home_and_sessions_last() {
    let rig = Rig::new();
    let script = "mkdir docs; cd docs; echo hi > a.md; word=kept; cat a.md; echo no >&2; exit 3";
    let ran = rig.record("shell", json!({"script": script}));
    assert_eq!((&ran["status"], &ran["truncated"]), (&json!(3), &json!(false)));
    assert_eq!(ran["content"], json!("hi\nno\n[exit status 3]"));
    assert_eq!(rig.ok("read_text_file", json!({"path": "/docs/a.md"})), "hi\n");
    rig.ok("shell", json!({"script": "cd docs; word=kept", "session": "s"}));
    assert_eq!(
        rig.ok("shell", json!({"script": "pwd; echo $word", "session": "s"})),
        "/docs\nkept\n"
    );
    let read = rig.ok("shell", json!({"script": "tr a-z A-Z", "stdin": "shout"}));
    assert_eq!(read, "SHOUT");
    let late = rig.record("shell", json!({"script": "sleep 60", "timeout_seconds": 0.05}));
    assert_eq!(late["status"], json!(124));
}

#[test]
fn a_model_cannot_raise_the_limits_of_a_script() {
    let rig = Rig::new();
    let script = "for i in $(seq 60); do for j in $(seq 2000); do :; done; done; echo end";
    let ran = rig.record("shell", json!({"script": script, "timeout_seconds": 1e9}));
    // More than 100,000 commands, for which a busy machine takes more than the time that there is.
    assert!([json!(137), json!(124)].contains(&ran["status"]), "{ran}");
    let ran = rig.record("shell", json!({"script": "seq 100000", "timeout_seconds": 1e300}));
    assert_eq!((&ran["status"], &ran["truncated"]), (&json!(137), &json!(true)));
    let most = homefs_api::Limits::of_tool();
    assert!(ran["content"].as_str().is_some_and(|text| text.len() <= most.output_bytes + 200));
}

#[test]
fn the_memory_tool_has_its_own_words() {
    let rig = Rig::new();
    let path = "/memories/a.md";
    let said = rig.ok("memory", json!({"command": "create", "path": path, "file_text": "x\n"}));
    assert_eq!(said, "File created successfully at: /memories/a.md");
    let said = rig.ok("memory", json!({"command": "view", "path": path}));
    assert_eq!(
        said,
        "Here's the content of /memories/a.md with line numbers:\n     1\tx\n     2\t"
    );
    let again = json!({"command": "create", "path": path, "file_text": "x"});
    assert_eq!(rig.refused("memory", again), "File /memories/a.md already exists");
    let outside = json!({"command": "view", "path": "/etc"});
    assert_eq!(rig.refused("memory", outside), "Path must start with /memories, got: /etc");
    rig.refused("memory", json!({"command": "explode"}));
}

#[test]
fn lines_are_found_by_a_pattern() {
    let rig = Rig::new();
    rig.ok("write_file", json!({"path": "/d/a.md", "content": "one\ntwo\nthree\nTwo\n"}));
    rig.ok("write_file", json!({"path": "/d/b.txt", "content": "two\n"}));
    for (arguments, expected) in [
        (json!({"pattern": "tw."}), "/d/a.md:2:two\n/d/b.txt:1:two"),
        (
            json!({"pattern": "two", "ignore_case": true, "glob": "**/*.md"}),
            "/d/a.md:2:two\n/d/a.md:4:Two",
        ),
        (json!({"pattern": "tw.", "literal": true}), "No matches found"),
        (
            json!({"pattern": "two", "path": "/d/a.md", "before": 1, "after": 1}),
            "/d/a.md-1-one\n/d/a.md:2:two\n/d/a.md-3-three",
        ),
        (
            json!({"pattern": "one|Two", "before": 1}),
            "/d/a.md:1:one\n--\n/d/a.md-3-three\n/d/a.md:4:Two",
        ),
    ] {
        assert_eq!(rig.ok("grep", arguments.clone()), expected, "{arguments}");
    }
    let cut = rig.record("grep", json!({"pattern": "o", "limit": 1}));
    assert_eq!(cut["truncated"], json!(true));
    let said = cut["content"].as_str().unwrap();
    assert!(said.starts_with("/d/a.md:1:one[these are 1 lines, and there may be more"), "{said}");
    assert!(rig.refused("grep", json!({"pattern": "("})).contains("regular expression"));
    rig.refused("grep", json!({"pattern": "x", "path": "/none"}));
}
