//! Two machines and one remote: the home follows the agent, and no edit is lost.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use homefs_testkit::{Fault, FaultKind, RemoteOperation, S3Server};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Home, Ran};

/// A bucket on a server in this process.
pub(crate) struct Bucket {
    pub(crate) server: S3Server,
}

impl Bucket {
    pub(crate) fn new() -> Self {
        Self { server: S3Server::start().expect("a port is free") }
    }

    /// Returns the address of a prefix in the bucket.
    pub(crate) fn address(&self) -> String {
        format!("s3://{}/p", self.server.bucket())
    }

    /// Returns the arguments of a command that talks to the bucket.
    pub(crate) fn place(&self, command: &[&str]) -> Vec<String> {
        let endpoint = self.server.endpoint();
        let place = [&self.address(), "--endpoint", &endpoint].map(str::to_owned);
        command.iter().map(|word| (*word).to_owned()).chain(place).collect()
    }

    /// Returns the arguments of `homefs remote add` or `check`.
    pub(crate) fn remote(&self, command: &str) -> Vec<String> {
        self.place(&["remote", command])
    }

    /// Attaches the bucket to a store.
    pub(crate) fn add(&self, home: &Home) -> Ran {
        let ran = home.run(&words(&[self.remote("add"), vec!["--machine=laptop".into()]].concat()));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran
    }

    /// Clones the bucket's homes to a new store.
    pub(crate) fn clone_to(&self, home: &Home) -> String {
        home.ok(&words(&self.place(&["clone"])))
    }
}

