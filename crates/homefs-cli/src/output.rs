//! The one place that prints: data to standard output, talk to standard error.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;

use crate::cli::Globals;
use crate::error::{Failure, Result};
use crate::{settings, text};

/// How a piece of text stands out on a terminal.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    /// Not at all.
    Plain,
    /// A heading or a command.
    Bold,
    /// Something of lesser weight.
    Dim,
    /// Something added or right.
    Green,
    /// Something doubtful.
    Yellow,
    /// Something removed or wrong.
    Red,
    /// A directory.
    Blue,
}

/// Standard output and standard error with the manners that the arguments ask for.
pub(crate) struct Output {
    /// Whether data is printed as JSON.
    pub(crate) json: bool,
    quiet: bool,
    colour: bool,
    data: RefCell<BufWriter<io::Stdout>>,
    reader_left: Cell<bool>,
}

impl Output {
    /// Decides once about colour, JSON and talk.
    pub(crate) fn new(globals: &Globals) -> Self {
        Self {
            json: globals.json,
            quiet: globals.quiet,
            colour: !globals.no_color && !settings::no_colour() && io::stdout().is_terminal(),
            data: RefCell::new(BufWriter::new(io::stdout())),
            reader_left: Cell::new(false),
        }
    }

    /// Prints one line of data.
    pub(crate) fn line(&self, line: impl Display) -> Result<()> {
        Ok(writeln!(&mut &*self, "{line}")?)
    }

    /// Prints what files say: on a terminal without what it would obey.
    pub(crate) fn content(&self, content: &str) -> Result<()> {
        let shown = io::stdout().is_terminal().then(|| text::printable_lines(content));
        Ok((&mut &*self).write_all(shown.as_deref().unwrap_or(content).as_bytes())?)
    }

    /// Prints one JSON document on a line of its own.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<()> {
        // By way of a value, which has the names of an object in their order.
        let text = serde_json::to_value(value)
            .and_then(|value| serde_json::to_string(&value))
            .map_err(|error| Failure::new(format!("cannot print as JSON: {error}")))?;
        self.line(text)
    }

    /// Prints a table: as it stands, or as one JSON array.
    pub(crate) fn listing<T, S: Serialize>(
        &self,
        items: &[T],
        json: impl Fn(&T) -> S,
        row: impl Fn(&T) -> Vec<String>,
        right_aligned: &[usize],
    ) -> Result<()> {
        if self.json {
            return self.json(&items.iter().map(json).collect::<Vec<_>>());
        }
        let rows: Vec<_> = items.iter().map(row).collect();
        text::columns(&rows, right_aligned).into_iter().try_for_each(|line| self.line(line))
    }

    /// Tells a person something; not data.
    pub(crate) fn say(&self, message: impl Display) {
        if !self.quiet {
            // On a terminal both streams meet, so what was printed first must be seen first.
            drop(self.flush());
            // Nobody is left to tell that standard error is closed.
            drop(writeln!(io::stderr(), "{}", text::printable(&message.to_string())));
        }
    }

    /// Tells what a change did: the version as JSON, or a sentence to the person.
    pub(crate) fn changed(&self, value: &serde_json::Value, sentence: impl Display) -> Result<()> {
        if self.json {
            return self.json(value);
        }
        self.say(sentence);
        Ok(())
    }

    /// Prints why the command did not succeed.
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut talk = io::stderr();
        if failure.message.is_empty() {
            return;
        }
        if self.json {
            drop(writeln!(talk, "{}", failure.json()));
            return;
        }
        let message = text::printable(&failure.message);
        drop(writeln!(talk, "{} {message}", self.paint_talk(Style::Red, "error:")));
        for cause in &failure.causes {
            drop(writeln!(talk, "  because: {}", text::printable(cause)));
        }
        for hint in &failure.hints {
            let hint = text::printable(hint);
            drop(writeln!(talk, "{} {hint}", self.paint_talk(Style::Green, "hint:")));
        }
    }

    /// Colours a part of the data if standard output is a terminal.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { wrap(style, text) } else { text.into() }
    }

    fn paint_talk(&self, style: Style, text: &str) -> String {
        if self.colour && io::stderr().is_terminal() { wrap(style, text) } else { text.into() }
    }

    /// Tells whether a progress bar has someone to look at it.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.json && io::stderr().is_terminal()
    }

    /// Hands all data to the reader.
    pub(crate) fn flush(&self) -> Result<()> {
        Ok((&mut &*self).flush()?)
    }

    /// Tells whether the reader of standard output went away, which is its right and no error.
    pub(crate) fn reader_left(&self) -> bool {
        self.reader_left.get()
    }

    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                self.reader_left.set(true);
            }
        })
    }
}

/// Raw bytes of data.
impl Write for &Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.note(self.data.borrow_mut().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.note(self.data.borrow_mut().flush())
    }
}

/// Draws over the current line of standard error.
pub(crate) fn redraw(line: &str) {
    let mut talk = io::stderr();
    drop(write!(talk, "\r\x1b[K{line}").and_then(|()| talk.flush()));
}

/// Asks a question that only a person at a terminal can answer; no terminal is "no".
pub(crate) fn confirm(question: &str) -> bool {
    if !io::stdin().is_terminal() {
        return false;
    }
    drop(write!(io::stderr(), "{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Waits until a person at a terminal presses Enter; without a terminal it goes on.
pub(crate) fn wait_for_enter() {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        drop(write!(io::stderr(), "\n[Enter goes on] "));
        drop(io::stdin().read_line(&mut String::new()));
    }
}

fn wrap(style: Style, text: &str) -> String {
    let code = match style {
        Style::Plain => return text.into(),
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Red => "31",
        Style::Green => "32",
        Style::Yellow => "33",
        Style::Blue => "34",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
