//! What is hidden from an agent changes nothing that the program or its MCP server tells it.
//!
//! Most questions are asked below the faces (`crates/homefs-shell/tests/it/leaks.rs`), where there
//! is a clock to hold; here it is only seen that faces add nothing.

use serde_json::json;

use crate::harness::Home;
use crate::mcp::Served;

/// Changes that agents make in both stores.
const SEEN: &str = "
    ann: spaces create lab
    ann: mkdir -p shared/lab/open/sub
    ann: mkdir -p shared/lab/way/in
    ann: write shared/lab/open/a.md 'lantern and [[b]]'
    ann: write shared/lab/way/in/b.md 'lantern harbour'
    ann: grant shared/lab/open eve write
    ann: grant shared/lab/way/in eve read
    ann: write shared/lab/open/k.md 'quiet'
    ann: tag shared/lab/open/a.md light
    eve: write notes/n.md 'a lantern of mine'
    eve: write gone.md 'lantern'
    eve: rm gone.md
";
/// What only others see of the first store, and of the second: as many changes of the shared space.
const HIDDEN: [&str; 2] = [
    "
    ann: write shared/lab/way/secret.md 'lantern'
    ann: ln shared/lab/open/k.md shared/lab/hard.md
    ann: ln shared/lab/open/k.md shared/lab/way/hard.md
    ann: write shared/lab/c.md 'copper lantern harbour harbour'
    bob: write n.md 'lantern'
    ",
    "
    ann: mkdir -p shared/lab/other/deep/er
    ann: tag shared/lab/open/k.md dark
    ann: tag shared/lab/open/k.md -- -dark
    ann: write shared/lab/other/d.md 'saffron'
    ",
];
/// What eve asks; `P` stands for each of some paths.
const ASKED: [&str; 39] = [
    "ls -l P",
    "ls --json P",
    "stat P",
    "stat --json P",
    "tree P",
    "tree",
    "find '*' P",
    "grep lantern P",
    "cat P",
    "cat P/:stats",
    "meta P",
    "tags P",
    "log P",
    "diff P",
    "links P",
    "related P",
    "grants P",
    "timeline",
    "stale --days 0",
    "search lantern",
    "search harbour",
    "recall lantern",
    "trash",
    "spaces",
    "agents",
    "group list",
    "conflicts",
    "pin",
    "status",
    "sources",
    "exec 'ls -aR /; stat -c \"%n %h %s %a\" /shared/lab/* P'",
    "exec 'find / -links +1; du -a /shared; echo /shared/*/*'",
    "exec 'cat /:recent /:tags /shared/:stats P:history'",
    "rm -r P",
    "mv P shared/lab/open/moved",
    "cp P copied",
    "restore P 900",
    "write P/new x",
    "spaces create hidden",
];
const PATHS: [&str; 6] = [
    "shared/lab",
    "shared/lab/way",
    "shared/lab/way/secret.md",
    "shared/lab/other/deep",
    "shared/lab/open/a.md",
    "shared/none",
];

/// Runs what agents do, line by line.
fn run(home: &Home, script: &str) {
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (agent, command) = line.split_once(": ").expect("an agent and a command");
        let ran = ask(home, agent, command);
        assert!(ran.ends_with("[0]"), "{line}: {ran}");
    }
}

fn ask(home: &Home, agent: &str, command: &str) -> String {
    let words = crate::harness::words(command).0;
    let arguments: Vec<&str> =
        ["--agent-id", agent].into_iter().chain(words.iter().map(String::as_str)).collect();
    let ran = home.run(&arguments);
    format!("{}{}[{}]", ran.text(), ran.stderr, ran.code)
}

