//! What paths that behave like `pathlib.Path` need beside the methods of the table.

use homefs_core::Path;
use homefs_view::{Kind, RenameMode};
use pyo3::prelude::*;

use super::{number, object};
use crate::arguments::{PathArg, choice};
use crate::errors::raise;
use crate::home::{CHANGES, Home, OpenHome, READS};

#[pymethods]
impl Home {
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

    /// Returns where a path leads when every link on it is followed.
    fn _real_path(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &OpenHome| held.client.real_path(&path);
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
        let work = move |held: &OpenHome| {
            let real = held.client.real_path(&path)?;
            // Reading nothing tells what cannot be read.
            held.client.read_at(&real, 0, 0)?;
            Ok(held.client.stat(&real)?.size)
        };
        self.call(py, READS, work, length)
    }
}

/// Returns the path of an argument that may be left out.
pub(super) fn or_root(path: Option<PathArg>) -> Path {
    path.map_or_else(Path::root, |PathArg(path)| path)
}

fn length(py: Python<'_>, length: u64) -> PyResult<Py<PyAny>> {
    object(py, length)
}
