//! An agent explores a collection of a real Chroma server with nothing but a shell.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use homefs_testkit::{CHROMA, ForeignServer};
use serde_json::{Value, json};

use crate::harness::{Home, Ran};
use crate::mcp::Served;

const COLLECTIONS: &str = "/api/v2/tenants/default_tenant/databases/default_database/collections";

/// A collection that others filled: pages in chunks, and a tree that says who may see them.
struct Wiki {
    server: ForeignServer,
    id: String,
}

impl Wiki {
    /// Starts a server with an empty collection; nothing if it is not installed, which is said.
    fn start() -> Option<Self> {
        let server = ForeignServer::start(&CHROMA).expect("it starts")?;
        let made = post(&server, "", &json!({ "name": "wiki" }));
        let id = made["id"].as_str().expect("it has an id").to_owned();
        Some(Self { server, id })
    }

    fn address(&self) -> String {
        format!("{}/wiki", self.server.endpoint().replace("http://", "chroma://"))
    }

    /// Stores records: id, text and metadata.
    fn store(&self, records: &[(String, String, Value)]) {
        let column = |pick: fn(&(String, String, Value)) -> Value| -> Vec<Value> {
            records.iter().map(pick).collect()
        };
        let body = json!({
            "ids": column(|record| record.0.clone().into()),
            "documents": column(|record| record.1.clone().into()),
            "metadatas": column(|record| record.2.clone()),
            "embeddings": vec![[1.0, 0.0]; records.len()],
        });
        let said = post(&self.server, &format!("/{}/upsert", self.id), &body);
        assert!(said["error"].is_null(), "{said}");
    }

    /// Stores a page in chunks whose numbers are given.
    fn page(&self, slug: &str, chunks: &[(Value, &str)]) {
        let record = |(index, text): &(Value, &str)| {
            let metadata = json!({ "page_slug": slug, "chunk_index": index });
            (format!("{slug}#{index}"), (*text).to_owned(), metadata)
        };
        self.store(&chunks.iter().map(record).collect::<Vec<_>>());
    }

    fn tree(&self, tree: &Value) {
        let kind = json!({ "kind": "path_tree" });
        self.store(&[("__path_tree__".to_owned(), tree.to_string(), kind)]);
    }

    /// Stores a handbook of which parts are for the groups `billing` and `people`.
    fn fill(&self) {
        self.page("auth/oauth.md", &[(json!(0), "# Sign in\nWith oa"), (json!(1), "uth2.\n")]);
        self.page("auth/keys.md", &[(json!(0), "Rotate keys monthly.\n")]);
        // As other programs write numbers.
        self.page("auth/mixed.md", &[(json!("1"), "ends here.\n"), (json!(0.0), "oauth ")]);
        self.page("internal/billing.md", &[(json!(0), "oauth scope: bill"), (json!(1), "ing\n")]);
        self.page("internal/hiring.md", &[(json!(0), "Nobody is asked about oauth.\n")]);
        let public = json!({ "isPublic": true, "groups": [] });
        let of = |group: &str| json!({ "isPublic": false, "groups": [group] });
        self.tree(&json!({
            "auth/oauth.md": public, "auth/keys.md": public, "auth/mixed.md": public,
            "internal/billing.md": of("billing"), "internal/hiring.md": of("people"),
        }));
    }
}

/// Sends a request and reads the answer.
fn post(server: &ForeignServer, path: &str, body: &Value) -> Value {
    let (endpoint, body) = (server.endpoint(), body.to_string());
    let host = endpoint.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("the server is there");
    write!(
        stream,
        "POST {COLLECTIONS}{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers");
    let (_, content) = answer.split_once("\r\n\r\n").expect("it is an answer of HTTP");
    serde_json::from_str(content).unwrap_or_default()
}

/// Returns a home of which ann is in `billing` and bob in `people`.
fn office() -> Home {
    let mut home = Home::new();
    home.set("HOMEFS_EMBEDDER", "static");
    for (group, agent) in [("billing", "ann"), ("people", "bob")] {
        home.ok(&["--operator", "group", "add", group, agent]);
    }
    home
}

