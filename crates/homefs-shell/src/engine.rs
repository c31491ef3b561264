//! The interpreter behind a session: the one place that starts and asks it.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use bashkit::parser::Parser;
use bashkit::{Bash, ExecOptions, ExecResult, LimitExceeded, StreamData};
use homefs_core::{Error, Result};
use parking_lot::Mutex;
use tokio::runtime::Runtime;

use crate::builtins::{self, Ground};
use crate::limits::Limits;
use crate::memory::{self, Growth};
use crate::nesting;
use crate::repairs::{self, Repaired};
use crate::shell::{Call, INTERRUPTED, Output, STOPPED, Sink, Stream, TIMED_OUT};
use crate::worker::Runner;

/// What the shell says that it is.
const HOST_NAME: &str = "homefs";

/// An interpreter with its session.
pub(crate) struct Engine {
    bash: Bash,
    runtime: Runtime,
    ground: Ground,
    /// With what the interpreter was built.
    setup: Setup,
    /// The status of the last script: the interpreter forgets it.
    status: i32,
    /// What the scripts set with `set -o`: that is forgotten, too.
    options: Vec<&'static str>,
}

impl Engine {
    /// Makes an interpreter on the calling thread.
    pub(crate) fn new(ground: Ground) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|cause| Error::io("start a shell", cause))?;
        let setup = Setup { limits: Limits::default(), concurrent: false };
        let mut bash = build(&ground, setup);
        repairs::split_as_usual(&mut bash);
        Ok(Self { bash, runtime, ground, setup, status: 0, options: Vec::new() })
    }

    /// Gives the interpreter another setup, which it takes only when it is built.
    fn set_up(&mut self, setup: Setup) {
        if self.setup != setup {
            self.setup = setup;
            self.rebuild();
        }
    }

    /// Starts the interpreter anew with the same state, but without jobs that still run.
    fn rebuild(&mut self) {
        let state = self.bash.shell_state();
        self.bash = build(&self.ground, self.setup);
        self.bash.restore_shell_state(&state);
    }
}

/// What the interpreter takes only when it is built.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Setup {
    limits: Limits,
    /// The commands of a pipe run at the same time, and those after `&` beside the others.
    concurrent: bool,
}

fn build(ground: &Ground, setup: Setup) -> Bash {
    let limits = setup.limits;
    let ground = &ground.within(limits);
    let agent = ground.files.home.who().agent.as_str();
    let builder = Bash::builder()
        .fs(Arc::new(ground.files.clone()))
        .cwd("/")
        .env("HOME", "/")
        .username(agent)
        .hostname(HOST_NAME)
        .limits(limits.execution())
        .memory_limits(limits.memory())
        .session_limits(Limits::session())
        .concurrent_jobs(setup.concurrent)
        // The view is all there is: no /etc, /proc or /bin besides it.
        .rootfs(false)
        .builtin_filter(repairs::is_offered);
    builtins::register(builder, ground).build()
}

impl Runner for Engine {
    fn run(&mut self, call: Call) -> Output {
        if let Some(why) = nesting::refusal_of_script(&call.script) {
            return self.refused(call.sink, &why);
        }
        let anew = match repairs::repaired(&call.script, true) {
            Repaired::Refused(why) => return self.refused(call.sink, &why),
            Repaired::Anew(script) => Some(script),
            Repaired::Same => None,
        };
        let concurrent = repairs::needs_concurrency(&call.script);
        self.set_up(Setup { limits: call.limits, concurrent });
        let Call { script, limits, stdin, name, arguments, sink } = call;
        let seen = Arc::new(Mutex::new(Seen { output: Output::default(), sink }));
        let interrupter = self.ground.files.interrupter.clone();
        let (taker, end) = (seen.clone(), self.bash.cancellation_token());
        let ending = interrupter.clone();
        let mut options =
            ExecOptions::new().positional(arguments).streaming(Box::new(move |stdout, stderr| {
                // What the interpreter says of a script that is stopped is not for anybody.
                if ending.why().is_none()
                    && !taker.lock().take(stdout.as_bytes(), stderr.as_bytes(), &limits)
                {
                    end.store(true, Ordering::Relaxed);
                }
            }));
        if let Some(name) = name {
            options = options.arg0(name);
        }
        if !stdin.is_empty() {
            options = options.stdin(stdin);
        }
        let prefix = repairs::prefix(self.status, &self.options);
        let full = format!("{prefix}{}", anew.as_deref().unwrap_or(&script));
        self.ground.files.programs.forget();
        interrupter.begin(self.bash.cancellation_token());
        let mut growth = Growth::new(limits.memory_bytes);
        let ran = self.runtime.block_on(async {
            let mut asked = pin!(interrupter.asked());
            let mut running = pin!(self.bash.exec_with_options(&full, options));
            poll_fn(|context| {
                if asked.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Err(bashkit::Error::Cancelled));
                }
                if growth.is_too_much() {
                    return Poll::Ready(Err(memory::exceeded(limits.memory_bytes)));
                }
                running.as_mut().poll(context)
            })
            .await
        });
        // A command that ended because it was late did not do its work.
        let late = || bashkit::Error::ResourceLimit(LimitExceeded::Timeout(limits.time));
        let ran =
            ran.and_then(|result| if interrupter.is_late() { Err(late()) } else { Ok(result) });
        // One that was stopped for a reason is told that, whatever came of it besides.
        let ran = interrupter.why().map_or(ran, |why| Err(stopped(why)));
        let mut output = self.outcome(ran, &seen, &limits, &script);
        if !prefix.is_empty() && !output.stderr.is_empty() {
            output.stderr = without(&output.stderr, prefix.as_bytes());
        }
        self.status = output.status;
        if !self.options.is_empty() || script.contains("set ") {
            self.options = repairs::set_options(&self.bash.shell_state_view().variables);
        }
        output
    }

    fn directory(&self) -> String {
        self.bash.shell_state_view().cwd.to_string_lossy().into_owned()
    }
}

