//! Scripts in processes of their own: the same answers, and whatever one does to its process it
//! does to its session alone.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use homefs_api::{Client, ClientOptions, Interrupter, Limits, Sessions, ShellCall, ShellOutput};
use homefs_core::{AgentId, Path};
use homefs_view::{Who, WriteOptions};
use tempfile::{TempDir, tempdir};

use crate::harness::PROGRAM;

fn open() -> (TempDir, Client) {
    let dir = tempdir().expect("the host has room");
    let agent = AgentId::new("me").expect("a name");
    let who = Who { agent, operator: false, all: false };
    let client = Client::open(ClientOptions::new(dir.path().join("store"), who));
    (dir, client.expect("the store opens"))
}

fn apart(client: &Client) -> Sessions {
    Sessions::apart(client, PathBuf::from(PROGRAM))
}

fn call(script: &str) -> ShellCall {
    ShellCall { script: script.into(), ..ShellCall::default() }
}

fn run(sessions: &Sessions, script: &str) -> ShellOutput {
    sessions.run(Some("one"), call(script)).expect("it is run")
}

fn stdout(sessions: &Sessions, script: &str) -> String {
    String::from_utf8(run(sessions, script).stdout).expect("it is text")
}

#[test]
fn a_worker_answers_as_this_process_does() {
    let (_dir, client) = open();
    for number in 0..50 {
        let path = Path::parse(&format!("/n{number}.md")).expect("a path");
        let text = format!("note {number}\nwords of it\n");
        client.write(&path, text.as_bytes(), &WriteOptions::default()).expect("written");
    }
    let (here, apart) = (Sessions::new(&client), apart(&client));
    for script in [
        "ls | head -3; x=5; cd /; pwd",
        "echo $x $((x * 2))",
        "grep -rn 'note 4' . | sort",
        "cat n1.md n2.md | wc -l; echo bad >&2; false",
        // Files that are read ahead, with some among them that cannot be, or are long, or are none.
        "mkdir -p d; ln -sf n3.md l; ln -sf nowhere m; yes words | head -9000 > long",
        "cat n1.md d missing n2.md long l n3.md m n4.md | cksum",
        "wc n*.md d missing long l m /dev/null n5.md",
        "echo in | cat n1.md - n2.md n6.md",
        "head -1 n*.md d missing long l m",
        "tail -qn1 n*.md l long n7.md",
        "grep -c words n*.md d missing long l m",
        "grep -rc words . d long missing",
        "rg -c words . | sort; rg -l words n1.md n2.md long | sort",
        "TZ=Europe/Berlin date -d @1700000000 +%H:%M; TZ=America/New_York date -d @0 +%H",
        "cat missing",
        "echo hello > new.md && cat new.md && rm new.md",
        "printf 'a b\\n' | while read -r one two; do echo \"$two $one\"; done",
        "homefs help | head -2; search words | wc -l",
        "exit 7",
    ] {
        assert_eq!(run(&apart, script), run(&here, script), "{script}");
    }
    let call = ShellCall {
        script: "cat; echo $0 $1".into(),
        stdin: b"input\n".to_vec(),
        name: Some("name".into()),
        arguments: vec!["first".into()],
        ..ShellCall::default()
    };
    let output = apart.run(None, call).expect("it is run");
    assert_eq!(output.stdout, b"input\nname first\n");
}

#[test]
fn a_session_outlives_the_thread_that_began_it() {
    let (_dir, client) = open();
    let sessions = apart(&client);
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(stdout(&sessions, "x=1; echo $x"), "1\n"));
    });
    assert_eq!(stdout(&sessions, "echo $x"), "1\n");
}

#[test]
fn a_program_that_is_no_worker_is_refused() {
    let (_dir, client) = open();
    // It takes its argument for the name of a test that it has not.
    let program = std::env::current_exe().expect("it has a path");
    let sessions = Sessions::apart(&client, program);
    let error = sessions.run(None, call("true")).expect_err("it is no worker");
    assert_eq!(error.kind(), homefs_core::ErrorKind::Unsupported, "{error}");
    let missing = Sessions::apart(&client, PathBuf::from("/nowhere/homefs"));
    missing.run(None, call("true")).expect_err("it is not there");
}

#[test]
fn what_a_script_prints_is_heard_while_it_runs() {
    let (_dir, client) = open();
    let (sender, heard) = mpsc::channel();
    let mut call = call("echo one; echo two >&2");
    call.sink = Some(Box::new(move |_, bytes| drop(sender.send(bytes.to_vec()))));
    let output = apart(&client).run(None, call).expect("it is run");
    assert_eq!((&*output.stdout, &*output.stderr), (&b"one\n"[..], &b"two\n"[..]));
    let heard: Vec<u8> = heard.iter().flatten().collect();
    assert_eq!(heard, b"one\ntwo\n");
}

#[test]
fn a_script_that_ends_its_process_ends_its_session_alone() {
    let (_dir, client) = open();
    let sessions = apart(&client);
    assert_eq!(stdout(&sessions, "x=1; echo $x"), "1\n");
    let worker = workers().pop().expect("there is one");
    fs::metadata(format!("/proc/{worker}")).expect("it lives");
    let killed = thread::spawn(move || {
        let pid = rustix::process::Pid::from_raw(worker).expect("a number");
        rustix::process::kill_process(pid, rustix::process::Signal::ABORT).expect("it is ours");
    });
    killed.join().expect("it does not panic");
    let output = run(&sessions, "echo $x");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status, 137, "{said}");
    assert!(said.contains("the session starts anew"), "{said}");
    assert_eq!(stdout(&sessions, "echo \"x$x\""), "x\n");
}

