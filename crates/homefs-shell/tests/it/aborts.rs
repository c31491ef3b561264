//! The abort hunt: no command line and no script ends the process.
//!
//! A stack that overflows and memory that cannot be had are no panics: they end the process, which
//! may be the owner of everybody's mount. So a child with little address space gives every command
//! of the shell what nests deep, is long or asks for much. It says what it tries before it does.

use std::io::{BufRead as _, BufReader, Seek as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, io, thread};

use homefs_core::Path;
use homefs_shell::{Limits, Shell, Workers};
use homefs_view::WriteOptions;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::common::Home;
use crate::hostile::{DEEP, cases, files, is_extended, language};

/// Names the part of the hunt that a child is to do, and how many cases it leaves out.
const PART: &str = "HOMEFS_HUNT_PART";
const SKIP: &str = "HOMEFS_HUNT_SKIP";

/// How much address space a child has, with its stacks and the store's own.
const ADDRESS_BYTES: u64 = 2 << 30;

/// In how many parts the hunt goes, so that no test is long.
const PARTS: usize = 8;

/// How often, and how far apart, an extended run looks whether a script that was given up ends.
const GIVEN_UP_LOOKS: usize = 100;
const GIVEN_UP_LOOK: Duration = Duration::from_millis(100);

/// One of so many command lines is tried, unless the run is extended; every form of the language is.
const SAMPLE: usize = 4;

fn limits() -> Limits {
    Limits {
        time: Duration::from_millis(300),
        commands: 1_000_000,
        output_bytes: 64 << 10,
        memory_bytes: 64 << 20,
    }
}

/// What is not hunted for has time on a busy machine, too.
fn patient() -> Limits {
    Limits { time: Duration::from_secs(20), ..limits() }
}

/// What a child does: tries its cases, and says each before it is tried.
#[test]
fn child() {
    let Some(part) = env::var(PART).ok().and_then(|part| part.parse().ok()) else { return };
    let skip: usize = env::var(SKIP).expect("a number").parse().expect("a number");
    let few = Rlimit { current: Some(ADDRESS_BYTES), maximum: Some(ADDRESS_BYTES) };
    setrlimit(Resource::As, few).expect("a limit can be lowered");
    let mut prey = Prey::new();
    let mut scripts = prey.command_lines(part);
    if !is_extended() {
        scripts = scripts.into_iter().step_by(SAMPLE).collect();
    }
    scripts.extend(language().into_iter().skip(part).step_by(PARTS));
    for (index, script) in scripts.iter().enumerate().skip(skip) {
        say(&format!("try {index} {}", shortened(script)));
        match prey.try_one(script) {
            Ok(()) => say("ok"),
            Err(why) => say(&format!("bad {why}")),
        }
        if prey.has_given_up() {
            // What it still does must be told of it, and not of those that come after it.
            return say("anew");
        }
    }
    say("end");
}

pub(crate) fn say(line: &str) {
    writeln!(io::stdout(), "\n#{line}").expect("the parent listens");
}

fn shortened(script: &str) -> String {
    let mut text = format!("{script:?}");
    if text.len() > 200 {
        let keep = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text = format!("{} … {}", &text[..keep(100)], &text[keep(text.len() - 60)..]);
    }
    text
}

/// A shell that is hunted.
struct Prey {
    home: Home,
    workers: Arc<Workers>,
    shell: Shell,
    files: Vec<(&'static str, String)>,
}

impl Prey {
    fn new() -> Self {
        let home = Home::new();
        let workers = Arc::new(Workers::default());
        let shell = Shell::new(home.view.clone(), &workers);
        Self { home, workers, shell, files: files() }
    }

    /// Returns the command lines of one part.
    fn command_lines(&mut self, part: usize) -> Vec<String> {
        self.prepare().expect("it works");
        let names = self.print("compgen -c");
        let mut names: Vec<&str> = names.lines().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        assert!(names.len() > 100, "the shell says what it has: {names:?}");
        let mut lines = Vec::new();
        for name in names.iter().skip(part).step_by(PARTS) {
            let help = self.print(&format!("{name} --help < /dev/null 2>&1"));
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            let words = help.split(|letter: char| !is_part(letter));
            let mut options: Vec<String> = words
                .filter(|word| word.starts_with("--") && word.len() > 3)
                .map(Into::into)
                .collect();
            options.sort_unstable();
            options.dedup();
            lines.extend(cases(name, &options));
        }
        lines
    }

