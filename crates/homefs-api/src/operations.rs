//! Operations as messages, and as methods of the [`Client`].
//!
//! What owns the arguments of an operation ([`Request`]), what answers it ([`Response`],
//! [`dispatch`]) and the methods of [`Client`] are made of the rows in `homefs-wire`.

use std::collections::BTreeMap;
use std::path::{Path as HostPath, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use homefs_core::{AgentId, Error, ErrorKind, Path, Result, SpaceName, Version};
use homefs_remote::Capabilities;
use homefs_view::{
    Attachment, Conflict, Cursor, Edit, Edition, Entry, Finding, Forgotten, Found, Grant,
    GrepOptions, Grepped, Hit, Links, Metadata, Moment, Noted, Page, Purged, PurgedThere, Quota,
    RecallOptions, Recalled, RememberOptions, Remembered, RenameMode, Right, SearchOptions,
    SetAttrs, SetMeta, Side, SourceChange, SpaceInfo, Standing, Stat, Status, Subject, Swept,
    SyncOptions, Synced, TimelineOptions, Tokenizer, Trashed, Watched, Who, WriteOptions, Xattrs,
};
use homefs_wire::operations::{Needs, OPERATIONS, Operation};
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::lent::Lent;
use crate::remotes::{RemoteConfig, RemoteInfo};
use crate::role::Opened;

/// Refuses whoever may not ask for an operation.
fn check(operation: &Operation, who: &Who) -> Result<()> {
    if operation.needs == Needs::Operator && !who.operator {
        let message = format!("{} is for operators: it is about all homes", operation.name);
        return Err(Error::new(ErrorKind::Denied, message));
    }
    Ok(())
}

/// Finds the row of an operation, which is there since its methods are made of it.
const fn find(name: &str) -> &'static Operation {
    let mut at = 0;
    while !is_same(OPERATIONS[at].name, name) {
        at += 1;
    }
    &OPERATIONS[at]
}

/// Compares texts while compiling.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// The owned form of an argument.
macro_rules! owned {
    (&str) => { String };
    (&[u8]) => { Bytes };
    (&[$kind:ty]) => { Vec<$kind> };
    (&HostPath) => { PathBuf };
    (Option<&str>) => { Option<String> };
    (Option<&$kind:ty>) => { Option<$kind> };
    (&$kind:ty) => { $kind };
    ($kind:ty) => { $kind };
}

/// Makes the owned form of an argument.
macro_rules! own {
    ($value:ident &[u8]) => {
        Bytes::copy_from_slice($value)
    };
    // The owner works in another directory.
    ($value:ident &HostPath) => {
        absolute($value)?
    };
    ($value:ident &$($kind:tt)+) => {
        $value.to_owned()
    };
    ($value:ident Option<&str>) => {
        $value.map(str::to_owned)
    };
    ($value:ident Option<&$kind:ty>) => {
        $value.cloned()
    };
    ($value:ident $($kind:tt)+) => {
        $value
    };
}

/// Borrows an argument from its owned form.
macro_rules! lend {
    ($value:ident &$($kind:tt)+) => {
        &$value
    };
    ($value:ident Option<&str>) => {
        $value.as_deref()
    };
    ($value:ident Option<&$kind:ty>) => {
        $value.as_ref()
    };
    ($value:ident $($kind:tt)+) => {
        $value
    };
}

/// Finds who answers.
macro_rules! target {
    ($opened:ident opened) => {
        $opened
    };
    ($opened:ident $target:ident) => {
        $opened.$target
    };
}

