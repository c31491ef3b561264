//! Sessions of the shell in a process of their own, so that whatever a script does to its process
//! it does to its session alone.
//!
//! The worker has two sockets and nothing else: by the first it is told what to run and tells what
//! came of it, the second is [lent](crate::lent) and is the agent's home. What keeps it from having
//! more is the matter of the program that it is.

use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path as HostPath, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Result};
use homefs_shell::{
    Call, Elsewhere, INTERRUPTED, Interrupter, Limits, Output, STOPPED, Shell, Sink, Stream,
    TIMED_OUT, Workers,
};
use parking_lot::Mutex;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use crate::channel::{Channel, Fault};
use crate::client::Client;
use crate::hello::{self, VERSION};
use crate::lent::{self, Lent};

/// The argument by which a program is a worker.
const WORKER: &str = "shell-worker";
/// How long after its deadline a worker may still answer; it gives its script up before.
const GRACE: Duration = Duration::from_secs(2);

/// Longest output that is told in one piece; two of them fit into a message.
const PART_BYTES: usize = 16 << 20;
/// What homefs says itself of a script comes on top of what the script may print.
const SAID_BYTES_MAX: usize = 64 << 10;

/// By what a process ends that needs more than there is: a stack or memory that has an end, or what
/// the host takes back.
const NEEDY: [Signal; 5] = [Signal::SEGV, Signal::ABORT, Signal::BUS, Signal::KILL, Signal::XCPU];

/// How long a worker may take to begin.
const STARTING: Duration = Duration::from_secs(10);

/// What a worker is told.
#[derive(Serialize, Deserialize)]
enum Order {
    Run {
        script: String,
        limits: Bounds,
        stdin: Bytes,
        name: Option<String>,
        arguments: Vec<String>,
        /// Whether output is told as it is made.
        told: bool,
    },
    Interrupt,
}

/// What a worker tells.
#[derive(Serialize, Deserialize)]
enum News {
    Printed {
        to_error: bool,
        bytes: Bytes,
    },
    Ended {
        stdout: Bytes,
        stderr: Bytes,
        status: i32,
        truncated: bool,
    },
    Failed(String),
    /// The beginning of what [`News::Ended`] has the end of.
    Part {
        to_error: bool,
        bytes: Bytes,
    },
}

/// [`Limits`] as they travel.
#[derive(Serialize, Deserialize)]
struct Bounds {
    time: Duration,
    commands: usize,
    output_bytes: usize,
    memory_bytes: usize,
}

/// A session that runs in a process of its own.
pub(crate) struct Apart {
    client: Client,
    program: PathBuf,
    /// Whether its scripts are refused what would change something.
    is_read_only: bool,
    worker: Option<Worker>,
    interrupter: Interrupter,
}

/// A process that runs scripts.
struct Worker {
    child: Child,
    channel: Channel,
    /// The process that started it.
    starter: u32,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // In a forked child it is the parent's.
        if self.starter != std::process::id() {
            return;
        }
        // It may be at a script that does not end.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Worker {
    fn start(client: &Client, program: &HostPath, is_read_only: bool) -> Result<Self> {
        let failed = |error| Error::io("start a process for scripts", error);
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let child = Command::new(program)
            .arg(WORKER)
            .env_clear()
            // What a terminal tells all processes of a program is for the program alone: it decides
            // what becomes of its scripts, and its workers end with their connections.
            .process_group(0)
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
            .stdout(Stdio::from(std::os::fd::OwnedFd::from(client.lend_for(is_read_only)?)))
            .spawn()
            .map_err(failed)?;
        let (channel, starter) = (Channel::new(Arc::new(ours)), std::process::id());
        let mut worker = Self { child, channel, starter };
        worker.greet(program)?;
        Ok(worker)
    }
}

