//! What scripts are told that ask for what is not here, and how deep functions nest.

use std::sync::Arc;

use homefs_core::{AgentId, Path};
use homefs_shell::{Limits, Output, Shell, Workers};
use homefs_view::{Right, Subject, View};

use crate::common::{Home, who};

fn run(home: &Home, script: &str) -> Output {
    run_in(&home.view, script)
}

fn run_in(view: &View, script: &str) -> Output {
    let mut shell = Shell::new(view.clone(), &Arc::new(Workers::default()));
    shell.run(script, &Limits::default()).expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_that_there_is_not_says_what_to_do_instead() {
    let home = Home::new();
    for (script, words) in [
        ("curl https://example.com", "homefs attach"),
        ("git log README.md", "homefs log PATH"),
        ("python3 -c 'print(1)'", "awk, jq, sed"),
        ("xz -d notes.xz", "gzip, bzip2, tar and zip"),
        ("zstd -d notes.zst", "gzip, bzip2, tar and zip"),
        ("frobnicate --all", "help lists the commands that there are"),
    ] {
        let output = run(&home, script);
        let said = text(&output.stderr);
        assert_eq!((output.status, text(&output.stdout).as_str()), (127, ""), "{script}: {said}");
        let name = script.split(' ').next().expect("a script has words");
        assert!(said.contains(&format!("{name}: command not found")), "{script}: {said}");
        assert!(said.contains(words), "{script}: {said}");
    }
    let known = text(&run(&home, "help").stdout);
    assert!(known.contains("zip unzip"), "what is said to be there is in the list: {known}");
}

#[test]
fn directories_are_made_below_what_was_granted() {
    let home = Home::new();
    home.view.make_dir(&Path::parse("/shared/m").expect("a path"), true).expect("made");
    let output = run(&home, "mkdir -p /shared/m/x; mkdir -p /shared/m/x /shared/m; ls /shared/m");
    assert_eq!((text(&output.stdout).as_str(), output.status), ("x\n", 0), "{output:?}");
    let bob = home.store.view(&who("bob")).expect("there is a view");
    let refused = run_in(&bob, "mkdir -p /shared/m/x/y");
    assert_eq!(refused.status, 1, "{refused:?}");
    assert!(text(&refused.stderr).contains("cannot create directory"), "{refused:?}");
    let agent = Subject::Agent(AgentId::new("bob").expect("it is a name"));
    let below = Path::parse("/shared/m/x").expect("a path");
    home.view.grant(&below, &agent, Right::Write).expect("granted");
    // What is above is there, but not for who was granted a part.
    let output = run_in(&bob, "mkdir -p /shared/m/x/y/z && find /shared/m/x -type d");
    assert_eq!(text(&output.stdout), "/shared/m/x\n/shared/m/x/y\n/shared/m/x/y/z\n", "{output:?}");
    let page = run_in(&bob, "touch /shared/m/x/f; find /shared/m/x -name f -writable");
    assert!(text(&page.stderr).contains("only a part of its space is granted"), "{page:?}");
}

#[test]
fn functions_nest_as_deep_as_is_said_and_no_deeper() {
    let home = Home::new();
    let nested = |depth: usize| {
        let script = "f() { if [ $1 -gt 1 ]; then f $(($1 - 1)); else echo bottom; fi; }; f";
        run(&home, &format!("{script} {depth}; echo after"))
    };
    let output = nested(16);
    assert_eq!((text(&output.stdout).as_str(), output.status), ("bottom\nafter\n", 0));
    let output = nested(17);
    let said = text(&output.stderr);
    assert_eq!((text(&output.stdout).as_str(), output.status), ("", 137), "{said}");
    assert!(said.lines().any(|line| line.starts_with("homefs:")), "{said}");
}

#[test]
fn the_list_of_functions_of_jq_has_none_that_is_not_there() {
    let home = Home::new();
    let script = r#"jq -rn 'builtins[]' | while IFS=/ read -r name count; do
        case $count in 0) call=$name;; 1) call="$name(.)";; 2) call="$name(.; .)";; 3) call="$name(.; .; .)";; *) call="$name(.; .; .; .)";; esac
        jq -n "def f: $call; 1" > /tmp/one 2> /dev/null || echo "$name/$count"
    done"#;
    let output = run(&home, script);
    assert_eq!((text(&output.stdout).as_str(), output.status), ("", 0), "{}", text(&output.stderr));
}