fn sh(home: &Home, agent: &str, script: &str) -> Ran {
    home.run(&["--agent-id", agent, "sh", "-c", script])
}

/// Runs GNU grep over a folder; returns the lines in order.
fn gnu_grep(home: &Home, folder: &str, pattern: &str) -> Vec<String> {
    let mut grep = Command::new("grep");
    let ran = grep.args(["-rn", pattern, "."]).current_dir(home.path(folder)).output();
    sorted(&String::from_utf8(ran.expect("grep is there").stdout).expect("text"))
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn two_agents_explore_what_their_groups_may_see() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.fill();
    let home = office();
    home.ok(&["spaces", "create", "kb"]);
    home.ok(&["grant", "/shared/kb", "ann", "write"]);
    home.ok(&["grant", "/shared/kb", "bob", "write"]);
    home.ok(&["attach", &wiki.address(), "/shared/kb/wiki"]);
    for (agent, internal, hidden) in
        [("ann", "billing.md", "hiring.md"), ("bob", "hiring.md", "billing.md")]
    {
        home.ok(&["--agent-id", agent, "attach", &wiki.address(), "/wiki"]);
        // The same in a home of its own and in a space that both share.
        for place in ["wiki", "shared/kb/wiki"] {
            let script = format!("cd /{place} && ls && ls auth internal && cat auth/oauth.md");
            let ran = sh(&home, agent, &script);
            assert_eq!(
                ran.text(),
                format!(
                    "auth\ninternal\nauth:\nkeys.md\nmixed.md\noauth.md\n\ninternal:\n{internal}\n\
                     # Sign in\nWith oauth2.\n"
                ),
                "{}",
                ran.stderr
            );
            let folder = format!("{agent}-{}", place.replace('/', "-"));
            home.ok(&["--agent-id", agent, "export", &folder, &format!("/{place}")]);
            for pattern in ["oauth", "billing", "o.*2", "^With", "absent"] {
                let found = sh(&home, agent, &format!("cd /{place} && grep -rn '{pattern}' ."));
                let expected = gnu_grep(&home, &folder, pattern);
                assert_eq!(sorted(&found.text()), expected, "{pattern}: {}", found.stderr);
                assert_eq!(found.code, i32::from(expected.is_empty()), "{pattern}");
            }
            let count = sh(&home, agent, &format!("find /{place} -type f | wc -l")).text();
            assert_eq!(count.trim(), "4");
            let ran = sh(&home, agent, &format!("cat /{place}/internal/{hidden}"));
            assert_eq!(ran.code, 1);
            assert!(ran.stderr.contains("No such file or directory"), "{}", ran.stderr);
        }
    }
    // Changes stay here.
    let ran =
        sh(&home, "ann", "cd /wiki && sed -i s/monthly/weekly/ auth/keys.md && rm auth/mixed.md");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        home.ok(&["--agent-id", "ann", "changes", "/wiki"]),
        "changed  /wiki/auth/keys.md\nremoved  /wiki/auth/mixed.md\n"
    );
    assert_eq!(sh(&home, "bob", "cat /wiki/auth/keys.md").text(), "Rotate keys monthly.\n");
    // In a shared space everybody sees them, and what only groups may see cannot be changed.
    assert_eq!(sh(&home, "ann", "echo hi >> /shared/kb/wiki/auth/keys.md").code, 0);
    let seen = sh(&home, "bob", "cat /shared/kb/wiki/auth/keys.md").text();
    assert_eq!(seen, "Rotate keys monthly.\nhi\n");
    let ran = sh(&home, "ann", "echo hi >> /shared/kb/wiki/internal/billing.md");
    assert_ne!(ran.code, 0);
    let ran = sh(&home, "bob", "rm -r /shared/kb/wiki/internal");
    assert_ne!(ran.code, 0);
    // Who leaves a group sees no more.
    home.ok(&["--operator", "group", "remove", "people", "bob"]);
    for place in ["/wiki", "/shared/kb/wiki"] {
        assert_eq!(sh(&home, "bob", &format!("ls {place}")).text(), "auth\n");
        assert_eq!(sh(&home, "bob", &format!("cat {place}/internal/hiring.md")).code, 1);
    }
}

