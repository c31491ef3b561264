//! Runs a script in real bash and in our shell, and compares what comes of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path as HostPath, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use homefs_core::Path;
use homefs_shell::{Limits, Shell, Workers};
use homefs_view::{Kind, pages};
use regex::Regex;

use crate::common::Home;
use crate::fixture::{make_on_disk, tree};
use crate::oracle::{self, PROGRAMS};

/// The tree on which scripts run.
const TREE: &str = "small";

/// What is known to differ: a pattern of scripts, and why.
pub(super) struct Exceptions(Vec<Regex>);

impl Exceptions {
    pub(super) fn read() -> Self {
        let text = super::read("exceptions.txt");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let pattern = |line: &str| Regex::new(line).expect("it is a pattern");
        Self(lines.map(pattern).collect())
    }

    fn has(&self, script: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(script))
    }
}

/// What ours refuses, in its own words.
const REFUSALS: &[&str] = &[
    "within $( ), before a pipe or in what is redirected",
    "works outside of functions, groups and other commands",
    "within ( ) or $( ) would end that part alone",
    "the interpreter runs nothing on DEBUG",
];

/// What came of a script.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    stdout: String,
    status: i32,
    files: BTreeMap<String, String>,
}

impl Told {
    /// Returns the same with one status for both that a variable without a value ends with.
    fn with_one_status(&self) -> Self {
        let numbers = Regex::new(r"\b127\b").expect("it is a pattern");
        let stdout = numbers.replace_all(&self.stdout, "1");
        let status = if self.status == 127 { 1 } else { self.status };
        Self { stdout: stdout.into_owned(), status, files: self.files.clone() }
    }
}

/// Whether both do the same.
pub(super) enum Verdict {
    Same,
    /// Ours says that it does not.
    Refused,
    Differs(String),
}

