//! The commands of Anthropic's memory tool, on the directory `/memories` of a home.
//!
//! Models are trained on the words of the reference implementation, so the answers here are its
//! words to the letter, and so are the messages of errors, which therefore begin with a capital.
//! Faces hand a command in and the text out: none has words of its own.

mod text;

use homefs_core::limits::PAGE_ENTRIES_MAX;
use homefs_core::{Error, ErrorKind, Path, Result};
use homefs_view::{Entry, Kind, RenameMode, WriteOptions, pages};
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::paths::resolve_path;
use text::{bounds, numbered, places, size};

/// The directory that the commands see.
const ROOT: &str = "/memories";
/// The size that directories show, as they do on common file systems of Linux.
const DIRECTORY_BYTES: u64 = 4096;
/// How deep a view of a directory goes.
const LEVELS_MAX: usize = 2;
/// The longest file that is shown.
const LINES_MAX: usize = 999_999;
/// Lines that are shown before and after one that was changed.
const LINES_AROUND: usize = 2;
/// Permission bits of what is created.
const MODE: u32 = 0o600;

/// A command of the memory tool, with the names that its messages have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum MemoryCommand {
    /// Shows a directory or a file.
    View {
        /// What to show.
        path: String,
        /// The first and last line to show of a file, counted from 1; -1 is its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        view_range: Option<Vec<i64>>,
    },
    /// Makes a file.
    Create {
        /// Where; nothing may be there.
        path: String,
        /// Its content.
        file_text: String,
    },
    /// Replaces the one occurrence of a text in a file.
    StrReplace {
        /// The file.
        path: String,
        /// What must occur once.
        old_str: String,
        /// What takes its place.
        #[serde(default)]
        new_str: String,
    },
    /// Inserts text after a line.
    Insert {
        /// The file.
        path: String,
        /// The line, counted from 1; 0 is before the first.
        insert_line: i64,
        /// What to insert.
        insert_text: String,
    },
    /// Removes a file, or a directory with all below it.
    Delete {
        /// What to remove.
        path: String,
    },
    /// Renames a file or a directory.
    Rename {
        /// What to rename.
        old_path: String,
        /// Its new name; nothing may be there.
        new_path: String,
    },
}

impl MemoryCommand {
    /// Tells whether the command changes what a view shows.
    pub fn changes(&self) -> bool {
        !matches!(self, Self::View { .. })
    }
}

impl Client {
    /// Does what a command of the memory tool asks for and returns what the tool says to the model.
    ///
    /// # Errors
    ///
    /// The message alone is what the tool says; where the reference implementation has words for
    /// an error, they are its words.
    pub fn memory_command(&self, command: &MemoryCommand) -> Result<String> {
        match command {
            MemoryCommand::View { path, view_range } => {
                self.view_memory(path, view_range.as_deref())
            }
            MemoryCommand::Create { path, file_text } => self.create_memory(path, file_text),
            MemoryCommand::StrReplace { path, old_str, new_str } => {
                self.replace_in_memory(path, old_str, new_str)
            }
            MemoryCommand::Insert { path, insert_line, insert_text } => {
                self.insert_in_memory(path, *insert_line, insert_text)
            }
            MemoryCommand::Delete { path } => self.delete_memory(path),
            MemoryCommand::Rename { old_path, new_path } => self.rename_memory(old_path, new_path),
        }
    }

