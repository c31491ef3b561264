//! Calls that take long: they tell of themselves, and end when nobody wants them.

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use rmcp::service::PeerRequestOptions;
use serde_json::json;

use super::Rig;

fn request(script: &str) -> ClientRequest {
    let mut call = CallToolRequestParams::new("shell");
    let arguments = json!({"script": script, "session": "s", "timeout_seconds": 60});
    call.arguments = arguments.as_object().cloned();
    ClientRequest::CallToolRequest(CallToolRequest::new(call))
}

#[test]
fn a_long_script_tells_of_itself_and_can_be_cancelled() {
    let rig = Rig::new();
    let script = "echo begun > /begun; echo at work; sleep 50; echo never > /never";
    let asked = rig.peer.send_cancellable_request(request(script), PeerRequestOptions::default());
    let handle = rig.wait(asked).unwrap();
    rig.hears(|heard| heard.progress.lock().iter().any(|message| message == "at work"));
    rig.wait(handle.cancel(Some("enough".into()))).unwrap();
    // The session waits for the script that is cancelled, and goes on.
    assert_eq!(
        rig.ok("shell", json!({"script": "cat /begun; ls /never", "session": "s"})),
        "begun\nls: cannot access '/never': No such file or directory\n[exit status 2]"
    );
}

#[test]
fn one_long_call_does_not_hold_up_others() {
    let rig = Rig::new();
    let asked =
        rig.peer.send_cancellable_request(request("sleep 50"), PeerRequestOptions::default());
    let handle = rig.wait(asked).unwrap();
    rig.ok("write_file", json!({"path": "/a", "content": "x"}));
    assert_eq!(rig.ok("read_text_file", json!({"path": "/a"})), "x");
    rig.wait(handle.cancel(None)).unwrap();
}
