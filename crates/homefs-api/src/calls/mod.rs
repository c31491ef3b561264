//! What each method of the table does: the one body that every SDK has in common.
//!
//! A method is a value that holds its arguments; a face makes one, and hands on what it answers.
//! The choice a reader may question: a method that asks one operation for the same has no body here;
//! its row names the operation, and the compiler checks that the two fit.

mod files;
mod history;
mod memory;
mod store;

use bytes::Bytes;
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{ErrorKind, Path, Result, Version};
use homefs_view::{Durability, View, WriteOptions};
use homefs_wire::{Method, methods};

use crate::client::Client;

/// Longer content takes longer to write than to let others run meanwhile.
const SHORT_BYTES: usize = 16 << 10;

/// A method that a client can be asked.
pub trait Call: Method<Answer: Send + 'static> + Send + Sized + 'static {
    /// Does it, however long that takes.
    fn call(self, client: &Client) -> Result<Self::Answer>;

    /// Does it if that takes no waiting at all; asked first by whoever must not be kept waiting.
    fn at_once(&self, _client: &Client) -> Option<Result<Self::Answer>> {
        None
    }
}

impl Client {
    /// Makes a call that is answered in memory, if this process owns the store. Probes are not:
    /// they may take as long as a search.
    #[inline]
    pub fn at_once<T>(
        &self,
        path: &Path,
        call: impl FnOnce(&View) -> Result<T>,
    ) -> Option<Result<T>> {
        if path.as_str().as_bytes().contains(&b':') {
            return None;
        }
        match self.try_here(call)? {
            // The other way can wait, and tells a fork from an end.
            Err(error) if matches!(error.kind(), ErrorKind::Closed | ErrorKind::Unavailable) => {
                None
            }
            done => Some(done),
        }
    }

    /// Writes a whole file, or adds to its end, if the content is short and nothing is waited for.
    #[inline]
    pub fn write_at_once(
        &self,
        path: &Path,
        content: &[u8],
        options: &WriteOptions,
        appends: bool,
    ) -> Option<Result<Version>> {
        if content.len() > SHORT_BYTES || options.durability != Durability::Memory {
            return None;
        }
        self.at_once(path, |view| {
            if appends {
                view.append(path, content, options)
            } else {
                view.write(path, content, options)
            }
        })
    }

    /// Reads a whole file if it is short: others are not in memory.
    #[inline]
    pub fn read_at_once(&self, path: &Path) -> Option<Result<Bytes>> {
        match self.at_once(path, |view| view.read_at(path, 0, INLINE_BYTES_MAX + 1))? {
            Ok(bytes) if bytes.len() > INLINE_BYTES_MAX => None,
            read => Some(read),
        }
    }
}

/// Declares what methods do.
macro_rules! calls {
    ($( $method:ident |$self:ident, $client:ident| $body:expr; )*) => {
        $(impl super::Call for homefs_wire::methods::$method {
            fn call(self, $client: &crate::client::Client)
                -> homefs_core::Result<<Self as homefs_wire::Method>::Answer> {
                let $self = self;
                $body
            }
        })*
    };
}

use calls;

/// Lends an argument as operations take it.
trait Lent<'a, T> {
    fn lent(&'a self) -> T;
}

impl<'a, T> Lent<'a, &'a T> for T {
    fn lent(&'a self) -> &'a T {
        self
    }
}

impl<'a> Lent<'a, &'a str> for String {
    fn lent(&'a self) -> &'a str {
        self
    }
}

impl<'a> Lent<'a, Option<&'a Path>> for Option<Path> {
    fn lent(&'a self) -> Option<&'a Path> {
        self.as_ref()
    }
}

macro_rules! lent_as_it_is {
    ($($kind:ty)*) => {
        $(impl Lent<'_, $kind> for $kind {
            fn lent(&self) -> $kind {
                self.clone()
            }
        })*
    };
}

lent_as_it_is! { bool usize u32 u64 homefs_core::time::Moment Option<homefs_wire::words::Side> }

/// Has the methods that ask one operation do so.
macro_rules! same {
    ($(
        $(#[doc = $doc:literal])+
        $effect:ident $manner:ident $method:ident $name:ident (
            $( $(#[doc = $place_doc:literal])* $place:ident : $place_kind:ty $(= $place_usual:expr)? ),*
            $(; $( $(#[doc = $option_doc:literal])* $option:ident : $option_kind:ty $(= $option_usual:expr)? ),+ )?
        ) -> $answer:ty $(= $operation:ident)?;
    )*) => {
        $( asked! { $method ($($place)* $($($option)+)?) $($operation)? } )*
    };
}

macro_rules! asked {
    ($method:ident ($($argument:ident)*)) => {};
    ($method:ident ($($argument:ident)*) $operation:ident) => {
        impl Call for methods::$method {
            fn call(self, client: &Client) -> Result<<Self as Method>::Answer> {
                client.$operation($(self.$argument.lent()),*)
            }
        }
    };
}

homefs_wire::methods!(same);

/// Returns the path of an argument that may be left out.
fn or_root(path: Option<Path>) -> Path {
    path.unwrap_or_else(Path::root)
}

/// Shows a list.
fn all<T, R>(items: &[T], shown: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(shown).collect()
}