/// Lends arguments.
pub(crate) fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// A home on a machine that has the credentials of the bucket.
pub(crate) fn machine() -> Home {
    let mut home = Home::new();
    home.set("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY);
    home.set("AWS_SECRET_ACCESS_KEY", S3Server::SECRET_KEY);
    home
}

/// Two machines that have the same note.
fn two_machines(bucket: &Bucket) -> [Home; 2] {
    let (laptop, desktop) = (machine(), machine());
    laptop.ok(&["write", "note.md", "# Plans\n\nbuy milk\n\nsleep\n"]);
    bucket.add(&laptop);
    laptop.ok(&["sync"]);
    bucket.clone_to(&desktop);
    [laptop, desktop]
}

/// Starts a process that owns a store and syncs it, and waits until it does.
pub(crate) fn follow(home: &Home) -> Follower {
    let child = home.command().args(["sync", "--follow"]).spawn().expect("homefs starts");
    let mut follower = Follower(child);
    let mut line = String::new();
    let output = follower.0.stdout.as_mut().expect("it is piped");
    BufReader::new(output).read_line(&mut line).expect("it is text");
    let follows = line.starts_with("following s3://");
    if !follows {
        let talk = follower.0.stderr.as_mut().expect("it is piped");
        talk.read_to_string(&mut line).expect("it is text");
    }
    assert!(follows, "{line}");
    follower
}

/// A process that ends with the test.
pub(crate) struct Follower(Child);

impl Follower {
    /// Asks it to end, and returns its exit code.
    fn end(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.0), Signal::INT).expect("it lives");
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // One that has ended already is as it should be.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Checks that both machines have the edits of both.
#[track_caller]
fn both_see_both(machines: &[Home; 2]) {
    let notes = machines.each_ref().map(|home| home.ok(&["cat", "note.md"]));
    assert_eq!(notes[0], notes[1]);
    assert!(notes[0].contains("buy milk and bread\n"), "{}", notes[0]);
    assert!(notes[0].contains("sleep early\n"), "{}", notes[0]);
}

/// Edits the same note on both machines, each without the other's knowledge.
fn edit_apart([laptop, desktop]: &[Home; 2]) {
    let milk = ["edit", "note.md", "--old", "buy milk", "--new", "buy milk and bread"];
    laptop.ok(&[&["--offline"], &milk[..]].concat());
    let sleep = ["edit", "note.md", "--old", "sleep", "--new", "sleep early"];
    desktop.ok(&[&["--offline"], &sleep[..]].concat());
}

#[test]
fn two_machines_that_were_apart_both_see_both_edits() {
    let bucket = Bucket::new();
    let machines = two_machines(&bucket);
    edit_apart(&machines);
    for home in [&machines[0], &machines[1], &machines[0]] {
        home.ok(&["sync"]);
    }
    both_see_both(&machines);
    machines[0].ok(&["sync", "--wait"]);
    let readable = bucket.server.objects()["p/agents/me/note.md"].clone();
    let readable = String::from_utf8(readable.to_vec()).unwrap();
    assert!(readable.starts_with("---\n") && readable.contains("\nbuy milk and bread\n"));
}

#[test]
fn owners_that_stay_sync_by_themselves() {
    let bucket = Bucket::new();
    let machines = two_machines(&bucket);
    edit_apart(&machines);
    let followers = machines.each_ref().map(follow);
    let both = |home: &Home| {
        let note = home.ok(&["cat", "note.md"]);
        note.contains("bread") && note.contains("early")
    };
    while !machines.iter().all(both) {}
    both_see_both(&machines);
    machines[0].ok(&["write", "new.md", "x"]);
    while machines[1].run(&["cat", "new.md"]).code != 0 {}
    assert_eq!(followers.map(Follower::end), [Some(0), Some(0)]);
}

#[test]
fn directories_are_remotes_too() {
    let (laptop, desktop) = (Home::new(), Home::new());
    let dir = tempfile::tempdir().unwrap();
    let address = format!("file://{}", dir.path().display());
    laptop.ok(&["write", "a.md", "one"]);
    laptop.ok(&["remote", "add", &address]);
    laptop.ok(&["push"]);
    desktop.ok(&["clone", &address, "--machine=desktop"]);
    desktop.ok(&["append", "a.md", "two"]);
    desktop.ok(&["push"]);
    assert_eq!(laptop.ok(&["cat", "a.md"]), "one\n");
    laptop.ok(&["pull"]);
    assert_eq!(laptop.ok(&["cat", "a.md"]), "one\ntwo\n");
    let log = laptop.run(&["log", "a.md", "--json"]).json();
    assert_eq!(
        (&log[0]["machine"], &log[1]["machine"]),
        (&"desktop".into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_remote_that_is_added_on_a_new_machine_brings_the_home_with_the_next_sync() {
    for command in ["sync", "pull", "push"] {
        let (bucket, laptop, desktop) = (Bucket::new(), machine(), machine());
        laptop.ok(&["write", "note.md", "one"]);
        bucket.add(&laptop);
        laptop.ok(&["sync"]);
        let head = || bucket.server.objects()["p/agents/me/.homefs/HEAD"].clone();
        let before = head();
        bucket.add(&desktop);
        let told = desktop.ok(&[command]);
        assert!(told.contains("agents/me") && told.contains("pulled"), "{command}: {told}");
        assert_eq!(desktop.ok(&["cat", "note.md"]), "one\n");
        // Whoever only came has nothing to say.
        desktop.ok(&["sync"]);
        assert!(head() == before, "{command} moved HEAD");
    }
}

#[test]
fn a_clone_brings_the_home_and_what_is_shared() {
    let (bucket, laptop, desktop) = (Bucket::new(), machine(), machine());
    laptop.ok(&["write", "notes/a.md", "one"]);
    laptop.ok(&["spaces", "create", "market"]);
    laptop.ok(&["write", "/shared/market/b.md", "two"]);
    laptop.ok(&["--agent-id", "other", "write", "c.md", "three"]);
    bucket.add(&laptop);
    laptop.ok(&["sync"]);
    let found = bucket.clone_to(&desktop);
    assert!(found.contains("agents/me") && found.contains("shared/market"), "{found}");
    assert!(!found.contains("agents/other"), "{found}");
    assert_eq!(desktop.ok(&["cat", "notes/a.md", "/shared/market/b.md"]), "one\ntwo\n");
    let again = desktop.run(&words(&bucket.place(&["clone"])));
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("is a store that has files"), "{}", again.stderr);
    assert!(again.stderr.contains("--store names a new directory"), "{}", again.stderr);
    // Who has no home there is told which there are.
    let stranger = machine();
    let clone = [bucket.place(&["clone"]), vec!["--agent-id=nobody".into()]].concat();
    let ran = stranger.run(&words(&clone));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("no agents/nobody yet; it has agents/me"), "{}", ran.stderr);
}

#[test]
fn offline_nothing_is_asked_of_the_remote() {
    let bucket = Bucket::new();
    let [laptop, _] = two_machines(&bucket);
    bucket.server.clear_log();
    laptop.ok(&["--offline", "append", "note.md", "more"]);
    laptop.ok(&["--offline", "cat", "note.md"]);
    let status = laptop.ok(&["--offline", "status"]);
    assert!(status.contains("not used: the owner of the store works offline"), "{status}");
    for command in [&["sync"][..], &["pull"], &["push"], &["remote", "check"], &["remote", "rm"]] {
        let ran = laptop.run(&[&["--offline"], command].concat());
        assert_eq!(ran.code, 2, "{command:?}");
        assert!(ran.stderr.contains("works offline"), "{}", ran.stderr);
    }
    // Nor is anything asked by a command that is over soon.
    laptop.ok(&["append", "note.md", "more"]);
    assert_eq!(bucket.server.log(), []);
}

#[test]
fn an_outage_is_told_and_waited_for() {
    let bucket = Bucket::new();
    let [laptop, _] = two_machines(&bucket);
    laptop.ok(&["append", "note.md", "more"]);
    let outage = || Fault::before(FaultKind::Status(503));
    bucket.server.fail(outage().until_healed());
    let ran = laptop.run(&["sync"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("503"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`homefs sync --wait` goes on"), "{}", ran.stderr);
    let ran = laptop.run(&["sync", "--wait", "--timeout", "200ms"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    bucket.server.heal();
    bucket.server.fail(outage().times(2));
    let synced = laptop.run(&["sync", "--wait", "--json"]).json();
    assert_eq!((&synced[0]["space"], &synced[0]["pushed"]), (&"agents/me".into(), &1.into()));
}

#[test]
fn a_write_can_wait_for_the_remote() {
    let bucket = Bucket::new();
    let [laptop, desktop] = two_machines(&bucket);
    laptop.ok(&["write", "a.md", "one", "--pushed"]);
    desktop.ok(&["pull"]);
    assert_eq!(desktop.ok(&["cat", "a.md"]), "one\n");
    let ran = laptop.run(&["--offline", "append", "a.md", "two", "--pushed"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(laptop.ok(&["cat", "a.md"]), "one\ntwo\n");
}

#[test]
fn status_tells_how_far_both_agree() {
    let (bucket, home) = (Bucket::new(), machine());
    assert_eq!(home.run(&["status", "--json"]).json()["remote"], serde_json::Value::Null);
    home.ok(&["write", "a.md", "one"]);
    bucket.add(&home);
    let owner = follow(&home);
    let status = || home.run(&["status", "--json"]).json()["remote"].clone();
    while status()["status"]["spaces"][0]["ahead"] != 0 {}
    while status()["status"]["spaces"][0]["commit"] != 1 {}
    let remote = status();
    assert_eq!(remote["address"], bucket.address());
    assert_eq!(remote["machine"], "laptop");
    let status = &remote["status"];
    assert!(status["requests"]["puts"].as_u64() > Some(0) && status["sent_bytes"] != 0, "{remote}");
    assert_eq!(status["spaces"][0]["space"], "agents/me");
    assert!(status["spaces"][0]["agreed"].is_string(), "{remote}");
    let shown = home.ok(&["status"]);
    assert!(shown.contains("agents/me: commit 1"), "{shown}");
    assert_eq!(owner.end(), Some(0));
}

#[test]
fn a_client_asks_the_owner_to_sync() {
    let bucket = Bucket::new();
    let home = machine();
    home.ok(&["write", "a.md", "one"]);
    // An owner without the credentials that the commands have.
    let mut watch = home.command();
    watch.env_remove("AWS_SECRET_ACCESS_KEY").env("AWS_SECRET_ACCESS_KEY", "wrong").arg("watch");
    let owner = Follower(watch.spawn().unwrap());
    while home.run(&["status", "--json"]).json()["pid"] != owner.0.id() {}
    let add = bucket.remote("add");
    let ran = home.run(&words(&add));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("owns the store and uses its own environment"), "{}", ran.stderr);
    drop(owner);
    let owner = Follower(home.command().arg("watch").spawn().unwrap());
    while home.run(&["status", "--json"]).json()["pid"] != owner.0.id() {}
    bucket.add(&home);
    home.ok(&["sync"]);
    assert!(bucket.server.objects().contains_key("p/agents/me/.homefs/HEAD"));
    let ran = home.run(&["remote", "add", "s3://other"]);
    assert!(ran.stderr.contains("already"), "{}", ran.stderr);
}

#[test]
fn pinned_files_stay_here() {
    let bucket = Bucket::new();
    let [_, desktop] = two_machines(&bucket);
    desktop.check("$ pin");
    desktop.ok(&["pin", "note.md"]);
    desktop.check("$ pin\n/note.md\n$ pin --json\n[\"/note.md\"]");
    drop(bucket);
    assert!(desktop.ok(&["cat", "note.md"]).contains("milk"));
    desktop.ok(&["pin", "--rm", "note.md"]);
    desktop.check("$ pin");
}

#[test]
fn an_owner_that_waits_for_the_remote_can_leave() {
    let (bucket, home) = (Bucket::new(), machine());
    home.ok(&["write", "a.md", "one"]);
    bucket.add(&home);
    let owner = Follower(home.command().arg("watch").spawn().unwrap());
    while home.run(&["status", "--json"]).json()["pid"] != owner.0.id() {}
    bucket.server.clear_log();
    let never = Fault::before(FaultKind::Timeout).on(RemoteOperation::Put).below("p/.homefs/probe");
    bucket.server.fail(never);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| home.run(&["remote", "check"]));
        while bucket.server.log().iter().all(|exchange| exchange.status.is_some()) {}
        // The next owner is asked again, and hears an answer.
        let next = follow(&home);
        let ran = asking.join().expect("the command ends");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(next.end(), Some(0));
    });
}

#[test]
fn who_waits_for_a_sync_goes_on_with_the_next_owner() {
    let bucket = Bucket::new();
    let [laptop, _] = two_machines(&bucket);
    laptop.ok(&["append", "note.md", "more"]);
    bucket.server.fail(Fault::before(FaultKind::Status(503)).until_healed());
    let mut waiting = Follower(laptop.command().args(["sync", "--wait"]).spawn().unwrap());
    while laptop.run(&["status", "--json"]).json()["pid"] != waiting.0.id() {}
    let next = follow(&laptop);
    bucket.server.heal();
    assert_eq!(waiting.0.wait().unwrap().code(), Some(0));
    assert_eq!(next.end(), Some(0));
}

#[test]
fn conflicts_are_listed_and_closed() {
    let bucket = Bucket::new();
    let machines = two_machines(&bucket);
    for (home, words) in machines.iter().zip(["oat milk", "goat milk"]) {
        home.ok(&["edit", "note.md", "--old", "milk", "--new", words]);
    }
    for home in [&machines[0], &machines[1], &machines[0]] {
        home.ok(&["sync"]);
    }
    let [laptop, desktop] = &machines;
    let listed = desktop.run(&["conflicts", "--json"]).json();
    let number = listed[0]["number"].as_str().unwrap();
    assert_eq!(listed[0]["path"], "/note.md");
    let shown = laptop.ok(&["conflicts"]);
    assert!(shown.contains(number) && shown.contains("/note.md"), "{shown}");
    desktop.ok(&["resolve", number, "--ours"]);
    assert!(desktop.ok(&["cat", "note.md"]).contains("buy goat milk\n"));
    let again = desktop.run(&["resolve", number]);
    assert!(again.stderr.contains("there is no conflict"), "{}", again.stderr);
    assert!(again.stderr.contains("`homefs conflicts` lists them"), "{}", again.stderr);
    desktop.ok(&["sync"]);
    laptop.ok(&["sync"]);
    for home in &machines {
        assert_eq!(home.run(&["conflicts", "--json"]).json(), serde_json::json!([]));
        assert!(home.ok(&["cat", "note.md"]).contains("buy goat milk\n"));
    }
}

#[test]
fn what_is_purged_leaves_the_remote_and_other_machines() {
    let bucket = Bucket::new();
    let [laptop, desktop] = two_machines(&bucket);
    // Who has never pushed cannot confirm anything.
    desktop.ok(&["write", "other.md", "x"]);
    desktop.ok(&["sync"]);
    laptop.ok(&["sync"]);
    laptop.ok(&["purge", "note.md", "--yes"]);
    laptop.ok(&["sync"]);
    let receipt = || laptop.run(&["purge", "--receipt", "--json"]).json();
    assert!(receipt()["commit"].is_u64(), "{}", receipt());
    assert_eq!(receipt()["waiting"].as_array().unwrap().len(), 1, "{}", receipt());
    desktop.ok(&["sync"]);
    assert_eq!(desktop.run(&["cat", "note.md"]).code, 1);
    laptop.ok(&["sync"]);
    assert_eq!(receipt()["waiting"], serde_json::json!([]));
    assert!(laptop.ok(&["purge", "--receipt"]).starts_with("erased from the remote by commit"));
}

#[test]
fn what_nobody_needs_is_told_before_it_is_deleted() {
    let bucket = Bucket::new();
    let [laptop, desktop] = two_machines(&bucket);
    let before = bucket.server.objects();
    let swept = laptop.run(&["gc", "--dry-run", "--json"]).json();
    assert_eq!(swept[0]["space"], "agents/me");
    assert_eq!(bucket.server.objects(), before);
    laptop.ok(&["gc"]);
    desktop.ok(&["pull"]);
    assert!(desktop.ok(&["cat", "note.md"]).contains("milk"));
}
