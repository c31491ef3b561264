//! Sessions of the shell in a process of their own, so that whatever a script does to its process
//! it does to its session alone.
//!
//! The worker has two sockets and nothing else: by the first it is told what to run and tells what
//! came of it, the second is [lent](crate::lent) and is the agent's home. What keeps it from having
//! more is the matter of the program that it is.

use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path as HostPath, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Result};
use homefs_shell::{
    Call, Elsewhere, Interrupter, Limits, Output, STOPPED, Shell, Stream, TIMED_OUT, Workers,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::channel::{Channel, Fault};
use crate::client::Client;
use crate::lent::Lent;

/// The argument by which a program is a worker.
const WORKER: &str = "shell-worker";
/// How long after its deadline a worker may still answer; it gives its script up before.
const GRACE: Duration = Duration::from_secs(2);

/// What a worker is told.
#[derive(Serialize, Deserialize)]
enum Order {
    Run {
        script: String,
        limits: Bounds,
        stdin: Bytes,
        name: Option<String>,
        arguments: Vec<String>,
    },
    Interrupt,
}

/// What a worker tells.
#[derive(Serialize, Deserialize)]
enum News {
    Printed { to_error: bool, bytes: Bytes },
    Ended { stdout: Bytes, stderr: Bytes, status: i32, truncated: bool },
    Failed(String),
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
    worker: Option<Worker>,
    interrupter: Interrupter,
}

/// A process that runs scripts.
struct Worker {
    child: Child,
    channel: Channel,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be at a script that does not end.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Worker {
    fn start(client: &Client, program: &HostPath) -> Result<Self> {
        let failed = |error| Error::io("start a process for scripts", error);
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let child = Command::new(program)
            .arg(WORKER)
            .env_clear()
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
            .stdout(Stdio::from(std::os::fd::OwnedFd::from(client.lend()?)))
            .spawn()
            .map_err(failed)?;
        Ok(Self { child, channel: Channel::new(Arc::new(ours)) })
    }
}

impl Apart {
    /// Makes a session of a client's agent; `program` becomes its worker.
    pub(crate) fn new(client: &Client, program: &HostPath) -> Self {
        let (client, program) = (client.clone(), program.to_owned());
        Self { client, program, worker: None, interrupter: Interrupter::default() }
    }

    /// Returns what ends a script while it runs.
    pub(crate) fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Runs a script with its input and arguments.
    pub(crate) fn call(&mut self, call: Call) -> Result<Output> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.client, &self.program)?,
        };
        let Call { script, limits, stdin, name, arguments, mut sink } = call;
        let socket = worker.channel.socket();
        let failed = |error| Error::io("talk to the process of a shell", error);
        socket.set_read_timeout(Some(limits.time.saturating_add(GRACE))).map_err(failed)?;
        let telling = Mutex::new(Channel::new(Arc::new(socket.try_clone().map_err(failed)?)));
        let limits = Bounds::from(limits);
        let order = Order::Run { script, limits, stdin: stdin.into(), name, arguments };
        let late = &mut || Err(Fault::Broken(std::io::ErrorKind::TimedOut.into()));
        if let Err(Fault::Final(error)) = worker.channel.send(&order, late) {
            return Err(error);
        }
        // Only while the order runs: an order that comes between two is for none.
        self.interrupter.set_elsewhere(Some(Elsewhere(Box::new(move || {
            telling.lock().send(&Order::Interrupt, &mut || Ok(())).ok();
        }))));
        let ended = loop {
            match worker.channel.receive(late) {
                Ok(News::Printed { to_error, bytes }) => {
                    let stream = if to_error { Stream::Error } else { Stream::Output };
                    if let Some(sink) = &mut sink {
                        sink(stream, &bytes);
                    }
                }
                ended => break ended,
            }
        };
        self.interrupter.set_elsewhere(None);
        match ended {
            Ok(News::Ended { stdout, stderr, status, truncated }) => {
                self.worker = Some(worker);
                Ok(Output { stdout: stdout.into(), stderr: stderr.into(), status, truncated })
            }
            Ok(News::Failed(message)) => Err(Error::new(ErrorKind::Unavailable, message)),
            Ok(News::Printed { .. }) | Err(Fault::Final(_)) => {
                Err(Error::new(ErrorKind::Internal, "the process of a shell makes no sense"))
            }
            Err(Fault::Broken(cause)) => Ok(given_up(&mut worker, &cause)),
        }
    }
}

/// Tells what became of a script that does not answer; its process ends.
fn given_up(worker: &mut Worker, cause: &std::io::Error) -> Output {
    let is_late = cause.kind() == std::io::ErrorKind::TimedOut;
    worker.child.kill().ok();
    let ended = worker.child.wait().ok();
    let (status, why) = if is_late {
        (TIMED_OUT, "did not stop in time".to_owned())
    } else {
        let by = ended.and_then(|status| status.signal());
        let by = by.map_or_else(String::new, |signal| format!(", by signal {signal}"));
        (STOPPED, format!("ended its process{by}: it needed more memory or depth than there is"))
    };
    let message = format!("homefs: the script {why}; the session starts anew\n");
    Output { stderr: message.into_bytes(), status, ..Output::default() }
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
/// up.
///
/// # Errors
///
/// If one of the connections is not what it should be.
pub fn serve_scripts(orders: UnixStream, home: UnixStream) -> Result<()> {
    let failed = |error| Error::io("talk to whoever started this process", error);
    let answers = Arc::new(Mutex::new(Channel::new(Arc::new(orders.try_clone().map_err(failed)?))));
    let mut orders = Channel::new(Arc::new(orders));
    let mut shell = Shell::new(Lent::new(home)?, &Arc::<Workers>::default());
    let interrupter = shell.interrupter();
    let (hand_over, calls) = mpsc::channel();
    // Orders are read while a script runs, because one may be to end it.
    let read = move || {
        loop {
            match orders.receive(&mut || Ok(())) {
                Ok(Order::Interrupt) => interrupter.interrupt(),
                Ok(Order::Run { script, limits, stdin, name, arguments }) => {
                    let (limits, stdin) = (limits.into(), stdin.into());
                    let call = Call { script, limits, stdin, name, arguments, sink: None };
                    if hand_over.send(call).is_err() {
                        return;
                    }
                }
                Err(_) => return,
            }
        }
    };
    thread::Builder::new().name("homefs-orders".into()).spawn(read).map_err(failed)?;
    for mut call in calls {
        let printed = Arc::clone(&answers);
        call.sink = Some(Box::new(move |stream, bytes| {
            let bytes = Bytes::copy_from_slice(bytes);
            let news = News::Printed { to_error: stream == Stream::Error, bytes };
            printed.lock().send(&news, &mut || Ok(())).ok();
        }));
        let news = match shell.call(call) {
            Ok(Output { stdout, stderr, status, truncated }) => {
                News::Ended { stdout: stdout.into(), stderr: stderr.into(), status, truncated }
            }
            Err(error) => News::Failed(error.to_string()),
        };
        if answers.lock().send(&news, &mut || Ok(())).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
