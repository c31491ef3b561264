//! Scripts.

use homefs_api::{Limits, ShellCall, json};
use homefs_core::Result;
use napi::Env;
use napi::bindgen_prelude::{Either, PromiseRaw};
use napi_derive::napi;

use crate::error::thrown;
use crate::home::{Core, Home};
use crate::options::{ShOptions, duration, invalid};
use crate::records::Output;
use crate::shown::Shown;
use crate::task;

#[napi]
impl Home {
    /// Runs a bash script on the home, in a worker if the home was opened with `workers`: it sees
    /// the agent's files and nothing of the host, has the agent's rights, starts no programs and
    /// has no network.
    // The third argument is a number by which `index.cjs` can end the script.
    #[napi(strict, ts_args_type = "script: string, options?: ShOptions | undefined | null")]
    pub fn sh<'env>(
        &self,
        env: &'env Env,
        script: String,
        options: Option<ShOptions>,
        number: Option<u32>,
    ) -> napi::Result<PromiseRaw<'env, Output>> {
        let core = self.core.clone();
        let (session, call) = call(script, options).map_err(|error| thrown(&error))?;
        task::late(env, move || run(&core, session.as_deref(), call, number))
    }

    /// Runs a bash script on the home, in a worker if the home was opened with `workers`: it sees
    /// the agent's files and nothing of the host, has the agent's rights, starts no programs and
    /// has no network.
    ///
    /// Blocks until it is done.
    #[napi(strict)]
    pub fn sh_sync(&self, script: String, options: Option<ShOptions>) -> napi::Result<Output> {
        call(script, options)
            .and_then(|(session, call)| run(&self.core, session.as_deref(), call, None))
            .map_err(|error| thrown(&error))
    }

    /// Ends the script that has a number, if it runs.
    #[napi(strict, skip_typescript)]
    pub fn interrupt(&self, number: u32) {
        if let Some(interrupter) = self.core.scripts.lock().get(&number) {
            interrupter.interrupt();
        }
    }
}

fn call(script: String, options: Option<ShOptions>) -> Result<(Option<String>, ShellCall)> {
    let ShOptions { session, timeout, stdin, args, output_max, signal: _ } =
        options.unwrap_or_default();
    if script.contains('\0') {
        return Err(invalid("a script cannot contain NUL"));
    }
    let usual = Limits::default();
    let limits = Limits {
        time: timeout.map_or(Ok(usual.time), duration)?,
        output_bytes: output_max.map_or(usual.output_bytes, |bytes| bytes as usize),
        ..usual
    };
    let stdin = match stdin {
        Some(Either::A(text)) => text.into_bytes(),
        Some(Either::B(bytes)) => bytes.to_vec(),
        None => Vec::new(),
    };
    let arguments = args.unwrap_or_default();
    Ok((session, ShellCall { script, limits, stdin, arguments, ..ShellCall::default() }))
}

fn run(core: &Core, session: Option<&str>, call: ShellCall, number: Option<u32>) -> Result<Output> {
    core.changing()?;
    let outcome = core.sessions.run_told(session, call, |interrupter| {
        if let Some(number) = number {
            core.scripts.lock().insert(number, interrupter);
        }
    });
    if let Some(number) = number {
        core.scripts.lock().remove(&number);
    }
    Ok(json::output(outcome?).shown())
}
