//! Notes about files, and who may do what.

use std::collections::BTreeMap;

use homefs_api::json;
use homefs_engine::{Right, SetMeta, Subject};
use pyo3::prelude::*;

use super::tree::or_root;
use super::{number, object};
use crate::arguments::{PathArg, Words, choice};
use crate::errors::raise;
use crate::home::{CHANGES, Held, Home, READS};
use crate::records::{record, records};

/// What may be granted.
const RIGHTS: [(&str, Right); 3] =
    [("read", Right::Read), ("write", Right::Write), ("manage", Right::Manage)];

#[pymethods]
impl Home {
    /// Returns what is noted about a node.
    fn meta(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let named = path.clone();
        let work = move |held: &Held| held.client.meta(&path);
        self.call(py, READS, work, move |py, metadata| {
            Ok(record(py, "Metadata", json::metadata(&named, &metadata))?.unbind())
        })
    }

    /// Notes something about a node; what is not named stays, and an empty value removes.
    #[pyo3(signature = (
        path, *, importance=None, title=None, source=None, ttl=None, tags=None, add_tags=None,
        remove_tags=None, other=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the keywords of Python's method")]
    fn set_meta(
        &self,
        py: Python<'_>,
        path: PathArg,
        importance: Option<f64>,
        title: Option<String>,
        source: Option<String>,
        ttl: Option<String>,
        tags: Option<Words>,
        add_tags: Option<Words>,
        remove_tags: Option<Words>,
        other: Option<BTreeMap<String, Option<String>>>,
    ) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let named = [
            ("importance", importance.map(|importance| importance.to_string())),
            ("title", title),
            ("source", source),
            ("ttl", ttl),
            ("tags", tags.map(|tags| Words::all(Some(tags)).join(","))),
        ];
        let named = named.into_iter().filter(|(_, value)| value.is_some());
        let mut values = other.unwrap_or_default();
        values.extend(named.map(|(key, value)| (key.to_owned(), value)));
        let (add_tags, remove_tags) = (Words::all(add_tags), Words::all(remove_tags));
        let set = SetMeta { values, add_tags, remove_tags };
        self.call(py, CHANGES, move |held| held.client.set_meta(&path, &set), number)
    }

    /// Lets an agent, or a group as `group:name`, use a part of a shared space.
    fn grant(&self, py: Python<'_>, path: PathArg, who: &str, right: &str) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let who: Subject = who.parse().map_err(|error| raise(py, &error))?;
        let right = choice("a right", right, &RIGHTS).map_err(|error| raise(py, &error))?;
        self.call(py, CHANGES, move |held| held.client.grant(&path, &who, right), number)
    }

    /// Takes the rights of an agent or group at a path away.
    fn revoke(&self, py: Python<'_>, path: PathArg, who: &str) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let who: Subject = who.parse().map_err(|error| raise(py, &error))?;
        self.call(py, CHANGES, move |held| held.client.revoke(&path, &who), number)
    }

    /// Lists the rules of access that hold at a path.
    #[pyo3(signature = (path=None))]
    fn grants(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        let path = or_root(path);
        self.call(
            py,
            READS,
            move |held| held.client.grants(&path),
            |py, grants| object(py, records(py, "Grant", &grants, json::grant)?),
        )
    }

    /// Lists the spaces that the agent sees.
    fn spaces(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(
            py,
            READS,
            |held| held.client.spaces(),
            |py, spaces| object(py, records(py, "Space", &spaces, json::space)?),
        )
    }

    /// Lists the agents that have a home; for operators.
    fn agents(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.call(
            py,
            READS,
            |held| held.client.agents(),
            |py, agents| object(py, agents.iter().map(ToString::to_string).collect::<Vec<_>>()),
        )
    }
}
