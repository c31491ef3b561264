//! Sessions of the shell, here and through the owner's socket.

use homefs_api::{Limits, Sessions, ShellCall};

use homefs_view::{RecallOptions, RememberOptions};

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

#[test]
fn a_script_that_is_named_by_its_handle_is_mended_as_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let client = open(dir.path());
    let sessions = Sessions::new(&client);
    let script = "[[ -L /notes ]] || echo green tea";
    client.remember(script, &RememberOptions::default()).unwrap();
    let recalled = client.recall("green tea", &RecallOptions::default()).unwrap();
    let handle = &recalled.memories[0].handle;
    let script =
        "mkdir -p /notes; cd /notes; bash @; source ./@; . /@; bash < @".replace('@', handle);
    assert_eq!(said(&sessions, Some("one"), &script), "green tea\n".repeat(4));
}

#[test]
fn a_script_takes_a_handle_wherever_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let (owner, client) = (open(dir.path()), open(dir.path()));
    for client in [owner, client] {
        let sessions = Sessions::new(&client);
        let kept = client.remember("Ann drinks green tea", &RememberOptions::default()).unwrap();
        let recalled = client.recall("what does Ann drink?", &RecallOptions::default()).unwrap();
        let handle = &recalled.memories[0].handle;
        let run = |script: &str| said(&sessions, Some("one"), &script.replace('@', handle));
        run("mkdir -p /notes && cd /notes");
        let green = "Ann drinks green tea\n";
        assert_eq!(run("cat @"), green);
        assert_eq!(run("cat @#1"), green);
        assert_eq!(run("cat < @"), green);
        assert_eq!(run("cat /@"), green);
        assert_eq!(run("realpath @"), format!("{}\n", kept.path));
        assert_eq!(run("grep -c tea @; sed -i s/green/black/ @; wc -w < @"), "1\n4\n");
        run("echo coffee >> @");
        assert_eq!(
            run("cp @ . && ls && rm *.md && mv @ . && ls"),
            "ann-drinks-green-tea.md\n".repeat(2)
        );
        assert_eq!(run("cat /notes/ann-drinks-green-tea.md"), "Ann drinks black tea\ncoffee\n");
        let refused = run("echo x > ^999999; ls");
        assert!(refused.contains("No such file") && !refused.contains("\n^999999"), "{refused}");
        assert_eq!(run("rm @; ls /memories /notes"), "/memories:\n\n/notes:\n");
    }
}
