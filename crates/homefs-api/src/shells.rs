//! Shells on a client: scripts run in the process that asks, whichever process owns the store.
//!
//! The choice a reader may question: a script does not go to the owner as one message. It could
//! run for minutes, during which the owner could not leave, and a repeat after the owner died
//! would do everything twice. Here it is a row of calls like any other program's: each finds the
//! owner of the moment, and the session outlives owners.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_shell::{Call, Home, Interrupter, Output, Shell};
use homefs_view::{
    Attachment, Edition, Entry, Forgotten, Hit, Metadata, Moment, Page, RecallOptions, Recalled,
    RememberOptions, Remembered, RenameMode, SearchOptions, SetAttrs, SetMeta, SpaceInfo, Standing,
    Stat, Tokenizer, Trashed, Who, WriteOptions,
};
use homefs_wire::operations::Operation;
use parking_lot::Mutex;

use crate::apart::Apart;
use crate::client::Client;
use crate::lent::Lent;

/// Sessions that are kept by name; the one that was not used for longest ends for a new one.
const SESSIONS_MAX: usize = 64;

/// The home of a client, which takes no changes.
struct Unchanging(Client);

/// Makes homes of a client and of a connection that was lent, which have the methods, and one that
/// takes no changes.
macro_rules! home {
    ($($methods:tt)*) => {
        home_of! { Client; $($methods)* }
        home_of! { Lent; $($methods)* }
        unchanging_home! { $($methods)* }
    };
}

macro_rules! unchanging_home {
    ($( $method:ident ( $($argument:ident: $kind:ty),* ) -> $answer:ty; )*) => {
        impl Home for Unchanging {
            fn who(&self) -> &Who {
                self.0.who()
            }

            $( fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
                check_reads(Operation::find(stringify!($method)))?;
                self.0.$method($($argument),*)
            } )*
        }
    };
}

/// Refuses an operation that changes something.
pub(crate) fn check_reads(operation: Option<&Operation>) -> Result<()> {
    if operation.is_some_and(|operation| !operation.changes) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::ReadOnly, "the home is served read-only"))
}

macro_rules! home_of {
    ($home:ty; $( $method:ident ( $($argument:ident: $kind:ty),* ) -> $answer:ty; )*) => {
        impl Home for $home {
            fn who(&self) -> &Who {
                Self::who(self)
            }

            $( fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
                Self::$method(self, $($argument),*)
            } )*
        }
    };
}

homefs_shell::home_methods!(home);

impl Client {
    /// Makes a session of the shell, with the rights of this client's agent. Its directory,
    /// variables and functions are kept as long as it lives, also when the owner changes.
    pub fn shell(&self) -> Shell {
        Shell::new(self.clone(), &self.shared.workers)
    }
}

/// Sessions of the shell by name, for faces whose callers come back.
pub struct Sessions {
    client: Client,
    /// The program that runs each session in a process of its own, if one does.
    program: Option<PathBuf>,
    /// Whether scripts are refused what would change something.
    is_read_only: bool,
    /// The one that was used last is at the end.
    kept: Mutex<VecDeque<(String, Arc<Mutex<Session>>)>>,
}

/// A session, in this process or in one of its own.
enum Session {
    Here(Shell),
    Apart(Apart),
}

impl Session {
    fn interrupter(&self) -> Interrupter {
        match self {
            Self::Here(shell) => shell.interrupter(),
            Self::Apart(apart) => apart.interrupter(),
        }
    }

    fn call(&mut self, call: Call) -> Result<Output> {
        match self {
            Self::Here(shell) => shell.call(call),
            Self::Apart(apart) => apart.call(call),
        }
    }
}

impl Sessions {
    /// Makes sessions of a client's agent; none is there yet. They run in this process, or as the
    /// client was opened.
    pub fn new(client: &Client) -> Self {
        let program = client.shared.options.program.clone();
        Self { client: client.clone(), program, is_read_only: false, kept: Mutex::default() }
    }

    /// Makes sessions whose scripts are refused what would change something.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// As [`Sessions::new`]; each runs in a process of its own, which is `program`, the executable
    /// of homefs.
    pub fn apart(client: &Client, program: PathBuf) -> Self {
        Self { program: Some(program), ..Self::new(client) }
    }

    fn begin(&self) -> Session {
        match &self.program {
            Some(program) => Session::Apart(Apart::new(&self.client, program, self.is_read_only)),
            None if self.is_read_only => {
                let home = Unchanging(self.client.clone());
                Session::Here(Shell::new(home, &self.client.shared.workers))
            }
            None => Session::Here(self.client.shell()),
        }
    }

    /// Runs a script in the session of a name, which begins with its first script; without a name
    /// in a session that nobody comes back to.
    pub fn run(&self, session: Option<&str>, call: Call) -> Result<Output> {
        self.run_told(session, call, drop)
    }

    /// Runs a script as [`Sessions::run`] does; `starts` hears just before what can end it.
    pub fn run_told(
        &self,
        session: Option<&str>,
        call: Call,
        starts: impl FnOnce(Interrupter),
    ) -> Result<Output> {
        // A script that asks for no file would not notice.
        self.client.shared.check_open()?;
        let run = |shell: &mut Session| {
            starts(shell.interrupter());
            shell.call(call)
        };
        let Some(name) = session else { return run(&mut self.begin()) };
        // Not locked while the script runs: only those of one session wait for one another.
        let shell = self.find(name);
        run(&mut shell.lock())
    }

    /// Ends a session; tells whether there was one.
    pub fn end(&self, session: &str) -> bool {
        let mut kept = self.kept.lock();
        let before = kept.len();
        kept.retain(|(name, _)| name != session);
        kept.len() < before
    }

    /// Ends all sessions.
    pub fn end_all(&self) {
        self.kept.lock().clear();
    }

    fn find(&self, session: &str) -> Arc<Mutex<Session>> {
        let mut kept = self.kept.lock();
        let at = kept.iter().position(|(name, _)| name == session);
        let shell = match at.and_then(|at| kept.remove(at)) {
            Some((_, shell)) => shell,
            None => Arc::new(Mutex::new(self.begin())),
        };
        if kept.len() == SESSIONS_MAX {
            kept.pop_front();
        }
        kept.push_back((session.to_owned(), shell.clone()));
        shell
    }
}