#[test]
fn a_session_sees_what_the_groups_may_see_that_it_was_opened_with() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.fill();
    let home = office();
    home.ok(&["spaces", "create", "kb"]);
    home.ok(&["grant", "/shared/kb", "svc", "write"]);
    home.ok(&["attach", &wiki.address(), "/shared/kb/wiki"]);
    let seen = |agent: &str, groups: &[&str]| {
        let line = [&["--agent-id", agent][..], groups, &["sh", "-c"]].concat();
        let ran = home.run(
            &[&line[..], &["ls -A /shared/kb/wiki/internal; grep -rh oauth /shared/kb/wiki"]]
                .concat(),
        );
        (ran.text(), ran.stderr)
    };
    // Who serves many must be allowed to.
    let (told, why) = seen("svc", &["--groups", "billing"]);
    assert!(told.is_empty() && why.contains("claimants"), "{told}{why}");
    assert!(!why.contains("does not open") && !why.contains("--store"), "{why}");
    home.ok(&["--operator", "group", "add", "claimants", "svc"]);
    let (all, none) = (["billing.md", "hiring.md"], [""; 0]);
    for (groups, expected) in [
        (&["--groups", "billing"][..], &all[..1]),
        (&["--groups", "people"], &all[1..]),
        (&["--groups", "billing,people"], &all[..]),
        (&["--groups", "others"], &none),
        (&[], &none),
    ] {
        let (told, _) = seen("svc", groups);
        for page in all {
            assert_eq!(told.contains(page), expected.contains(&page), "{groups:?}: {told}");
        }
        assert_eq!(told.contains("bill"), expected.contains(&"billing.md"), "{groups:?}: {told}");
        assert_eq!(told.contains("Nobody"), expected.contains(&"hiring.md"), "{groups:?}: {told}");
        assert!(told.contains("With oauth2."), "{groups:?}: {told}");
    }
    // Sessions at the same time, of one owner, see each their own.
    let mut billing = Served::start(&home, &["--agent-id", "svc", "--groups", "billing"]);
    let mut people = Served::start(&home, &["--agent-id", "svc", "--groups", "people"]);
    let ask = |served: &mut Served| {
        let list = json!({ "path": "/shared/kb/wiki/internal" });
        let script = json!({ "script": "cat /shared/kb/wiki/internal/*" });
        served.call("list_directory", &list).to_string()
            + &served.call("shell", &script).to_string()
    };
    for _ in 0..2 {
        let (one, other) = (ask(&mut billing), ask(&mut people));
        assert!(
            one.contains("billing.md") && !one.contains("hiring") && !one.contains("Nobody"),
            "{one}"
        );
        assert!(other.contains("hiring.md") && !other.contains("bill"), "{other}");
    }
    // Nobody gets more in this way than who is in the groups: at home the agent's own count too.
    home.ok(&["--agent-id", "ann", "attach", &wiki.address(), "/wiki"]);
    let home_of_ann = |groups: &[&str]| {
        let line = [&["--agent-id", "ann"][..], groups, &["ls", "/wiki/internal"]].concat();
        home.run(&line).text()
    };
    assert_eq!(home_of_ann(&[]), "billing.md\n");
    assert_eq!(home_of_ann(&["--groups", "billing"]), "billing.md\n");
    let ran = home.run(&["--agent-id", "ann", "--groups", "people", "ls", "/wiki"]);
    assert!(ran.code != 0 && ran.stderr.contains("claimants"), "{}", ran.stderr);
    home.ok(&["--operator", "group", "add", "claimants", "ann"]);
    assert_eq!(home_of_ann(&["--groups", "people"]), "");
}

