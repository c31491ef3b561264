//! What makes no sense or is not allowed is refused in words, and nothing else happens.

use homefs_core::Path;
use homefs_view::WriteOptions;
use rmcp::model::{ErrorCode, ReadResourceRequestParams};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use super::{Profile, Rig, open};

#[test]
fn unknown_tools_and_wrong_arguments_are_refused() {
    let rig = Rig::new();
    let Err(ServiceError::McpError(error)) = rig.call("explode", json!({})) else { panic!() };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert!(error.message.contains("explode"));
    for (name, arguments) in [
        ("read_text_file", json!({})),
        ("read_text_file", json!({"path": 7})),
        ("read_text_file", json!({"path": ""})),
        ("read_text_file", json!({"path": "a\0b"})),
        ("read_text_file", json!({"path": "/a", "head": -1})),
        ("read_text_file", json!({"path": "/a", "head": 1.5})),
        ("read_text_file", json!({"path": "/a", "head": 1e300})),
        ("read_text_file", json!({"path": "x/".repeat(5000)})),
        ("read_text_file", Value::Null),
        ("write_file", json!({"path": "/a"})),
        ("write_file", json!({"path": "/", "content": ""})),
        ("write_file", json!({"path": "/a", "content": "", "expected_version": "3"})),
        ("edit_file", json!({"path": "/a", "edits": "all"})),
        ("list_directory", json!({"path": "/none"})),
        ("list_directory_with_sizes", json!({"path": "/", "sortBy": "colour"})),
        ("shell", json!({"script": 3})),
        ("remember", json!({"text": "x", "importance": 7})),
        ("remember", json!({"text": "x", "space": "../etc"})),
        ("history", json!({"path": "/", "limit": -1})),
        ("memory", json!({"command": "create", "path": "/memories/a"})),
    ] {
        assert!(!rig.refused(name, arguments.clone()).is_empty(), "{name} {arguments}");
    }
    // None of them did anything.
    assert_eq!(rig.ok("list_directory", json!({"path": "/"})), "");
    let nothing = rig.said("read_text_file", json!({"path": "../../../etc/passwd"}));
    assert!(nothing.1 && nothing.0.starts_with("/etc/passwd"), "{}", nothing.0);
}

#[test]
fn a_home_that_is_served_read_only_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let client = open(&dir, "me");
    let path = Path::parse("/a").unwrap();
    client.write(&path, b"kept", &WriteOptions::default()).unwrap();
    let before = client.stat(&path).unwrap();
    let rig = Rig::serving(dir, client, Profile { read_only: true, ..Profile::default() });
    let tools = rig.wait(rig.peer.list_all_tools()).unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert!(names.contains(&"recall") && names.contains(&"read_text_file"));
    let is_refused = |tool: &crate::ToolInfo| tool.changes && tool.name != "shell";
    for tool in crate::tools().filter(is_refused) {
        assert!(!names.contains(&tool.name), "{}", tool.name);
        let arguments = json!({"path": "/a", "content": "x", "script": "rm /a", "text": "x",
            "source": "/a", "destination": "/b", "edits": [], "command": "delete"});
        let Err(ServiceError::McpError(error)) = rig.call(tool.name, arguments) else {
            panic!("{} runs", tool.name)
        };
        assert!(error.message.contains("read-only"), "{}", error.message);
    }
    // Scripts run, and what would change something is refused.
    assert!(names.contains(&"shell"));
    assert_eq!(
        rig.ok("shell", json!({"script": "cat a | tr a-z A-Z; cat b 2> /dev/null || :"})),
        "KEPT"
    );
    for script in [
        "echo x > a",
        "echo x >> a",
        "rm a",
        "mv a b",
        "mkdir d",
        "ln -s a b",
        "touch a",
        "chmod 600 a",
        "remember x",
        "sed -i s/kept/x/ a",
        "homefs tag a x",
        "cp a b",
        "truncate -s 0 a",
    ] {
        let ran = rig.record("shell", json!({"script": script, "session": "s"}));
        assert_ne!(ran["status"], json!(0), "{script}: {ran}");
        assert!(ran["content"].as_str().unwrap().contains("ead-only"), "{script}: {ran}");
    }
    assert_eq!(rig.ok("shell", json!({"script": "ls -A /"})), "a\n");
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a"})), "kept");
    assert_eq!(rig.client.stat(&path).unwrap(), before);
}