impl Worker {
    /// Hears whether the program is a worker that speaks as this process does.
    fn greet(&mut self, program: &HostPath) -> Result<()> {
        let late = &mut || Err(Fault::Broken(std::io::ErrorKind::TimedOut.into()));
        let socket = self.channel.socket();
        let limited = socket.set_read_timeout(Some(STARTING)).map_err(Fault::Broken);
        let name = format!("the program {}", program.display());
        let read = |hello: &[u8]| hello::decode_of_same(hello, &name);
        limited.and_then(|()| self.channel.receive_hello(late, read)).map_err(|fault| match fault {
            Fault::Final(error) => error,
            Fault::Broken(cause) => {
                let message = format!("{name} does not run scripts: it must be homefs {VERSION}");
                Error::new(ErrorKind::Unsupported, message).with_source(cause)
            }
        })
    }
}

/// Whether somebody ends a script. That may be before its worker has it, which can take seconds to
/// start.
#[derive(Default)]
struct Ending {
    is_asked: bool,
    /// By which the worker is told, from when it has the script.
    telling: Option<Channel>,
}

impl Ending {
    /// Ends the script now, or as soon as the worker has it.
    fn ask(&mut self) {
        self.is_asked = true;
        if let Some(telling) = &mut self.telling {
            telling.send(&Order::Interrupt, &mut || Ok(())).ok();
        }
    }

    /// The worker has the script: it is told from now on, and of what was asked for before.
    fn tell_by(&mut self, telling: Channel) {
        self.telling = Some(telling);
        if self.is_asked {
            self.ask();
        }
    }
}

impl Apart {
    /// Makes a session of a client's agent; `program` becomes its worker.
    pub(crate) fn new(client: &Client, program: &HostPath, is_read_only: bool) -> Self {
        let (client, program) = (client.clone(), program.to_owned());
        let interrupter = Interrupter::default();
        Self { client, program, is_read_only, worker: None, interrupter }
    }

    /// Returns what ends a script while it runs.
    pub(crate) fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Runs a script with its input and arguments.
    pub(crate) fn call(&mut self, call: Call) -> Result<Output> {
        let ending: Arc<Mutex<Ending>> = Arc::default();
        let asked = Arc::clone(&ending);
        // From here on, and not after: an order that comes between two scripts is for none.
        let elsewhere = Elsewhere(Box::new(move || asked.lock().ask()));
        self.interrupter.set_elsewhere(Some(elsewhere));
        let ran = self.call_until(call, &ending);
        self.interrupter.set_elsewhere(None);
        ran
    }

    /// Runs a script, unless somebody ends it before its worker has it.
    fn call_until(&mut self, call: Call, ending: &Mutex<Ending>) -> Result<Output> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.client, &self.program, self.is_read_only)?,
        };
        let Call { script, limits, stdin, name, arguments, mut sink } = call;
        let socket = worker.channel.socket();
        let failed = |error| Error::io("talk to the process of a shell", error);
        socket.set_read_timeout(Some(limits.time.saturating_add(GRACE))).map_err(failed)?;
        let room = limits.output_bytes.saturating_add(SAID_BYTES_MAX);
        let limits = Bounds::from(limits);
        let (stdin, told) = (stdin.into(), sink.is_some());
        let order = Order::Run { script, limits, stdin, name, arguments, told };
        let late = &mut || Err(Fault::Broken(std::io::ErrorKind::TimedOut.into()));
        if ending.lock().is_asked {
            self.worker = Some(worker);
            return Ok(interrupted(sink));
        }
        if let Err(Fault::Final(error)) = worker.channel.send(&order, late) {
            // It is too long, and nothing of it was sent.
            self.worker = Some(worker);
            return Err(error);
        }
        ending.lock().tell_by(worker.channel.twin());
        let mut output = Output::default();
        let ended = loop {
            match worker.channel.receive(late) {
                Ok(News::Printed { to_error, bytes }) => {
                    let stream = if to_error { Stream::Error } else { Stream::Output };
                    if let Some(sink) = &mut sink {
                        sink(stream, &bytes);
                    }
                }
                Ok(News::Part { to_error, bytes }) => {
                    let kept = if to_error { &mut output.stderr } else { &mut output.stdout };
                    if kept.len().saturating_add(bytes.len()) > room {
                        break Err(Fault::Final(nonsense()));
                    }
                    kept.extend_from_slice(&bytes);
                }
                ended => break ended,
            }
        };
        match ended {
            Ok(News::Ended { stdout, stderr, status, truncated }) => {
                self.worker = Some(worker);
                output.stdout.extend_from_slice(&stdout);
                output.stderr.extend_from_slice(&stderr);
                Ok(Output { status, truncated, ..output })
            }
            Ok(News::Failed(message)) => Err(Error::new(ErrorKind::Unavailable, message)),
            Ok(News::Printed { .. } | News::Part { .. }) | Err(Fault::Final(_)) => Err(nonsense()),
            Err(Fault::Broken(cause)) => Ok(given_up(&mut worker, &cause)),
        }
    }
}

