//! Work off the thread of JavaScript.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use homefs_api::{Job, Workers};
use homefs_core::{Error, ErrorKind, Result};
use napi::bindgen_prelude::{JsValue, PromiseRaw, ToNapiValue};
use napi::{Env, JsDeferred};

use crate::error::thrown;

/// Threads for calls that end soon; calls beyond wait for one.
static WORKERS: LazyLock<Workers> = LazyLock::new(|| Workers::new("homefs-call"));

/// Starts a call that ends soon and returns the promise of its answer.
pub(crate) fn soon<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> napi::Result<PromiseRaw<'_, T>> {
    let (job, promise) = job(env, work)?;
    WORKERS.run(job).map_err(|error| thrown(&error))?;
    Ok(promise)
}

/// Starts a call that may wait for long, on a thread of its own, and returns the promise of its
/// answer.
pub(crate) fn late<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> napi::Result<PromiseRaw<'_, T>> {
    let (job, promise) = job(env, work)?;
    Workers::run_alone(job).map_err(|error| thrown(&error))?;
    Ok(promise)
}

/// Returns the promise of what is done already.
pub(crate) fn done<T: ToNapiValue>(env: &Env, done: Result<T>) -> napi::Result<PromiseRaw<'_, T>> {
    PromiseRaw::resolve(env, done.map_err(|error| thrown(&error))?)
}

/// Makes the job of a call, and the promise that it settles.
fn job<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> napi::Result<(Job, PromiseRaw<'_, T>)> {
    let (deferred, promise) = env.create_deferred()?;
    let promise = PromiseRaw::new(env.raw(), promise.raw());
    Ok((Box::new(move || settle(deferred, work)), promise))
}

fn settle<T: ToNapiValue + Send + 'static>(
    deferred: JsDeferred<T, Box<dyn FnOnce(Env) -> napi::Result<T>>>,
    work: impl FnOnce() -> Result<T>,
) {
    // A promise that is never settled would keep the process from its end.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "the call panicked, which is a defect of homefs"))
    });
    match outcome {
        Ok(value) => deferred.resolve(Box::new(move |_| Ok(value))),
        Err(error) => deferred.reject(thrown(&error)),
    }
}
