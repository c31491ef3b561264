//! Searches one text and prints what GNU grep prints.

use std::io;

use grep_matcher::Matcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkError, SinkMatch,
};

use super::matcher::Compiled;
use super::options::{Binary, Options, Show};

/// Searches texts one after another.
pub(crate) struct Search<'a> {
    options: &'a Options,
    compiled: &'a Compiled,
    searcher: Searcher,
    /// Names of files are printed.
    names: bool,
    /// Something was printed, so that a group needs a separator before it.
    printed: bool,
    pub(crate) out: Vec<u8>,
    /// What is to be said of files, for standard error.
    pub(crate) err: String,
}

/// What is known of a text of which parts are searched one after another.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) count: u64,
    lines: u64,
    bytes: u64,
    /// Nothing that follows can change what is printed.
    pub(crate) done: bool,
    mentioned: bool,
    started: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(options: &'a Options, compiled: &'a Compiled, names: bool) -> Self {
        let lines = options.show == Show::Lines;
        let terminator = if options.null_lines { 0 } else { b'\n' };
        let searcher = SearcherBuilder::new()
            .line_terminator(grep_matcher::LineTerminator::byte(terminator))
            .binary_detection(BinaryDetection::none())
            .line_number(options.line_numbers)
            .invert_match(options.invert)
            .bom_sniffing(false)
            .before_context(if lines { options.before } else { 0 })
            .after_context(if lines { options.after } else { 0 })
            .build();
        Self {
            options,
            compiled,
            searcher,
            names,
            printed: false,
            out: Vec::new(),
            err: String::new(),
        }
    }

    /// Searches the next part of a text.
    pub(crate) fn part(
        &mut self,
        name: &str,
        text: &[u8],
        progress: &mut Progress,
    ) -> Result<(), String> {
        if self.options.most == Some(0) {
            progress.done = true;
            return Ok(());
        }
        let binary = self.is_binary(text);
        if binary && self.options.binary == Binary::Skip {
            progress.done = true;
            return Ok(());
        }
        let (searcher, compiled) = (&mut self.searcher, self.compiled);
        let mut printer = Printer {
            options: self.options,
            names: self.names,
            printed: &mut self.printed,
            out: &mut self.out,
            err: &mut self.err,
            name,
            binary,
            progress,
            after_left: 0,
            parts: &|_, _| Ok(()),
        };
        let outcome = match compiled {
            Compiled::Fast(matcher) => {
                let parts = |line: &[u8], each: &mut dyn FnMut(usize, usize)| {
                    find_parts(matcher, line, each)
                };
                printer.parts = &parts;
                searcher.search_slice(matcher, text, &mut printer)
            }
            Compiled::Slow(matcher) => {
                let parts = |line: &[u8], each: &mut dyn FnMut(usize, usize)| {
                    find_parts(matcher, line, each)
                };
                printer.parts = &parts;
                searcher.search_slice(matcher, text, &mut printer)
            }
        };
        progress.bytes += text.len() as u64;
        if self.options.line_numbers {
            let terminator = if self.options.null_lines { 0 } else { b'\n' };
            progress.lines += memchr::memchr_iter(terminator, text).count() as u64;
        }
        outcome.map_err(|error| error.to_string())
    }

    /// Prints what is said of a text after all of it; tells whether something was found.
    pub(crate) fn end(&mut self, name: &str, progress: &Progress) -> bool {
        let found = progress.count > 0;
        match self.options.show {
            Show::Count if !found && self.options.counts_only_found => {}
            Show::Count => {
                if self.names {
                    self.name(name, ":");
                }
                self.out.extend_from_slice(format!("{}\n", progress.count).as_bytes());
            }
            Show::NamesWith if found => self.name(name, "\n"),
            Show::NamesWithout if !found => self.name(name, "\n"),
            _ => {}
        }
        found
    }

    fn name(&mut self, name: &str, after: &str) {
        let separator = if self.options.null_after_name { "\0" } else { after };
        paint(self.options, &mut self.out, "35", name);
        if separator == ":" {
            paint(self.options, &mut self.out, "36", separator);
        } else {
            self.out.extend_from_slice(separator.as_bytes());
        }
    }

    fn is_binary(&self, text: &[u8]) -> bool {
        self.options.binary != Binary::AsText
            && !self.options.null_lines
            && memchr::memchr(0, text).is_some()
    }
}

/// Calls `each` with where every match in a line begins and ends.
fn find_parts<M: Matcher>(
    matcher: &M,
    line: &[u8],
    each: &mut dyn FnMut(usize, usize),
) -> Result<(), String> {
    let found = matcher.find_iter(line, |found| {
        if !found.is_empty() {
            each(found.start(), found.end());
        }
        true
    });
    found.map_err(|error| error.to_string())
}

/// Finds the matches in a line.
type Parts<'a> = dyn Fn(&[u8], &mut dyn FnMut(usize, usize)) -> Result<(), String> + 'a;

struct Printer<'a> {
    options: &'a Options,
    names: bool,
    printed: &'a mut bool,
    out: &'a mut Vec<u8>,
    err: &'a mut String,
    name: &'a str,
    binary: bool,
    progress: &'a mut Progress,
    /// Lines of context that still follow the last line that counts.
    after_left: usize,
    parts: &'a Parts<'a>,
}

