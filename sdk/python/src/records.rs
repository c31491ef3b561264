//! Answers as Python sees them: the JSON that every face shows, as typed records.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;

/// Makes a record of the named class.
pub(crate) fn record<'py>(
    py: Python<'py>,
    class: &str,
    value: Value,
) -> PyResult<Bound<'py, PyAny>> {
    make(py, &find(py, class)?, value)
}

/// Makes a list of records.
pub(crate) fn records<'py, T>(
    py: Python<'py>,
    class: &str,
    items: &[T],
    shape: impl Fn(&T) -> Value,
) -> PyResult<Bound<'py, PyList>> {
    let class = find(py, class)?;
    let list = PyList::empty(py);
    for item in items {
        list.append(make(py, &class, shape(item))?)?;
    }
    Ok(list)
}

/// Makes what JSON says of Python's own types; arrays become tuples, as records do not change.
pub(crate) fn plain(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
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

fn find<'py>(py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "homefs._records"))?.getattr(class)
}

fn make<'py>(
    py: Python<'py>,
    class: &Bound<'py, PyAny>,
    value: Value,
) -> PyResult<Bound<'py, PyAny>> {
    class.call_method1(intern!(py, "_of"), (plain(py, value)?,))
}
