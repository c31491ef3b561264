//! Remembering, recalling and what goes with it.

use crate::harness::{Home, put};

#[test]
fn what_is_written_is_recalled_at_once() {
    let home = Home::new();
    home.ok(&["write", "rsi.md", "RSI > 70 → exit"]);
    home.ok(&["write", "soup.md", "The soup needs salt."]);
    let recalled = home.ok(&["recall", "when to exit by RSI?", "--max-tokens", "200"]);
    let first = recalled.lines().next().unwrap_or_default();
    assert!(first.starts_with("- RSI > 70 → exit ^"), "{recalled}");
    let handle = first.rsplit(' ').next().unwrap_or_default();
    assert_eq!(home.ok(&["cat", handle]), "RSI > 70 → exit\n");
    let cited = home.ok(&["recall", "when to exit by RSI?", "--paths"]);
    assert!(cited.contains("/rsi.md@1"), "{cited}");
    home.ok(&["write", "rsi.md", "RSI > 80 → exit"]);
    let recalled = home.ok(&["recall", "rsi exit", "--max-tokens", "200"]);
    assert!(recalled.starts_with("- RSI > 80 → exit ^"), "{recalled}");
    let probe = home.ok(&["cat", ":recall?q=when+to+exit&max_tokens=200"]);
    assert!(probe.contains("RSI > 80 → exit"), "{probe}");
}

