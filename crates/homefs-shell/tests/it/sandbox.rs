//! Scripts that mean harm, or do it: they end in time with a clear status, and the next one works.

use std::sync::Arc;
use std::time::Duration;

use homefs_core::{ErrorKind, Path};
use homefs_shell::{
    ABANDONED_MAX, Call, Command, Invocation, Limits, Output, Shell, Stream, Workers,
};
use homefs_view::WriteOptions;
use parking_lot::Mutex;

use crate::common::Home;

fn small() -> Limits {
    Limits {
        time: Duration::from_secs(2),
        commands: 20_000,
        output_bytes: 64 << 10,
        memory_bytes: 16 << 20,
    }
}

fn shell(home: &Home) -> Shell {
    Shell::new(home.view.clone(), &Arc::new(Workers::default()))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a script that must be stopped, and then one that must work in the same session.
fn stopped(script: &str, statuses: &[i32]) -> Output {
    let home = Home::new();
    let mut shell = shell(&home);
    let output = shell.run(script, &small()).expect("it runs");
    assert!(
        statuses.contains(&output.status),
        "{script}: status {}, {}",
        output.status,
        text(&output.stderr)
    );
    assert!(output.stdout.len() <= small().output_bytes, "{script}");
    let next = shell.run("echo next", &small()).expect("it runs");
    assert_eq!((text(&next.stdout).as_str(), next.status), ("next\n", 0), "after {script}");
    output
}

#[test]
fn a_fork_bomb_is_stopped() {
    stopped(":(){ :|:& };:", &[0, 1, 124, 137]);
    stopped("f() { f | f; }; f", &[1, 124, 137]);
    stopped("while true; do sleep 100 & done", &[124, 137]);
}

#[test]
fn an_endless_loop_is_stopped() {
    for script in ["while :; do :; done", "for ((;;)); do x=1; done", "until false; do :; done"] {
        let output = stopped(script, &[124, 137]);
        assert!(text(&output.stderr).contains("homefs: "), "{}", text(&output.stderr));
    }
    stopped("sleep 1000", &[124]);
    stopped("yes > /dev/null", &[1, 124, 137]);
    stopped("cat /dev/zero", &[0, 1, 124, 137]);
}

#[test]
fn what_was_printed_before_the_end_is_kept() {
    let output = stopped("echo first; echo second >&2; while :; do :; done", &[124, 137]);
    assert_eq!(text(&output.stdout), "first\n");
    assert!(text(&output.stderr).starts_with("second\n"), "{}", text(&output.stderr));
}

#[test]
fn huge_output_is_cut_off_and_said_so() {
    for script in ["yes", "seq 100000000", "head -c 1000000000 /dev/zero", "x=$(yes); echo ok"] {
        // The engine stops `yes` by itself, and says so; a script may go on after that.
        let output = stopped(script, &[0, 1, 124, 137]);
        assert!(!output.stderr.is_empty(), "{script}");
    }
    let output = stopped("for i in $(seq 5000); do echo 0123456789012345678901; done", &[137]);
    assert!(output.truncated);
    assert!(text(&output.stderr).contains("cut off"));
}

#[test]
fn what_goes_through_a_pipe_is_not_cut_off() {
    let home = Home::new();
    let mut shell = shell(&home);
    let limits = Limits { output_bytes: 1 << 10, ..Limits::default() };
    let script = "seq 200000 | cat | grep . | tail -1; x=$(seq 5000); echo ${#x}; \
                  seq 3000 > f; cat f f | wc -l; find / -name f | wc -l";
    let output = shell.run(script, &limits).expect("it runs");
    assert_eq!(text(&output.stdout), "200000\n23892\n6000\n1\n", "{}", text(&output.stderr));
    assert!(!output.truncated);
}

#[test]
fn deep_recursion_is_stopped() {
    stopped("f() { f; }; f", &[1, 137]);
    stopped("f() { x=$(f); }; f", &[0, 1, 137]);
    stopped(&format!("echo {}x{}", "$(".repeat(500), ")".repeat(500)), &[0, 1, 2, 137]);
    stopped(&"(".repeat(5000), &[1, 2, 137]);
    stopped(&format!("echo $(({}1{}))", "(".repeat(3000), ")".repeat(3000)), &[0, 1, 2, 137]);
}

#[test]
fn memory_is_bounded() {
    stopped("x=aaaaaaaa; while :; do x=$x$x; done", &[1, 124, 137]);
    stopped("a=(); while :; do a+=(xxxxxxxxxxxxxxxx); done", &[1, 124, 137]);
    stopped("echo {1..100000000}", &[0, 1, 2, 137]);
}

#[test]
fn a_regular_expression_cannot_take_for_ever() {
    let long = "a".repeat(40);
    stopped(&format!("echo {long}b | grep -E '(a+)+$'"), &[1]);
    stopped(&format!("echo {long}b | grep -E '(a*)*\\1$'"), &[1, 2]);
    stopped(&format!("echo {long}b | grep -P '(a|a)*(?=c)'"), &[1, 2]);
    stopped(&format!("[[ {long}b =~ ^(a+)+$ ]]"), &[1, 2]);
    stopped(&format!("echo {long}b | sed -E 's/(a+)+$/x/'"), &[0]);
    stopped("echo x | grep -E 'a{30000}{30000}'", &[2]);
    stopped(&format!("echo {long}b | awk '/(a+)+$/'"), &[0]);
    stopped(&format!("echo {long}b | rg '(a+)+$'"), &[1]);
    stopped(&format!("expr {long}b : '\\(a*\\)*$'"), &[1]);
    stopped(&format!("x={long}b; echo ${{x//*(a)*(a)*(a)c/y}}"), &[0]);
    stopped(&format!("find / -regextype posix-extended -regex '(.*)*{long}'"), &[0]);
    stopped("echo '99^99^99' | bc", &[0]);
    stopped("echo 'while(1) x+=1' | bc", &[124]);
    stopped("awk 'BEGIN{while(1);}'", &[1, 2, 124, 137]);
    stopped("echo x | sed ':a;ba'", &[0, 1, 124, 137]);
    stopped("jq -n '[range(1e9)]|length'", &[1, 2, 5, 124, 137]);
}

#[test]
fn nothing_of_the_host_can_be_seen() {
    let home = Home::new();
    let mut shell = shell(&home);
    for script in [
        "cat /etc/passwd",
        "cat ../../../../etc/passwd",
        "cd /; cat ../etc/hostname",
        "ls /proc/self",
        "cat /proc/self/environ",
        "ls /root /home /usr",
        "ln -s /etc l && cat l/passwd",
        "ln -s ../../../etc/passwd p && cat p",
        "cat < /etc/passwd",
        "source /etc/profile",
        "/bin/ls /",
        "curl http://localhost/",
        "cat /dev/tcp/127.0.0.1/22",
        "exec 3<>/dev/tcp/127.0.0.1/22",
        "find / -name passwd | grep .",
        "grep -r root /etc",
        "diff /etc/passwd /etc/group",
        "cp /etc/passwd .",
        "stat /etc/passwd",
        "realpath -e /etc/passwd",
        "readlink -f /proc/self/exe/x",
        "rg root /etc",
        "cat ///etc//passwd",
        "cat /./../etc/passwd",
        "cat file:///etc/passwd",
        "tar cf - /etc/passwd",
        "awk '{print}' /etc/passwd",
        "sed -n p /etc/passwd",
        "jq -R . /etc/passwd",
        "bc /etc/passwd",
        "date -r /etc/passwd",
        "wc -l --files0-from=/etc/passwd && false",
        "grep -f /etc/passwd x",
        "awk 'BEGIN{while((getline l < \"/etc/passwd\") > 0) print l; exit 1}'",
        "exec /bin/sh",
        "env -i /bin/cat /etc/passwd",
        "find / -fprintf /etc/x %p && cat /etc/x && false",
        "bash -c 'cat /etc/passwd'",
        "mapfile < /etc/passwd",
        "[ -e /etc/passwd ]",
        "[[ -f /etc/passwd ]]",
        "diff <(cat /etc/passwd) /dev/null && false",
        "sudo cat /etc/passwd",
        "wget http://localhost/",
        "nc localhost 22",
    ] {
        let output = shell.run(script, &small()).expect("it runs");
        assert_ne!(output.status, 0, "{script}: {}", text(&output.stdout));
        assert!(!text(&output.stdout).contains("root:"), "{script}");
    }
    let output = shell.run("env; set; echo $HOME; hostname; whoami", &small()).expect("it runs");
    let said = text(&output.stdout);
    for secret in ["CARGO", "/root", "/work"] {
        assert!(!said.contains(secret), "{said}");
    }
    let output = shell.run("cd ../../..; pwd; ls ..", &small()).expect("it runs");
    assert!(text(&output.stdout).starts_with("/\n"));
}

#[test]
fn what_is_not_finished_is_refused() {
    for script in ["echo 'abc", "echo \"abc", "cat <<EOF\nabc", "if true; then", "echo $(", "((("] {
        let home = Home::new();
        let mut shell = shell(&home);
        let output = shell.run(script, &small()).expect("it runs");
        assert!(output.status != 0 || script.starts_with("cat"), "{script}");
        let next = shell.run("echo next", &small()).expect("it runs");
        assert_eq!(text(&next.stdout), "next\n", "after {script}");
    }
}

#[test]
fn names_with_newlines_are_listed_searched_and_removed() {
    let home = Home::new();
    let path = Path::parse("/d/one\ntwo").expect("it is a path");
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    home.view.write(&path, b"needle\n", &options).expect("written");
    let mut shell = shell(&home);
    let script = "ls d | wc -l; grep -rl needle d | wc -l; find d -type f | wc -l; rm -r d; ls";
    let output = shell.run(script, &small()).expect("it runs");
    assert_eq!(text(&output.stdout), "2\n2\n2\n", "{}", text(&output.stderr));
}

#[test]
fn a_session_keeps_its_state() {
    let home = Home::new();
    let mut shell = shell(&home);
    let script = "mkdir -p a/b; cd a; x=5; y=(1 2); f() { echo f$1; }; export E=e; false";
    assert_eq!(shell.run(script, &small()).expect("it runs").status, 1);
    let output = shell.run("echo $? $x ${y[1]} $E $(f 1); pwd", &small()).expect("it runs");
    assert_eq!(text(&output.stdout), "1 5 2 e f1\n/a\n", "{}", text(&output.stderr));
    assert_eq!(shell.directory().expect("it has one"), "/a");
    // Other limits change nothing of that.
    let output = shell.run("echo $x; f 2; pwd; (exit 9)", &Limits::default()).expect("it runs");
    assert_eq!((text(&output.stdout).as_str(), output.status), ("5\nf2\n/a\n", 9));
    let output = shell.run("echo $?; nonsense(", &small()).expect("it runs");
    assert!(!text(&output.stderr).contains("__homefs"), "{}", text(&output.stderr));
}

#[test]
fn options_of_a_session_stay_set() {
    let home = Home::new();
    let mut shell = shell(&home);
    shell.run("set -eu -o pipefail; shopt -s nullglob", &small()).expect("it runs");
    let output = shell.run("false; echo not reached", &small()).expect("it runs");
    assert_eq!((text(&output.stdout).as_str(), output.status), ("", 1));
    let output = shell.run("echo $? $-; false | true; echo not reached", &small());
    let output = output.expect("it runs");
    assert_eq!((text(&output.stdout).as_str(), output.status), ("1 ehuBc\n", 1));
    let output = shell.run("set +e +u; false; echo on; echo none*", &small()).expect("it runs");
    assert_eq!(text(&output.stdout), "on\n\n", "{}", text(&output.stderr));
    let output = shell.run("false; echo $-$none", &small()).expect("it runs");
    assert_eq!(text(&output.stdout), "hBc\n", "{}", text(&output.stderr));
}

#[test]
fn a_walk_ends_with_the_time_of_its_script() {
    let home = Home::new();
    let options = WriteOptions { parents: true, ..WriteOptions::default() };
    for index in 0..2000 {
        let path = Path::parse(&format!("/many/{}/{index}.txt", index % 50)).expect("a path");
        home.view.write(&path, b"one\ntwo\n", &options).expect("written");
    }
    let mut shell = shell(&home);
    let limits = Limits { time: Duration::from_millis(1), ..small() };
    for command in [
        "ls -lR /many",
        "find /many -type f",
        "find /many -exec echo {} \\;",
        "du -a /many",
        "tree /many",
        "diff -r /many /many",
        "cp -r /many /copy",
        "grep -rc one /many",
        "rg -c one /many",
        "chmod -R a+x /many",
        "rm -rv /many",
    ] {
        let script = format!("while :; do {command}; done");
        let output = shell.run(&script, &limits).expect("it runs");
        assert!([124, 137].contains(&output.status), "{command}: {}", output.status);
        assert!(!text(&output.stderr).contains("given up"), "{command}");
        let next = shell.run("echo next", &small()).expect("it runs");
        assert_eq!(text(&next.stdout), "next\n", "after {command}");
    }
}

#[test]
fn output_comes_as_it_is_made() {
    let home = Home::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let taker = seen.clone();
    let call = Call {
        script: "read x; echo $0 $1 $x; echo oops >&2; echo done".into(),
        limits: small(),
        stdin: b"input\n".to_vec(),
        name: Some("name".into()),
        arguments: vec!["one".into()],
        sink: Some(Box::new(move |stream, bytes| taker.lock().push((stream, text(bytes))))),
    };
    let output = shell(&home).call(call).expect("it runs");
    assert_eq!(text(&output.stdout), "name one input\ndone\n");
    let expected = [
        (Stream::Output, "name one input\n"),
        (Stream::Error, "oops\n"),
        (Stream::Output, "done\n"),
    ];
    assert_eq!(*seen.lock(), expected.map(|(stream, text)| (stream, text.to_owned())));
}

#[test]
fn a_script_that_cannot_be_stopped_is_given_up_and_counted() {
    let home = Home::new();
    let workers = Arc::new(Workers::default());
    let (gate, key) = std::sync::mpsc::sync_channel::<()>(0);
    let key = Arc::new(Mutex::new(key));
    let limits = Limits { time: Duration::from_millis(20), ..small() };
    let stuck = || Call {
        script: "echo x".into(),
        limits,
        // What takes the output never returns: no deadline of the engine can help.
        sink: Some(Box::new({
            let key = key.clone();
            move |_, _| assert!(key.lock().recv().is_err(), "nothing is sent")
        })),
        ..Call::default()
    };
    for given_up in 1..=ABANDONED_MAX {
        let mut shell = Shell::new(home.view.clone(), &workers);
        let output = shell.call(stuck()).expect("it is started");
        assert_eq!(output.status, 124);
        assert!(text(&output.stderr).contains("given up"), "{}", text(&output.stderr));
        assert_eq!(workers.abandoned_scripts(), given_up);
    }
    let mut shell = Shell::new(home.view.clone(), &workers);
    let refused = shell.run("echo x", &limits).expect_err("too many are lost");
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    // Those that end after all no longer count.
    drop(gate);
    while workers.abandoned_scripts() > 0 {
        std::thread::yield_now();
    }
    assert_eq!(text(&shell.run("echo x", &limits).expect("it runs").stdout), "x\n");
}

#[test]
fn rights_of_the_agent_hold() {
    let home = Home::new();
    home.view.make_dir(&Path::parse("/shared/team").expect("a path"), true).expect("made");
    let file = Path::parse("/shared/team/secret.txt").expect("a path");
    home.view.write(&file, b"secret\n", &WriteOptions::default()).expect("written");
    let other = home.store.view(&crate::common::who("bob")).expect("there is a view");
    let mut shell = Shell::new(other, &Arc::new(Workers::default()));
    let script = "cat /shared/team/secret.txt; ls /shared; grep -r secret /; find / -name '*.txt'";
    let output = shell.run(script, &small()).expect("it runs");
    assert!(!text(&output.stdout).contains("secret"), "{}", text(&output.stdout));
}

/// Says what it was called with.
struct Recall;

impl Command for Recall {
    fn name(&self) -> &'static str {
        "recall"
    }

    fn about(&self) -> &'static str {
        "finds what was noted"
    }

    fn run(&self, invocation: Invocation<'_>) -> Output {
        let Invocation { arguments, directory, stdin } = invocation;
        let stdout = format!("{arguments:?} {directory} {}\n", stdin.len()).into_bytes();
        Output { stdout, status: 3, ..Output::default() }
    }
}

