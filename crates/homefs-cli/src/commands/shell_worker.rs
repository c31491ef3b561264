//! `homefs shell-worker`: a process that runs scripts and can do nothing else.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use homefs_api::serve_scripts;
use homefs_core::Error;
use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr};
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

use crate::context::Context;
use crate::error::{Failure, Result};

mod calls;

/// Run scripts for the process that started this one
#[derive(clap::Args)]
pub(crate) struct Args {}

/// What the process may have of each, whatever its scripts do. The address space holds what a
/// script may hold several times over, because stacks and arenas reserve more than they use. The length
/// of files is not limited: the only one there can be is standard error, and what is told there must
/// not end the process.
const LIMITS: [(Resource, u64); 4] =
    [(Resource::As, 2 << 30), (Resource::Cpu, 3600), (Resource::Core, 0), (Resource::Nofile, 64)];

impl Args {
    #[expect(clippy::unused_self, reason = "every command runs by value of its arguments")]
    pub(crate) fn run(self, _context: &Context) -> Result<()> {
        let inherited = |end: &dyn AsFd| end.as_fd().try_clone_to_owned().map(UnixStream::from);
        let failed = |error| Error::io("take the connections of a worker", error);
        let orders = inherited(&io::stdin()).map_err(failed)?;
        let home = inherited(&io::stdout()).map_err(failed)?;
        // Before the first byte of a script is read, and before there is a second thread.
        confine()?;
        Ok(serve_scripts(orders, home)?)
    }
}

/// Takes everything away that a script does not need. What an old kernel lacks is left out, except
/// that scripts would start programs or open files.
fn confine() -> Result<()> {
    let host = |what: &str, error: rustix::io::Errno| Error::io(what, io::Error::from(error));
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .and_then(|()| rustix::thread::set_no_new_privs(true))
        .map_err(|error| host("confine the process", error))?;
    for (resource, most) in LIMITS {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(|error| host("limit the process", error))?;
    }
    let newest = ABI::V5;
    let confined = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(newest)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    confined.map_err(|error| Failure::new(format!("the process cannot be confined: {error}")))?;
    calls::filter()
        .map_err(|error| Failure::new(format!("system calls cannot be filtered: {error}")))
}
