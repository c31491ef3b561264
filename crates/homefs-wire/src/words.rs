//! The words that records and arguments are made of: each list stands once.

/// Declares words: each enum is written as its variants are, in snake case.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$doc:meta])* $word:ident = $text:literal, )+ }
    )*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            pub enum $name { $( $(#[$doc])* #[serde(rename = $text)] $word, )+ }

            impl $name {
                /// Every one, in order.
                pub const ALL: &[Self] = &[$(Self::$word),+];
                /// Every one as it is written, in order.
                pub const WORDS: &[&str] = &[$($text),+];

                /// Returns it as it is written.
                pub fn word(self) -> &'static str {
                    match self { $( Self::$word => $text, )+ }
                }
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str(self.word())
                }
            }

            impl std::str::FromStr for $name {
                type Err = homefs_core::Error;

                fn from_str(word: &str) -> homefs_core::Result<Self> {
                    let found = Self::ALL.iter().copied().find(|known| known.word() == word);
                    found.ok_or_else(|| crate::no_word(word, Self::ALL.iter().map(|known| known.word())))
                }
            }
        )*
    };
}

words! {
    /// What a node is.
    pub enum Kind {
        /// Bytes.
        File = "file",
        /// Names of other nodes.
        Directory = "directory",
        /// A symbolic link.
        Link = "link",
        /// A named pipe.
        Pipe = "pipe",
        /// A socket.
        Socket = "socket",
        /// A device that is read byte by byte.
        CharacterDevice = "character device",
        /// A device that is read block by block.
        BlockDevice = "block device",
    }

    /// What happened to a node.
    pub enum Action {
        /// It was made, written, renamed to here, or its attributes changed.
        Changed = "changed",
        /// It is no longer here.
        Removed = "removed",
    }

    /// What an agent or group may do below a path.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Right {
        /// See and read.
        Read = "read",
        /// Also change.
        Write = "write",
        /// Also grant and revoke.
        Manage = "manage",
    }

    /// When a change is acknowledged.
    #[derive(Default)]
    pub enum Durability {
        /// When it survives the death of the process.
        #[default]
        Memory = "memory",
        /// When it survives power loss.
        Journal = "journal",
        /// When it survives the loss of the machine.
        Remote = "remote",
    }

    /// What happened to a path of a source.
    #[derive(PartialOrd, Ord)]
    pub enum SourceChangeKind {
        /// The source has it, and it was removed here.
        Removed = "removed",
        /// The source does not have it.
        Added = "added",
        /// The source has another one.
        Changed = "changed",
        /// What the source has was written after it was changed, replaced or removed here.
        Conflicting = "conflicting",
    }

    /// What a search goes by.
    #[derive(Default)]
    pub enum SearchKind {
        /// Words and meaning.
        #[default]
        Hybrid = "hybrid",
        /// Words alone.
        Text = "text",
        /// Meaning alone.
        Vector = "vector",
    }

    /// What counts beside relevance.
    #[derive(Default)]
    pub enum Strategy {
        /// Importance and recency a little.
        #[default]
        Balanced = "balanced",
        /// Nothing but relevance.
        Relevance = "relevance",
        /// Importance more than recency.
        Importance = "importance",
        /// Recency more than importance.
        Recency = "recency",
    }

    /// Whose tokens are counted.
    #[derive(Default, Hash)]
    pub enum Tokenizer {
        /// The vocabulary `o200k_base`, exactly.
        #[default]
        O200k = "o200k",
        /// The vocabulary `cl100k_base`, exactly.
        Cl100k = "cl100k",
        /// An estimate that rarely counts too few and needs no vocabulary.
        Approx = "approx",
    }

    /// What becomes of a memory that is there already, nearly.
    pub enum Alike {
        /// The old one takes up what is new.
        Merge = "merge",
        /// The new one is kept with a link to the old.
        Link = "link",
    }

    /// What became of a candidate of a recall.
    pub enum Outcome {
        /// It is in the text as a whole.
        Kept = "kept",
        /// Some of its sentences are in the text.
        Excerpted = "excerpted",
        /// It says what a better one says.
        Duplicate = "duplicate",
        /// Its score is below the least that was asked for.
        BelowMinimum = "below_minimum",
        /// Nothing that was found is an answer, or only others are.
        NoAnswer = "no_answer",
        /// Neither it nor one of its sentences fitted in what was left of the budget.
        NoRoom = "no_room",
        /// It has neither text nor title.
        Empty = "empty",
        /// It is no memory: an ignore rule names it, or it is no text.
        Ignored = "ignored",
    }

    /// Which way changes go.
    #[derive(Default)]
    pub enum Direction {
        /// Both ways: afterwards the space and its remote agree.
        #[default]
        Both = "both",
        /// From the remote to here.
        Pull = "pull",
        /// From here to the remote.
        Push = "push",
    }

    /// Which content of a conflict is taken.
    pub enum Side {
        /// That of this side.
        Ours = "ours",
        /// That of the other side.
        Theirs = "theirs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_it_is_written_and_no_other_is() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse::<Kind>().unwrap(), *kind);
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
        }
        let error = "deep".parse::<SearchKind>().unwrap_err();
        assert_eq!(error.message(), r#""deep" is none of hybrid, text, vector"#);
    }
}
