//! Errors as Python raises them: one class per kind.

use homefs_core::{Error, ErrorCode, ErrorKind};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// What fails by an error of homefs.
pub(crate) type Result<T> = homefs_core::Result<T>;

/// Returns every kind with the errno that says the same.
#[pyfunction]
pub(crate) fn error_kinds() -> Vec<(&'static str, i32)> {
    ErrorKind::ALL.iter().map(|kind| (kind.name(), kind.errno())).collect()
}

/// Makes the exception of an error, with its causes in its text.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error).map_or_else(|failure| failure, PyErr::from_value)
}

/// Refuses an argument.
pub(crate) fn invalid(py: Python<'_>, message: impl Into<String>) -> PyErr {
    raise(py, &Error::new(ErrorKind::Invalid, message))
}

fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let classes = CLASSES.get_or_try_init(py, || {
        let errors = py.import(intern!(py, "homefs._errors"))?;
        let classes = errors.getattr(intern!(py, "BY_KIND"))?.cast_into::<PyDict>()?;
        PyResult::Ok(classes.unbind())
    })?;
    let kind = error.kind().name();
    let class = classes.bind(py).get_item(kind)?.ok_or_else(|| {
        // The table is tested against every kind.
        PyRuntimeError::new_err(format!("no exception is known for {kind}: {error}"))
    })?;
    class.call1((message(error), error.path(), error.code().map(ErrorCode::name)))
}

/// Says what was attempted and why it failed, causes included.
fn message(error: &Error) -> String {
    let mut message = error.message().to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        message.push_str(": ");
        message.push_str(&next.to_string());
        cause = next.source();
    }
    message
}