fn nonsense() -> Error {
    Error::new(ErrorKind::Internal, "the process of a shell makes no sense")
}

/// Says what a session says of a script that was ended.
fn interrupted(sink: Option<Sink>) -> Output {
    let message = b"homefs: interrupted\n";
    if let Some(mut sink) = sink {
        sink(Stream::Error, message);
    }
    Output { stderr: message.to_vec(), status: INTERRUPTED, ..Output::default() }
}

/// Tells what became of a script that does not answer; its process ends.
fn given_up(worker: &mut Worker, cause: &std::io::Error) -> Output {
    let is_late = cause.kind() == std::io::ErrorKind::TimedOut;
    worker.child.kill().ok();
    let ended = worker.child.wait().ok();
    let (status, why) = if is_late {
        (TIMED_OUT, "did not stop in time".to_owned())
    } else {
        (STOPPED, ending(ended.and_then(|status| status.signal())))
    };
    let message = format!("homefs: the script {why}; the session starts anew\n");
    Output { stderr: message.into_bytes(), status, ..Output::default() }
}

/// Says how a process ended, as far as that is known.
fn ending(signal: Option<i32>) -> String {
    let Some(signal) = signal else { return "ended its process".to_owned() };
    let is_needy = NEEDY.iter().any(|needy| needy.as_raw() == signal);
    let why = if is_needy { ": it needed more memory or depth than there is" } else { "" };
    format!("ended its process, by signal {signal}{why}")
}

impl From<Limits> for Bounds {
    fn from(limits: Limits) -> Self {
        let Limits { time, commands, output_bytes, memory_bytes } = limits;
        Self { time, commands, output_bytes, memory_bytes }
    }
}

impl From<Bounds> for Limits {
    fn from(bounds: Bounds) -> Self {
        let Bounds { time, commands, output_bytes, memory_bytes } = bounds;
        Self { time, commands, output_bytes, memory_bytes }
    }
}

