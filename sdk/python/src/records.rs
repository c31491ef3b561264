//! Answers as Python sees them: the JSON that every face shows, as typed records.

use homefs_core::{Error, ErrorKind};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde::Serialize;
use serde_json::Value;

use crate::errors::raise;

/// Makes what a method answers: a record of the named class, a list of such, or plain data if no
/// class is named.
pub(crate) fn answer<T: Serialize>(py: Python<'_>, class: &str, value: &T) -> PyResult<Py<PyAny>> {
    let value = serde_json::to_value(value).map_err(|error| {
        raise(py, &Error::new(ErrorKind::Internal, "make an answer").with_source(error))
    })?;
    let class = match class {
        "" => None,
        class => Some(py.import(intern!(py, "homefs._records"))?.getattr(class)?),
    };
    let made = |value| match &class {
        Some(class) => class.call_method1(intern!(py, "_of"), (plain(py, value)?,)),
        None => plain(py, value),
    };
    Ok(match value {
        Value::Array(items) => {
            let items = items.into_iter().map(made).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any().unbind()
        }
        Value::Null => py.None(),
        value => made(value)?.unbind(),
    })
}

/// Makes what JSON says of Python's own types; arrays become tuples, as records do not change.
fn plain(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(switch) => switch.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => number.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| plain(py, item));
            PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (key, value) in fields {
                dict.set_item(key, plain(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
