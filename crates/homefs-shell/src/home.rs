//! What scripts run on: a [`View`], or whatever else has its methods.

use bytes::Bytes;
use homefs_core::{Path, Result, Version};
use homefs_view::{
    Attachment, Edition, Entry, Forgotten, Hit, Metadata, Moment, Page, RecallOptions, Recalled,
    RememberOptions, Remembered, RenameMode, SearchOptions, SetAttrs, SetMeta, SpaceInfo, Standing,
    Stat, Tokenizer, Trashed, View, Who, WriteOptions,
};

/// Hands the methods of a home to a macro: the one list from which the trait is made, and what a
/// view and a client give it. Whoever calls it has the types of the methods in scope.
#[macro_export]
macro_rules! home_methods {
    ($then:ident) => {
        $then! {
            read(path: &Path) -> Bytes;
            read_many(paths: &[Path]) -> Vec<Bytes>;
            write(path: &Path, content: &[u8], options: &WriteOptions) -> Version;
            append(path: &Path, content: &[u8], options: &WriteOptions) -> Version;
            stat(path: &Path) -> Stat;
            meant(path: &Path) -> Path;
            set_attrs(path: &Path, attrs: &SetAttrs) -> Version;
            read_link(path: &Path) -> String;
            make_dir(path: &Path, parents: bool) -> Version;
            symlink(target: &str, path: &Path) -> Version;
            link(existing: &Path, new: &Path) -> Version;
            remove(path: &Path, recursive: bool) -> Version;
            rename(from: &Path, to: &Path, mode: RenameMode) -> Version;
            copy(from: &Path, to: &Path, recursive: bool) -> Version;
            list(path: &Path, after: Option<&str>, limit: usize) -> Page<Entry>;
            candidates(below: &Path, pattern: &str, fold_case: bool) -> Option<Vec<Path>>;
            meta(path: &Path) -> Metadata;
            set_meta(path: &Path, set: &SetMeta) -> Version;
            log(path: &Path, before: Option<Version>, limit: usize) -> Vec<Edition>;
            diff(path: &Path, from: Moment, to: Moment) -> String;
            restore(path: &Path, moment: Moment) -> Version;
            trash(after: Option<&str>, limit: usize) -> Page<Trashed>;
            untrash(path: &Path, to: Option<&Path>) -> Version;
            search(query: &str, options: &SearchOptions) -> Vec<Hit>;
            related(path: &Path, limit: usize) -> Vec<Hit>;
            recall(question: &str, options: &RecallOptions) -> Recalled;
            remember(text: &str, options: &RememberOptions) -> Remembered;
            forget(path: &Path, purge: bool) -> Forgotten;
            tags(path: &Path) -> Vec<(String, u64)>;
            context(max_tokens: usize, tokenizer: Tokenizer) -> Standing;
            spaces() -> Vec<SpaceInfo>;
            sources() -> Vec<Attachment>;
            refresh_source(path: &Path) -> ();
        }
    };
}

/// Makes the trait, and gives the view those methods that it has.
macro_rules! home {
    ($( $method:ident ( $($argument:ident: $kind:ty),* ) -> $answer:ty; )*) => {
        /// The names of the operations that scripts make use of.
        pub const OPERATIONS: &[&str] = &[$(stringify!($method)),*];

        /// The home that scripts see and change, with the rights of one agent.
        #[expect(missing_docs, reason = "the methods are those of the view")]
        pub trait Home: Send + Sync {
            fn who(&self) -> &Who;
            $( fn $method(&self, $($argument: $kind),*) -> Result<$answer>; )*
        }

        impl Home for View {
            fn who(&self) -> &Who {
                Self::who(self)
            }

            $( fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
                Self::$method(self, $($argument),*)
            } )*
        }
    };
}

home_methods!(home);