#[test]
fn a_command_can_be_added() {
    let home = Home::new();
    let mut shell = shell(&home).with_command(Arc::new(Recall));
    let script = "echo abc | recall 'a b' c | tr a-z A-Z; recall; help | grep recall";
    let output = shell.run(script, &small()).expect("it runs");
    assert_eq!(
        text(&output.stdout),
        "[\"A B\", \"C\"] / 4\n[] / 0\n  recall   finds what was noted\n"
    );
}

#[test]
fn a_script_is_interrupted_and_the_session_goes_on() {
    let home = Home::new();
    let mut shell = shell(&home);
    shell.run("cd /tmp; word=kept", &small()).expect("it runs");
    for script in ["echo begun; sleep 100", "echo begun; while :; do :; done"] {
        let interrupter = shell.interrupter();
        // Nothing runs yet: this ends nothing.
        interrupter.interrupt();
        let sink: homefs_shell::Sink = Box::new(move |_, _| {
            let interrupter = interrupter.clone();
            std::thread::spawn(move || interrupter.interrupt());
        });
        let limits = Limits { time: Duration::from_mins(1), ..Limits::default() };
        let call = Call { script: script.into(), limits, sink: Some(sink), ..Call::default() };
        let output = shell.call(call).expect("it runs");
        assert_eq!((text(&output.stdout).as_str(), output.status), ("begun\n", 130), "{script}");
        let next = shell.run("echo $? $word", &small()).expect("it runs");
        assert_eq!(text(&next.stdout), "130 kept\n", "after {script}");
    }
}

#[test]
fn what_is_not_whole_yet_is_told() {
    for script in ["echo 'a", "for i in 1 2; do", "if true; then echo", "cat <(", "f() {", "a \\\n"]
    {
        assert!(Shell::is_unfinished(script), "{script}");
    }
    for script in ["echo a", "", "for i in 1; do echo; done", "fi", "a ;; b"] {
        assert!(!Shell::is_unfinished(script), "{script}");
    }
}
