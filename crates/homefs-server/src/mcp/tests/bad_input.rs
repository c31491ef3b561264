//! What makes no sense or is not allowed is refused in words, and nothing else happens.

use homefs_core::Path;
use homefs_engine::WriteOptions;
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
    let rig = Rig::serving(dir, client, Profile::ReadOnly);
    let tools = rig.wait(rig.peer.list_all_tools()).unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert!(names.contains(&"recall") && names.contains(&"read_text_file"));
    for tool in crate::tools().filter(|tool| tool.changes) {
        assert!(!names.contains(&tool.name), "{}", tool.name);
        let arguments = json!({"path": "/a", "content": "x", "script": "rm /a", "text": "x",
            "source": "/a", "destination": "/b", "edits": [], "command": "delete"});
        let Err(ServiceError::McpError(error)) = rig.call(tool.name, arguments) else {
            panic!("{} runs", tool.name)
        };
        assert!(error.message.contains("read-only"), "{}", error.message);
    }
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a"})), "kept");
    assert_eq!(rig.client.stat(&path).unwrap(), before);
}

#[test]
fn what_is_hidden_from_the_agent_does_not_exist() {
    let dir = tempfile::tempdir().unwrap();
    let owner = open(&dir, "other");
    owner.make_dir(&Path::parse("/shared/secret").unwrap(), false).unwrap();
    let hidden = Path::parse("/shared/secret/plan.md").unwrap();
    owner.write(&hidden, b"the plan", &WriteOptions::default()).unwrap();
    let client = open(&dir, "me");
    let rig = Rig::serving(dir, client, Profile::ReadWrite);
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
