//! A database on a mount: both kinds of journal, two processes at once, and the death of the mount.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::harness::{Mounted, is_extended};
use crate::tools::{both, find, program, run};

/// Rows that each of two processes adds.
const ROWS: usize = 200;
/// Transactions that are acknowledged before each death.
const ACKNOWLEDGED: usize = 60;

#[test]
fn two_processes_write_one_database_with_a_rollback_journal() {
    check_two_writers("delete");
}

#[test]
fn two_processes_write_one_database_with_a_write_ahead_log() {
    check_two_writers("wal");
}

#[test]
fn a_rollback_journal_outlives_the_mount() {
    check_deaths("delete");
}

#[test]
fn a_write_ahead_log_outlives_the_mount() {
    check_deaths("wal");
}

/// Two processes add rows at once; a third one counts.
fn check_two_writers(mode: &str) {
    let Some(sqlite) = find("sqlite3") else { return };
    let Some(mounted) = Mounted::new(120) else { return };
    let database = Database { program: sqlite, file: mounted.path("data.db") };
    database.create(mode);
    let insert = |who: usize| {
        let insert =
            |row| format!("BEGIN IMMEDIATE; INSERT INTO t VALUES({who}, {row}); COMMIT;\n");
        (0..ROWS).map(insert).collect::<String>()
    };
    let writers = [0, 1].map(|who| database.start(&insert(who)));
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", both(&output));
    }
    let sums = "SELECT who, count(*), max(n) FROM t GROUP BY who ORDER BY who;";
    let most = ROWS - 1;
    assert_eq!(database.ask(sums), format!("0|{ROWS}|{most}\n1|{ROWS}|{most}\n"));
    database.check();
    database.ask("DELETE FROM t WHERE n % 2 = 0; VACUUM;");
    assert_eq!(database.ask("SELECT count(*) FROM t;"), format!("{ROWS}\n"));
    database.check();
}

/// The mount dies in the middle of transactions, again and again; none that ended is lost.
fn check_deaths(mode: &str) {
    let Some(sqlite) = find("sqlite3") else { return };
    let Some(mut mounted) = Mounted::new(60) else { return };
    let database = Database { program: sqlite, file: mounted.path("data.db") };
    database.create(mode);
    let mut first = 0;
    for _ in 0..if is_extended() { 20 } else { 3 } {
        // The process says each number when its transaction has ended.
        let step = |n| format!("BEGIN; INSERT INTO t VALUES(0, {n}); COMMIT; SELECT {n};\n");
        let script: String = (first..first + 10 * ACKNOWLEDGED).map(step).collect();
        let mut writer = database.start(&script);
        let mut said = BufReader::new(writer.stdout.take().unwrap()).lines();
        let acknowledged: Vec<String> =
            said.by_ref().take(ACKNOWLEDGED).map(Result::unwrap).collect();
        mounted.kill();
        let last = said.map_while(Result::ok).last();
        writer.wait().unwrap();
        assert_eq!(acknowledged.len(), ACKNOWLEDGED, "the writer stopped by itself");
        let last: usize = last.as_ref().unwrap_or(&acknowledged[ACKNOWLEDGED - 1]).parse().unwrap();
        mounted.start();
        database.check();
        let found = database.ask("SELECT count(*), min(n), max(n) FROM t;");
        let found: Vec<usize> = found.trim().split('|').map(|text| text.parse().unwrap()).collect();
        assert_eq!(found[..2], [found[2] + 1, 0], "rows without gaps");
        assert!(found[2] >= last, "{} was acknowledged, {} is the last", last, found[2]);
        first = found[2] + 1;
    }
}

/// A database and the program that uses it, always in a process of its own.
struct Database {
    program: PathBuf,
    file: PathBuf,
}

impl Database {
    fn create(&self, mode: &str) {
        let said = self.ask(&format!("PRAGMA journal_mode={mode}; CREATE TABLE t(who, n);"));
        assert_eq!(said.trim(), mode);
    }

    /// Runs a script that must succeed and returns what it prints.
    fn ask(&self, script: &str) -> String {
        run(self.command().arg(script))
    }

    /// Checks every page and index.
    fn check(&self) {
        assert_eq!(self.ask("PRAGMA integrity_check;"), "ok\n");
    }

    /// Starts a process that reads a script.
    fn start(&self, script: &str) -> Child {
        let mut child = self.command().stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let script = script.to_owned();
        // A thread of its own, because a script is longer than a pipe; a process that dies does
        // not read to the end.
        std::thread::spawn(move || drop(input.write_all(script.as_bytes())));
        child
    }

    /// Prepares the program; it prints line by line, waits for others and syncs every commit.
    fn command(&self) -> Command {
        let mut command = program(Path::new("stdbuf"), self.file.parent().unwrap());
        command.arg("-oL").arg(&self.program).args(["-batch", "-bail"]);
        command.args(["-cmd", ".timeout 60000", "-cmd", "PRAGMA synchronous=FULL"]);
        command.arg(&self.file);
        command
    }
}
