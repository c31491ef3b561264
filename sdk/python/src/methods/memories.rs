//! Memories: remembering, finding, recalling, forgetting.

use homefs_api::json;
use homefs_engine::{
    Alike, Hit, Links, Moment, Noted, RecallOptions, RememberOptions, SearchKind, SearchOptions,
    TimelineOptions,
};
use pyo3::prelude::*;

use super::object;
use super::tree::or_root;
use crate::arguments::{MomentArg, PathArg, Words, choice, spaces};
use crate::errors::{Result, invalid, raise};
use crate::home::{CHANGES, Held, Home, READS};
use crate::records::{record, records};

/// What is compared by a search.
const KINDS: [(&str, SearchKind); 3] =
    [("hybrid", SearchKind::Hybrid), ("text", SearchKind::Text), ("vector", SearchKind::Vector)];

#[pymethods]
impl Home {
    /// Finds notes by words and meaning, the best first.
    #[pyo3(signature = (query, *, limit=10, kind="hybrid", space=None, below=None))]
    fn search(
        &self,
        py: Python<'_>,
        query: String,
        limit: usize,
        kind: &str,
        space: Option<Words>,
        below: Option<PathArg>,
    ) -> PyResult<Py<PyAny>> {
        let options = || -> Result<_> {
            let kind = choice("kind", kind, &KINDS)?;
            Ok(SearchOptions { limit, kind, spaces: spaces(space)?, below: or_root(below) })
        };
        let options = options().map_err(|error| raise(py, &error))?;
        self.call(py, READS, move |held| held.client.search(&query, &options), hits)
    }

    /// Finds the files that are most like a file.
    #[pyo3(signature = (path, *, limit=10))]
    fn related(&self, py: Python<'_>, path: PathArg, limit: usize) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        self.call(py, READS, move |held| held.client.related(&path, limit), hits)
    }

