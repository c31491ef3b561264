//! Looking again whether sources still show what they showed, and to whom.
//!
//! A page that was made private must not stay readable because nobody looked. So a source that
//! shows more to members of groups is asked again when it is older than the settings allow, by a
//! thread of its own, because mounts have the kernel answer and ask nobody; when a session begins;
//! and before a process shows anything of it that it knows from an earlier one. A source that does
//! not answer is shown as it was last known.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::space::Space;
use crate::spaces::Spaces;

/// What is younger than this is not asked again for a session that begins.
const SESSION_AGE_MAX: Duration = Duration::from_secs(1);

/// The thread that looks again, started when it is first needed.
#[derive(Default)]
pub(crate) struct Revalidation {
    spaces: OnceLock<(Weak<Spaces>, Duration)>,
    started: AtomicBool,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    asked: Mutex<Asked>,
    bell: Condvar,
}

#[derive(Default)]
struct Asked {
    /// Whether a session began since the thread looked last.
    session: bool,
    closed: bool,
}

impl Revalidation {
    /// Sets whose sources are looked at, and how old what is known of one may be; the first ones
    /// stay.
    pub(crate) fn set_spaces(&self, spaces: Weak<Spaces>, age_max: Duration) {
        self.spaces.set((spaces, age_max)).ok();
    }

    /// Looks again at once, because a session begins.
    pub(crate) fn begin_session(&self) {
        if self.started.load(Ordering::Relaxed) {
            self.state.asked.lock().session = true;
            self.state.bell.notify_one();
        }
    }

    /// Looks again from now on.
    fn start(&self) {
        let Some((spaces, age_max)) = self.spaces.get().cloned() else { return };
        if self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let state = Arc::clone(&self.state);
        let started = thread::Builder::new()
            .name("homefs-sources".into())
            .spawn(move || state.run(&spaces, age_max / 2));
        if let Err(error) = started {
            tracing::warn!(%error, "sources are not looked at again");
            self.started.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the thread; one that is asking a source ends later.
    pub(crate) fn close(&self) {
        self.state.asked.lock().closed = true;
        self.state.bell.notify_one();
    }
}

impl State {
    fn run(&self, spaces: &Weak<Spaces>, pause: Duration) {
        loop {
            let session = {
                let mut asked = self.asked.lock();
                if !asked.session && !asked.closed {
                    self.bell.wait_for(&mut asked, pause);
                }
                if asked.closed {
                    return;
                }
                std::mem::take(&mut asked.session)
            };
            let age_max = if session { SESSION_AGE_MAX } else { pause };
            let Some(open) = spaces.upgrade().map(|spaces| spaces.open_now()) else { return };
            for space in open.iter().filter(|space| space.attached.has_groups()) {
                space.revalidate_sources(age_max);
            }
        }
    }
}

impl Space {
    /// Looks whether sources still show what an earlier process knew, before anything of them is
    /// shown here.
    pub(crate) fn revalidate_first(&self) {
        if self.attached.has_groups() {
            let seconds = self.ground.settings.source_age_max_seconds;
            self.attached.looked.call_once(|| {
                self.revalidate_sources(Duration::from_secs(seconds));
                self.ground.sources.revalidation.start();
            });
        }
    }

    /// Looks whether sources that show more to members of groups show what they showed.
    fn revalidate_sources(&self, age_max: Duration) {
        for root in self.attached.roots_with_groups() {
            match self.source(root).and_then(|source| source.revalidate(age_max)) {
                Ok(true) => self.ask_again(root),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(space = %self.name, %error, "a source is shown as it was");
                }
            }
        }
    }
}