impl Printer<'_> {
    /// Prints what stands before a line.
    fn head(&mut self, separator: &str, line: Option<u64>, offset: u64) {
        let options = self.options;
        let mut any = false;
        if self.names {
            paint(options, self.out, "35", self.name);
            if options.null_after_name {
                self.out.push(0);
            } else {
                paint(options, self.out, "36", separator);
            }
            any = true;
        }
        if let (true, Some(line)) = (options.line_numbers, line) {
            paint(options, self.out, "32", &(line + self.progress.lines).to_string());
            paint(options, self.out, "36", separator);
            any = true;
        }
        if options.byte_offsets {
            paint(options, self.out, "32", &(offset + self.progress.bytes).to_string());
            paint(options, self.out, "36", separator);
            any = true;
        }
        if options.tab && any {
            self.out.push(b'\t');
        }
    }

    /// Prints the separator before a group that does not follow the one before.
    fn separate(&mut self) {
        let context = self.options.before > 0 || self.options.after > 0;
        if let (true, true, Some(text)) = (context, *self.printed, &self.options.group_separator) {
            paint(self.options, self.out, "36", text);
            self.out.push(b'\n');
        }
    }

    fn begin(&mut self) {
        if !std::mem::replace(&mut self.progress.started, true) {
            self.separate();
        }
        *self.printed = true;
    }

    fn text(&mut self, line: &[u8]) {
        self.out.extend_from_slice(line);
        let terminator = if self.options.null_lines { 0 } else { b'\n' };
        if line.last() != Some(&terminator) {
            self.out.push(terminator);
        }
    }

    /// Mentions that a file matches that is no text; tells whether that is all there is to say.
    fn mention(&mut self, line: &[u8]) -> bool {
        let text = self.options.binary == Binary::AsText;
        if !self.binary && (text || std::str::from_utf8(line).is_ok()) {
            return false;
        }
        if !std::mem::replace(&mut self.progress.mentioned, true) {
            let message = format!("grep: {}: binary file matches\n", self.name);
            self.err.push_str(&message);
        }
        self.progress.done = true;
        true
    }

    fn found(&mut self, found: &SinkMatch<'_>) -> Result<bool, String> {
        let options = self.options;
        let (line, offset) = (found.bytes(), found.absolute_byte_offset());
        if options.most.is_some_and(|most| self.progress.count >= most) {
            // What follows the last line that counts is context, even if it matches.
            if self.after_left == 0 || options.show != Show::Lines {
                self.progress.done = true;
                return Ok(false);
            }
            self.after_left -= 1;
            self.head("-", found.line_number(), offset);
            self.text(line);
            return Ok(true);
        }
        self.progress.count += 1;
        let full = options.most.is_some_and(|most| self.progress.count >= most);
        match options.show {
            Show::NamesWith | Show::NamesWithout | Show::Nothing => {
                self.progress.done = true;
                return Ok(false);
            }
            Show::Count => {
                self.progress.done = full;
                return Ok(!full);
            }
            Show::Lines | Show::Parts if self.mention(line) => return Ok(false),
            Show::Lines => {
                self.begin();
                self.head(":", found.line_number(), offset);
                if options.color && !options.invert {
                    self.colored(line)?;
                } else {
                    self.text(line);
                }
            }
            Show::Parts if !options.invert => self.parts(line, found.line_number(), offset)?,
            Show::Parts => {}
        }
        self.after_left = options.after;
        self.progress.done = full && (options.after == 0 || options.show == Show::Parts);
        Ok(!self.progress.done)
    }

    fn parts(&mut self, line: &[u8], number: Option<u64>, offset: u64) -> Result<(), String> {
        let mut places = Vec::new();
        (self.parts)(without_end(line), &mut |start, end| places.push((start, end)))?;
        for (start, end) in places {
            self.head(":", number, offset + start as u64);
            let part = &line[start..end];
            if self.options.color {
                let part = String::from_utf8_lossy(part).into_owned();
                paint(self.options, self.out, "01;31", &part);
                self.out.push(b'\n');
            } else {
                self.text(part);
            }
        }
        Ok(())
    }

    fn colored(&mut self, line: &[u8]) -> Result<(), String> {
        let mut places = Vec::new();
        (self.parts)(without_end(line), &mut |start, end| places.push((start, end)))?;
        let mut at = 0;
        for (start, end) in places {
            self.out.extend_from_slice(&line[at..start]);
            let part = String::from_utf8_lossy(&line[start..end]).into_owned();
            paint(self.options, self.out, "01;31", &part);
            at = end;
        }
        self.text(&line[at..]);
        Ok(())
    }
}

impl Sink for Printer<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found(found).map_err(io::Error::error_message)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.options.most.is_some_and(|most| self.progress.count >= most) {
            if self.after_left == 0 {
                self.progress.done = true;
                return Ok(false);
            }
            self.after_left -= 1;
        }
        if self.mention(context.bytes()) {
            return Ok(false);
        }
        self.begin();
        self.head("-", context.line_number(), context.absolute_byte_offset());
        self.text(context.bytes());
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.options.most.is_some_and(|most| self.progress.count >= most) {
            self.progress.done = true;
            return Ok(false);
        }
        self.separate();
        Ok(true)
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").or_else(|| line.strip_suffix(b"\0")).unwrap_or(line)
}

/// Writes a text, in a colour if colours are wanted.
fn paint(options: &Options, out: &mut Vec<u8>, color: &str, text: &str) {
    if options.color {
        out.extend_from_slice(format!("\x1b[{color}m\x1b[K{text}\x1b[m\x1b[K").as_bytes());
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