    /// Answers a question with the memories that matter, within a budget of tokens.
    #[pyo3(signature = (
        question, max_tokens=2000, *, strategy="balanced", space=None, below=None, min_score=0.0,
        tokenizer="o200k", explain=false))]
    #[expect(clippy::too_many_arguments, reason = "they are the keywords of Python's method")]
    fn recall(
        &self,
        py: Python<'_>,
        question: String,
        max_tokens: usize,
        strategy: &str,
        space: Option<Words>,
        below: Option<PathArg>,
        min_score: f32,
        tokenizer: &str,
        explain: bool,
    ) -> PyResult<Py<PyAny>> {
        let options = RecallOptions {
            max_tokens,
            strategy: strategy.parse().map_err(|error| invalid(py, format!("{error}")))?,
            spaces: spaces(space).map_err(|error| raise(py, &error))?,
            below: or_root(below),
            min_score,
            tokenizer: tokenizer.parse().map_err(|error| invalid(py, format!("{error}")))?,
        };
        let work = move |held: &Held| held.client.recall(&question, &options);
        self.call(py, READS, work, move |py, recalled| {
            Ok(record(py, "Recall", json::recalled(&recalled, explain))?.unbind())
        })
    }

    /// Keeps a text as a memory: a Markdown file below /memories.
    #[pyo3(signature = (
        text, *, title=None, importance=None, tags=None, ttl=None, space=None, source=None,
        alike=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the keywords of Python's method")]
    fn remember(
        &self,
        py: Python<'_>,
        text: String,
        title: Option<String>,
        importance: Option<f64>,
        tags: Option<Words>,
        ttl: Option<String>,
        space: Option<&str>,
        source: Option<String>,
        alike: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let choices = [("merge", Alike::Merge), ("link", Alike::Link)];
        let options = || -> Result<_> {
            Ok(RememberOptions {
                title,
                importance,
                tags: Words::all(tags),
                ttl,
                space: space.map(str::parse).transpose()?,
                source,
                alike: alike.map(|word| choice("alike", word, &choices)).transpose()?,
            })
        };
        let options = options().map_err(|error| raise(py, &error))?;
        let work = move |held: &Held| held.client.remember(&text, &options);
        self.call(py, CHANGES, work, |py, kept| {
            Ok(record(py, "Remembered", json::remembered(&kept))?.unbind())
        })
    }

    /// Lets a memory go: to the trash, or for good if `purge` is set.
    #[pyo3(signature = (path, *, purge=false))]
    fn forget(&self, py: Python<'_>, path: PathArg, purge: bool) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.forget(&path, purge);
        self.call(py, CHANGES, work, |py, receipt| {
            Ok(record(py, "Forgotten", json::forgotten(&receipt))?.unbind())
        })
    }

    /// Returns what an agent should know at its start, within a budget of tokens.
    #[pyo3(signature = (max_tokens=2000, *, tokenizer="o200k"))]
    fn context(&self, py: Python<'_>, max_tokens: usize, tokenizer: &str) -> PyResult<Py<PyAny>> {
        let tokenizer = tokenizer.parse().map_err(|error| invalid(py, format!("{error}")))?;
        let work = move |held: &Held| held.client.context(max_tokens, tokenizer);
        self.call(py, READS, work, |py, standing| {
            Ok(record(py, "Standing", json::standing(&standing))?.unbind())
        })
    }

    /// Lists what a note links to, and what links to it.
    fn links(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        let PathArg(path) = path;
        let work = move |held: &Held| held.client.links(&path);
        self.call(py, READS, work, |py, found: Links| {
            let mut value = json::links(&found);
            // `from` is a word of Python itself.
            let from = value.as_object_mut().and_then(|fields| fields.remove("from"));
            value["from_"] = from.unwrap_or_default();
            Ok(record(py, "Links", value)?.unbind())
        })
    }

    /// Counts the tags at and below a path.
    #[pyo3(signature = (path=None))]
    fn tags(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        let path = or_root(path);
        self.call(
            py,
            READS,
            move |held| held.client.tags(&path),
            |py, tags| object(py, records(py, "Tag", &tags, json::tag)?),
        )
    }

    /// Lists files by when they were last written, newest first.
    #[pyo3(signature = (below=None, *, after=None, before=None, limit=20))]
    fn timeline(
        &self,
        py: Python<'_>,
        below: Option<PathArg>,
        after: Option<MomentArg>,
        before: Option<MomentArg>,
        limit: usize,
    ) -> PyResult<Py<PyAny>> {
        let time = |moment: Option<MomentArg>| match moment {
            None => Ok(None),
            Some(MomentArg(Moment::Now)) => Ok(Some(homefs_api::time::now())),
            Some(MomentArg(Moment::Time(time))) => Ok(Some(time)),
            Some(MomentArg(Moment::Version(_))) => Err(invalid(py, "a version is no time")),
        };
        let (after, before, below) = (time(after)?, time(before)?, or_root(below));
        let options = TimelineOptions { after, before, limit, below };
        self.call(py, READS, move |held| held.client.timeline(&options), noted)
    }

    /// Lists files that nobody has read for long and that matter little.
    #[pyo3(signature = (below=None, *, days=90, limit=20))]
    fn stale(
        &self,
        py: Python<'_>,
        below: Option<PathArg>,
        days: u32,
        limit: usize,
    ) -> PyResult<Py<PyAny>> {
        let below = or_root(below);
        self.call(py, READS, move |held| held.client.stale(days, limit, &below), noted)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form that every answer has")]
fn hits(py: Python<'_>, hits: Vec<Hit>) -> PyResult<Py<PyAny>> {
    object(py, records(py, "Hit", &hits, json::hit)?)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that every answer has")]
fn noted(py: Python<'_>, files: Vec<Noted>) -> PyResult<Py<PyAny>> {
    object(py, records(py, "Noted", &files, json::noted)?)
}
