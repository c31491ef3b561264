//! What a mount tells of itself while nobody looks: one line for each event.

use std::fmt::{self, Write as _};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::time;

/// The most that one process writes; what comes later is lost.
pub(crate) const BYTES_MAX: u64 = 16 << 20;

/// Writes what happens from now on in this process to `target`.
pub(crate) fn start(target: impl Write + Send + 'static) {
    let log = Log { target: Mutex::new((Box::new(target), BYTES_MAX)) };
    // A process mounts once; a log that is there already goes on.
    drop(tracing::subscriber::set_global_default(log));
}

/// Prints events, and takes no notice of spans.
struct Log {
    /// Where they go, and how many bytes more.
    target: Mutex<(Box<dyn Write + Send>, u64)>,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= LevelFilter::INFO
    }

    // Keeps the spans of every operation as cheap as without a log.
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn event(&self, event: &Event<'_>) {
        let (now, metadata) = (time::local(time::now()), event.metadata());
        let mut line = Line(format!("{now} {:<5} {}:", metadata.level(), metadata.target()));
        event.record(&mut line);
        line.0.push('\n');
        let (target, left) = &mut *self.target.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rest) = left.checked_sub(line.0.len() as u64) {
            *left = rest;
            // Nobody is left to tell that the log cannot be written.
            drop(target.write_all(line.0.as_bytes()));
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// One line in the making.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
        written.expect("a string takes any text");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_event_is_one_line_with_its_fields() {
        let kept = Kept::default();
        let log = Log { target: Mutex::new((Box::new(kept.clone()), 100)) };
        tracing::subscriber::with_default(log, || {
            let _span = tracing::info_span!("ignored").entered();
            tracing::debug!("too small to tell");
            tracing::warn!(pid = 7, error = %"no room", "it failed");
            tracing::warn!("the log is full");
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let line = text.strip_suffix('\n').unwrap();
        assert!(line.contains(" WARN  ") && !line.contains('\n'), "{text}");
        assert!(line.ends_with(": it failed pid=7 error=no room"), "{text}");
    }
}
