//! Changes as they happen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::{Cursor, Watched};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use parking_lot::Mutex;

use crate::error::thrown;
use crate::files::parse_or_root;
use crate::home::{Core, Home};
use crate::records::Event;
use crate::shown::Shown;
use crate::task;

/// How long one look for changes waits, which is how late a watch ends at most.
const WAIT: Duration = Duration::from_millis(250);
/// Most changes of one look.
const CHANGES_MAX: usize = 1000;

/// A watch, which `index.cjs` makes an async iterable.
///
/// @internal
#[napi]
pub struct Watcher {
    core: Arc<Core>,
    path: Path,
    cursor: Arc<Mutex<Option<Cursor>>>,
    ended: Arc<AtomicBool>,
}

/// What one look found.
///
/// @internal
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct Changes {
    /// The changes; none if the watch has ended.
    pub changes: Vec<Event>,
    /// Where a later watch goes on after all of them.
    pub cursor: Option<String>,
}

#[napi]
impl Home {
    /// Begins a watch.
    #[napi(strict, skip_typescript)]
    pub fn watcher(&self, path: Option<String>, since: Option<String>) -> napi::Result<Watcher> {
        let core = self.core.clone();
        let begin = || {
            if core.is_closed() {
                return Err(Error::new(ErrorKind::Closed, "the store is closed"));
            }
            let path = parse_or_root(path)?;
            let cursor = match since {
                Some(since) => Some(since.parse()?),
                // The owner of another process could be busy; it is asked on another thread.
                None => core.client.view_here().map(|view| view.cursor()).transpose()?,
            };
            Ok((path, cursor))
        };
        let (path, cursor) = begin().map_err(|error| thrown(&error))?;
        let cursor = Arc::new(Mutex::new(cursor));
        Ok(Watcher { core, path, cursor, ended: Arc::default() })
    }
}

#[napi]
impl Watcher {
    /// Where it goes on, if it knows yet.
    #[napi(getter)]
    pub fn cursor(&self) -> Option<String> {
        self.cursor.lock().as_ref().map(ToString::to_string)
    }

    /// Waits for changes; none come when the watch or the use of the store has ended.
    #[napi(strict)]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Changes>> {
        let (core, path) = (self.core.clone(), self.path.clone());
        let (cursor, ended) = (self.cursor.clone(), self.ended.clone());
        task::late(env, move || match next(&core, &path, &mut cursor.lock(), &ended) {
            Err(error) if error.kind() == ErrorKind::Closed && core.is_closed() => {
                Ok(Changes::default())
            }
            outcome => outcome,
        })
    }

    /// Ends the watch.
    #[napi(strict)]
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

fn next(
    core: &Core,
    path: &Path,
    cursor: &mut Option<Cursor>,
    ended: &AtomicBool,
) -> Result<Changes> {
    let mut since = match cursor.take() {
        Some(cursor) => cursor,
        None => core.client.cursor()?,
    };
    while !ended.load(Ordering::Relaxed) {
        let Watched { events, cursor: next, .. } =
            core.client.watch(path, &since, WAIT, CHANGES_MAX)?;
        since = next;
        if events.is_empty() {
            continue;
        }
        let changes = events.shown();
        // Only after the last change of an answer is its cursor exact.
        let after = Some(since.to_string());
        *cursor = Some(since);
        return Ok(Changes { changes, cursor: after });
    }
    Ok(Changes::default())
}
