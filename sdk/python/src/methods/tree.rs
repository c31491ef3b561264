//! Directories: looking, finding, moving, removing.

use homefs_api::{Client, json, pages};
use homefs_core::{ErrorKind, Path};
use homefs_engine::{Entry, Found, GrepOptions, Kind, RenameMode, Stat};
use pyo3::prelude::*;

use super::{nothing, number, object, text, texts};
use crate::arguments::{PathArg, choice};
use crate::errors::{Result, raise};
use crate::home::{CHANGES, Held, Home, READS};
use crate::records::{record, records};

#[pymethods]
impl Home {
    /// Tells what is known of a node; a last link is not followed.
    fn stat(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        if let Some(found) = self.at_once(&path, |view| view.stat(&path)) {
            return stat(py, &path, &found.map_err(|error| raise(py, &error))?);
        }
        let named = path.clone();
        let answer = move |py: Python<'_>, found: Stat| stat(py, &named, &found);
        self.call(py, READS, move |held| held.client.stat(&path), answer)
    }

    /// Tells whether there is something at a path.
    fn exists(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.kind(py, path, |kind| kind.is_some())
    }

    /// Tells whether there is a file at a path.
    fn is_file(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.kind(py, path, |kind| kind == Some(Kind::File))
    }

    /// Tells whether there is a directory at a path.
    fn is_dir(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.kind(py, path, |kind| kind == Some(Kind::Directory))
    }

    /// Lists a directory by name; a file is listed as itself.
    #[pyo3(signature = (path=None))]
    fn ls(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        let path = or_root(path);
        self.call(py, READS, move |held| list(&held.client, &path), entries)
    }

    /// Shows everything below a directory as a tree, at most `depth` levels of it.
    #[pyo3(signature = (path=None, depth=None))]
    fn tree(
        &self,
        py: Python<'_>,
        path: Option<PathArg>,
        depth: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        let path = or_root(path);
        self.call(py, READS, move |held| held.client.tree(&path, depth), text)
    }

    /// Finds nodes below a directory by a pattern; one without `/` matches names at any depth.
    #[pyo3(signature = (pattern="**", path=None))]
    fn find(&self, py: Python<'_>, pattern: &str, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        let (path, pattern) = (or_root(path), pattern.to_owned());
        let work = move |held: &Held| {
            let found = pages::all(|after| held.client.find(&path, &pattern, after, pages::LIMIT))?;
            Ok(found.into_iter().map(|found| found.path.to_string()).collect::<Vec<_>>())
        };
        self.call(py, READS, work, texts)
    }