    fn print(&mut self, script: &str) -> String {
        let output = self.shell.run(script, &limits()).expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Makes the files that are not there, and the variables that hold what is in them.
    fn prepare(&mut self) -> Result<(), String> {
        let path = |name: &str| Path::parse(&format!("/in/{name}")).expect("a path");
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        let limits = patient();
        for is_anew in [false, true] {
            for (name, content) in &self.files {
                if is_anew || self.home.view.stat(&path(name)).is_err() {
                    let written = self.home.view.write(&path(name), content.as_bytes(), &options);
                    written.map_err(|error| error.to_string())?;
                }
            }
            if is_anew {
                // A script may have set an option, or made something, that is in the way.
                self.shell = Shell::new(self.home.view.clone(), &self.workers);
                for (name, _) in &self.files[2..] {
                    let script = format!("{name}=$(cat /in/{name})");
                    self.shell.run(&script, &limits).map_err(|error| error.to_string())?;
                }
            }
            let told = self.shell.run("echo ${#round}", &limits);
            let told = told.map_err(|error| error.to_string())?;
            if told.stdout == format!("{}\n", 2 * DEEP + 1).as_bytes() {
                return Ok(());
            }
            // What is in the place of a file is of no use.
            let place = Path::parse("/in").expect("a path");
            drop(self.home.view.remove(&place, true));
        }
        Err("the session does not keep its variables".into())
    }

    /// Tells whether a script did not look at the time and was given up, which is no end of the
    /// process, unless it takes ever more memory.
    fn has_given_up(&self) -> bool {
        let looks = if is_extended() { GIVEN_UP_LOOKS } else { 0 };
        let is_running = || self.workers.abandoned_scripts() > 0;
        let has_given_up = is_running();
        for _ in (0..looks).take_while(|_| is_running()) {
            thread::sleep(GIVEN_UP_LOOK);
        }
        has_given_up
    }

    /// Runs a script, and then one that must work.
    fn try_one(&mut self, script: &str) -> Result<(), String> {
        self.prepare()?;
        let ran = self.shell.run(script, &limits()).map(drop);
        // That it works is asked, not how soon.
        let next = self.shell.run("echo ok", &patient());
        ran.map_err(|error| error.to_string())?;
        let next = next.map_err(|error| format!("and then {error}"))?;
        if next.stdout == b"ok\n" { Ok(()) } else { Err(format!("and then {next:?}")) }
    }
}

/// Lets children try the cases of a part; one that ends is followed by another.
fn nothing_ends_the_process(part: usize) {
    let mut found = Vec::new();
    let (mut skip, mut ended) = (0, false);
    while !ended {
        let mut stderr = tempfile::tempfile().expect("a file");
        let mut child = Command::new(env::current_exe().expect("it has a path"))
            .args(["--exact", "aborts::child", "--nocapture"])
            .env(PART, part.to_string())
            .env(SKIP, skip.to_string())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone().expect("another"))
            .spawn()
            .expect("it starts");
        let (mut tried, mut is_next) = (String::new(), false);
        for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
            let line = line.expect("text");
            if let Some(case) = line.strip_prefix("#try ") {
                let (index, script) = case.split_once(' ').expect("a number and a script");
                skip = index.parse::<usize>().expect("a number") + 1;
                script.clone_into(&mut tried);
            } else if let Some(why) = line.strip_prefix("#bad ") {
                found.push(format!("{tried}: {why}"));
            }
            ended |= line == "#end";
            is_next |= line == "#anew";
        }
        let status = child.wait().expect("it ended");
        let is_sound = ended || (is_next && status.success());
        if !is_sound {
            stderr.rewind().expect("it is a file");
            let said = io::read_to_string(stderr).unwrap_or_default();
            let last =
                said.lines().rfind(|line| line.contains("memory") || line.contains("overflow"));
            found.push(format!("{tried}: {status}: {}", last.unwrap_or(&said)));
            assert!(found.len() < 2000 && !tried.is_empty(), "{found:#?}");
        }
    }
    assert!(found.is_empty(), "{} cases:\n{}", found.len(), found.join("\n"));
}

/// A test for each part, so that none is long.
macro_rules! parts {
    ($($name:ident $part:literal)*) => {$(
        #[test]
        fn $name() {
            nothing_ends_the_process($part);
        }
    )*};
}

parts! {
    nothing_ends_the_process_0 0
    nothing_ends_the_process_1 1
    nothing_ends_the_process_2 2
    nothing_ends_the_process_3 3
    nothing_ends_the_process_4 4
    nothing_ends_the_process_5 5
    nothing_ends_the_process_6 6
    nothing_ends_the_process_7 7
}