/// Runs scripts, one after another.
pub(super) struct Judge<'a> {
    dir: PathBuf,
    programs: PathBuf,
    home: Home,
    workers: Arc<Workers>,
    exceptions: &'a Exceptions,
    count: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn new(dir: &HostPath, worker: usize, exceptions: &'a Exceptions) -> Self {
        Self {
            dir: dir.join(format!("w{worker}")),
            programs: dir.join(PROGRAMS),
            home: Home::new(),
            workers: Arc::new(Workers::default()),
            exceptions,
            count: 0,
        }
    }

    pub(super) fn judge(&mut self, script: &str) -> Verdict {
        if self.exceptions.has(script) {
            return Verdict::Same;
        }
        let (bash, said) = self.in_bash(script);
        // What is no script is nothing to compare; nor is what nobody waits for.
        if said.contains("syntax error") || said.contains("unexpected EOF") || bash.status == 124 {
            return Verdict::Same;
        }
        let (ours, words) = self.in_shell(script);
        // What is refused with words is not wrong without a word, if the words are known.
        if let Some(why) = words.lines().find_map(|line| line.strip_prefix("homefs: stopped:")) {
            let known = REFUSALS.iter().any(|refusal| why.contains(refusal));
            return if known { Verdict::Refused } else { Verdict::Differs(words) };
        }
        // Both end with it, and with another status, which a trap may print.
        let unbound = |said: &str| said.contains("unbound variable");
        let alike = if unbound(&said) && unbound(&words) {
            bash.with_one_status() == ours.with_one_status()
        } else {
            bash == ours
        };
        if alike {
            return Verdict::Same;
        }
        // Commands of a pipe race in bash: only what it does each time counts.
        if (0..2).any(|_| self.in_bash(script).0 != bash) {
            return Verdict::Same;
        }
        Verdict::Differs(difference(&bash, &ours, &said, &words))
    }

    fn in_bash(&self, script: &str) -> (Told, String) {
        let place = self.dir.join("t");
        drop(fs::remove_dir_all(&self.dir));
        make_on_disk(&tree(TREE), &place);
        let output = Command::new(self.programs.join("timeout"))
            .args(["5", "bash", "-c", script])
            .env_clear()
            .env("PATH", &self.programs)
            .env("HOME", &self.dir)
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&place)
            .stdin(Stdio::null())
            .output()
            .expect("bash runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stdout = stdout.replace(&*self.dir.to_string_lossy(), "");
        let mut told =
            Told { stdout, status: output.status.code().unwrap_or(-1), ..Told::default() };
        list_on_disk(&place, "", &mut told.files);
        (told, String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn in_shell(&mut self, script: &str) -> (Told, String) {
        self.count += 1;
        let root = format!("/c{}", self.count);
        oracle::grow(&self.home, TREE, &format!("{root}/t"));
        let mut shell = Shell::new(self.home.view.clone(), &self.workers);
        let limits = Limits { time: Duration::from_secs(5), ..Limits::default() };
        let start = format!("export HOME={root} LC_ALL=C.UTF-8; cd {root}/t");
        shell.run(&start, &limits).expect("it runs");
        let output = shell.run(script, &limits).expect("it runs");
        let stdout = String::from_utf8_lossy(&output.stdout).replace(&root, "");
        let mut told = Told { stdout, status: output.status, ..Told::default() };
        list_in_view(&self.home, &format!("{root}/t"), "", &mut told.files);
        let path = Path::parse(&root).expect("it is a path");
        self.home.view.remove(&path, true).expect("it can be removed");
        (told, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Messages differ, and where they go is not compared.
const OF_MESSAGES: &str = "err";

fn list_on_disk(root: &HostPath, below: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(root.join(below)).into_iter().flatten() {
        let entry = entry.expect("it is read");
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let meta = entry.metadata().expect("it is there");
        let mode = meta.permissions().mode() & 0o7777;
        let told = if meta.is_dir() {
            list_on_disk(root, &format!("{name}/"), files);
            format!("directory {mode:o}")
        } else if meta.is_symlink() {
            format!("-> {}", fs::read_link(entry.path()).expect("a link").display())
        } else {
            let content = fs::read(entry.path()).expect("it is read");
            format!("{mode:o} {:?}", String::from_utf8_lossy(&content))
        };
        if name != OF_MESSAGES {
            files.insert(name, told);
        }
    }
}

fn list_in_view(home: &Home, root: &str, below: &str, files: &mut BTreeMap<String, String>) {
    let at = |name: &str| Path::parse(&format!("{root}/{name}")).expect("it is a path");
    let dir = Path::resolve(root, below.trim_end_matches('/')).expect("it is a path");
    let entries = pages::all(|after| home.view.list(&dir, after, 1000)).unwrap_or_default();
    for entry in entries {
        let name = format!("{below}{}", entry.name);
        let mode = entry.stat.mode & 0o7777;
        let told = match entry.stat.kind {
            Kind::Directory => {
                list_in_view(home, root, &format!("{name}/"), files);
                format!("directory {mode:o}")
            }
            Kind::Link => format!("-> {}", home.view.read_link(&at(&name)).expect("a link")),
            _ => {
                let content = home.view.read(&at(&name)).expect("it is read");
                format!("{mode:o} {:?}", String::from_utf8_lossy(&content))
            }
        };
        if name != OF_MESSAGES {
            files.insert(name, told);
        }
    }
}

fn difference(bash: &Told, ours: &Told, said: &str, words: &str) -> String {
    let mut text = String::new();
    let mut write = |line: String| writeln!(text, "{line}").expect("a string grows");
    if bash.stdout != ours.stdout || bash.status != ours.status {
        write(format!("--- bash {}\n{}", bash.status, bash.stdout));
        write(format!("--- ours {}\n{}", ours.status, ours.stdout));
    }
    for name in bash.files.keys().chain(ours.files.keys()) {
        let (left, right) = (bash.files.get(name), ours.files.get(name));
        if left != right {
            write(format!("--- file {name}\nbash {left:?}\nours {right:?}"));
        }
    }
    write(format!("--- said by bash\n{said}--- by ours\n{words}"));
    text
}
