//! What each operation does to the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{ErrorKind, Path, Timestamp};

use super::{Answer, Body, Model, Node, Number, ROOT, Slot, Trashed};
use crate::operations::{Clash, Expect, Operation};

impl Model {
    /// Does what an operation does to a space, now; `version` is what the store answered, if it
    /// did.
    ///
    /// # Errors
    ///
    /// The kind of error that the store must give; then nothing has changed.
    pub fn apply(&mut self, operation: &Operation, version: u64, now: Timestamp) -> Answer {
        self.now = now;
        let before = self.clone();
        let answer = self.change(operation, version);
        if answer.is_err() {
            *self = before;
        } else {
            self.version = self.version.max(version);
        }
        answer
    }

    fn change(&mut self, operation: &Operation, version: u64) -> Answer {
        match operation {
            Operation::Write { path, content, expect, create_only, parents, .. } => {
                let file = self.target(path, *parents, *create_only, *expect)?;
                self.settle(file, content.bytes(), version);
                Ok(())
            }
            Operation::Append { path, content, parents } => {
                self.append(path, &content.bytes(), *parents, version)
            }
            Operation::Replace { path, old, new } => {
                self.edit(path, version, |text| replaced(text, old, new))
            }
            Operation::Insert { path, line, text } => {
                self.edit(path, version, |old| inserted(old, *line, text))
            }
            Operation::WriteAt { path, offset, content } => self.range(path, |bytes| {
                let (start, content) = (to_usize(*offset), content.bytes());
                if !content.is_empty() && bytes.len() < start + content.len() {
                    bytes.resize(start + content.len(), 0);
                }
                if !content.is_empty() {
                    bytes[start..start + content.len()].copy_from_slice(&content);
                }
            }),
            Operation::Truncate { path, size } => {
                self.range(path, |bytes| bytes.resize(to_usize(*size), 0))
            }
            Operation::MakeDir { path, parents } => self.make_dir(path, *parents),
            Operation::Symlink { target, path } => {
                let slot = self.free(path)?;
                self.make(&slot.path, Node::new(0o777, Body::Link(target.clone()), self.now));
                Ok(())
            }
            Operation::Link { existing, new } => self.link(existing, new),
            Operation::Remove { path, recursive } => self.remove(path, *recursive, version),
            Operation::Rename { from, to, clash } => self.rename(from, to, *clash, version),
            Operation::Copy { from, to, recursive } => self.copy(from, to, *recursive, version),
            Operation::SetAttrs { path, mode, xattr } => {
                let number = self.find(path, false)?;
                let node = self.node(number);
                // An agent gives no special bits.
                node.mode = mode.map_or(node.mode, |mode| mode & 0o777);
                match xattr {
                    Some((name, Some(value))) => {
                        node.xattrs.insert(name.clone(), value.clone());
                    }
                    Some((name, None)) => drop(node.xattrs.remove(name)),
                    None => {}
                }
                Ok(())
            }
            Operation::Restore { path, back } => {
                let number = self.find(path, true)?;
                let history = &self.nodes[&number].history;
                let (_, content) = history.iter().rev().nth(*back).ok_or(ErrorKind::NotFound)?;
                let content = content.to_vec();
                self.settle(number, content, version);
                Ok(())
            }
            Operation::Untrash { path, to } => {
                self.untrash(path, to.as_ref().unwrap_or(path), version)
            }
            Operation::Barrier
            | Operation::Quiet
            | Operation::Reopen
            | Operation::CrashProcess
            | Operation::CrashPower(_) => Ok(()),
        }
    }

    /// Finds the file to write, or makes it.
    fn target(
        &mut self,
        path: &Path,
        parents: bool,
        create_only: bool,
        expect: Expect,
    ) -> Result<Number, ErrorKind> {
        let slot = if parents { self.resolve(path, true)? } else { self.slot(path, true)? };
        if slot.node.is_some_and(|node| self.is_directory(node)) {
            return Err(ErrorKind::IsADirectory);
        }
        if create_only && slot.node.is_some() {
            return Err(ErrorKind::AlreadyExists);
        }
        if expect == Expect::Stale || expect == Expect::Nothing && slot.node.is_some() {
            return Err(ErrorKind::Conflict);
        }
        let new = Node::new(0o644, Body::File(Arc::default()), self.now);
        Ok(slot.node.unwrap_or_else(|| self.make_file(&slot.path, new)))
    }

    fn append(&mut self, path: &Path, added: &[u8], parents: bool, version: u64) -> Answer {
        let file = self.target(path, parents, false, Expect::Anything)?;
        let (mut bytes, unsettled) = (self.bytes(file)?.to_vec(), self.nodes[&file].unsettled);
        bytes.extend_from_slice(added);
        let small = bytes.len() <= INLINE_BYTES_MAX && !unsettled;
        if small || added.len() > INLINE_BYTES_MAX {
            self.settle(file, bytes, version);
        } else {
            self.write_range(file, bytes);
        }
        Ok(())
    }