#[test]
fn a_memory_is_a_file_and_is_let_go_with_a_receipt() {
    Home::new().check(
        "
        $ remember 'Ann likes green tea' --importance 0.9 --tag food --tag ann --source chat
        /memories/ann-likes-green-tea.md
        $ cat memories/ann-likes-green-tea.md
        Ann likes green tea
        $ meta memories/ann-likes-green-tea.md
        importance  0.9
        tags        ann,food
        source      chat
        $ remember - --title 'Tea times' <<< four o'clock\\n
        /memories/tea-times.md
        $ remember --json --title 'Tea times!' five
        {\"alike\":null,\"path\":\"/memories/tea-times-…
        $ remember - --title 'Tea times' <<< at four\n
        /memories/tea-times.md
        $ remember 'at five' --supersedes memories/tea-times.md
        /memories/at-five.md
        $ recall 'tea times' --paths --max-tokens 36
        - at five (/memories/at-five.md…
        - at four (older) (/memories/tea-times.md…
        $ tags
        1  ann
        1  food
        $ forget memories/tea-times.md
        forgot /memories/tea-times.md: 1 node, 8 B; `homefs trash restore /memories/tea-times.md` brings it back until TIME
        $ -q trash restore memories/tea-times.md
        $ forget memories/tea-times.md --purge
        erased /memories/tea-times.md: 1 node, 8 B, from tree, history, trash, journal and index
        $ forget memories/tea-times.md
        error: /memories/tea-times.md: no such file or directory
        [1]
        $ remember '  '
        error: there is nothing to remember
        [2]
        $ remember x --importance 7
        error: /memories: importance is a number from 0 to 1, not \"7\"
        [2]
        $ remember x --space shared/none
        error: …
        [1]
        ",
    );
}

#[test]
fn nearly_the_same_is_merged_or_linked_if_asked() {
    let home = Home::new();
    let again = "The deploy key rotates every 90 days.";
    let first = home.ok(&["remember", again, "--tag", "ops"]);
    let merged = home.ok(&["remember", again, "--alike", "merge", "--tag", "keys"]);
    assert_eq!(merged, first);
    assert_eq!(home.ok(&["cat", first.trim()]), format!("{again}\n"));
    assert_eq!(home.ok(&["tag", first.trim()]), "keys\nops\n");
    let ran = home.run(&["remember", again, "--alike", "link"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_ne!(ran.text(), first);
    assert!(ran.stderr.contains(&format!("linked to {}", first.trim())), "{}", ran.stderr);
    let links = home.ok(&["links", first.trim()]);
    assert!(links.contains(&format!("from  {}", ran.text().trim())), "{links}");
    let other = home.ok(&["remember", "The deploy key rotates every 30 days.", "--alike", "merge"]);
    assert_ne!(other, first, "another number is another memory");
}

#[test]
fn searches_find_by_words_meaning_and_conditions() {
    let mut home = Home::new();
    // How far the encoder comes before a command ends is not the same every time.
    home.set("HOMEFS_EMBEDDER", "static");
    for (path, text) in [
        ("a.md", "# Trading\nSell when the RSI is above seventy.\n"),
        ("b.md", "The cat sleeps on the sofa. See [[a]] and [[missing]].\n"),
        ("deep/c.md", "Sell the old sofa.\n"),
    ] {
        assert_eq!(home.run_with(&["write", path], text.as_bytes()).code, 0);
    }
    home.ok(&["tag", "deep/c.md", "house"]);
    let paths = |arguments: &[&str]| {
        let hits = home.run(&[&["--json", "search"], arguments].concat()).json();
        let mut paths: Vec<_> =
            hits.as_array().unwrap().iter().map(|hit| hit["path"].to_string()).collect();
        paths.sort();
        paths.dedup();
        paths.join(" ").replace('"', "")
    };
    assert_eq!(paths(&["sell", "--kind", "text"]), "/a.md /deep/c.md");
    assert_eq!(paths(&["sell -sofa", "--kind", "text"]), "/a.md");
    assert_eq!(paths(&["sell tag:house"]), "/deep/c.md");
    assert_eq!(paths(&["sell", "--below", "deep"]), "/deep/c.md");
    assert_eq!(paths(&["\"old sofa\"", "--kind", "text"]), "/deep/c.md");
    assert!(paths(&["when to exit a stock", "--kind", "vector", "--limit", "1"]).contains("/a.md"));
    home.check(
        "
        $ search 'RSI above' --kind text --limit 1
        1.00  /a.md#1-2  AGE  Trading
        # Trading Sell when the RSI is above seventy.
        $ search zebra --kind text
        [1]
        $ search zebra --kind text --json
        []
        [1]
        $ links b.md
        to  /a.md        a
        to  nothing yet  missing
        $ --json links a.md
        {\"from\":[\"/b.md\"],\"to\":[]}
        $ search x --kind colour
        error: …
        [possible values: hybrid, text, vector]
        For more information, try '--help'.
        [2]
        $ search x --space market
        error: …
        For more information, try '--help'.
        [2]
        ",
    );
    home.ok(&["write", "d.md", "The old sofa was sold to the neighbours."]);
    let related = home.ok(&["related", "deep/c.md", "--limit", "1"]);
    assert!(related.contains("/d.md#1"), "{related}");
}

#[test]
fn a_recall_keeps_to_its_budget_and_says_why() {
    let home = Home::new();
    for number in 0..20 {
        let text = format!("Fact {number}: the reactor {number} runs at {number} degrees.");
        home.ok(&["remember", &text]);
    }
    for (budget, most) in [("1", 1), ("60", 60), ("10000000", 10_000_000)] {
        let recalled =
            home.run(&["--json", "recall", "what does reactor 7 run at?", "--max-tokens", budget]);
        assert_eq!(recalled.code, i32::from(most < 60), "{}", recalled.stderr);
        let recalled = recalled.json();
        assert!(recalled["tokens"].as_u64().unwrap() <= most, "{recalled}");
        assert_eq!(recalled["explained"], serde_json::json!([]));
    }
    let explained = home.ok(&["recall", "reactor 7", "--max-tokens", "60", "--explain"]);
    assert!(explained.contains(" of 60 tokens\n"), "{explained}");
    assert!(explained.contains("kept") && explained.contains("no room"), "{explained}");
    let twice = ["recall", "reactor 7", "--tokenizer", "approx", "--strategy", "importance"];
    assert_eq!(home.ok(&twice), home.ok(&twice));
    for wrong in [["--tokenizer", "gpt9"], ["--strategy", "luck"], ["--max-tokens", "-1"]] {
        assert_eq!(home.run(&["recall", "x", wrong[0], wrong[1]]).code, 2, "{wrong:?}");
    }
    let nothing = home.run(&["recall", "x", "--max-tokens", "0"]);
    assert!(nothing.stderr.contains("at least one"), "{}", nothing.stderr);
}

#[test]
fn what_is_not_known_is_said_and_is_no_success() {
    let home = Home::new();
    home.ok(&["remember", "RSI above 70: sell half, wait a day"]);
    home.ok(&["remember", "Ann drinks green tea, never coffee"]);
    let answer = home.ok(&["recall", "what does Ann drink?"]);
    assert!(answer.starts_with("- Ann drinks green tea, never coffee ^"), "{answer}");
    let handle = answer.trim().rsplit(' ').next().unwrap_or_default();
    assert_eq!(home.ok(&["cat", handle]), "Ann drinks green tea, never coffee\n");
    let unknown = home.run(&["recall", "tell me about purple elephants"]);
    assert_eq!((unknown.code, unknown.text().as_str()), (1, "nothing known about this\n"));
    let unknown = home.run(&["recall", "purple elephants", "--json"]);
    assert_eq!((unknown.code, &unknown.json()["memories"]), (1, &serde_json::json!([])));
    home.ok(&["forget", handle]);
    assert_eq!(home.run(&["recall", "what does Ann drink?"]).code, 1);
}

#[test]
fn odd_questions_have_answers() {
    let home = Home::new();
    home.ok(&["remember", "The answer is forty-two 🦀."]);
    let long = "why is the answer forty-two? ".repeat(4000);
    for question in [
        long.as_bytes(),
        b"\xff\xfe answer",
        b"an\0swer",
        b"",
        b"\n",
        b"the of and",
        "🦀".as_bytes(),
        b"\"",
        b"\"unclosed AND (x OR y) NEAR/3 NOT * ^ col:val",
        b"tag: path: after: -",
        b"'; drop table notes; --",
    ] {
        for command in ["search", "recall"] {
            let ran = home.run_with(&[command, "-"], question);
            assert!(ran.code <= 1, "{command} {question:?}: {}", ran.stderr);
            assert!(ran.stderr.is_empty(), "{command} {question:?}: {}", ran.stderr);
        }
    }
    assert_eq!(home.run_with(&["remember"], b"\xff\xfe").code, 2);
    assert_eq!(home.run_with(&["remember"], b"nul \0 inside").code, 0);
}

#[test]
fn standing_context_timeline_and_stale_files() {
    let home = Home::new();
    home.ok(&["write", "a.md", "Alpha is the first letter."]);
    home.ok(&["write", "rules.md", "Never trade on Fridays."]);
    home.ok(&["tag", "rules.md", "pinned"]);
    let context = home.ok(&["context", "--max-tokens", "300"]);
    let pinned = context.find("Never trade on Fridays.").expect("the pinned note is there");
    assert!(context.find("Alpha").is_none_or(|other| other > pinned), "{context}");
    assert_eq!(home.ok(&["context", "--max-tokens", "1"]), "");
    let tokens = home.run(&["--json", "context", "--max-tokens", "40"]).json()["tokens"].clone();
    assert!(tokens.as_u64().unwrap() <= 40, "{tokens}");
    home.check(
        "
        $ timeline
        TIME  /rules.md  Never trade on Fridays.     #pinned
        TIME  /a.md      Alpha is the first letter.
        $ timeline --limit 1 --before '1h ago'
        $ timeline --after yesterday --limit 1
        TIME  /rules.md  Never trade on Fridays.  #pinned
        $ timeline --after 3
        error: …
        For more information, try '--help'.
        [2]
        $ stale
        $ --json stale --days 90
        []
        ",
    );
}

#[test]
fn what_an_agent_may_not_read_is_in_no_answer() {
    let home = Home::new();
    home.ok(&["remember", "The vault code is 7261", "--tag", "secret"]);
    home.ok(&["spaces", "create", "team"]);
    home.ok(&["write", "shared/team/plan.md", "The vault opens on Monday"]);
    let other = |arguments: &[&str]| home.run(&[&["--agent-id", "bo"], arguments].concat());
    for arguments in [
        &["search", "vault code 7261"][..],
        &["recall", "vault code", "--explain", "--json"],
        &["context"],
        &["tags"],
        &["timeline"],
        &["stale", "--days", "0"],
    ] {
        let ran = other(arguments);
        let said = ran.text() + &ran.stderr;
        assert!(!said.contains("vault") && !said.contains("secret"), "{arguments:?}: {said}");
    }
    home.ok(&["grant", "shared/team", "bo", "read"]);
    let found = other(&["recall", "vault"]).text();
    assert!(found.contains("Monday") && !found.contains("7261"), "{found}");
    assert_eq!(other(&["remember", "x", "--space", "shared/team"]).code, 2);
    home.ok(&["grant", "shared/team", "bo", "write"]);
    let path = other(&["remember", "Bo was here", "--space", "shared/team"]).text();
    assert_eq!(path, "/shared/team/memories/bo-was-here.md\n");
    let only = home.ok(&["recall", "vault", "--space", "shared/team"]);
    assert!(only.contains("Monday") && !only.contains("7261"), "{only}");
}

#[test]
fn indexes_are_shown_compared_and_made_again() {
    let home = Home::new();
    home.ok(&["remember", "Indexes hold nothing of their own."]);
    home.ok(&["search", "indexes"]);
    let ran = home.run(&["fsck", "--index"]);
    assert_eq!((ran.code, ran.stderr.trim()), (0, "the indexes are sound"));
    let index = home.path("store/spaces/agents/me/index");
    assert!(index.exists(), "the index is written down");
    std::fs::write(&index, "damaged").unwrap();
    assert_eq!(home.run(&["search", "indexes"]).code, 0);
    std::fs::remove_file(&index).unwrap();
    assert_eq!(home.run(&["search", "indexes"]).code, 0);
    assert_eq!(home.run(&["fsck", "--index"]).code, 0);
}

#[test]
fn an_embedder_that_is_not_there_is_told_and_words_must_do() {
    let mut home = Home::new();
    home.ok(&["remember", "Words must do."]);
    // A folder that is not there, and a service on a port that nobody listens at.
    for (embedder, why) in
        [("./no-such-model", "no-such-model"), ("http://127.0.0.1:1/v1#small", "127.0.0.1")]
    {
        home.set("HOMEFS_EMBEDDER", embedder);
        assert!(home.ok(&["search", "words"]).contains("Words must do."));
        let mut owner = home.command().args(["watch"]).spawn().unwrap();
        while home.run(&["status", "--json"]).json()["pid"] != owner.id() {}
        assert!(home.ok(&["search", "words"]).contains("Words must do."));
        home.ok(&["write", "a.md", "something to embed"]);
        let failure = || home.run(&["--json", "status"]).json()["embedder_failure"].clone();
        while failure().is_null() {}
        assert!(failure().as_str().unwrap().contains(why), "{}", failure());
        assert!(home.ok(&["status"]).contains("embedder fails"));
        owner.kill().unwrap();
        owner.wait().unwrap();
    }
    home.set("HOMEFS_EMBEDDER", "nonsense");
    let ran = home.run(&["search", "words"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the setting embedder cannot be \"nonsense\""), "{}", ran.stderr);
}

#[test]
fn commands_of_many_processes_remember_everything() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for number in 0..10 {
                    home.ok(&["remember", &format!("Fact {number} of writer {writer}")]);
                    home.ok(&["remember", "all say the same"]);
                }
            });
        }
    });
    // What all say is one memory.
    assert_eq!(home.ok(&["ls", "memories"]).lines().count(), 41);
    let hits = home.run(&["--json", "search", "fact", "--kind", "text", "--limit", "100"]).json();
    assert_eq!(hits.as_array().unwrap().len(), 40);
}

