//! The methods of a home that only translate. Made by `cargo xtask gen`; do not edit.

#![allow(
    clippy::doc_markdown,
    clippy::fn_params_excessive_bools,
    clippy::too_many_arguments,
    reason = "they have the words and arguments of Python's methods"
)]

use std::collections::BTreeMap;

use homefs_wire::methods;
use pyo3::prelude::*;

use crate::arguments::{MomentArg, PathArg, Seconds, TimeArg, Words, taken};
use crate::home::Home;

#[pymethods]
impl Home {
    /// Replaces a text that occurs once in a file, or all its occurrences; returns the version.
    #[pyo3(signature = (path, old, new, *, all=false, expected_version=None, durability="memory"))]
    fn edit(
        &self,
        py: Python<'_>,
        path: PathArg,
        old: String,
        new: String,
        all: bool,
        expected_version: Option<u64>,
        durability: &str,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Edit {
                    path: taken(path)?,
                    old: taken(old)?,
                    new: taken(new)?,
                    all: taken(all)?,
                    expected_version: taken(expected_version)?,
                    durability: taken(durability)?,
                })
            },
            "",
        )
    }

    /// Inserts lines after a line, 0 being before the first; returns the file's version.
    #[pyo3(signature = (path, line, text, *, expected_version=None, durability="memory"))]
    fn insert(
        &self,
        py: Python<'_>,
        path: PathArg,
        line: usize,
        text: String,
        expected_version: Option<u64>,
        durability: &str,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Insert {
                    path: taken(path)?,
                    line: taken(line)?,
                    text: taken(text)?,
                    expected_version: taken(expected_version)?,
                    durability: taken(durability)?,
                })
            },
            "",
        )
    }

    /// Tells what is known of a node; a last link is not followed.
    fn stat(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::StatOf { path: taken(path)? }), "Stat")
    }

    /// Tells whether there is something at a path.
    fn exists(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Exists { path: taken(path)? }), "")
    }

    /// Tells whether there is a file at a path.
    fn is_file(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::IsFile { path: taken(path)? }), "")
    }

    /// Tells whether there is a directory at a path.
    fn is_dir(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::IsDir { path: taken(path)? }), "")
    }

    /// Lists a directory by name, the root if none is given; a file is listed as itself.
    #[pyo3(signature = (path=None))]
    fn ls(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Ls { path: taken(path)? }), "Stat")
    }

    /// Shows everything below a directory as a tree, at most so many levels of it.
    #[pyo3(signature = (path=None, depth=None))]
    fn tree(
        &self,
        py: Python<'_>,
        path: Option<PathArg>,
        depth: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Tree { path: taken(path)?, depth: taken(depth)? }), "")
    }

    /// Finds nodes below a directory by a pattern; one without `/` matches names at any depth.
    ///
    /// With `/` it matches the path below the directory, where `**` stands for any number of
    /// directories.
    #[pyo3(signature = (pattern="**", path=None))]
    fn find(&self, py: Python<'_>, pattern: &str, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Find { pattern: taken(pattern)?, path: taken(path)? }), "")
    }

    /// Finds lines that match a regular expression, or a plain text if `literal` is set.
    ///
    /// Files of an attached source that cannot be read are left out; `sources` says which source
    /// does not answer, and why.
    #[pyo3(signature = (pattern, path=None, *, glob=None, ignore_case=false, literal=false, limit=1000, before=0, after=0))]
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
        self.ask(
            py,
            || {
                Ok(methods::Grep {
                    pattern: taken(pattern)?,
                    path: taken(path)?,
                    glob: taken(glob)?,
                    ignore_case: taken(ignore_case)?,
                    literal: taken(literal)?,
                    limit: taken(limit)?,
                    before: taken(before)?,
                    after: taken(after)?,
                })
            },
            "Match",
        )
    }

    /// Lists everything below a directory.
    #[pyo3(signature = (path=None))]
    fn walk(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Walk { path: taken(path)? }), "Stat")
    }

    /// Makes a directory, and those on the way to it; returns its version.
    #[pyo3(signature = (path, *, parents=true))]
    fn mkdir(&self, py: Python<'_>, path: PathArg, parents: bool) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Mkdir { path: taken(path)?, parents: taken(parents)? }), "")
    }

    /// Removes a node to the trash; a directory that is not empty only if asked.
    #[pyo3(signature = (path, *, recursive=false))]
    fn delete(&self, py: Python<'_>, path: PathArg, recursive: bool) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || Ok(methods::Delete { path: taken(path)?, recursive: taken(recursive)? }),
            "",
        )
    }

    /// Moves a node to a path, or into a directory; also to another space.
    ///
    /// That is one step within a space; to another space it is a copy and a removal.
    #[pyo3(signature = (source, target, *, no_replace=false, exchange=false))]
    fn mv(
        &self,
        py: Python<'_>,
        source: PathArg,
        target: PathArg,
        no_replace: bool,
        exchange: bool,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Mv {
                    source: taken(source)?,
                    target: taken(target)?,
                    no_replace: taken(no_replace)?,
                    exchange: taken(exchange)?,
                })
            },
            "",
        )
    }

    /// Copies a node to a path, or into a directory; a directory only if asked.
    #[pyo3(signature = (source, target, *, recursive=false))]
    fn cp(
        &self,
        py: Python<'_>,
        source: PathArg,
        target: PathArg,
        recursive: bool,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Cp {
                    source: taken(source)?,
                    target: taken(target)?,
                    recursive: taken(recursive)?,
                })
            },
            "",
        )
    }

    /// Makes a symbolic link at a path.
    fn symlink(&self, py: Python<'_>, target: String, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Symlink { target: taken(target)?, path: taken(path)? }), "")
    }

    /// Gives a file one more name.
    fn link(&self, py: Python<'_>, existing: PathArg, new: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Link { existing: taken(existing)?, new: taken(new)? }), "")
    }

    /// Returns where a symbolic link points.
    fn readlink(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Readlink { path: taken(path)? }), "")
    }

    /// Finds notes by words and meaning, the best first; every write that returned before is seen.
    ///
    /// In a query, `"two words"` are a phrase, `pref*` finds words that begin so, `-word` leaves
    /// out, and `tag:t`, `path:notes`, `after:2026-01-31` and `before:2026-01-31` narrow. What is
    /// attached is not searched: `sources` lists it, and `grep` finds its lines.
    #[pyo3(signature = (query, *, limit=10, kind="hybrid", space=None, below=None, all=false))]
    fn search(
        &self,
        py: Python<'_>,
        query: String,
        limit: usize,
        kind: &str,
        space: Option<Words>,
        below: Option<PathArg>,
        all: bool,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Search {
                    query: taken(query)?,
                    limit: taken(limit)?,
                    kind: taken(kind)?,
                    space: taken(space)?,
                    below: taken(below)?,
                    all: taken(all)?,
                })
            },
            "Hit",
        )
    }

    /// Finds the files that are most like a file.
    #[pyo3(signature = (path, *, limit=10))]
    fn related(&self, py: Python<'_>, path: PathArg, limit: usize) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Related { path: taken(path)?, limit: taken(limit)? }), "Hit")
    }

    /// Answers a question with the memories that matter, within a budget of tokens.
    #[pyo3(signature = (question, max_tokens=2000, *, strategy="balanced", space=None, below=None, min_score=0.0, tokenizer="o200k", paths=false, explain=false))]
    fn recall(
        &self,
        py: Python<'_>,
        question: String,
        max_tokens: usize,
        strategy: &str,
        space: Option<Words>,
        below: Option<PathArg>,
        min_score: f64,
        tokenizer: &str,
        paths: bool,
        explain: bool,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::RecallBy {
                    question: taken(question)?,
                    max_tokens: taken(max_tokens)?,
                    strategy: taken(strategy)?,
                    space: taken(space)?,
                    below: taken(below)?,
                    min_score: taken(min_score)?,
                    tokenizer: taken(tokenizer)?,
                    paths: taken(paths)?,
                    explain: taken(explain)?,
                })
            },
            "Recall",
        )
    }

    /// Keeps a text as a memory: a Markdown file below /memories. The same text again makes it
    /// new again; another text under the same title replaces what the agent said before.
    #[pyo3(signature = (text, *, title=None, importance=None, tags=None, ttl=None, space=None, source=None, alike=None, supersedes=None))]
    fn remember(
        &self,
        py: Python<'_>,
        text: String,
        title: Option<String>,
        importance: Option<f64>,
        tags: Option<Words>,
        ttl: Option<String>,
        space: Option<String>,
        source: Option<String>,
        alike: Option<&str>,
        supersedes: Option<PathArg>,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Remember {
                    text: taken(text)?,
                    title: taken(title)?,
                    importance: taken(importance)?,
                    tags: taken(tags)?,
                    ttl: taken(ttl)?,
                    space: taken(space)?,
                    source: taken(source)?,
                    alike: taken(alike)?,
                    supersedes: taken(supersedes)?,
                })
            },
            "Remembered",
        )
    }

    /// Lets a memory go, to the trash or for good; works on every file and directory.
    #[pyo3(signature = (path, *, purge=false))]
    fn forget(&self, py: Python<'_>, path: PathArg, purge: bool) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || Ok(methods::Forget { path: taken(path)?, purge: taken(purge)? }),
            "Forgotten",
        )
    }

    /// Erases a node from the tree, the history and the trash; tells what that took.
    fn purge(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Purge { path: taken(path)? }), "Forgotten")
    }

    /// Returns what an agent should know at its start, within a budget of tokens.
    #[pyo3(signature = (max_tokens=2000, *, tokenizer="o200k"))]
    fn context(&self, py: Python<'_>, max_tokens: usize, tokenizer: &str) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Context {
                    max_tokens: taken(max_tokens)?,
                    tokenizer: taken(tokenizer)?,
                })
            },
            "Standing",
        )
    }

    /// Lists what a note links to, and what links to it.
    fn links(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::LinksOf { path: taken(path)? }), "Links")
    }

    /// Counts the tags at and below a path.
    #[pyo3(signature = (path=None))]
    fn tags(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Tags { path: taken(path)? }), "Tag")
    }

    /// Lists files by when they were last written, newest first.
    #[pyo3(signature = (below=None, *, after=None, before=None, limit=20))]
    fn timeline(
        &self,
        py: Python<'_>,
        below: Option<PathArg>,
        after: Option<TimeArg>,
        before: Option<TimeArg>,
        limit: usize,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Timeline {
                    below: taken(below)?,
                    after: taken(after)?,
                    before: taken(before)?,
                    limit: taken(limit)?,
                })
            },
            "Noted",
        )
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
        self.ask(
            py,
            || {
                Ok(methods::Stale {
                    below: taken(below)?,
                    days: taken(days)?,
                    limit: taken(limit)?,
                })
            },
            "Noted",
        )
    }

    /// Lists the versions of a file, newest first, also of a removed one.
    #[pyo3(signature = (path, *, limit=100, before=None))]
    fn log(
        &self,
        py: Python<'_>,
        path: PathArg,
        limit: usize,
        before: Option<u64>,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Log {
                    path: taken(path)?,
                    limit: taken(limit)?,
                    before: taken(before)?,
                })
            },
            "Edition",
        )
    }

    /// Shows how a file differs between two moments; from the version before the last to now.
    ///
    /// A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. What is shown is a
    /// unified diff, empty if they do not differ.
    #[pyo3(signature = (path, from_=None, to=None))]
    fn diff(
        &self,
        py: Python<'_>,
        path: PathArg,
        from_: Option<MomentArg>,
        to: Option<MomentArg>,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || Ok(methods::Diff { path: taken(path)?, from: taken(from_)?, to: taken(to)? }),
            "",
        )
    }

    /// Makes an old version of a file the present one; returns the new version.
    fn restore(&self, py: Python<'_>, path: PathArg, version: MomentArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Restore { path: taken(path)?, version: taken(version)? }), "")
    }

    /// Lists what was removed and can be brought back, the last first.
    fn trash(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Trash {}), "Trashed")
    }

    /// Brings back what the last removal of a path took, there or to another path.
    #[pyo3(signature = (path, *, to=None))]
    fn untrash(&self, py: Python<'_>, path: PathArg, to: Option<PathArg>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Untrash { path: taken(path)?, to: taken(to)? }), "")
    }

    /// Returns the cursor of this moment, from which changes can be watched.
    fn cursor(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Cursor {}), "")
    }

    /// Returns what is noted about a node.
    fn meta(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Meta { path: taken(path)? }), "Metadata")
    }

    /// Notes something about a node; what is not named stays, and an empty value removes.
    #[pyo3(signature = (path, *, importance=None, title=None, source=None, ttl=None, tags=None, add_tags=None, remove_tags=None, other=None))]
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
        self.ask(
            py,
            || {
                Ok(methods::SetMeta {
                    path: taken(path)?,
                    importance: taken(importance)?,
                    title: taken(title)?,
                    source: taken(source)?,
                    ttl: taken(ttl)?,
                    tags: taken(tags)?,
                    add_tags: taken(add_tags)?,
                    remove_tags: taken(remove_tags)?,
                    other: taken(other)?,
                })
            },
            "",
        )
    }

    /// Lets an agent, or a group as `group:name`, use a part of a shared space.
    fn grant(
        &self,
        py: Python<'_>,
        path: PathArg,
        who: String,
        right: &str,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || Ok(methods::GrantTo { path: taken(path)?, who: taken(who)?, right: taken(right)? }),
            "",
        )
    }

    /// Takes the rights of an agent or group at a path away.
    fn revoke(&self, py: Python<'_>, path: PathArg, who: String) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Revoke { path: taken(path)?, who: taken(who)? }), "")
    }

    /// Lists the rules of access that hold at a path.
    #[pyo3(signature = (path=None))]
    fn grants(&self, py: Python<'_>, path: Option<PathArg>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Grants { path: taken(path)? }), "Grant")
    }

    /// Lists the spaces that the agent sees.
    fn spaces(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Spaces {}), "Space")
    }

    /// Lists the agents that have a home; for operators.
    fn agents(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Agents {}), "")
    }

    /// Makes spaces and their remote agree; with `wait` it goes on through outages.
    #[pyo3(signature = (*, direction="both", space=None, wait=None, timeout=None))]
    fn sync(
        &self,
        py: Python<'_>,
        direction: &str,
        space: Option<String>,
        wait: Option<bool>,
        timeout: Option<Seconds>,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Sync {
                    direction: taken(direction)?,
                    space: taken(space)?,
                    wait: taken(wait)?,
                    timeout: taken(timeout)?,
                })
            },
            "Synced",
        )
    }

    /// Tells how the store is.
    fn status(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::StatusOf {}), "")
    }

    /// Lists the conflicts that nobody has resolved, oldest first.
    fn conflicts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Conflicts {}), "Conflicting")
    }

    /// Closes conflicts by number, path or pattern, with one of their contents if asked.
    #[pyo3(signature = (which, take=None))]
    fn resolve(&self, py: Python<'_>, which: String, take: Option<&str>) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || Ok(methods::Resolve { which: taken(which)?, take: taken(take)? }),
            "Conflicting",
        )
    }

    /// Attaches a remote to the store, where copies of all its homes are kept.
    #[pyo3(signature = (address, *, endpoint=None, region=None, virtual_host=false, single_writer=false, machine=None, read_only=false))]
    fn remote_add(
        &self,
        py: Python<'_>,
        address: String,
        endpoint: Option<String>,
        region: Option<String>,
        virtual_host: bool,
        single_writer: bool,
        machine: Option<String>,
        read_only: bool,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::RemoteAdd {
                    address: taken(address)?,
                    endpoint: taken(endpoint)?,
                    region: taken(region)?,
                    virtual_host: taken(virtual_host)?,
                    single_writer: taken(single_writer)?,
                    machine: taken(machine)?,
                    read_only: taken(read_only)?,
                })
            },
            "",
        )
    }

    /// Fetches what only the remote has, unless forgone by `force`, and lets it go; returns how many
    /// bytes were fetched.
    #[pyo3(signature = (*, force=false))]
    fn remote_rm(&self, py: Python<'_>, force: bool) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::RemoteRm { force: taken(force)? }), "")
    }

    /// Keeps everything at and below a path on this machine.
    fn pin(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Pin { path: taken(path)? }), "")
    }

    /// Keeps it there no longer.
    fn unpin(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Unpin { path: taken(path)? }), "")
    }

    /// Lists the paths that are kept on this machine.
    fn pins(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Pins {}), "")
    }

    /// Shows a folder, a bucket or a collection below a path.
    ///
    /// What is changed there stays in the home and never touches the source by itself.
    #[pyo3(signature = (source, path, *, read_only=false, settings=None))]
    fn attach(
        &self,
        py: Python<'_>,
        source: String,
        path: PathArg,
        read_only: bool,
        settings: Option<BTreeMap<String, String>>,
    ) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || {
                Ok(methods::Attach {
                    source: taken(source)?,
                    path: taken(path)?,
                    read_only: taken(read_only)?,
                    settings: taken(settings)?,
                })
            },
            "",
        )
    }

    /// Shows a source no longer; what the home has itself stays.
    fn detach(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Detach { path: taken(path)? }), "")
    }

    /// Lists the sources that are attached.
    fn sources(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Sources {}), "Source")
    }

    /// Looks at once for what has changed at a source.
    fn refresh(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Refresh { path: taken(path)? }), "")
    }

    /// Lists what was changed over a source.
    fn changes(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Changes { path: taken(path)? }), "SourceChange")
    }

    /// Gives up what was changed over a source.
    fn discard_changes(&self, py: Python<'_>, path: PathArg) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::DiscardChanges { path: taken(path)? }), "")
    }

    /// Does to a source what was changed over it; lists what was done. What was written there
    /// after it was changed here is refused, unless it is to be overwritten.
    #[pyo3(signature = (path, *, overwrite=false))]
    fn write_back(&self, py: Python<'_>, path: PathArg, overwrite: bool) -> PyResult<Py<PyAny>> {
        self.ask(
            py,
            || Ok(methods::WriteBack { path: taken(path)?, overwrite: taken(overwrite)? }),
            "SourceChange",
        )
    }

    /// Returns when everything acknowledged so far survives power loss.
    fn barrier(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, || Ok(methods::Barrier {}), "")
    }
}