/// Returns the error of a script that was stopped for a reason.
fn stopped(why: String) -> bashkit::Error {
    bashkit::Error::ResourceLimit(LimitExceeded::Memory(why))
}

impl Engine {
    /// Says that a script is not run.
    fn refused(&mut self, sink: Option<Sink>, why: &str) -> Output {
        let mut seen = Seen { output: Output::default(), sink };
        seen.note(&format!("homefs: stopped: {why}\n"));
        self.status = STOPPED;
        Output { status: STOPPED, ..seen.output }
    }

    /// Says what came of a script.
    fn outcome(
        &mut self,
        ran: bashkit::Result<ExecResult>,
        seen: &Mutex<Seen>,
        limits: &Limits,
        script: &str,
    ) -> Output {
        let mut output = match ran {
            Ok(result) => {
                let truncated = result.stdout_truncated || result.stderr_truncated;
                let mut streams = [result.stdout, result.stderr].map(StreamData::into_bytes);
                let long = |stream: &Vec<u8>| stream.len() > limits.output_bytes;
                let truncated = truncated || streams.iter().any(long);
                for stream in &mut streams {
                    stream.truncate(limits.output_bytes);
                }
                let [stdout, stderr] = streams;
                Output { stdout, stderr, status: result.exit_code, truncated }
            }
            Err(error) => {
                // What it started besides would hold up the next script.
                self.rebuild();
                let mut seen = seen.lock();
                let (message, status) = failure(&error, script);
                if !seen.output.truncated {
                    seen.note(&message);
                }
                Output { status, ..std::mem::take(&mut seen.output) }
            }
        };
        if output.truncated {
            let note = format!("homefs: output was cut off after {} bytes\n", limits.output_bytes);
            seen.lock().note(&note);
            output.stderr.extend_from_slice(note.as_bytes());
            output.status = STOPPED;
        }
        output
    }
}

/// What was written so far, for when the interpreter ends with an error instead of a result.
struct Seen {
    output: Output,
    sink: Option<Sink>,
}

impl Seen {
    /// Adds what we have to say to standard error, whatever the limit.
    fn note(&mut self, text: &str) {
        self.output.stderr.extend_from_slice(text.as_bytes());
        if let Some(sink) = &mut self.sink {
            sink(Stream::Error, text.as_bytes());
        }
    }

    /// Takes output; tells whether there is room for more.
    fn take(&mut self, stdout: &[u8], stderr: &[u8], limits: &Limits) -> bool {
        let streams = [
            (Stream::Output, &mut self.output.stdout, stdout),
            (Stream::Error, &mut self.output.stderr, stderr),
        ];
        for (stream, kept, bytes) in streams {
            let room = limits.output_bytes.saturating_sub(kept.len());
            self.output.truncated |= bytes.len() > room;
            let bytes = &bytes[..bytes.len().min(room)];
            kept.extend_from_slice(bytes);
            if let (Some(sink), false) = (&mut self.sink, bytes.is_empty()) {
                sink(stream, bytes);
            }
        }
        !self.output.truncated
    }
}

/// Says why the interpreter gave up, and with which status.
fn failure(error: &bashkit::Error, script: &str) -> (String, i32) {
    match error {
        bashkit::Error::Parse { .. } => {
            (error.syntax_report("bash", script).unwrap_or_default(), 2)
        }
        bashkit::Error::ResourceLimit(LimitExceeded::Timeout(time)) => {
            let message = format!("homefs: the script ran longer than {} s\n", time.as_secs_f64());
            (message, TIMED_OUT)
        }
        bashkit::Error::ResourceLimit(LimitExceeded::Memory(why)) => {
            (format!("homefs: stopped: {why}\n"), STOPPED)
        }
        bashkit::Error::ResourceLimit(limit) => (format!("homefs: stopped: {limit}\n"), STOPPED),
        bashkit::Error::Cancelled => ("homefs: interrupted\n".into(), INTERRUPTED),
        other => (format!("homefs: {other}\n"), 1),
    }
}

/// Tells whether a script could go on: it ends within a quotation, a loop or the like.
pub(crate) fn is_unfinished(script: &str) -> bool {
    // The interpreter says so in words only.
    const SIGNS: [&str; 6] = [
        "unterminated",
        "unexpected end of",
        "unexpected eof",
        "expected 'fi'",
        "expected 'done'",
        "expected 'esac'",
    ];
    if nesting::refusal_of_script(script).is_some() {
        return false;
    }
    let parsed = Parser::with_limits(script, PARSER_DEPTH, PARSER_STEPS).parse();
    let message = parsed.err().map(|error| error.to_string().to_lowercase()).unwrap_or_default();
    script.ends_with("\\\n") || SIGNS.iter().any(|sign| message.contains(sign))
}

/// How deep a script may nest, and how long its text may be looked at, to tell whether it is whole.
const PARSER_DEPTH: usize = 100;
const PARSER_STEPS: usize = 1_000_000;

/// Returns a text without every occurrence of a part.
fn without(text: &[u8], part: &[u8]) -> Vec<u8> {
    let mut rest = text;
    let mut kept = Vec::with_capacity(text.len());
    while let Some(at) = rest.windows(part.len()).position(|window| window == part) {
        kept.extend_from_slice(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    kept.extend_from_slice(rest);
    kept
}
