//! The words by which a change is known: a table for each language. A text in a language that has
//! none is compared by its keys, `rent: 900`, alone.
//!
//! A new language is a table more, and its pairs in the tests.

/// The words of a language, in small letters.
pub(super) struct Language {
    /// What stands between a subject and its value: in the present, of things that have one value.
    pub(super) copulas: &'static [&'static str],
    /// Verbs of which a subject has one value at a time, whatever the value is.
    pub(super) holders: &'static [&'static str],
    /// Verbs of which it has one value if that is a number: who has a cat may have a dog too.
    pub(super) counters: &'static [&'static str],
    /// Words between a copula and a name that make the name the only one: `is kept in Redis`.
    pub(super) roles: &'static [&'static str],
    /// Verbs that say that a value has become another.
    pub(super) changes: &'static [&'static str],
    /// Words that say that something is so from now on, and nothing else.
    pub(super) nows: &'static [&'static str],
    /// Words that say that something is not so any more, or not so.
    pub(super) endings: &'static [&'static str],
    /// Words that only help another: they change no meaning that is compared.
    pub(super) helpers: &'static [&'static str],
    /// What stands before the old value of a change, and before the new one.
    pub(super) from_to: (&'static str, &'static str),
    /// Words that say that something comes to what there is.
    pub(super) additions: &'static [&'static str],
    /// Words of what is so at one time: a text with them says what was, and not what is.
    pub(super) moments: &'static [&'static str],
    /// Words that stand for a subject, and are none by themselves.
    pub(super) pronouns: &'static [&'static str],
    /// Words that point at a subject that was named before.
    pub(super) pointers: &'static [&'static str],
    /// Numbers that are written as words.
    pub(super) numbers: &'static [&'static str],
    /// Days of the week.
    pub(super) days: &'static [&'static str],
}

/// The only table until now.
pub(super) const ENGLISH: Language = Language {
    copulas: &["is", "are"],
    holders: &[
        "prefer", "live", "work", "drive", "cost", "weigh", "listen", "open", "close", "start",
        "begin", "end", "leave", "meet", "expire", "belong", "stand", "arrive", "depart", "reside",
        "equal", "default", "report",
    ],
    counters: &[
        "have", "has", "take", "last", "rotate", "earn", "run", "sleep", "host", "seat", "allow",
        "use", "keep", "hold", "pay", "measure", "need",
    ],
    roles: &[
        "set",
        "called",
        "named",
        "planned",
        "scheduled",
        "due",
        "led",
        "owned",
        "managed",
        "maintained",
        "handled",
        "run",
        "kept",
        "stored",
        "hosted",
        "located",
        "based",
        "written",
        "deployed",
        "collected",
        "held",
        "assigned",
        "pinned",
        "room",
        "version",
        "floor",
        "branch",
        "region",
    ],
    changes: &[
        "moved",
        "changed",
        "switched",
        "renamed",
        "extended",
        "postponed",
        "raised",
        "lowered",
        "increased",
        "reduced",
        "upgraded",
        "downgraded",
        "migrated",
        "rewritten",
        "shifted",
        "converted",
        "transferred",
        "delayed",
        "cut",
        "went",
        "rose",
        "fell",
        "dropped",
        "grew",
        "became",
        "bumped",
        "reset",
        "set",
        "reassigned",
        "rescheduled",
        "relocated",
        "brought",
    ],
    nows: &["now", "currently", "instead", "meanwhile", "nowadays"],
    endings: &[
        "not",
        "no",
        "never",
        "left",
        "sold",
        "retired",
        "quit",
        "stopped",
        "replaced",
        "former",
        "formerly",
        "instead",
        "dropped",
        "cancelled",
        "doesn't",
        "don't",
        "isn't",
        "aren't",
        "can't",
        "cannot",
        "won't",
    ],
    helpers: &[
        "do", "does", "is", "are", "was", "were", "be", "been", "has", "have", "had", "it", "a",
        "an", "the", "and", "but", "by", "of", "to", "at", "in", "on", "for", "from", "with",
        "any", "longer", "more", "anymore", "up", "down", "will", "its", "per", "every", "back",
        "as", "into", "than", "that", "who", "dr", "mr", "ms", "mrs", "prof",
    ],
    from_to: ("from", "to"),
    additions: &["also", "too", "another", "additionally", "both", "sometimes", "often", "or"],
    moments: &[
        "today",
        "yesterday",
        "tonight",
        "tomorrow",
        "was",
        "were",
        "had",
        "did",
        "ago",
        "once",
    ],
    pronouns: &[
        "it",
        "this",
        "that",
        "these",
        "those",
        "he",
        "she",
        "they",
        "there",
        "here",
        "you",
        "which",
        "who",
        "what",
        "one",
        "everything",
        "something",
        "nothing",
        "everyone",
        "his",
        "her",
        "their",
        "its",
        "i",
        "we",
        "my",
        "our",
        "your",
        "me",
        "us",
    ],
    pointers: &[
        "it", "this", "that", "these", "those", "he", "she", "they", "there", "here", "you",
        "which", "who", "what",
    ],
    numbers: &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "twenty", "thirty",
        "forty", "fifty", "hundred",
    ],
    days: &[
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mondays",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
    ],
};

impl Language {
    /// Whether a word is one of some verbs in the present.
    pub(super) fn is_verb(verbs: &[&str], word: &str) -> bool {
        let is = |verb: &&str| {
            word.strip_prefix(*verb).is_some_and(|end| matches!(end, "" | "s" | "es"))
        };
        verbs.iter().any(is)
    }
}
