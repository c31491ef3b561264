//! A session: scripts that follow one another, on one view.

use std::sync::Arc;

use homefs_core::Result;
use parking_lot::Mutex;

use crate::builtins::{Command, Ground};
use crate::candidates::{Candidates, Indexed};
use crate::engine::{self, Engine};
use crate::files::{Files, Mask};
use crate::home::Home;
use crate::interrupt::Interrupter;
use crate::limits::Limits;
use crate::nesting::Programs;
use crate::worker::{Worker, Workers};

/// The status of a script that ran out of time.
pub const TIMED_OUT: i32 = 124;

/// The status of a script that was stopped by another limit.
pub const STOPPED: i32 = 137;

/// The status of a script that somebody ended.
pub const INTERRUPTED: i32 = 130;

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Takes output as it is made, on the thread of the session.
pub type Sink = Box<dyn FnMut(Stream, &[u8]) + Send>;

/// Looks around while a script runs; tells whether it is still waited for.
pub type Look<'a> = &'a mut dyn FnMut() -> bool;

/// One script to run.
#[derive(Default)]
pub struct Call {
    /// The text of the script.
    pub script: String,
    /// What it may use up.
    pub limits: Limits,
    /// What commands read that read standard input.
    pub stdin: Vec<u8>,
    /// What `$0` is; `bash` if not given.
    pub name: Option<String>,
    /// What `$1`, `$2` and so on are.
    pub arguments: Vec<String>,
    /// Takes output as it is made, besides [`Output`].
    pub sink: Option<Sink>,
}

/// What came of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, and why it was stopped.
    pub stderr: Vec<u8>,
    /// Its exit status; 124 if it ran out of time, 137 if another limit stopped it, 130 if it was
    /// interrupted.
    pub status: i32,
    /// Output was cut off at the limit.
    pub truncated: bool,
}

/// A session: keeps the working directory, variables, functions and `$?` from call to call.
pub struct Shell {
    ground: Ground,
    workers: Arc<Workers>,
    worker: Option<Worker>,
}

impl Shell {
    /// Makes a session on a home.
    pub fn new(home: impl Home + 'static, workers: &Arc<Workers>) -> Self {
        let home: Arc<dyn Home> = Arc::new(home);
        let candidates = Arc::new(Indexed(home.clone()));
        let limits = Limits::default();
        let files = Files {
            home,
            interrupter: Interrupter::default(),
            memory_bytes: limits.memory_bytes,
            programs: Programs::default(),
            mask: Mask::default(),
        };
        let ground = Ground { files, candidates, added: Vec::new(), limits };
        Self { ground, workers: workers.clone(), worker: None }
    }

    /// Lets another index than the home's say which files a search has to read.
    #[must_use]
    pub fn with_candidates(mut self, candidates: Arc<dyn Candidates>) -> Self {
        self.ground.candidates = candidates;
        self
    }

    /// Adds a command, or puts it in the place of the one of that name.
    #[must_use]
    pub fn with_command(mut self, command: Arc<dyn Command>) -> Self {
        self.ground.added.push(command);
        self
    }

    /// Runs a script.
    ///
    /// # Errors
    /// Only if it could not be run at all; what a script does wrong is in its output and status.
    pub fn run(&mut self, script: &str, limits: &Limits) -> Result<Output> {
        let call = Call { script: script.into(), limits: *limits, ..Call::default() };
        self.call(call)
    }

    /// Runs a script with its input and arguments; output goes to its sink as it is made.
    pub fn call(&mut self, call: Call) -> Result<Output> {
        self.call_watched(call, None)
    }

    /// Runs a script as [`Shell::call`] does, and looks around from time to time while it runs.
    ///
    /// # Errors
    /// Also if the look tells that nobody waits for the script any more, which then goes on alone.
    pub fn call_watched(&mut self, mut call: Call, look: Option<Look<'_>>) -> Result<Output> {
        let time = call.limits.time;
        // Kept here, so that a script that is given up writes no more.
        let sink = Arc::new(Mutex::new(call.sink.take()));
        let shared = sink.clone();
        call.sink = Some(Box::new(move |stream, bytes| {
            if let Some(sink) = &mut *shared.lock() {
                sink(stream, bytes);
            }
        }));
        let interrupter = self.interrupter();
        let ran = self.worker()?.run(call, look, || interrupter.note_late());
        if !matches!(ran, Ok(Some(_))) {
            self.worker = None;
        }
        if let Some(output) = ran? {
            return Ok(output);
        }
        let message = format!(
            "homefs: the script did not stop after {} s and was given up; \
             the session starts anew\n",
            time.as_secs_f64()
        );
        // The script may be at it just now; then it is not waited for.
        if let Some(mut sink) = sink.try_lock().and_then(|mut sink| sink.take()) {
            sink(Stream::Error, message.as_bytes());
        }
        Ok(Output { stderr: message.into_bytes(), status: TIMED_OUT, ..Output::default() })
    }

    /// Tells whether a script could go on: it ends within a quotation, a loop or the like.
    pub fn is_unfinished(script: &str) -> bool {
        engine::is_unfinished(script)
    }

    /// Returns what ends a script while it runs.
    pub fn interrupter(&self) -> Interrupter {
        self.ground.files.interrupter.clone()
    }

    /// Returns the working directory.
    pub fn directory(&mut self) -> Result<String> {
        self.worker()?.directory()
    }

    fn worker(&mut self) -> Result<&Worker> {
        let worker = if let Some(worker) = self.worker.take() {
            worker
        } else {
            self.workers.check()?;
            let ground = self.ground.clone();
            Worker::start(&self.workers, move || Engine::new(ground))?
        };
        Ok(self.worker.insert(worker))
    }
}