    /// Removes all that the memory tool sees, to the trash.
    pub fn clear_memories(&self) -> Result<String> {
        let root = Path::parse(ROOT)?;
        match self.remove(&root, true) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => self.make_dir(&root, true)?,
        };
        Ok("All memory cleared".into())
    }

    fn view_memory(&self, text: &str, range: Option<&[i64]>) -> Result<String> {
        let path = self.memory_path(text, Last::Follow)?;
        let kind = match self.stat(&path) {
            Ok(stat) => stat.kind,
            // The tool may look before anything was kept.
            Err(error) if is_missing(&error) && names_root(text) => Kind::Directory,
            Err(error) => return Err(or_missing(error, text)),
        };
        match kind {
            Kind::Directory => self.view_directory(&path, text),
            Kind::File => {
                let content = self.memory_text(&path, text)?;
                let lines: Vec<&str> = content.split('\n').collect();
                if lines.len() > LINES_MAX {
                    let message =
                        format!("File {text} exceeds maximum line limit of 999,999 lines.");
                    return Err(Error::new(ErrorKind::LimitExceeded, message));
                }
                let (start, end) = bounds(range, lines.len());
                let numbered = numbered(&lines, start, end);
                Ok(format!("Here's the content of {text} with line numbers:\n{numbered}"))
            }
            Kind::Link | Kind::Special(_) => {
                Err(invalid(format!("Unsupported file type for {text}")))
            }
        }
    }

    fn view_directory(&self, path: &Path, text: &str) -> Result<String> {
        let header = format!(
            "Here're the files and directories up to 2 levels deep in {text}, excluding hidden \
             items:"
        );
        let mut shown = vec![header, format!("{}\t{text}", size(DIRECTORY_BYTES))];
        self.list_memories(path, text.trim_end_matches('/'), 1, &mut shown)?;
        Ok(shown.join("\n"))
    }

    /// Adds a line for each entry of a directory, and of those in it as deep as views go.
    fn list_memories(
        &self,
        path: &Path,
        text: &str,
        level: usize,
        shown: &mut Vec<String>,
    ) -> Result<()> {
        let fetch = |after: Option<&str>| self.list(path, after, PAGE_ENTRIES_MAX);
        let listed = pages::each(fetch, |Entry { name, stat }| -> Result<()> {
            if name.starts_with('.') {
                return Ok(());
            }
            let (at, below) = (format!("{text}/{name}"), path.join(&name)?);
            match stat.kind {
                Kind::File => shown.push(format!("{}\t{at}", size(stat.size))),
                Kind::Directory => {
                    shown.push(format!("{}\t{at}/", size(DIRECTORY_BYTES)));
                    if level < LEVELS_MAX {
                        self.list_memories(&below, &at, level + 1, shown)?;
                    }
                }
                Kind::Link | Kind::Special(_) => {}
            }
            Ok(())
        });
        match listed {
            // It may be gone by now, and the directory of all memories need not be there.
            Err(error) if is_missing(&error) => Ok(()),
            listed => listed,
        }
    }

    fn create_memory(&self, text: &str, content: &str) -> Result<String> {
        let path = self.memory_path(text, Last::Keep)?;
        let options = WriteOptions {
            create_only: true,
            parents: true,
            mode: Some(MODE),
            ..WriteOptions::default()
        };
        match self.write(&path, content.as_bytes(), &options) {
            Ok(_) => Ok(format!("File created successfully at: {text}")),
            Err(error) => Err(match error.kind() {
                ErrorKind::AlreadyExists | ErrorKind::IsADirectory => {
                    let message = format!("File {text} already exists");
                    Error::new(ErrorKind::AlreadyExists, message)
                }
                _ => error,
            }),
        }
    }

    fn replace_in_memory(&self, text: &str, old: &str, new: &str) -> Result<String> {
        self.edit_memory(text, |content| {
            let line_at = |at: usize| content[..at].matches('\n').count();
            let mut found = content.match_indices(old);
            let at = match (found.next(), found.next()) {
                _ if old.is_empty() => None,
                (Some((at, _)), None) => Some(at),
                (None, _) => None,
                (Some(_), Some(_)) => {
                    let lines: Vec<String> =
                        places(content, old).map(|at| (line_at(at) + 1).to_string()).collect();
                    return Err(invalid(format!(
                        "No replacement was performed. Multiple occurrences of old_str `{old}` in \
                         lines: {}. Please ensure it is unique",
                        lines.join(", ")
                    )));
                }
            };
            let at = at.ok_or_else(|| {
                invalid(format!(
                    "No replacement was performed, old_str `{old}` did not appear verbatim in \
                     {text}."
                ))
            })?;
            let edited = [&content[..at], new, &content[at + old.len()..]].concat();
            let lines: Vec<&str> = edited.split('\n').collect();
            let line = line_at(at);
            let end = lines.len().min(line + LINES_AROUND + 1);
            let snippet = numbered(&lines, line.saturating_sub(LINES_AROUND), end);
            let said = format!(
                "The memory file has been edited. Here is the snippet showing the change (with \
                 line numbers):\n{snippet}"
            );
            Ok((edited, said))
        })
    }

    fn insert_in_memory(&self, text: &str, line: i64, inserted: &str) -> Result<String> {
        self.edit_memory(text, |content| {
            let lines: Vec<&str> = content.split_inclusive('\n').collect();
            let at = usize::try_from(line).ok().filter(|at| *at <= lines.len()).ok_or_else(|| {
                invalid(format!(
                    "Invalid `insert_line` parameter: {line}. It should be within the range [0, \
                     {}].",
                    lines.len()
                ))
            })?;
            let mut edited = lines[..at].concat();
            let end_line = |edited: &mut String| {
                if !edited.is_empty() && !edited.ends_with('\n') {
                    edited.push('\n');
                }
            };
            end_line(&mut edited);
            edited.push_str(inserted.trim_end_matches('\n'));
            edited.push('\n');
            edited.push_str(&lines[at..].concat());
            end_line(&mut edited);
            Ok((edited, format!("The file {text} has been edited.")))
        })
    }

    /// Edits a file as a whole, again if somebody else wrote it meanwhile.
    fn edit_memory(
        &self,
        text: &str,
        edit: impl Fn(&str) -> Result<(String, String)>,
    ) -> Result<String> {
        let path = self.memory_path(text, Last::Follow)?;
        loop {
            let stat = self.stat(&path).map_err(|error| or_missing(error, text))?;
            if stat.kind != Kind::File {
                let message = format!("The path {text} is not a file.");
                return Err(Error::new(ErrorKind::IsADirectory, message));
            }
            let (edited, said) = edit(&self.memory_text(&path, text)?)?;
            let options =
                WriteOptions { if_version: Some(stat.version), ..WriteOptions::default() };
            match self.write(&path, edited.as_bytes(), &options) {
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                written => return written.map(|_| said),
            }
        }
    }

    fn delete_memory(&self, text: &str) -> Result<String> {
        let path = self.memory_path(text, Last::Keep)?;
        if names_root(text) {
            return Err(invalid("Cannot delete the /memories directory itself"));
        }
        self.remove(&path, true).map_err(|error| or_gone(error, text))?;
        Ok(format!("Successfully deleted {text}"))
    }

    fn rename_memory(&self, old: &str, new: &str) -> Result<String> {
        let from = self.memory_path(old, Last::Keep)?;
        let to = self.memory_path(new, Last::Keep)?;
        if names_root(old) {
            return Err(invalid("Cannot rename the /memories directory itself"));
        }
        let taken = || {
            let message = format!("The destination {new} already exists");
            Error::new(ErrorKind::AlreadyExists, message)
        };
        if names_root(new) || self.stat(&to).is_ok() {
            return Err(taken());
        }
        self.stat(&from).map_err(|error| or_gone(error, old))?;
        if let Some(parent) = to.parent() {
            self.make_dir(&parent, true)?;
        }
        match self.rename(&from, &to, RenameMode::NoReplace) {
            Ok(_) => Ok(format!("Successfully renamed {old} to {new}")),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(taken()),
            Err(error) => Err(or_gone(error, old)),
        }
    }

    /// Reads a path that must lie, and lead, below the directory of all memories.
    fn memory_path(&self, text: &str, last: Last) -> Result<Path> {
        let root = Path::parse(ROOT)?;
        if !text.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Err(invalid(format!("Path must start with /memories, got: {text}")));
        }
        let named = resolve_path(text)?;
        let real = match (named.parent(), named.name(), last) {
            (Some(parent), Some(name), Last::Keep) if named != root => {
                self.real_path(&parent)?.join(name)?
            }
            _ => self.real_path(&named)?,
        };
        // A link of the home itself may take all memories elsewhere; those in them may not.
        let top = self.real_path(&root)?;
        if !named.starts_with(&root) || !real.starts_with(&top) {
            return Err(invalid(format!("Path {text} would escape /memories directory")));
        }
        // A handle means files at or below the directory it stands in, and so below this one.
        self.path_meant(&real)
    }

    fn memory_text(&self, path: &Path, text: &str) -> Result<String> {
        let bytes = self.read(path).map_err(|error| {
            let message = format!(
                "The file {text} no longer exists (may have been deleted or renamed concurrently)."
            );
            if is_missing(&error) { Error::new(ErrorKind::NotFound, message) } else { error }
        })?;
        String::from_utf8(bytes.into()).map_err(|cause| {
            Error::new(ErrorKind::Invalid, "is not UTF-8 text").with_source(cause).with_path(path)
        })
    }
}

/// What is done with a link at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// It is followed.
    Follow,
    /// It is meant itself.
    Keep,
}

/// Tells whether a path is the directory of all memories.
fn names_root(text: &str) -> bool {
    resolve_path(text).is_ok_and(|path| path.as_str() == ROOT)
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

fn is_missing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Says that a path is missing, to whoever wants to read it.
fn or_missing(error: Error, text: &str) -> Error {
    let message = format!("The path {text} does not exist. Please provide a valid path.");
    if is_missing(&error) { Error::new(ErrorKind::NotFound, message) } else { error }
}

/// Says that a path is missing, to whoever wants to take it away.
fn or_gone(error: Error, text: &str) -> Error {
    let message = format!("The path {text} does not exist");
    if is_missing(&error) { Error::new(ErrorKind::NotFound, message) } else { error }
}
