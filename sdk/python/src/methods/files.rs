//! Reading and writing files.

use bytes::Bytes;
use homefs_core::limits::INLINE_BYTES_MAX;
use homefs_core::{Error, ErrorKind, Path, Timestamp, Version};
use homefs_view::{Moment, SetAttrs, WriteOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::{number, own};
use crate::arguments::{Content, MomentArg, PathArg, write_options};
use crate::errors::{Result, raise};
use crate::home::{CHANGES, Home, OpenHome, READS};

#[pymethods]
impl Home {
    /// Writes a whole file and returns its version; missing directories are made.
    #[pyo3(signature = (path, content, *, expected_version=None, durability=None))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathArg,
        content: Content<'_>,
        expected_version: Option<u64>,
        durability: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(path), Content(content)) = (path, content);
        let options = write_options(py, expected_version, durability)?;
        if let Some(done) = self.write_at_once(&path, &content, &options, false) {
            return done.map_err(|error| raise(py, &error)).and_then(|done| number(py, done));
        }
        if !self.is_later() {
            self.check(py, true)?;
            let done = py.detach(|| self.held().client.write_whole(&path, &content, &options));
            return done.map_err(|error| raise(py, &error)).and_then(|done| number(py, done));
        }
        let content = own(content);
        self.call(
            py,
            CHANGES,
            move |held| held.client.write_whole(&path, &content, &options),
            number,
        )
    }

    /// Adds to the end of a file, which is made if it is missing; returns its version.
    #[pyo3(signature = (path, content, *, expected_version=None, durability=None))]
    fn append(
        &self,
        py: Python<'_>,
        path: PathArg,
        content: Content<'_>,
        expected_version: Option<u64>,
        durability: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(path), Content(content)) = (path, content);
        let options = write_options(py, expected_version, durability)?;
        if let Some(done) = self.write_at_once(&path, &content, &options, true) {
            return done.map_err(|error| raise(py, &error)).and_then(|done| number(py, done));
        }
        let content = own(content);
        let work = move |held: &OpenHome| held.client.append(&path, &content, &options);
        self.call(py, CHANGES, work, number)
    }

    /// Returns the text of a file; of an old version or moment if one is given.
    #[pyo3(signature = (path, *, version=None))]
    fn read(
        &self,
        py: Python<'_>,
        path: PathArg,
        version: Option<MomentArg>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        if version.is_none()
            && let Some(read) = self.read_short(&path)
        {
            return text(py, &path, &read.map_err(|error| raise(py, &error))?);
        }
        let moment = version.map_or(Moment::Now, |MomentArg(moment)| moment);
        let named = path.clone();
        let work = move |held: &OpenHome| held.client.read_here(&path, moment, 0, None);
        self.call(py, READS, work, move |py, bytes| text(py, &named, &bytes))
    }

    /// Returns the bytes of a file, or of a part of it; fewer at its end.
    #[pyo3(signature = (path, offset=0, length=None, *, version=None))]
    fn read_bytes(
        &self,
        py: Python<'_>,
        path: PathArg,
        offset: u64,
        length: Option<usize>,
        version: Option<MomentArg>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        if version.is_none() {
            let read = match (offset, length) {
                (0, None) => self.read_short(&path),
                (_, Some(length)) if length <= INLINE_BYTES_MAX => {
                    self.at_once(&path, |view| view.read_at(&path, offset, length))
                }
                _ => None,
            };
            if let Some(read) = read {
                return bytes(py, &read.map_err(|error| raise(py, &error))?);
            }
        }
        let moment = version.map_or(Moment::Now, |MomentArg(moment)| moment);
        let work = move |held: &OpenHome| held.client.read_here(&path, moment, offset, length);
        self.call(py, READS, work, |py, read| bytes(py, &read))
    }

    /// Makes an empty file that must not exist yet.
    fn _create(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let options = WriteOptions { create_only: true, ..WriteOptions::default() };
        self.call(py, CHANGES, move |held| held.client.write(&path, b"", &options), number)
    }

    /// Writes at an offset, not yet a version of the history.
    fn _write_at(
        &self,
        py: Python<'_>,
        path: PathArg,
        offset: u64,
        content: Content<'_>,
    ) -> PyResult<Py<PyAny>> {
        let (PathArg(path), Content(content)) = (path, content);
        let content = own(content);
        let work = move |held: &OpenHome| held.client.write_at(&path, offset, &content);
        self.call(py, CHANGES, work, number)
    }

    /// Cuts or lengthens a file, not yet a version of the history.
    fn _truncate(&self, py: Python<'_>, path: PathArg, size: u64) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, CHANGES, move |held| held.client.truncate(&path, size), number)
    }

    /// Sets permission bits and times; what is None stays.
    #[pyo3(signature = (path, *, mode=None, modified_ns=None))]
    fn _set_attrs(
        &self,
        py: Python<'_>,
        path: PathArg,
        mode: Option<u32>,
        modified_ns: Option<i64>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let modified = modified_ns.map(Timestamp);
        let attrs = SetAttrs { mode, modified, ..SetAttrs::default() };
        self.call(py, CHANGES, move |held| held.client.set_attrs(&path, &attrs), number)
    }
}

impl Home {
    /// Writes or appends what is short, if that needs no waiting.
    #[inline]
    fn write_at_once(
        &self,
        path: &Path,
        content: &[u8],
        options: &WriteOptions,
        appends: bool,
    ) -> Option<Result<Version>> {
        if self.is_read_only() || self.is_fenced() {
            return None;
        }
        self.held().client.write_at_once(path, content, options, appends)
    }

    /// Reads a whole file if it is short: others are not in memory.
    #[inline]
    fn read_short(&self, path: &Path) -> Option<Result<Bytes>> {
        if self.is_fenced() { None } else { self.held().client.read_at_once(path) }
    }
}

fn text(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<Py<PyAny>> {
    match PyString::from_bytes(py, bytes) {
        Ok(text) => Ok(text.into_any().unbind()),
        Err(cause) => {
            let message = "is not UTF-8 text; read_bytes reads it";
            let error = Error::new(ErrorKind::Invalid, message).with_path(path);
            let error = raise(py, &error);
            error.set_cause(py, Some(cause));
            Err(error)
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the form that every answer has")]
fn bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Py<PyAny>> {
    Ok(PyBytes::new(py, bytes).into_any().unbind())
}