/// Masks what differs between two stores that do not differ: when and where they are, and numbers
/// that were drawn at random.
fn masked(home: &Home, answer: &str) -> String {
    let answer = answer.replace(&home.path("").display().to_string(), "HOME/");
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ":.-+^".contains(letter);
    let mut masked = String::new();
    let mut rest = &*answer;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_part(letter) != is_part(first)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        masked += if is_part(first) { mask(word) } else { word };
        rest = behind;
    }
    // Columns are as wide as what stands in them, and ages are of the moment.
    let words: Vec<&str> = masked.split(' ').filter(|word| !word.is_empty()).collect();
    let is_age = |at: usize| words.get(at + 2).is_some_and(|word| word.starts_with("ago"));
    let shown = words.iter().enumerate().map(|(at, word)| match word.trim_start_matches('\n') {
        number if is_age(at) => word.strip_suffix(number).unwrap_or(word),
        _ => word,
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn mask(word: &str) -> &str {
    let shape: String =
        word.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    let is_hex = word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if shape == "^000000" {
        "HANDLE"
    } else if shape.starts_with("0000-00-00") || shape.starts_with("00:00") {
        "TIME"
    } else if is_hex || (word.len() > 14 && shape.chars().all(|letter| letter == '0')) {
        "DRAWN"
    } else if shape.starts_with("0.0") {
        "SCORE"
    } else {
        word
    }
}

/// Makes the two stores.
fn homes(hidden: [&str; 2]) -> [Home; 2] {
    hidden.map(|hidden| {
        let mut home = Home::new();
        // The encoder's vectors come when they are made, which no two runs have at one moment.
        home.set("HOMEFS_EMBEDDER", "static");
        run(&home, SEEN);
        run(&home, hidden);
        home
    })
}

/// Returns the questions in which two stores differ.
fn differences(homes: &[Home; 2]) -> Vec<String> {
    let questions = ASKED.iter().flat_map(|question| {
        let paths: &[&str] = if question.contains('P') { &PATHS } else { &[""] };
        paths.iter().map(|path| question.replace('P', path))
    });
    let mut found = Vec::new();
    for question in questions {
        let [one, other] = [0, 1].map(|at| {
            let answer = ask(&homes[at], "eve", &question);
            // How much of the disk is free, which process asks, and what is mounted on the host.
            let host = ["disk", "owner", "mount", "dead mount"];
            let kept = |line: &&str| !host.iter().any(|word| line.starts_with(word));
            masked(&homes[at], &answer.lines().filter(kept).collect::<Vec<_>>().join("\n"))
        });
        if one != other {
            found.push(format!("{question}\n{one}\n---\n{other}"));
        }
    }
    found
}

#[test]
fn what_is_hidden_changes_no_answer_of_the_program() {
    let found = differences(&homes(HIDDEN));
    assert!(found.is_empty(), "{}", found.join("\n=====\n"));
}

#[test]
fn what_is_hidden_changes_no_answer_of_the_server() {
    let homes = homes(HIDDEN);
    let mut served = [0, 1].map(|at| Served::start(&homes[at], &["--agent-id", "eve"]));
    let at_paths = |tool: &'static str| PATHS.map(|path| (tool, json!({"path": path})));
    let mut calls = vec![
        ("recall", json!({"query": "lantern"})),
        ("search", json!({"query": "lantern harbour"})),
        ("grep", json!({"pattern": "lantern"})),
        ("list_allowed_directories", json!({})),
        ("search_files", json!({"path": "/", "pattern": "**"})),
        (
            "shell",
            json!({"script": "ls -aR /; find / -links +1; cat /:stats; stat -c %h /shared/lab/open/*"}),
        ),
        ("memory", json!({"command": "view", "path": "/memories"})),
        ("move_file", json!({"source": "/shared/lab/way/secret.md", "destination": "/x"})),
        ("restore", json!({"path": "/shared/lab/open/a.md", "version": 900})),
    ];
    for tool in ["list_directory", "list_directory_with_sizes", "directory_tree", "get_file_info"] {
        calls.extend(at_paths(tool));
    }
    for tool in ["read_text_file", "history", "create_directory"] {
        calls.extend(at_paths(tool));
    }
    for (tool, arguments) in calls {
        let answers =
            [0, 1].map(|at| masked(&homes[at], &served[at].call(tool, &arguments).to_string()));
        assert_eq!(answers[0], answers[1], "{tool} {arguments}");
    }
    served.into_iter().for_each(Served::end);
}

#[test]
fn stores_that_do_not_differ_give_the_same_answers() {
    let found = differences(&homes([HIDDEN[0], HIDDEN[0]]));
    assert!(found.is_empty(), "noise: {}", found.join("\n=====\n"));
}