macro_rules! client_method {
    // Written by hand, because it waits.
    (reads soon $needs:ident watch $($rest:tt)*) => {};
    // Written by hand, because it names the agent.
    (changes asks $needs:ident sync $($rest:tt)*) => {};
    // Written by hand, because they may wait for the remote.
    (changes soon $needs:ident write $($rest:tt)*) => {};
    (changes soon $needs:ident append $($rest:tt)*) => {};
    (changes soon $needs:ident edit $($rest:tt)*) => {};
    // Also here, the owner must be free to leave meanwhile.
    ($effect:ident asks $needs:ident $method:ident $doc:literal $target:ident $variant:ident
        ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty) => {
        #[doc = $doc]
        pub fn $method(&self, $($argument: $($kind)+),*) -> Result<$answer> {
            let request = Request::$variant { $($argument: own!($argument $($kind)+)),* };
            match self.ask_remote(&request)? {
                Response::$variant(answer) => Ok(answer),
                _ => Err(unlike(stringify!($method))),
            }
        }
    };
    ($effect:ident soon $needs:ident $method:ident $doc:literal $target:ident $variant:ident
        ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty) => {
        #[doc = $doc]
        pub fn $method(&self, $($argument: $($kind)+),*) -> Result<$answer> {
            if let Some(opened) = self.here() {
                check(const { find(stringify!($method)) }, opened.view.who())?;
                return target!(opened $target).$method($($argument),*).outcome();
            }
            let request = Request::$variant { $($argument: own!($argument $($kind)+)),* };
            match self.send(request)? {
                Response::$variant(answer) => Ok(answer),
                _ => Err(unlike(stringify!($method))),
            }
        }
    };
}

macro_rules! operations {
    ($(
        #[doc = $doc:literal]
        $effect:ident $manner:ident $needs:ident $target:ident $variant:ident $method:ident
            ( $($argument:ident: [$($kind:tt)+]),* ) -> $answer:ty
            => [$($cell:expr),+];
    )*) => {
        /// A call of an operation, with its arguments.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "the arguments are those of the view's method")]
        pub enum Request {
            $( #[doc = $doc] $variant { $($argument: owned!($($kind)+)),* }, )*
        }

        /// The answer to a [`Request`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[expect(clippy::large_enum_variant, reason = "a message has its answer in a box")]
        pub enum Response {
            $( #[doc = concat!("Answers `", stringify!($method), "`.")] $variant($answer), )*
        }

        impl Request {
            /// Returns what is known of the operation it asks for.
            pub fn operation(&self) -> &'static Operation {
                match self {
                    $( Self::$variant { .. } => const { find(stringify!($method)) }, )*
                }
            }
        }

        impl Client {
            $( client_method! {
                $effect $manner $needs $method $doc $target $variant ( $($argument: [$($kind)+]),* ) -> $answer
            } )*
        }

        impl Lent {
            $( #[doc = $doc]
            pub fn $method(&self, $($argument: $($kind)+),*) -> Result<$answer> {
                let request = Request::$variant { $($argument: own!($argument $($kind)+)),* };
                match self.request(&request)? {
                    Response::$variant(answer) => Ok(answer),
                    _ => Err(unlike(stringify!($method))),
                }
            } )*
        }

        /// Answers a request here.
        pub(crate) fn dispatch(opened: &Opened, request: Request) -> Result<Response> {
            let operation = request.operation();
            let _span = tracing::debug_span!("dispatch", operation = operation.name).entered();
            check(operation, opened.view.who())?;
            match request {
                $( Request::$variant { $($argument),* } => target!(opened $target)
                    .$method($(lend!($argument $($kind)+)),*)
                    .outcome()
                    .map(Response::$variant), )*
            }
        }
    };
}

homefs_wire::operations!(operations);

/// Lets a row name a method that cannot fail.
trait Outcome {
    type Answer;
    fn outcome(self) -> Result<Self::Answer>;
}

impl<T> Outcome for Result<T> {
    type Answer = T;
    fn outcome(self) -> Self {
        self
    }
}

impl<T> Outcome for Option<T> {
    type Answer = Self;
    fn outcome(self) -> Result<Self> {
        Ok(self)
    }
}

impl Outcome for usize {
    type Answer = Self;
    fn outcome(self) -> Result<Self> {
        Ok(self)
    }
}

impl Outcome for Status {
    type Answer = Self;
    fn outcome(self) -> Result<Self> {
        Ok(self)
    }
}

/// Returns a place on the host as every process names it.
pub(crate) fn absolute(place: &HostPath) -> Result<PathBuf> {
    std::path::absolute(place).map_err(|error| {
        Error::io("find the present directory", error).with_path_text(place.to_string_lossy())
    })
}

/// Makes the error of an answer to another question.
pub(crate) fn unlike(operation: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("the owner answered something else than {operation}"))
}