#[test]
fn a_server_has_the_tools_that_it_was_asked_for() {
    let rig = Rig::with(Profile { tools: vec![crate::ToolSet::Memory], ..Profile::default() });
    let tools = rig.wait(rig.peer.list_all_tools()).unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["recall", "remember", "search", "forget", "context", "memory"]);
    for (name, said) in [
        ("shell", "it is one of --tools shell"),
        ("read_file", "it is one of --tools files"),
        ("recal", "there is no tool \"recal\"; did you mean recall?"),
    ] {
        let Err(ServiceError::McpError(error)) = rig.call(name, json!({})) else { panic!() };
        assert!(error.message.contains(said), "{}", error.message);
    }
}

#[test]
fn what_a_model_gets_wrong_is_told_in_its_own_words() {
    let rig = Rig::new();
    rig.ok("write_file", json!({"file_path": "/a", "text": "x x"}));
    for (name, arguments, said) in [
        ("read_text_file", json!({"path": "/a", "head": -1}), "head must be a whole number from 0"),
        ("read_text_file", json!({}), "read_text_file needs path"),
        ("write_file", json!({"path": "/a", "contant": ""}), "did you mean content?"),
        ("memory", json!({"command": "create", "path": "/memories/a"}), "create needs file_text"),
        ("memory", json!({"command": "explode"}), "command must be one of view, create"),
        ("search", json!({"query": "x", "kind": "both"}), "kind must be one of hybrid"),
        (
            "edit_file",
            json!({"path": "/a", "edits": [{"oldText": "x", "newText": "y", "expected_occurrences": 3}]}),
            "oldText stands there 2 times, not 3",
        ),
    ] {
        let refused = rig.refused(name, arguments.clone());
        assert!(refused.contains(said), "{name} {arguments}: {refused}");
        for word in ["usize", "u64", "struct", "variant", "expected a", "expected `"] {
            assert!(!refused.contains(word), "{name} {arguments}: {refused}");
        }
    }
    let edits = json!([{"old_string": "x", "new_string": "y", "expected_replacements": 2}]);
    rig.ok("edit_file", json!({"path": "/a", "edits": edits}));
    assert_eq!(rig.ok("read_text_file", json!({"file": "/a"})), "y y");
    assert_eq!(rig.ok("shell", json!({"command": "cat a"})), "y y");
    assert_eq!(rig.ok("grep", json!({"query": "y y"})), "/a:1:y y");
    rig.ok("recall", json!({"query": "y"}));
}

#[test]
fn what_is_hidden_from_the_agent_does_not_exist() {
    let dir = tempfile::tempdir().unwrap();
    let owner = open(&dir, "other");
    owner.make_dir(&Path::parse("/shared/secret").unwrap(), false).unwrap();
    let hidden = Path::parse("/shared/secret/plan.md").unwrap();
    owner.write(&hidden, b"the plan", &WriteOptions::default()).unwrap();
    let client = open(&dir, "me");
    let rig = Rig::serving(dir, client, Profile::default());
    for (hidden, missing) in [
        ("/shared/secret/plan.md", "/shared/nothing/plan.md"),
        ("/shared/secret", "/shared/nothing"),
    ] {
        for tool in
            ["read_text_file", "get_file_info", "list_directory", "directory_tree", "history"]
        {
            let (said, other) = (
                rig.refused(tool, json!({"path": hidden})),
                rig.refused(tool, json!({"path": missing})),
            );
            assert_eq!(said.replace("secret", "nothing"), other, "{tool}");
        }
        for uri in [format!("homefs://{hidden}"), format!("homefs://{missing}")] {
            assert!(
                rig.wait(rig.peer.read_resource(ReadResourceRequestParams::new(&*uri))).is_err()
            );
            assert!(rig.subscribe(&uri).is_err());
        }
    }
    for said in [
        rig.ok("search_files", json!({"path": "/", "pattern": "**"})),
        rig.ok("recall", json!({"question": "what is the plan?"})),
        rig.ok("shell", json!({"script": "ls -R /; grep -r plan / 2>&1 || true"})),
        format!("{:?}", rig.wait(rig.peer.list_all_resources()).unwrap()),
    ] {
        assert!(!said.contains("secret") && !said.contains("the plan"), "{said}");
    }
}