    /// Finds lines that match a regular expression, or a plain text if `literal` is set.
    #[pyo3(signature = (
        pattern, path=None, *, glob=None, ignore_case=false, literal=false, limit=1000, before=0,
        after=0))]
    #[expect(clippy::too_many_arguments, reason = "they are the keywords of Python's method")]
    fn grep(
        &self,
        py: Python<'_>,
        pattern: String,
        path: Option<PathArg>,
        glob: Option<String>,
        ignore_case: bool,
        literal: bool,
        limit: usize,
        before: usize,
        after: usize,
    ) -> PyResult<Py<PyAny>> {
        let below = or_root(path);
        let options =
            GrepOptions { below, glob, literal, ignore_case, before, after, limit, since: None };
        let work = move |held: &Held| Ok(held.client.grep_all(&pattern, &options)?.lines);
        self.call(py, READS, work, |py, lines| {
            object(py, records(py, "Match", &lines, json::grep_line)?)
        })
    }

    /// Lists everything below a directory.
    #[pyo3(signature = (path=None))]
    fn walk(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        let path = or_root(path);
        let work =
            move |held: &Held| pages::all(|after| held.client.walk(&path, after, pages::LIMIT));
        self.call(py, READS, work, entries)
    }

    /// Makes a directory, and those on the way to it; returns its version.
    #[pyo3(signature = (path, *, parents=true))]
    fn mkdir(&self, py: Python<'_>, path: PathArg, parents: bool) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, CHANGES, move |held| held.client.make_dir(&path, parents), number)
    }

    /// Removes a node to the trash; a directory that is not empty only if `recursive` is set.
    #[pyo3(signature = (path, *, recursive=false))]
    fn delete(&self, py: Python<'_>, path: PathArg, recursive: bool) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, CHANGES, move |held| held.client.remove(&path, recursive), number)
    }

    /// Moves a node to a path, or into a directory; also to another space.
    #[pyo3(signature = (source, target, *, no_replace=false, exchange=false))]
    fn mv(
        &self,
        py: Python<'_>,
        source: PathArg,
        target: PathArg,
        no_replace: bool,
        exchange: bool,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(from), PathArg(to)) = (source, target);
        let work = move |held: &Held| match (exchange, no_replace) {
            (true, _) => held.client.rename(&from, &to, RenameMode::Exchange),
            (_, true) => held.client.move_to(&from, &to, RenameMode::NoReplace),
            _ => {
                let to = held.client.into_directory(from.name(), to)?;
                held.client.move_to(&from, &to, RenameMode::Replace)
            }
        };
        self.call(py, CHANGES, work, number)
    }

    /// Copies a node to a path, or into a directory; a directory only if `recursive` is set.
    #[pyo3(signature = (source, target, *, recursive=false))]
    fn cp(
        &self,
        py: Python<'_>,
        source: PathArg,
        target: PathArg,
        recursive: bool,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(from), PathArg(to)) = (source, target);
        let work = move |held: &Held| {
            let to = held.client.into_directory(from.name(), to)?;
            held.client.copy(&from, &to, recursive)
        };
        self.call(py, CHANGES, work, number)
    }

    /// Renames a node to exactly this path; `mode` says what becomes of what is there.
    #[pyo3(signature = (source, target, mode="replace"))]
    fn _rename(
        &self,
        py: Python<'_>,
        source: PathArg,
        target: PathArg,
        mode: &str,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(from), PathArg(to)) = (source, target);
        let modes = [
            ("replace", RenameMode::Replace),
            ("no_replace", RenameMode::NoReplace),
            ("exchange", RenameMode::Exchange),
        ];
        let mode = choice("a mode", mode, &modes).map_err(|error| raise(py, &error))?;
        self.call(py, CHANGES, move |held| held.client.move_to(&from, &to, mode), number)
    }

    /// Makes a symbolic link at a path.
    fn symlink(&self, py: Python<'_>, target: String, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, CHANGES, move |held| held.client.symlink(&target, &path), number)
    }

    /// Gives a file one more name.
    fn link(&self, py: Python<'_>, existing: PathArg, new: PathArg) -> PyResult<Py<PyAny>> {
        let (PathArg(existing), PathArg(new)) = (existing, new);
        self.call(py, CHANGES, move |held| held.client.link(&existing, &new), number)
    }

    /// Returns where a symbolic link points.
    fn readlink(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.read_link(&path);
        self.call(py, READS, work, text)
    }

    /// Returns where a path leads when every link on it is followed.
    fn _real_path(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.real_path(&path);
        self.call(py, READS, work, |py, path| object(py, path.as_str()))
    }

    /// Returns the length of a file, where a link leads included.
    fn _size(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        if let Some(Ok(stat)) = self.at_once(&path, |view| view.stat(&path))
            && stat.kind == Kind::File
        {
            return object(py, stat.size);
        }
        let work = move |held: &Held| {
            let real = held.client.real_path(&path)?;
            // Reading nothing tells what cannot be read.
            held.client.read_at(&real, 0, 0)?;
            Ok(held.client.stat(&real)?.size)
        };
        self.call(py, READS, work, length)
    }

    /// Returns when everything acknowledged so far survives power loss.
    fn barrier(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(py, READS, |held| held.client.barrier(), nothing)
    }
}

impl Home {
    /// Asks what is at a path, where a link leads included.
    fn kind(
        &self,
        py: Python<'_>,
        PathArg(path): PathArg,
        ask: fn(Option<Kind>) -> bool,
    ) -> PyResult<Py<PyAny>> {
        // A link is followed by asking, which may take long.
        if let Some(Ok(stat)) = self.at_once(&path, |view| view.stat(&path))
            && stat.kind != Kind::Link
        {
            return object(py, ask(Some(stat.kind)));
        }
        self.call(
            py,
            READS,
            move |held| held.client.kind(&path),
            move |py, kind| object(py, ask(kind)),
        )
    }
}

/// Returns the path of an argument that may be left out.
pub(super) fn or_root(path: Option<PathArg>) -> Path {
    path.map_or_else(Path::root, |PathArg(path)| path)
}

fn list(client: &Client, path: &Path) -> Result<Vec<Found>> {
    let entries = match pages::all(|after| client.list(path, after, pages::LIMIT)) {
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Ok(vec![Found { stat: client.stat(path)?, path: path.clone() }]);
        }
        entries => entries?,
    };
    let found = |Entry { name, stat }: Entry| Ok(Found { path: path.join(&name)?, stat });
    entries.into_iter().map(found).collect()
}

fn stat(py: Python<'_>, path: &Path, stat: &Stat) -> PyResult<Py<PyAny>> {
    Ok(record(py, "Stat", json::stat(path, stat))?.unbind())
}

#[expect(clippy::needless_pass_by_value, reason = "the form that every answer has")]
fn entries(py: Python<'_>, found: Vec<Found>) -> PyResult<Py<PyAny>> {
    Ok(records(py, "Stat", &found, json::found)?.into_any().unbind())
}

fn length(py: Python<'_>, length: u64) -> PyResult<Py<PyAny>> {
    object(py, length)
}
