//! The methods of a home that do more than translate; the others are in `calls.rs`.

mod files;
mod memory_tool;
mod remote;
mod shell;
mod tree;
mod watch;

use std::borrow::Cow;

use homefs_core::Version;
use pyo3::prelude::*;

pub(crate) use remote::clone;

/// Returns a version as Python's number.
#[expect(clippy::unnecessary_wraps, reason = "the form that every answer has")]
fn number(py: Python<'_>, Version(version): Version) -> PyResult<Py<PyAny>> {
    let Ok(number) = version.into_pyobject(py);
    Ok(number.into_any().unbind())
}

/// Returns anything that Python has a type for.
fn object<'py, T: IntoPyObject<'py>>(py: Python<'py>, value: T) -> PyResult<Py<PyAny>>
where
    PyErr: From<T::Error>,
{
    use pyo3::BoundObject;
    Ok(value.into_pyobject(py)?.into_any().into_bound().unbind())
}

/// Returns a text.
fn text(py: Python<'_>, text: String) -> PyResult<Py<PyAny>> {
    object(py, text)
}

/// Returns nothing.
#[expect(clippy::unnecessary_wraps, reason = "the form that every answer has")]
fn nothing(py: Python<'_>, (): ()) -> PyResult<Py<PyAny>> {
    Ok(py.None())
}

/// Keeps borrowed bytes beyond the call.
fn own(bytes: Cow<'_, [u8]>) -> Vec<u8> {
    bytes.into_owned()
}
