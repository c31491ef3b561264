//! Scripts that want to hold more than they may: they end, and the process stays small.

use std::env;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use homefs_shell::{Limits, Shell, Workers};

use crate::aborts::say;
use crate::common::Home;

/// Tells a child to measure.
const SWITCH: &str = "HOMEFS_HUNT_MEASURES";

/// Scripts that want to hold more than they may, and the statuses with which they may end.
const GREEDY: &[(&str, &[i32])] = &[
    ("cat /dev/zero | wc -c", &[137]),
    ("cat /dev/zero | sort", &[137]),
    ("cat /dev/zero | tac", &[124, 137]),
    ("cat /dev/zero | grep x", &[124, 137]),
    ("cat /dev/zero | tail -c 5", &[137]),
    ("cat /dev/zero | awk 1", &[137]),
    ("cat /dev/zero > /new", &[124, 137]),
    ("x=$(cat /dev/zero); echo ${#x}", &[137]),
    ("cat <<< $(cat /dev/zero)", &[137]),
    ("head -c 100G /dev/zero | wc -c", &[137]),
    ("head -c 100G /dev/zero > /new", &[124, 137]),
    ("while :; do echo y; done | sort", &[124, 137]),
    ("x=x; while :; do x=$x$x; done", &[1, 137]),
    ("printf %s {1..10000000}", &[0, 1, 137]),
    ("seq 100000000 | sort", &[124, 137]),
    ("seq 100000000 | tac", &[124, 137]),
    ("seq 100000000 | tac & wait", &[124, 137]),
    ("x=$(seq 100000); while :; do echo \"$x\"; done | sort", &[124, 137]),
    ("x=$(seq 100000000)", &[124, 137]),
    ("truncate -s 10G /new", &[1]),
    ("truncate -s 15M /a; cat /a /a /a /a | wc -c", &[137]),
    ("truncate -s 7M /b; cmp -l /b <(tr '\\0' x < /b) | wc -l", &[0, 1, 124, 137]),
    ("jq -n '[range(1e9)]'", &[5, 124, 137]),
    ("awk 'BEGIN{while(1) a[i++]=i}'", &[1, 2, 124, 137]),
    ("bc <<< 'while(1) a[i++]=i'", &[124, 137]),
    ("seq 100000 | xargs -I{} echo \"$(seq 100000)\"", &[137]),
    ("find / -printf '%10000p%10000p%10000p%10000p\\n' > /dev/null", &[0, 124, 137]),
];

/// How much a script that is measured may hold.
const HELD_BYTES: usize = 16 << 20;

/// How much more than that the process may grow: what is on its way from one command to the next is
/// there twice for a moment, and pipes are looked at from outside, now and then, which is the last
/// resort.
const SLACK_BYTES: usize = 4 * HELD_BYTES;

/// What a child does that measures: runs each script, and says how it ended and what it took.
#[test]
fn measuring_child() {
    if env::var(SWITCH).is_err() {
        return;
    }
    let home = Home::new();
    for (script, _) in GREEDY {
        let before = resident("VmRSS");
        std::fs::write("/proc/self/clear_refs", "5").expect("the highest use is forgotten");
        let mut shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
        let time = Duration::from_secs(2);
        let limits = Limits { time, memory_bytes: HELD_BYTES, ..Limits::default() };
        let output = shell.run(script, &limits).expect("it runs");
        let taken = resident("VmHWM").saturating_sub(before);
        let why = String::from_utf8_lossy(&output.stderr);
        let why = why.lines().last().unwrap_or_default();
        say(&format!("took {taken} {} {why}", output.status));
    }
    say("end");
}

/// Returns a line of what the kernel knows of this process, in bytes.
fn resident(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("it is read");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("there is one");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<usize>().expect("a number") << 10
}

#[test]
fn a_script_takes_no_more_memory_than_it_may() {
    let output = Command::new(env::current_exe().expect("it has a path"))
        .args(["--exact", "greedy::measuring_child", "--nocapture"])
        .env(SWITCH, "1")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let mut told = said.lines().filter_map(|line| line.strip_prefix("#took "));
    let mut wrong = Vec::new();
    for (script, statuses) in GREEDY {
        let line = told.next().unwrap_or("0 -1 the process ended");
        let mut parts = line.splitn(3, ' ');
        let mut number = || parts.next().and_then(|part| part.parse::<i64>().ok()).unwrap_or(-1);
        let (taken, status) = (number(), number());
        let most = i64::try_from(HELD_BYTES + SLACK_BYTES).expect("it fits");
        let is_told = status != 137 || line.contains("homefs: ");
        if taken > most || !is_told || !statuses.iter().any(|known| i64::from(*known) == status) {
            wrong.push(format!("{script}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
