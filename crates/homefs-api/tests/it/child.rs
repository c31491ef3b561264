//! Other processes: this test program run again, told what to do line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path as HostPath;
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use homefs_api::{Client, ClientOptions, Hold};
use homefs_core::{Error, ErrorKind, Result};
use homefs_view::WriteOptions;
use rustix::fs::{FileType, fstat};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Signal, WaitOptions, pidfd_getfd, pidfd_open,
};

use crate::{me, path, strangers};

/// Set in the environment of a child.
const SWITCH: &str = "HOMEFS_TEST_CHILD";

/// Another process with a client of its own.
pub(crate) struct Child {
    process: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Child {
    /// Starts a process that has opened nothing yet.
    pub(crate) fn start() -> Self {
        Self::start_as(None).expect("the test program starts again")
    }

    /// Starts a process of another user of the host.
    pub(crate) fn start_as(uid: Option<u32>) -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--exact", "child::obeys", "--nocapture", "--test-threads=1"]);
        command.env(SWITCH, "1").stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(uid) = uid {
            std::os::unix::process::CommandExt::uid(&mut command, uid);
        }
        let mut process = command.spawn()?;
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(Self { process, input, output })
    }

    /// Starts a process that opens a store.
    pub(crate) fn open(dir: &HostPath) -> Self {
        let mut child = Self::start();
        child.ask(&format!("open {}", dir.display())).expect("the store opens");
        child
    }

    /// Tells the process to do something.
    pub(crate) fn tell(&mut self, command: &str) {
        writeln!(self.input, "{command}").expect("the child reads");
    }

    /// Waits for the next line it says; `None` if it has ended.
    pub(crate) fn hear(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            // The test harness also writes there.
            if let Some(said) = line.strip_prefix('@') {
                return Some(said.trim_end().to_owned());
            }
        }
    }

    /// Waits for the result of what it was told.
    pub(crate) fn result(&mut self) -> Result<String, String> {
        let said = self.hear().expect("the child answers");
        match said.strip_prefix("ok ") {
            Some(done) => Ok(done.to_owned()),
            None => Err(said),
        }
    }

    /// Tells it to do something and waits for the result.
    pub(crate) fn ask(&mut self, command: &str) -> Result<String, String> {
        self.tell(command);
        self.result()
    }

    /// Returns its process id.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Makes it stand still until it is told to go on.
    pub(crate) fn pause(&self) {
        rustix::process::kill_process(self.pid(), Signal::STOP).expect("the child is there");
        // The signal takes effect some time after it was sent.
        rustix::process::waitpid(Some(self.pid()), WaitOptions::UNTRACED).expect("it stops");
    }

    /// Lets it go on.
    pub(crate) fn go_on(&self) {
        rustix::process::kill_process(self.pid(), Signal::CONT).expect("the child is there");
    }
}

/// Tells all of them to do something at once and waits for the results.
pub(crate) fn ask_all(children: &mut [Child], command: &str) -> Vec<Result<String, String>> {
    for child in &mut *children {
        child.tell(command);
    }
    children.iter_mut().map(Child::result).collect()
}

impl Drop for Child {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// What a child does instead of testing.
#[test]
fn obeys() {
    #[expect(clippy::disallowed_methods, reason = "this is how a child is told that it is one")]
    if std::env::var_os(SWITCH).is_none() {
        return;
    }
    let mut state = State::default();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        match state.obey(&line) {
            Ok(done) => say(&format!("ok {done}")),
            Err(error) => say(&format!("{}: {error}", error.kind())),
        }
    }
}

#[derive(Default)]
struct State {
    client: Option<Client>,
    hold: Option<Hold>,
}

impl State {
    fn obey(&mut self, line: &str) -> Result<String> {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (command, first, second) = (word(), word(), word());
        let options = WriteOptions::default();
        if command == "open" {
            let mut options = ClientOptions::new(first, me());
            options.deadline = Duration::from_secs(30);
            self.client = Some(Client::open(options)?);
        }
        if command == "greet" {
            let said = strangers::say(HostPath::new(first), b"");
            return Ok(String::from_utf8_lossy(&said).replace('\n', " "));
        }
        let Some(client) = &self.client else { return Ok("nothing".into()) };
        match command {
            "open" | "role" => {}
            "append" => {
                return Ok(client.append(&path(first), second.as_bytes(), &options)?.to_string());
            }
            "read" => {
                let content = client.read(&path(first))?;
                return Ok(String::from_utf8_lossy(&content).into_owned());
            }
            "load" => {
                for number in 0.. {
                    let text = format!("{second}-{number}\n");
                    client.append(&path(first), text.as_bytes(), &options)?;
                    say(&format!("{number} {}", role(client)));
                }
            }
            "take_over" => client.take_over()?,
            "hold" => self.hold = Some(client.hold()),
            "release" => self.hold = None,
            "close" => client.close()?,
            "share" => {
                let sharers = share_sockets().map_err(|error| Error::io("share", error))?;
                return Ok(sharers.join(" "));
            }
            other => return Err(Error::new(ErrorKind::Invalid, format!("no command {other:?}"))),
        }
        Ok(role(client).into())
    }
}

/// Gives every socket to a process of its own, which keeps it open as a forked child would.
fn share_sockets() -> std::io::Result<Vec<String>> {
    let this = pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?;
    let mut sharers = Vec::new();
    for number in 3..100 {
        let Ok(descriptor) = pidfd_getfd(&this, number, PidfdGetfdFlags::empty()) else { continue };
        if FileType::from_raw_mode(fstat(&descriptor)?.st_mode) == FileType::Socket {
            let sharer = Command::new("sleep").arg("60").stdin(descriptor).spawn()?;
            sharers.push(sharer.id().to_string());
        }
    }
    Ok(sharers)
}

fn role(client: &Client) -> &'static str {
    if client.view_here().is_some() { "owner" } else { "client" }
}

fn say(text: &str) {
    let mut output = std::io::stdout().lock();
    // The harness may have left a line unfinished.
    write!(output, "\n@{text}\n").expect("the parent listens");
    output.flush().expect("the parent listens");
}