#[test]
fn what_a_terminal_tells_a_program_does_not_reach_its_workers() {
    let (_dir, client) = open();
    let sessions = apart(&client);
    run(&sessions, "true");
    let worker = workers().pop().and_then(rustix::process::Pid::from_raw).expect("there is one");
    let group = rustix::process::getpgid(Some(worker)).expect("it lives");
    assert_eq!(group, worker);
    assert_ne!(group, rustix::process::getpgid(None).expect("it lives"));
}

#[test]
fn a_script_that_takes_all_there_is_ends_its_session_alone() {
    let (_dir, client) = open();
    let sessions = apart(&client);
    // What nests by what it does cannot be measured before.
    for script in [
        "jq -n 'reduce range(1000000) as $i (1; [.]) | tojson' | wc -c",
        "awk 'BEGIN { while (1) a[i++] = i }'",
    ] {
        let output = run(&sessions, script);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_ne!(output.status, 0, "{script}: {said}");
        // Memory that a script still holds may end the process of the next.
        run(&sessions, "true");
        assert_eq!(stdout(&sessions, "echo still here"), "still here\n", "{script}");
    }
}

#[test]
fn a_script_of_a_worker_is_interrupted_and_runs_out_of_time() {
    let (_dir, client) = open();
    let sessions = apart(&client);
    assert_eq!(stdout(&sessions, "x=1; echo $x"), "1\n");
    let (sender, started) = mpsc::channel::<Interrupter>();
    let (over, is_over) = mpsc::channel::<()>();
    let ends = thread::spawn(move || {
        started.recv().map(|running| {
            // It may not have begun yet: an interruption is for the script that runs.
            let soon = Duration::from_millis(10);
            while is_over.recv_timeout(soon) == Err(mpsc::RecvTimeoutError::Timeout) {
                running.interrupt();
            }
        })
    });
    let endless = call("while :; do :; done");
    let output = sessions.run_told(Some("one"), endless, |running| drop(sender.send(running)));
    assert_eq!(output.expect("it is run").status, 130);
    drop(over);
    ends.join().expect("it does not panic").expect("it was told");
    assert_eq!(stdout(&sessions, "echo $x"), "1\n", "the session goes on");
    let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
    let late = ShellCall { limits, ..call("while :; do :; done") };
    assert_eq!(sessions.run(Some("one"), late).expect("it is run").status, 124);
}

#[test]
fn what_is_too_long_for_a_message_does_not_end_a_session() {
    let (_dir, client) = open();
    let path = Path::parse("/long").expect("a path");
    let text = b"words and more words\n".repeat(2 << 20);
    client.write(&path, &text, &WriteOptions::default()).expect("written");
    let (here, apart) = (Sessions::new(&client), apart(&client));
    assert_eq!(stdout(&apart, "x=1; echo $x"), "1\n");
    let limits = Limits { output_bytes: 128 << 20, ..Limits::default() };
    let both = || ShellCall { limits, ..call("cat long; cat long >&2; exit 3") };
    let output = apart.run(Some("one"), both()).expect("it is run");
    assert!(output == here.run(None, both()).expect("it is run"), "it is the same");
    assert!(output.stdout.len() + output.stderr.len() > 64 << 20, "it is too long");
    let error = apart.run(Some("one"), call(&"#".repeat(65 << 20))).expect_err("it is too long");
    assert_eq!(error.kind(), homefs_core::ErrorKind::LimitExceeded, "{error}");
    assert_eq!(stdout(&apart, "echo $x"), "1\n", "the session goes on");
}

#[test]
fn a_script_is_interrupted_while_its_worker_starts() {
    let (dir, client) = open();
    let (gate, program) = (dir.path().join("gate"), dir.path().join("slow"));
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600));
    rustix::fs::mknodat(rustix::fs::CWD, &gate, kind, mode, 0).expect("it is made");
    // Opening the gate waits until the other side has opened it, too.
    let text = format!("#!/bin/sh\nread -r line < {}\nexec {PROGRAM} \"$@\"\n", gate.display());
    fs::write(&program, text).expect("it is written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("it is ours");
    let sessions = Sessions::apart(&client, program);
    let (sender, started) = mpsc::channel::<Interrupter>();
    let ends = thread::spawn(move || {
        let running = started.recv().expect("it is told");
        let mut opened = fs::File::options().write(true).open(gate).expect("it is opened");
        running.interrupt();
        writeln!(opened).expect("it is read");
    });
    let script = call("echo ran > ran");
    let output = sessions.run_told(Some("one"), script, |running| drop(sender.send(running)));
    ends.join().expect("it does not panic");
    let output = output.expect("it is told");
    assert_eq!((&*output.stderr, output.status), (&b"homefs: interrupted\n"[..], 130));
    assert_eq!(stdout(&sessions, "cat ran; echo $?"), "1\n", "it ran");
}

#[test]
fn a_worker_has_nothing_but_its_connections() {
    let (_dir, client) = open();
    let sessions = apart(&client);
    run(&sessions, "true");
    let worker = workers().pop().expect("there is one");
    let status = fs::read_to_string(format!("/proc/{worker}/status")).expect("it lives");
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!((field("NoNewPrivs:"), field("Seccomp:")), ("1".into(), "2".into()));
    let environment = fs::read(format!("/proc/{worker}/environ")).unwrap_or_default();
    assert!(environment.is_empty(), "{environment:?}");
    drop(sessions);
}

/// Returns the workers that a thread of this test started.
fn workers() -> Vec<i32> {
    let task = format!("/proc/self/task/{}/children", rustix::thread::gettid().as_raw_nonzero());
    let children = fs::read_to_string(task).expect("the kernel tells");
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}