    fn edit(&mut self, path: &Path, version: u64, edit: impl Fn(&str) -> Option<String>) -> Answer {
        let file = self.find(path, true)?;
        let bytes = self.bytes(file)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| ErrorKind::Invalid)?;
        let edited = edit(text).ok_or(ErrorKind::Invalid)?;
        self.settle(file, edited.into_bytes(), version);
        Ok(())
    }

    fn range(&mut self, path: &Path, change: impl Fn(&mut Vec<u8>)) -> Answer {
        let file = self.find(path, true)?;
        let mut bytes = self.bytes(file)?.to_vec();
        change(&mut bytes);
        self.write_range(file, bytes);
        Ok(())
    }

    fn write_range(&mut self, file: Number, bytes: Vec<u8>) {
        let now = self.now;
        let node = self.node(file);
        (node.body, node.unsettled) = (Body::File(Arc::new(bytes)), true);
        (node.modified, node.copied) = (now, None);
    }

    fn make_dir(&mut self, path: &Path, parents: bool) -> Answer {
        let directory = Node::new(0o755, Body::Directory(BTreeMap::new()), self.now);
        if !parents {
            let slot = self.free(path)?;
            self.make(&slot.path, directory);
            return Ok(());
        }
        let slot = self.resolve(path, true)?;
        match slot.node {
            Some(node) if self.is_directory(node) => Ok(()),
            Some(_) => Err(ErrorKind::NotADirectory),
            None => {
                self.make(&slot.path, directory);
                Ok(())
            }
        }
    }

    fn link(&mut self, existing: &Path, new: &Path) -> Answer {
        let from = self.slot(existing, false)?;
        self.slot(new, false)?;
        let number = from.node.ok_or(ErrorKind::NotFound)?;
        if self.is_directory(number) {
            return Err(ErrorKind::IsADirectory);
        }
        let to = self.free(new)?;
        self.node(number).links += 1;
        self.bind(&to.path, number);
        Ok(())
    }

    fn remove(&mut self, path: &Path, recursive: bool, version: u64) -> Answer {
        let slot = self.slot(path, false)?;
        if slot.path.is_root() {
            return Err(ErrorKind::IsADirectory);
        }
        let number = slot.node.ok_or(ErrorKind::NotFound)?;
        if !recursive && self.names(number).is_some_and(|names| !names.is_empty()) {
            return Err(ErrorKind::NotEmpty);
        }
        self.unlink(&slot.path, version);
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path, clash: Clash, version: u64) -> Answer {
        let (from, to) = (self.slot(from, false)?, self.slot(to, false)?);
        if from.path.is_root() || to.path.is_root() {
            return Err(ErrorKind::IsADirectory);
        }
        let number = from.node.ok_or(ErrorKind::NotFound)?;
        if from.path != to.path && to.path.starts_with(&from.path) {
            return Err(ErrorKind::Invalid);
        }
        let Some(other) = to.node else {
            if clash == Clash::Exchange {
                return Err(ErrorKind::NotFound);
            }
            let old = self.succeeded(&from, &to);
            self.note_away(&from, &to, number);
            self.unbind(&from.path);
            self.bind(&to.path, number);
            self.succeed(number, old);
            return Ok(());
        };
        match clash {
            Clash::Fail => Err(ErrorKind::AlreadyExists),
            _ if number == other => Ok(()),
            Clash::Exchange if from.path.starts_with(&to.path) => Err(ErrorKind::Invalid),
            Clash::Exchange => {
                self.bind(&from.path, other);
                self.bind(&to.path, number);
                Ok(())
            }
            Clash::Replace => {
                match (self.is_directory(number), self.names(other)) {
                    (true, None) => return Err(ErrorKind::NotADirectory),
                    (false, Some(_)) => return Err(ErrorKind::IsADirectory),
                    (true, Some(names)) if !names.is_empty() => return Err(ErrorKind::NotEmpty),
                    _ => {}
                }
                let old = self.succeeded(&from, &to);
                self.note_away(&from, &to, number);
                if let Some(old) = old {
                    // The one that goes on gets what it holds.
                    self.node(old).copied = None;
                }
                self.unlink(&to.path, version);
                self.unbind(&from.path);
                self.bind(&to.path, number);
                self.succeed(number, old);
                Ok(())
            }
        }
    }

    fn copy(&mut self, from: &Path, to: &Path, recursive: bool, version: u64) -> Answer {
        let from = self.slot(from, false)?;
        let number = from.node.ok_or(ErrorKind::NotFound)?;
        let directory = self.is_directory(number);
        if directory && !recursive {
            return Err(ErrorKind::IsADirectory);
        }
        let to = self.slot(to, false)?;
        if directory && to.path.starts_with(&from.path) {
            return Err(ErrorKind::Invalid);
        }
        let Some(other) = to.node else {
            self.copy_node(number, &to.path, version);
            return Ok(());
        };
        if other == number || self.bytes(number).is_err() || self.bytes(other).is_err() {
            return Err(ErrorKind::AlreadyExists);
        }
        let bytes = self.bytes(number)?.to_vec();
        self.settle(other, bytes, version);
        Ok(())
    }

    fn copy_node(&mut self, number: Number, to: &Path, version: u64) {
        let node = self.nodes[&number].clone();
        let names = self.names(number).cloned();
        let body = if names.is_some() { Body::Directory(BTreeMap::new()) } else { node.body };
        let (links, unsettled, created, modified) = (1, false, self.now, node.modified);
        let (history, copied) = (Vec::new(), None);
        let copy = Node { links, body, history, unsettled, created, copied, ..node };
        if let Body::File(bytes) = &copy.body {
            let bytes = bytes.to_vec();
            let made = self.make_file(to, copy);
            self.settle(made, bytes, version);
            self.node(made).modified = modified;
        } else {
            self.make(to, copy);
        }
        for (name, below) in names.into_iter().flatten() {
            self.copy_node(below, &to.join(&name).expect("the names are good"), version);
        }
    }

    /// Takes a name away, and everything below it; a node without names goes to the trash.
    fn unlink(&mut self, path: &Path, version: u64) {
        let number = self.unbind(path);
        let names: Vec<String> =
            self.names(number).into_iter().flatten().map(|(name, _)| name.clone()).collect();
        self.bind(path, number);
        for name in names {
            self.unlink(&path.join(&name).expect("the names are good"), version);
        }
        self.unbind(path);
        let node = self.node(number);
        node.links -= 1;
        if node.links == 0 {
            let node = self.nodes.remove(&number).expect("it was just there");
            if node.copied.is_some() {
                return;
            }
            let (path, time) = (path.clone(), self.now);
            self.trash.push(Trashed { path, version, time, number, node });
        }
    }

    /// Finds a name that must be free.
    fn free(&self, path: &Path) -> Result<Slot, ErrorKind> {
        let slot = self.slot(path, false)?;
        if slot.node.is_some() { Err(ErrorKind::AlreadyExists) } else { Ok(slot) }
    }

    /// Makes a node at a path without links, and missing directories on the way.
    fn make(&mut self, path: &Path, node: Node) -> Number {
        self.make_parents(path);
        let number = self.next;
        self.next += 1;
        self.nodes.insert(number, node);
        self.bind(path, number);
        number
    }

    /// Makes a file at a free name, which may be how one is saved that was put away.
    fn make_file(&mut self, path: &Path, node: Node) -> Number {
        let old = self.put_away(path);
        let number = self.make(path, node);
        self.succeed(number, old);
        number
    }

    pub(super) fn make_parents(&mut self, path: &Path) {
        let above = path.parent().expect("the root is always there");
        if self.find(&above, false).is_err() {
            self.make(&above, Node::new(0o755, Body::Directory(BTreeMap::new()), self.now));
        }
    }

    pub(super) fn bind(&mut self, path: &Path, number: Number) {
        let name = path.name().expect("the root has no name").to_owned();
        self.names_above(path).insert(name, number);
    }

    fn unbind(&mut self, path: &Path) -> Number {
        let name = path.name().expect("the root has no name");
        self.names_above(path).remove(name).expect("the name was looked up")
    }

    fn names_above(&mut self, path: &Path) -> &mut BTreeMap<String, Number> {
        let above = path.parent().expect("the root has no name");
        let directory = self.find(&above, false).unwrap_or(ROOT);
        match &mut self.node(directory).body {
            Body::Directory(names) => names,
            _ => unreachable!("a path without links leads through directories"),
        }
    }

    fn settle(&mut self, file: Number, bytes: Vec<u8>, version: u64) {
        let (bytes, now) = (Arc::new(bytes), self.now);
        let node = self.node(file);
        node.body = Body::File(bytes.clone());
        node.history.push((version, bytes));
        (node.unsettled, node.modified, node.copied) = (false, now, None);
    }

    fn bytes(&self, number: Number) -> Result<Arc<Vec<u8>>, ErrorKind> {
        match &self.nodes[&number].body {
            Body::File(bytes) => Ok(bytes.clone()),
            _ => Err(ErrorKind::IsADirectory),
        }
    }

    pub(super) fn node(&mut self, number: Number) -> &mut Node {
        self.nodes.get_mut(&number).expect("the number was looked up")
    }
}

fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let mut places = (0..text.len()).filter(|&at| text[at..].starts_with(old));
    match (places.next(), places.next()) {
        (Some(at), None) => Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..])),
        _ => None,
    }
}

fn inserted(text: &str, line: usize, added: &str) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if line > lines.len() {
        return None;
    }
    if let Some(before) = line.checked_sub(1).and_then(|index| lines.get_mut(index))
        && !before.ends_with('\n')
    {
        before.push('\n');
    }
    let end = if added.ends_with('\n') { "" } else { "\n" };
    lines.insert(line, format!("{added}{end}"));
    Some(lines.concat())
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).expect("a model is small")
}