#[test]
fn a_client_of_an_owner_gets_the_same_answers() {
    let home = Home::new();
    for text in ["Sell when RSI is high.", "Buy bread. See [[sell-when-rsi-is-high]]."] {
        home.ok(&["remember", text, "--tag", "x"]);
    }
    let questions = [
        &["--json", "search", "sell", "--kind", "text"][..],
        &["--json", "links", "memories/sell-when-rsi-is-high.md"],
        &["timeline"],
        &["tags"],
        &["context"],
        &["recall", "when to sell", "--max-tokens", "100"],
    ];
    let here = questions.map(|question| home.ok(question));
    let mut watcher = home.command().args(["watch", "--count", "1"]).spawn().unwrap();
    while home.run(&["status", "--json"]).json()["pid"] != watcher.id() {}
    let there = questions.map(|question| home.ok(question));
    assert_eq!(here, there);
    let path = home.ok(&["remember", "Told to the owner"]);
    assert_eq!(path, "/memories/told-to-the-owner.md\n");
    assert!(home.ok(&["search", "owner"]).contains("Told to the owner"));
    watcher.wait().unwrap();
    assert!(home.ok(&["search", "owner"]).contains("Told to the owner"));
}

#[test]
fn memories_are_imported_once_and_again_when_they_change() {
    let home = Home::new();
    let line = |id: u32, text: &str| {
        format!("{{\"id\":{id},\"memory\":\"{text}\",\"created_at\":\"2024-01-02T03:04:05Z\"}}\n")
    };
    let both = line(1, "Likes tea") + &line(2, "Lives in Rome") + "nonsense\n";
    put(&home.path("mem0.jsonl"), &both);
    let import = ["--json", "import", "--memories", "mem0.jsonl"];
    let dry = home.run(&[&import[..], &["--dry-run"]].concat());
    assert_eq!((dry.code, &dry.json()["new"]), (1, &2.into()));
    assert_eq!(home.run(&["ls", "memories"]).code, 1, "nothing was written");
    let first = home.run(&import);
    assert_eq!(first.code, 1, "a line was left out");
    assert!(first.stderr.contains("left out: mem0.jsonl, line 3: not JSON"), "{}", first.stderr);
    let names = home.ok(&["ls", "memories"]);
    assert_eq!(names.lines().count(), 2, "{names}");
    let tea = names.lines().find(|name| name.starts_with("likes-tea-")).unwrap();
    let tea = format!("memories/{tea}");
    let modified = &home.run(&["--json", "stat", &tea]).json()["modified"];
    assert_eq!(modified, "2024-01-02T03:04:05Z");
    assert!(home.ok(&["recall", "what kind of tea does she like"]).contains("Likes tea"));
    // What an agent made of it stays as long as its origin is the same.
    home.ok(&["append", &tea, "And cake."]);
    let again = home.run(&import).json();
    assert_eq!(
        (&again["new"], &again["changed"], &again["same"]),
        (&0.into(), &0.into(), &2.into())
    );
    assert_eq!(home.ok(&["cat", &tea]), "Likes tea\nAnd cake.\n");
    put(&home.path("mem0.jsonl"), line(1, "Likes coffee") + &line(2, "Lives in Rome"));
    let changed = home.run(&import);
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    assert_eq!((&changed.json()["changed"], &changed.json()["same"]), (&1.into(), &1.into()));
    assert_eq!(home.ok(&["cat", &tea]), "Likes coffee\n");
    assert_eq!(home.ok(&["ls", "memories"]).lines().count(), 2);
}

