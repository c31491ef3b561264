//! Where in a list of commands the reader is.

/// What was opened and is to be closed.
#[derive(Clone, Copy)]
pub(super) struct Open {
    /// Where it begins.
    pub(super) start: usize,
    /// It is what a function does.
    pub(super) is_body: bool,
}

/// What was closed last.
#[derive(Clone, Copy)]
pub(super) struct Closed {
    /// Where it was opened.
    pub(super) open: Open,
    /// Where it ends.
    pub(super) end: usize,
}

/// Where in a list of commands the reader is.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is about what may come next")]
pub(super) struct Place {
    /// A command may begin here.
    pub(super) first: bool,
    /// Patterns of a `case` come, or its end.
    pub(super) patterns: bool,
    /// How many `case` are open.
    pub(super) cases: usize,
    /// What a function does comes.
    pub(super) defines: bool,
    /// Parentheses that are open.
    pub(super) parentheses: Vec<Open>,
    /// Loops, groups and the like that are open.
    pub(super) blocks: Vec<Open>,
    /// What is assigned is declared.
    pub(super) declares: bool,
    /// Where standard output was redirected, and whether a descriptor was doubled since.
    pub(super) output: Option<usize>,
    pub(super) doubled: bool,
    /// Where the options of a `read` are that is not at its end.
    pub(super) read: Option<usize>,
    /// What was closed last, while nothing but redirections follow.
    pub(super) closed: Option<Closed>,
}

impl Place {
    /// A command ends, and another may begin.
    pub(super) fn ends_command(&mut self) {
        (self.closed, self.read, self.output, self.doubled) = (None, None, None, false);
        self.first = true;
    }

    /// What was opened is closed; what is redirected from here on is all of it.
    pub(super) fn closes(&mut self, open: Option<Open>, end: usize) {
        self.ends_command();
        self.closed = open.map(|open| Closed { open, end });
    }

    /// Text before a place got longer.
    pub(super) fn grew(&mut self, at: usize, length: usize) {
        for place in [&mut self.output, &mut self.read].into_iter().flatten() {
            if *place >= at {
                *place += length;
            }
        }
    }
}
