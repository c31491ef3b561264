//! Sessions of the shell, here and through the owner's socket.

use homefs_api::{Limits, Sessions, ShellCall};

use crate::open;

fn call(script: &str) -> ShellCall {
    ShellCall { script: script.into(), ..ShellCall::default() }
}

fn said(sessions: &Sessions, session: Option<&str>, script: &str) -> String {
    let output = sessions.run(session, call(script)).expect("it runs");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("it is text")
}

#[test]
fn a_session_keeps_its_state_whoever_owns_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let (owner, client) = (open(dir.path()), open(dir.path()));
    for sessions in [Sessions::new(&owner), Sessions::new(&client)] {
        said(&sessions, Some("one"), "mkdir -p /docs && cd /docs && word=seen && echo x > a.md");
        assert_eq!(said(&sessions, Some("one"), "pwd; echo $word"), "/docs\nseen\n");
        assert_eq!(said(&sessions, Some("two"), "pwd; echo $word"), "/\n\n");
        assert_eq!(said(&sessions, None, "pwd; grep -r x /docs"), "/\n/docs/a.md:x\n");
    }
    let sessions = Sessions::new(&client);
    said(&sessions, Some("kept"), "cd /docs; word=kept");
    owner.close().unwrap();
    assert_eq!(said(&sessions, Some("kept"), "pwd; echo $word; cat a.md"), "/docs\nkept\nx\n");
    assert!(sessions.end("kept") && !sessions.end("kept"));
    assert_eq!(said(&sessions, Some("kept"), "pwd"), "/\n");
}

#[test]
fn a_session_that_nobody_used_for_long_ends_for_a_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(&open(dir.path()));
    said(&sessions, Some("first"), "word=old");
    for number in 0..64 {
        said(&sessions, Some(&number.to_string()), "true");
    }
    assert_eq!(said(&sessions, Some("first"), "echo $word"), "\n");
    assert_eq!(said(&sessions, Some("63"), "echo $?"), "0\n");
}

#[test]
fn an_index_answers_through_the_socket_too() {
    let dir = tempfile::tempdir().unwrap();
    let (owner, client) = (open(dir.path()), open(dir.path()));
    let mut shell = client.shell();
    let script = "for i in 1 2 3; do echo word $i > $i.md; done; grep -rl 'word 2' .";
    let output = shell.run(script, &Limits::default()).unwrap();
    assert_eq!(output.stdout, b"./2.md\n");
    let root = homefs_core::Path::root();
    let found = client.candidates(&root, "word 2", false).unwrap();
    assert_eq!(found, owner.candidates(&root, "word 2", false).unwrap());
    assert!(found.is_some_and(|paths| paths.iter().any(|path| path.as_str() == "/2.md")));
    assert_eq!(client.abandoned_scripts().unwrap(), 0);
}
