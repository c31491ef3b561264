//! The shell at the command line.

use std::io::Read;
use std::process::Stdio;

use crate::harness::{Home, put};

#[test]
fn a_script_runs_and_its_status_is_passed_on() {
    Home::new().check(
        "
        $ write docs/auth.md 'the oauth flow'
        wrote /docs/auth.md, version 1
        $ write docs/other.md 'nothing here'
        wrote /docs/other.md, version 2
        $ sh -c 'grep -rn oauth docs | head'
        docs/auth.md:1:the oauth flow
        $ exec grep -rl 'the oauth' docs
        docs/auth.md
        $ exec -c 'echo $0 $1; exit 7' name one
        name one
        [7]
        $ sh -c 'grep -q absent docs/auth.md'
        [1]
        $ sh -c 'tr a-z A-Z | wc -l; cat missing' <<< a\\nb\\n
        2
        cat: missing: No such file or directory
        [1]
        $ sh - <<< cd docs\\nls\\n
        auth.md
        other.md
        $ sh --time-max 300ms -c 'while :; do :; done'
        homefs: the script ran longer than 0.3 s
        [124]
        $ sh --commands-max 50 -c 'for i in $(seq 100); do echo $i; done >/dev/null'
        homefs: stopped…
        [137]
        $ sh -c 'echo \"unterminated'
        bash: line 1: …
        [2]
        $ sh -c 'cat /etc/passwd'
        cat: /etc/passwd: No such file or directory
        [1]
        ",
    );
}

#[test]
fn a_script_may_be_a_file_of_the_host() {
    let home = Home::new();
    put(&home.path("count.sh"), "for word in \"$@\"; do echo \"$0: $word\"; done\nexit $#\n");
    let ran = home.run(&["sh", "count.sh", "-a", "two words"]);
    assert_eq!((ran.text().as_str(), ran.code), ("count.sh: -a\ncount.sh: two words\n", 2));
    assert_eq!(home.run(&["sh", "missing.sh"]).code, 1);
}

#[test]
fn what_the_home_knows_can_be_asked_in_a_script() {
    let home = Home::new();
    let script = "
        remember --title Selling --tag trading 'RSI above 70: sell half'
        recall -t 200 'when should I sell' | head -1 | cut -c1-25
        search sell | grep -c selling.md
        homefs tag memories/selling.md
        homefs log memories/selling.md | wc -l
        echo new > memories/selling.md; homefs diff memories/selling.md | grep '^+new'
        rm memories/selling.md; homefs trash | grep -o '/memories.*'
        homefs untrash memories/selling.md && cat memories/selling.md
        homefs nonsense; help | grep -c recall";
    let ran = home.run(&["sh", "-c", script]);
    let expected = "/memories/selling.md\n- RSI above 70: sell half\n1\ntrading\n1\n+new\n\
        /memories/selling.md\nnew\n1\n";
    assert_eq!(ran.text(), expected, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no command 'nonsense'"), "{}", ran.stderr);
}

#[test]
fn a_silent_pipe_does_not_hold_up_a_script() {
    let home = Home::new();
    let mut command = home.command();
    let mut child =
        command.args(["sh", "-c", "echo here"]).stdin(Stdio::piped()).spawn().expect("start");
    // The other end stays open and says nothing, as some programs leave it.
    let stdin = child.stdin.take();
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("read");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(text, "here\n");
    drop(stdin);
}

#[test]
fn status_counts_scripts_that_were_given_up() {
    let status = Home::new().run(&["status", "--json"]).json();
    assert_eq!(status["abandoned_scripts"], 0);
}
