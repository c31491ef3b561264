"""The native part of homefs."""

from collections.abc import Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, final

from homefs._path import HomePath
from homefs._records import *  # noqa: F403
from homefs._types import Content, StrPath
from homefs._watch import Watch
from homefs._words import *  # noqa: F403

__all__ = ["Channel", "Ticket", "error_kinds", "Home", "_close_all", "_clone", "__version__"]

__version__: str

def error_kinds() -> list[tuple[str, int]]: ...
def _clone(
    address: str,
    agent: str | None,
    store: str | PathLike[str] | None,
    endpoint: str | None,
    region: str | None,
    virtual_host: bool,
    single_writer: bool,
    machine: str | None,
    read_only: bool,
) -> None: ...
def _close_all() -> None: ...

@final
class Ticket:
    """Stands for the answer that a channel will carry."""

    @property
    def number(self) -> int: ...

@final
class Channel:
    """Carries the answers of calls to one event loop."""

    def __new__(cls) -> Channel: ...
    def fileno(self) -> int: ...
    def take(self) -> list[tuple[int, Any, BaseException | None]]: ...
    def cancel(self, number: int) -> None: ...

@final
class Home:
    """A home: files, memories and history of one agent."""

    def __new__(
        cls,
        agent: str | None = None,
        *,
        store: str | PathLike[str] | None = None,
        operator: bool = False,
        all: bool = False,
        offline: bool | None = None,
        read_only: bool = False,
        timeout: float | None = None,
        workers: bool = False,
        groups: Sequence[str] | None = None,
    ) -> Home: ...
    @property
    def agent(self) -> str:
        """The agent whose home it is."""
    def path(self, *segments: StrPath) -> HomePath:
        """Returns a path inside the home that behaves like `pathlib.Path`."""
    def watch(
        self,
        path: StrPath | None = None,
        *,
        since: str | None = None,
        timeout: float | None = None,
    ) -> Watch:
        """Follows what changes at and below a path from now on, or since a cursor."""
    # Made by `cargo xtask gen` from here
    def write(
        self,
        path: StrPath,
        content: Content,
        *,
        expected_version: int | None = None,
        durability: Durability | None = None,
    ) -> int:
        """Writes a whole file and returns its version; missing directories are made."""
    def append(
        self,
        path: StrPath,
        content: Content,
        *,
        expected_version: int | None = None,
        durability: Durability | None = None,
    ) -> int:
        """Adds to the end of a file, which is made if it is missing; returns its version."""
    def read(self, path: StrPath, *, version: int | str | None = None) -> str:
        """Returns the text of a file; of an old version or moment if one is given."""
    def read_bytes(
        self,
        path: StrPath,
        offset: int = 0,
        length: int | None = None,
        *,
        version: int | str | None = None,
    ) -> bytes:
        """Returns the bytes of a file, or of a part of it; fewer at its end."""
    def edit(
        self,
        path: StrPath,
        old: str,
        new: str,
        *,
        all: bool = False,
        expected_version: int | None = None,
        durability: Durability = "memory",
    ) -> int:
        """Replaces a text that occurs once in a file, or all its occurrences; returns the version.
        """
    def insert(
        self,
        path: StrPath,
        line: int,
        text: str,
        *,
        expected_version: int | None = None,
        durability: Durability = "memory",
    ) -> int:
        """Inserts lines after a line, 0 being before the first; returns the file's version."""
    def stat(self, path: StrPath) -> Stat:
        """Tells what is known of a node; a last link is not followed."""
    def exists(self, path: StrPath) -> bool:
        """Tells whether there is something at a path."""
    def is_file(self, path: StrPath) -> bool:
        """Tells whether there is a file at a path."""
    def is_dir(self, path: StrPath) -> bool:
        """Tells whether there is a directory at a path."""
    def ls(self, path: StrPath | None = None) -> list[Stat]:
        """Lists a directory by name, the root if none is given; a file is listed as itself."""
    def tree(self, path: StrPath | None = None, depth: int | None = None) -> str:
        """Shows everything below a directory as a tree, at most so many levels of it."""
    def find(self, pattern: str = "**", path: StrPath | None = None) -> list[str]:
        """Finds nodes below a directory by a pattern; one without `/` matches names at any depth.

        With `/` it matches the path below the directory, where `**` stands for any number of
        directories.
        """
    def grep(
        self,
        pattern: str,
        path: StrPath | None = None,
        *,
        glob: str | None = None,
        ignore_case: bool = False,
        literal: bool = False,
        limit: int = 1000,
        before: int = 0,
        after: int = 0,
    ) -> list[Match]:
        """Finds lines that match a regular expression, or a plain text if `literal` is set.

        Files of an attached source that cannot be read are left out; `sources` says which source
        does not answer, and why.
        """
    def walk(self, path: StrPath | None = None) -> list[Stat]:
        """Lists everything below a directory."""
    def mkdir(self, path: StrPath, *, parents: bool = True) -> int:
        """Makes a directory, and those on the way to it; returns its version."""
    def delete(self, path: StrPath, *, recursive: bool = False) -> int:
        """Removes a node to the trash; a directory that is not empty only if asked."""
    def mv(
        self,
        source: StrPath,
        target: StrPath,
        *,
        no_replace: bool = False,
        exchange: bool = False,
    ) -> int:
        """Moves a node to a path, or into a directory; also to another space.

        That is one step within a space; to another space it is a copy and a removal.
        """
    def cp(self, source: StrPath, target: StrPath, *, recursive: bool = False) -> int:
        """Copies a node to a path, or into a directory; a directory only if asked."""
    def symlink(self, target: str, path: StrPath) -> int:
        """Makes a symbolic link at a path."""
    def link(self, existing: StrPath, new: StrPath) -> int:
        """Gives a file one more name."""
    def readlink(self, path: StrPath) -> str:
        """Returns where a symbolic link points."""
    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kind: SearchKind = "hybrid",
        space: str | Sequence[str] | None = None,
        below: StrPath | None = None,
        all: bool = False,
    ) -> list[Hit]:
        """Finds notes by words and meaning, the best first; every write that returned before is seen.

        In a query, `"two words"` are a phrase, `pref*` finds words that begin so, `-word` leaves
        out, and `tag:t`, `path:notes`, `after:2026-01-31` and `before:2026-01-31` narrow. What is
        attached is not searched: `sources` lists it, and `grep` finds its lines.
        """
    def related(self, path: StrPath, *, limit: int = 10) -> list[Hit]:
        """Finds the files that are most like a file."""
    def recall(
        self,
        question: str,
        max_tokens: int = 2000,
        *,
        strategy: Strategy = "balanced",
        space: str | Sequence[str] | None = None,
        below: StrPath | None = None,
        min_score: float = 0.0,
        tokenizer: Tokenizer = "o200k",
        paths: bool = False,
        explain: bool = False,
    ) -> Recall:
        """Answers a question with the memories that matter, within a budget of tokens."""
    def remember(
        self,
        text: str,
        *,
        title: str | None = None,
        importance: float | None = None,
        tags: str | Sequence[str] | None = None,
        ttl: str | None = None,
        space: str | None = None,
        source: str | None = None,
        alike: Alike | None = None,
        supersedes: StrPath | None = None,
    ) -> Remembered:
        """Keeps a text as a memory: a Markdown file below /memories. The same text again makes it
        new again; another text under the same title replaces what the agent said before.
        """
    def forget(self, path: StrPath, *, purge: bool = False) -> Forgotten:
        """Lets a memory go, to the trash or for good; works on every file and directory."""
    def purge(self, path: StrPath) -> Forgotten:
        """Erases a node from the tree, the history and the trash; tells what that took."""
    def context(self, max_tokens: int = 2000, *, tokenizer: Tokenizer = "o200k") -> Standing:
        """Returns what an agent should know at its start, within a budget of tokens."""
    def links(self, path: StrPath) -> Links:
        """Lists what a note links to, and what links to it."""
    def tags(self, path: StrPath | None = None) -> list[Tag]:
        """Counts the tags at and below a path."""
    def timeline(
        self,
        below: StrPath | None = None,
        *,
        after: str | None = None,
        before: str | None = None,
        limit: int = 20,
    ) -> list[Noted]:
        """Lists files by when they were last written, newest first."""
    def stale(
        self,
        below: StrPath | None = None,
        *,
        days: int = 90,
        limit: int = 20,
    ) -> list[Noted]:
        """Lists files that nobody has read for long and that matter little."""
    def log(self, path: StrPath, *, limit: int = 100, before: int | None = None) -> list[Edition]:
        """Lists the versions of a file, newest first, also of a removed one."""
    def diff(
        self,
        path: StrPath,
        from_: int | str | None = None,
        to: int | str | None = None,
    ) -> str:
        """Shows how a file differs between two moments; from the version before the last to now.

        A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. What is shown is a
        unified diff, empty if they do not differ.
        """
    def restore(self, path: StrPath, version: int | str) -> int:
        """Makes an old version of a file the present one; returns the new version."""
    def trash(self) -> list[Trashed]:
        """Lists what was removed and can be brought back, the last first."""
    def untrash(self, path: StrPath, *, to: StrPath | None = None) -> int:
        """Brings back what the last removal of a path took, there or to another path."""
    def cursor(self) -> str:
        """Returns the cursor of this moment, from which changes can be watched."""
    def meta(self, path: StrPath) -> Metadata:
        """Returns what is noted about a node."""
    def set_meta(
        self,
        path: StrPath,
        *,
        importance: float | None = None,
        title: str | None = None,
        source: str | None = None,
        ttl: str | None = None,
        tags: str | Sequence[str] | None = None,
        add_tags: str | Sequence[str] | None = None,
        remove_tags: str | Sequence[str] | None = None,
        other: Mapping[str, str | None] | None = None,
    ) -> int:
        """Notes something about a node; what is not named stays, and an empty value removes."""
    def grant(self, path: StrPath, who: str, right: Right) -> int:
        """Lets an agent, or a group as `group:name`, use a part of a shared space."""
    def revoke(self, path: StrPath, who: str) -> int:
        """Takes the rights of an agent or group at a path away."""
    def grants(self, path: StrPath | None = None) -> list[Grant]:
        """Lists the rules of access that hold at a path."""
    def spaces(self) -> list[Space]:
        """Lists the spaces that the agent sees."""
    def agents(self) -> list[str]:
        """Lists the agents that have a home; for operators."""
    def sync(
        self,
        *,
        direction: Direction = "both",
        space: str | None = None,
        wait: bool | None = None,
        timeout: float | None = None,
    ) -> list[Synced]:
        """Makes spaces and their remote agree; with `wait` it goes on through outages."""
    def status(self) -> dict[str, Any]:
        """Tells how the store is."""
    def conflicts(self) -> list[Conflicting]:
        """Lists the conflicts that nobody has resolved, oldest first."""
    def resolve(self, which: str, take: Side | None = None) -> list[Conflicting]:
        """Closes conflicts by number, path or pattern, with one of their contents if asked."""
    def remote_add(
        self,
        address: str,
        *,
        endpoint: str | None = None,
        region: str | None = None,
        virtual_host: bool = False,
        single_writer: bool = False,
        machine: str | None = None,
        read_only: bool = False,
    ) -> None:
        """Attaches a remote to the store, where copies of all its homes are kept."""
    def remote_rm(self, *, force: bool = False) -> int:
        """Fetches what only the remote has, unless forgone by `force`, and lets it go; returns how many
        bytes were fetched.
        """
    def pin(self, path: StrPath) -> None:
        """Keeps everything at and below a path on this machine."""
    def unpin(self, path: StrPath) -> None:
        """Keeps it there no longer."""
    def pins(self) -> list[str]:
        """Lists the paths that are kept on this machine."""
    def attach(
        self,
        source: str,
        path: StrPath,
        *,
        read_only: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Shows a folder, a bucket or a collection below a path.

        What is changed there stays in the home and never touches the source by itself.
        """
    def detach(self, path: StrPath) -> None:
        """Shows a source no longer; what the home has itself stays."""
    def sources(self) -> list[Source]:
        """Lists the sources that are attached."""
    def refresh(self, path: StrPath) -> None:
        """Looks at once for what has changed at a source."""
    def changes(self, path: StrPath) -> list[SourceChange]:
        """Lists what was changed over a source."""
    def discard_changes(self, path: StrPath) -> None:
        """Gives up what was changed over a source."""
    def write_back(self, path: StrPath, *, overwrite: bool = False) -> list[SourceChange]:
        """Does to a source what was changed over it; lists what was done. What was written there
        after it was changed here is refused, unless it is to be overwritten.
        """
    def barrier(self) -> None:
        """Returns when everything acknowledged so far survives power loss."""
    def sh(
        self,
        script: str,
        *,
        session: str | None = None,
        timeout: float | None = None,
        stdin: Content | None = None,
    ) -> Output:
        """Runs a script on the files of the home, in a worker if it was opened with `workers`."""
    def close(self) -> None:
        """Ends the use of the home; later calls fail."""
    # to here; do not edit.
    def _create(self, path: StrPath) -> int: ...
    def _write_at(self, path: StrPath, offset: int, content: Content) -> int: ...
    def _truncate(self, path: StrPath, size: int) -> int: ...
    def _set_attrs(
        self, path: StrPath, *, mode: int | None = None, modified_ns: int | None = None
    ) -> int: ...
    def _rename(self, source: StrPath, target: StrPath, mode: str = "replace") -> int: ...
    def _real_path(self, path: StrPath) -> str: ...
    def _size(self, path: StrPath) -> int: ...
    def _watch_once(
        self, path: StrPath, since: str, wait: float
    ) -> tuple[list[Event], str, bool]: ...
    def _memory_command(self, command: str) -> str: ...
    def _clear_memories(self) -> str: ...
    def _later(self, channel: Channel) -> Home: ...
    def __enter__(self) -> Home: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc: BaseException | None = None,
        traceback: TracebackType | None = None,
        /,
    ) -> None: ...
