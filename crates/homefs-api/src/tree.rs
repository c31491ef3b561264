//! Directories drawn as a tree, and moved about as `mv` does.

use homefs_core::{Error, ErrorKind, Path, Result, Version};
use homefs_view::{Entry, Found, Kind, RenameMode};

use crate::client::Client;
use crate::pages;

impl Client {
    /// Shows everything below a directory as a tree of text, at most `depth` levels of it.
    pub fn tree(&self, dir: &Path, depth: Option<usize>) -> Result<String> {
        let mut text = format!("{dir}\n");
        self.draw(dir, depth, |branch, found| -> Result<()> {
            let end = if found.stat.kind == Kind::Directory { "/\n" } else { "\n" };
            text.extend([branch, found.path.name().unwrap_or_default(), end]);
            Ok(())
        })?;
        Ok(text)
    }

    /// Hands everything below a directory to `line`, in the order of a drawn tree, each with the
    /// branch that leads to it.
    pub fn draw<E: From<Error>>(
        &self,
        dir: &Path,
        depth: Option<usize>,
        mut line: impl FnMut(&str, &Found) -> Result<(), E>,
    ) -> Result<(), E> {
        self.branch(dir, "", depth.unwrap_or(usize::MAX), &mut line)
    }

    /// Draws what is in one directory; as deep as a path can be, which is bounded.
    fn branch<E: From<Error>>(
        &self,
        dir: &Path,
        indent: &str,
        depth: usize,
        line: &mut impl FnMut(&str, &Found) -> Result<(), E>,
    ) -> Result<(), E> {
        if depth == 0 {
            return Ok(());
        }
        let entries = pages::all(|after| self.list(dir, after, pages::LIMIT))?;
        let last = entries.len().saturating_sub(1);
        for (index, Entry { name, stat }) in entries.into_iter().enumerate() {
            let (mark, below) =
                if index == last { ("└── ", "    ") } else { ("├── ", "│   ") };
            let found = Found { path: dir.join(&name)?, stat };
            line(&format!("{indent}{mark}"), &found)?;
            if found.stat.kind == Kind::Directory {
                self.branch(&found.path, &format!("{indent}{below}"), depth - 1, line)?;
            }
        }
        Ok(())
    }

    /// Returns what is at a path, where a link leads included; `None` if nothing.
    pub fn kind(&self, path: &Path) -> Result<Option<Kind>> {
        let known = self.stat(path).and_then(|stat| match stat.kind {
            Kind::Link => self.stat(&self.real_path(path)?),
            _ => Ok(stat),
        });
        match known {
            Ok(stat) => Ok(Some(stat.kind)),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Returns the path of that name inside `to` if that is a directory, as cp and mv always did.
    pub fn into_directory(&self, name: Option<&str>, to: Path) -> Result<Path> {
        match name {
            Some(name) if self.kind(&to)? == Some(Kind::Directory) => to.join(name),
            _ => Ok(to),
        }
    }

    /// Renames; to another space that is a copy and a removal.
    pub fn move_to(&self, from: &Path, to: &Path, mode: RenameMode) -> Result<Version> {
        match self.rename(from, to, mode) {
            Err(error)
                if error.kind() == ErrorKind::Unsupported && mode != RenameMode::Exchange =>
            {
                if mode == RenameMode::NoReplace && self.kind(to)?.is_some() {
                    return Err(Error::new(ErrorKind::AlreadyExists, "it exists").with_path(to));
                }
                let version = self.copy(from, to, true)?;
                self.remove(from, true)?;
                Ok(version)
            }
            renamed => renamed,
        }
    }
}