#[test]
fn read_only_is_read_only() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.fill();
    let home = office();
    home.ok(&["attach", &wiki.address(), "/wiki", "--read-only"]);
    for script in [
        "echo x > /wiki/new",
        "echo x >> /wiki/auth/keys.md",
        "rm /wiki/auth/keys.md",
        "mkdir /wiki/d",
    ] {
        let ran = sh(&home, "me", script);
        assert_ne!(ran.code, 0, "{script}");
        assert!(ran.stderr.contains("Read-only file system"), "{script}: {}", ran.stderr);
    }
    assert_eq!(home.ok(&["changes", "/wiki"]), "");
}

#[test]
fn pages_that_are_not_whole_are_told_and_the_others_read() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.page("good.md", &[(json!(0), "oauth\n")]);
    wiki.page("gap.md", &[(json!(0), "oauth and "), (json!(2), "more\n")]);
    wiki.page("odd.md", &[(json!("first"), "oauth\n")]);
    let public = json!({ "isPublic": true });
    wiki.tree(&json!({ "good.md": public, "gap.md": public, "odd.md": public, "none.md": public }));
    let home = office();
    home.ok(&["attach", &wiki.address(), "/wiki"]);
    let ran =
        sh(&home, "me", "cd /wiki && ls && cat good.md && cat gap.md; cat odd.md; cat none.md");
    assert_eq!(ran.text(), "gap.md\ngood.md\nnone.md\nodd.md\noauth\n", "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 3, "{}", ran.stderr);
    let ran = home.run(&["cat", "/wiki/gap.md"]);
    assert!(ran.stderr.contains("chunk_index 1 is missing"), "{}", ran.stderr);
    let ran = sh(&home, "me", "cd /wiki && grep -rn oauth .");
    assert_eq!(ran.text(), "./good.md:1:oauth\n");
    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 2), "{}", ran.stderr);
    assert!(ran.stderr.contains("Parts of the page are missing"), "{}", ran.stderr);
    assert!(!home.run(&["cat", "/wiki/gap.md"]).stderr.contains("fsck"));
    // Faces that answer once leave them out, and say so.
    let ran = home.run(&["grep", "oauth", "/"]);
    assert_eq!((ran.code, &*ran.text()), (2, "/wiki/good.md:1:oauth\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 files of sources that cannot be read"), "{}", ran.stderr);
    let answer = Served::start(&home, &[]).call("grep", &json!({ "pattern": "oauth" })).to_string();
    assert!(answer.contains("/wiki/good.md:1:oauth"), "{answer}");
    assert!(answer.contains("2 files of sources that cannot be read"), "{answer}");
}

#[test]
fn what_was_read_is_read_without_the_server() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.fill();
    let home = office();
    home.ok(&["write", "/own.md", "oauth of my own"]);
    home.ok(&["attach", &wiki.address(), "/wiki"]);
    assert_eq!(sh(&home, "me", "cat /wiki/auth/oauth.md").code, 0);
    drop(wiki);
    let ran = sh(&home, "me", "ls /wiki/auth && cat /wiki/auth/oauth.md /own.md");
    assert_eq!(
        ran.text(),
        "keys.md\nmixed.md\noauth.md\n# Sign in\nWith oauth2.\noauth of my own\n",
        "{}",
        ran.stderr
    );
    let ran = home.run(&["cat", "/wiki/auth/keys.md"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("no answer from the server"), "{}", ran.stderr);
    // What is near is searched, and what is not is told.
    let ran = sh(&home, "me", "grep -rn oauth /wiki /own.md");
    assert_eq!(
        sorted(&ran.text()),
        ["/own.md:1:oauth of my own", "/wiki/auth/oauth.md:2:With oauth2."],
        "{}",
        ran.stderr
    );
    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("/wiki: 2 files cannot be read: no answer"), "{}", ran.stderr);
    for listed in [home.ok(&["sources"]), home.ok(&["status"])] {
        assert!(listed.contains("no answer from the server"), "{listed}");
    }
    assert_eq!(sh(&home, "me", "echo more >> /wiki/auth/oauth.md").code, 0);
    assert_eq!(home.ok(&["changes", "/wiki"]), "changed  /wiki/auth/oauth.md\n");
}