#[test]
fn a_folder_of_markdown_is_imported_as_it_is() {
    let home = Home::new();
    let note = "---\ntitle: Build\ntags: [make, ci]\nimportance: 0.7\n---\r\nRun make.";
    put(&home.path("notes/deep/build.md"), note);
    put(&home.path("notes/MEMORY.md"), "# Memory\n\n## Taste\n- tea\n- cake\n\n## Work\nRome\n");
    put(&home.path("notes/picture.png"), [0, 159, 146, 150]);
    put(&home.path("notes/.git/config.md"), "hidden");
    let ran = home.run(&["import", "--memories", "notes", "/old"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "1 file without memories\nimported 2 memories: 2 new, 0 changed; 0 already there\n"
    );
    assert_eq!(home.ok(&["cat", "old/deep/build.md"]), note);
    assert_eq!(home.ok(&["tag", "old/deep/build.md"]), "ci\nmake\n");
    home.ok(&["import", "--memories", "notes/MEMORY.md", "--split"]);
    let names = home.ok(&["ls", "memories"]);
    assert_eq!(names.lines().count(), 2, "{names}");
    assert!(names.lines().all(|name| name.starts_with("taste-") || name.starts_with("work-")));
    home.check(
        "
        $ import --memories missing
        error: missing: no such file or directory on the host
        [1]
        $ import notes --split
        error: …
        --memories
        Usage: …
        For more information, try '--help'.
        [2]
        ",
    );
}

#[test]
fn a_command_has_the_names_that_are_guessed_for_it() {
    let home = Home::new();
    home.ok(&["write", "a.md", "one"]);
    for (guessed, command) in [("read", "cat"), ("history", "log")] {
        assert_eq!(home.ok(&[guessed, "a.md"]), home.ok(&[command, "a.md"]), "{guessed}");
    }
    home.ok(&["delete", "a.md"]);
    assert_eq!(home.run(&["cat", "a.md"]).code, 1);
}

#[test]
fn a_command_by_handle_tells_of_the_file_and_moves_it_under_its_name() {
    let home = Home::new();
    home.ok(&["remember", "Ann drinks green tea"]);
    home.ok(&["mkdir", "notes"]);
    let recalled = home.ok(&["--json", "recall", "what does Ann drink?"]);
    let recalled: serde_json::Value = serde_json::from_str(&recalled).unwrap();
    let handle = recalled["memories"][0]["handle"].as_str().unwrap();
    let named = "ann-drinks-green-tea.md";
    let moved = home.run(&["mv", handle, "notes"]);
    assert!(moved.stderr.contains(&format!("to /notes/{named}")), "{}", moved.stderr);
    home.ok(&["cp", handle, "memories"]);
    home.ok(&["rm", &format!("memories/{named}")]);
    for command in ["rm", "forget"] {
        let gone = home.run(&[command, handle]);
        let told = format!("{}{}", gone.text(), gone.stderr);
        assert!(told.contains(&format!("homefs trash restore /notes/{named}")), "{told}");
        home.ok(&["trash", "restore", &format!("/notes/{named}")]);
    }
    let refused = home.run(&["write", "^999999", "x"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("no file has this handle"), "{}", refused.stderr);
    let erased = home.run(&["purge", "--yes", handle]);
    assert!(erased.stderr.contains(&format!("erased /notes/{named}")), "{}", erased.stderr);
}
