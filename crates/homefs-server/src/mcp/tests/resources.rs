//! Files as resources.

use rmcp::model::{PaginatedRequestParams, ReadResourceRequestParams, ResourceContents};
use serde_json::json;

use super::Rig;

#[test]
fn files_are_listed_page_by_page_and_read() {
    let rig = Rig::new();
    for number in 1..=700 {
        let path = format!("/d/{number}.md");
        rig.ok("write_file", json!({"path": path, "content": format!("{number}\n")}));
    }
    let first = rig.wait(rig.peer.list_resources(None)).unwrap();
    let cursor = first.next_cursor.clone();
    assert!(cursor.is_some() && first.resources.len() < 700);
    let next = PaginatedRequestParams::default().with_cursor(cursor);
    let second = rig.wait(rig.peer.list_resources(Some(next))).unwrap();
    assert_eq!(second.next_cursor, None);
    let mut all: Vec<_> = first.resources.into_iter().chain(second.resources).collect();
    assert_eq!(all.len(), 700);
    let resource = all.remove(0);
    assert_eq!((resource.uri.as_str(), resource.size), ("homefs:///d/1.md", Some(2)));
    assert_eq!(resource.mime_type.as_deref(), Some("text/markdown"));
    let templates = rig.wait(rig.peer.list_all_resource_templates()).unwrap();
    assert_eq!(templates[0].uri_template, "homefs:///{+path}");
    let read = |uri: &str| rig.wait(rig.peer.read_resource(ReadResourceRequestParams::new(uri)));
    let contents = read("homefs:///d/7.md").unwrap().contents;
    let [ResourceContents::TextResourceContents { text, meta, .. }] = &contents[..] else {
        panic!("{contents:?}")
    };
    assert_eq!(text, "7\n");
    assert!(meta.as_ref().unwrap().0["homefs/version"].is_u64());
    rig.ok("shell", json!({"script": "printf '\\377' > bytes"}));
    let contents = read("homefs:///bytes").unwrap().contents;
    let [ResourceContents::BlobResourceContents { blob, mime_type, .. }] = &contents[..] else {
        panic!("{contents:?}")
    };
    assert_eq!((blob.as_str(), mime_type.as_deref()), ("/w==", Some("application/octet-stream")));
    for wrong in ["homefs:///none", "homefs:///d", "file:///d/1.md", "homefs:///d/../d/1.md", ""] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn who_subscribes_hears_of_changes_until_it_no_longer_wants_to() {
    let rig = Rig::new();
    for path in ["/a", "/d/b"] {
        rig.ok("write_file", json!({"path": path, "content": "1"}));
    }
    rig.subscribe("homefs:///a").unwrap();
    // A directory stands for all below it.
    rig.subscribe("homefs:///d").unwrap();
    assert!(rig.subscribe("homefs:///none").is_err());
    assert!(rig.subscribe("nonsense").is_err());
    rig.ok("write_file", json!({"path": "/a", "content": "2"}));
    rig.hears(|heard| heard.updated.lock().iter().any(|uri| uri == "homefs:///a"));
    // Another way in is heard as well.
    let path = homefs_core::Path::parse("/d/b").unwrap();
    rig.client.append(&path, b"2", &homefs_view::WriteOptions::default()).unwrap();
    rig.hears(|heard| heard.updated.lock().iter().any(|uri| uri == "homefs:///d"));
    rig.unsubscribe("homefs:///a").unwrap();
    rig.heard.updated.lock().clear();
    rig.ok("write_file", json!({"path": "/a", "content": "3"}));
    rig.ok("write_file", json!({"path": "/d/b", "content": "3"}));
    rig.hears(|heard| heard.updated.lock().iter().any(|uri| uri == "homefs:///d"));
    assert!(rig.heard.updated.lock().iter().all(|uri| uri != "homefs:///a"));
}
