//! How many files this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What an owner asks for: enough for all connections, and not so many that programs which close
/// every possible descriptor take long.
const WANTED: u64 = 65_536;

/// Lets this process have as many as it may: the usual bound is for programs that know no others.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the bound on open files stays as it is");
        }
    }
}

/// Returns the bound that holds.
pub(crate) fn limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(WANTED);
    usize::try_from(limit).unwrap_or(usize::MAX)
}