/// What an agent may ask about the pages of the wiki, and how it is asked.
const QUESTIONS: &[&[&str]] = &[
    &["cat", "/wiki/auth/keys.md"],
    &["ls", "/wiki/auth"],
    &["tree", "/wiki"],
    &["stat", "/wiki/auth/keys.md"],
    &["find", "*.md", "/wiki"],
    &["grep", "Rotate", "/wiki"],
    &["search", "rotate keys monthly"],
    &["recall", "how often are keys rotated?"],
    &["context"],
    &["sh", "-c", "cd /wiki; ls -R; cat auth/*; grep -rn Rotate .; find . -name 'keys*'"],
];

/// Returns the questions whose answers tell something of a page.
fn told(home: &Home) -> Vec<&'static [&'static str]> {
    let tells = |question: &&&[&str]| {
        let ran = home.run(question);
        assert!((0..=2).contains(&ran.code), "{question:?}: {} {}", ran.code, ran.stderr);
        let said = ran.text() + &ran.stderr.replace("/wiki/auth/keys.md", "");
        said.contains("Rotate") || said.contains("keys.md")
    };
    QUESTIONS.iter().filter(tells).copied().collect()
}

/// Says of the page with the keys who may see it, and nothing else of any other.
fn show_keys(wiki: &Wiki, entry: &Value) {
    let public = json!({ "isPublic": true });
    wiki.tree(&json!({ "auth/oauth.md": public, "auth/keys.md": entry }));
}

#[test]
fn a_page_made_private_is_gone_for_whoever_asks_next() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.fill();
    let home = office();
    show_keys(&wiki, &json!({ "isPublic": true }));
    home.ok(&["attach", &wiki.address(), "/wiki"]);
    let before = told(&home);
    assert!(before.len() >= 7, "{before:?}");
    // Each of these is a session of its own.
    show_keys(&wiki, &json!({ "isPublic": false, "groups": ["billing"] }));
    // What was looked at less than a second ago is not asked for again.
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(told(&home), Vec::<&[&str]>::new());
    home.ok(&["--operator", "group", "add", "billing", "me"]);
    assert_eq!(told(&home), before);
}

#[test]
fn a_page_made_private_is_gone_from_a_session_that_goes_on() {
    let Some(wiki) = Wiki::start() else { return };
    wiki.fill();
    let mut home = office();
    home.set("HOMEFS_SOURCE_AGE_MAX_SECONDS", "2");
    show_keys(&wiki, &json!({ "isPublic": true }));
    home.ok(&["attach", &wiki.address(), "/wiki"]);
    let mut served = Served::start(&home, &[]);
    let script = "cd /wiki; ls -R; cat auth/*; grep -rn Rotate .";
    let mut seen = || {
        let answers = [
            served.call("read_text_file", &json!({ "path": "/wiki/auth/keys.md" })),
            served.call("shell", &json!({ "script": script })),
            served.call("search", &json!({ "query": "rotate keys monthly" })),
        ];
        answers.iter().any(|answer| answer.to_string().contains("Rotate"))
    };
    assert!(seen());
    show_keys(&wiki, &json!({ "isPublic": false, "groups": [] }));
    wait_until("the page is gone", || !seen());
}