/// Runs the scripts that come by `orders` on the home that was lent, until whoever sends them hangs
/// up; a script that runs then is not waited for.
///
/// # Errors
///
/// If one of the connections is not what it should be.
pub fn serve_scripts(orders: UnixStream, home: UnixStream) -> Result<()> {
    let mut orders = Channel::new(Arc::new(orders));
    let answers = Arc::new(Mutex::new(orders.twin()));
    let hello = hello::encode(&())?;
    answers.lock().send_bytes(&hello, &mut || Ok(())).map_err(lent::told)?;
    let mut shell = Shell::new(Lent::new(home)?, &Arc::<Workers>::default());
    loop {
        let (mut call, told) = match orders.receive(&mut || Ok(())) {
            Ok(Order::Run { script, limits, stdin, name, arguments, told }) => {
                let (limits, stdin) = (limits.into(), stdin.into());
                (Call { script, limits, stdin, name, arguments, sink: None }, told)
            }
            // It is for a script that has ended.
            Ok(Order::Interrupt) => continue,
            Err(_) => return Ok(()),
        };
        if told {
            let printed = Arc::clone(&answers);
            call.sink = Some(Box::new(move |stream, bytes| {
                for bytes in bytes.chunks(PART_BYTES) {
                    let bytes = Bytes::copy_from_slice(bytes);
                    let news = News::Printed { to_error: stream == Stream::Error, bytes };
                    printed.lock().send(&news, &mut || Ok(())).ok();
                }
            }));
        }
        let interrupter = shell.interrupter();
        let (mut gone, mut asked) = (false, false);
        let mut look = || {
            while !gone && orders.is_ready() {
                match orders.receive(&mut || Ok(())) {
                    Ok(Order::Interrupt) => asked = true,
                    Ok(Order::Run { .. }) | Err(_) => gone = true,
                }
            }
            // Each time: a script that begins only now forgets what came before.
            if asked {
                interrupter.interrupt();
            }
            !gone
        };
        let ran = shell.call_watched(call, Some(&mut look));
        if gone {
            return Ok(());
        }
        if tell(&mut answers.lock(), ran).is_err() {
            return Ok(());
        }
    }
}

/// Tells what came of a script; what is too long for one message in parts.
fn tell(answers: &mut Channel, ran: Result<Output>) -> Result<(), Fault> {
    let mut send = |news: &News| answers.send(news, &mut || Ok(()));
    let Output { stdout, stderr, status, truncated } = match ran {
        Ok(output) => output,
        Err(error) => return send(&News::Failed(error.to_string())),
    };
    let [mut stdout, mut stderr] = [stdout, stderr].map(Bytes::from);
    for (to_error, stream) in [(false, &mut stdout), (true, &mut stderr)] {
        while stream.len() > PART_BYTES {
            send(&News::Part { to_error, bytes: stream.split_to(PART_BYTES) })?;
        }
    }
    send(&News::Ended { stdout, stderr, status, truncated })
}

#[cfg(test)]
mod tests {
    use homefs_core::{AgentId, Clock as _, SystemClock};
    use homefs_view::Who;

    use super::*;
    use crate::client::ClientOptions;

    #[test]
    fn how_a_process_ended_is_told_as_far_as_it_is_known() {
        let check = |signal: Option<Signal>, is_needy: bool| {
            let said = ending(signal.map(Signal::as_raw));
            assert_eq!(said.contains("memory"), is_needy, "{said}");
            assert_eq!(said.contains("signal"), signal.is_some(), "{said}");
        };
        check(None, false);
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::SYS] {
            check(Some(signal), false);
        }
        for signal in NEEDY {
            check(Some(signal), true);
        }
    }

    #[test]
    fn a_script_that_nobody_waits_for_holds_up_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let who = Who { agent: AgentId::new("me").unwrap(), operator: false, all: false };
        let client = Client::open(ClientOptions::new(dir.path().join("store"), who)).unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        let home = client.lend().unwrap();
        let serving = std::thread::spawn(move || serve_scripts(theirs, home));
        // Far longer than even a busy machine takes to notice.
        let time = Duration::from_mins(1);
        let limits = Limits { time, ..Limits::default() }.into();
        let (script, name, arguments) = ("while :; do :; done".into(), None, Vec::new());
        let order =
            Order::Run { script, limits, stdin: Bytes::new(), name, arguments, told: false };
        let mut channel = Channel::new(Arc::new(ours));
        channel.receive_hello(&mut || Ok(()), |hello| hello::decode::<()>(hello, "it")).unwrap();
        channel.send(&order, &mut || Ok(())).unwrap();
        drop(channel);
        let begun = SystemClock.steady();
        serving.join().unwrap().unwrap();
        assert!(SystemClock.steady().since(begun) < time, "it was waited for");
    }
}