/// Waits until something is so; a server that was just started may take a while.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "not yet: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_collection_that_lives_is_shown_as_it_is_and_kept_while_it_is_away() {
    let Some(mut wiki) = Wiki::start() else { return };
    let put = |wiki: &Wiki, slug: &str, text: &str, is_public: bool| {
        let notes = json!({ "page_slug": slug, "chunk_index": 0, "isPublic": is_public });
        wiki.store(&[(slug.to_owned(), text.to_owned(), notes)]);
    };
    for slug in ["changed", "gone", "hidden", "stays"] {
        put(&wiki, slug, &format!("falcon of {slug}\n"), true);
    }
    let mut home = office();
    home.set("HOMEFS_SOURCE_AGE_MAX_SECONDS", "1");
    home.ok(&["attach", &wiki.address(), "/wiki"]);
    let mut served = Served::start(&home, &[]);
    let mut sh = |script: &str| served.call("shell", &json!({ "script": script })).to_string();
    assert!(sh("grep -c falcon /wiki/*").contains("/wiki/hidden:1"));
    // Under the same id and notes, so that only looking tells.
    put(&wiki, "changed", "falcon that is newer\n", true);
    wait_until("a page changes", || sh("cat /wiki/changed").contains("that is newer"));
    assert!(sh("wc -c < /wiki/changed").contains("21"), "{}", sh("ls -l /wiki"));
    post(&wiki.server, &format!("/{}/delete", wiki.id), &json!({ "ids": ["gone"] }));
    wait_until("a page vanishes", || !sh("ls /wiki").contains("gone"));
    put(&wiki, "hidden", "falcon of hidden\n", false);
    wait_until("a page is made private", || !sh("ls /wiki").contains("hidden"));
    put(&wiki, "late", "falcon of late\n", true);
    wait_until("a page is added", || sh("ls /wiki").contains("late"));
    wiki.server.stop().expect("it ends");
    wait_until("it is told", || home.ok(&["sources"]).contains("no answer from the server"));
    // What was read is there, whatever changed beside it; what was not is told.
    let kept = sh("cat /wiki/changed /wiki/stays");
    assert!(kept.contains("newer") && kept.contains("of stays"), "{kept}");
    let ran = home.run(&["grep", "falcon", "/wiki"]);
    let lines = "/wiki/changed:1:falcon that is newer\n/wiki/stays:1:falcon of stays\n";
    assert_eq!((ran.code, &*ran.text()), (2, lines), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 file of sources"), "{}", ran.stderr);
    wiki.server.start_again().expect("it starts");
    wait_until("it is there again", || sh("cat /wiki/late").contains("of late"));
    wait_until("it is told", || !home.ok(&["sources"]).contains("no answer"));
    put(&wiki, "stays", "falcon that moved\n", true);
    wait_until("it is looked at again", || sh("cat /wiki/stays").contains("that moved"));
    let gone = home.run(&["cat", "/wiki/hidden"]);
    assert_eq!(gone.code, 1, "{}", gone.text());
}

#[test]
fn a_source_is_looked_at_anew_by_scripts_and_by_models() {
    let Some(wiki) = Wiki::start() else { return };
    let put = |text: &str| wiki.page("page.md", &[(json!(0), text)]);
    put("first\n");
    let mut home = office();
    home.set("HOMEFS_SOURCE_AGE_MAX_SECONDS", "1000000");
    home.ok(&["attach", &wiki.address(), "/wiki"]);
    let mut served = Served::start(&home, &["--read-only"]);
    let read = json!({ "path": "/wiki/page.md" });
    let mut told = |tool: &str, given: &Value| served.call(tool, given).to_string();
    assert!(told("read_text_file", &read).contains("first"));
    // Under the same id and notes: only looking anew tells.
    put("second\n");
    assert!(told("read_text_file", &read).contains("first"));
    let refresh = json!({ "path": "/wiki", "refresh": true });
    assert!(told("list_directory", &refresh).contains("[FILE] page.md"));
    assert!(told("read_text_file", &read).contains("second"));
    // Where nothing is attached there is nothing to look at.
    told("list_directory", &json!({ "path": "/", "refresh": true }));
    drop(served);
    put("third\n");
    let ran =
        sh(&home, "me", "cat /wiki/page.md; homefs sources --refresh /wiki; cat /wiki/page.md");
    assert_eq!((ran.code, &*ran.text()), (0, "second\nthird\n"), "{}", ran.stderr);
    let ran = sh(&home, "me", "homefs sources; search third; recall third");
    assert!(ran.text().contains(&format!("/wiki  {}  copy-on-write", wiki.address())));
    let said = "not searched: what is attached at /wiki";
    assert_eq!(ran.stderr.matches(said).count(), 2, "{}", ran.stderr);
    assert_eq!(sh(&home, "me", "homefs sources --refresh /notes").code, 2);
}
