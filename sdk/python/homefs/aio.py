"""The same home for programs with an event loop: every method is a coroutine.

A call never blocks the loop. What is answered in memory is answered at once; anything else is done
by a few threads that know nothing of Python, and the loop is woken by a socket when it is done.
A call that is cancelled may still be carried out; a script is ended.

There is no `path`: what behaves like `pathlib.Path` cannot wait. Methods take the paths of
`Home.sync_home` as well as texts.
"""

# None is an answer too, which may have to be waited for.
# mypy: disable-error-code="func-returns-value"

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from os import PathLike
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from homefs._homefs import Channel, Ticket, _clone
from homefs._homefs import Home as _Home
from homefs._records import *  # noqa: F403
from homefs._types import Content, StrPath
from homefs._watch import checked_timeout
from homefs._words import *  # noqa: F403

__all__ = ["Home", "Watch", "clone", "open"]

_T = TypeVar("_T")
#: Longest single wait of a watch; a loop that ends does not wait for it.
_SLICE = 1.0


class _Link:
    """The channel of one event loop, and who waits for what it carries."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.channel = Channel()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        loop.add_reader(self.channel.fileno(), self._arrived)

    def expect(self, ticket: Ticket) -> asyncio.Future[Any]:
        """Returns what the answer will be; asked for before the loop goes on, nothing is missed."""
        future = asyncio.get_running_loop().create_future()
        self._waiting[ticket.number] = future
        return future

    async def wait(self, ticket: Ticket) -> Any:
        try:
            return await self.expect(ticket)
        except asyncio.CancelledError:
            self.channel.cancel(ticket.number)
            raise
        finally:
            self._waiting.pop(ticket.number, None)

    def _arrived(self) -> None:
        for number, answer, error in self.channel.take():
            future = self._waiting.pop(number, None)
            if future is None or future.done():
                continue
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)


_links: WeakKeyDictionary[asyncio.AbstractEventLoop, _Link] = WeakKeyDictionary()


class Home:
    """A home whose methods are coroutines; made by `homefs.aio.open`, or of a `homefs.Home`."""

    def __init__(self, home: _Home) -> None:
        self._home = home
        # The loop that called last, and the home whose answers come to it.
        self._last: tuple[asyncio.AbstractEventLoop | None, _Home] = (None, home)

    @property
    def sync_home(self) -> _Home:
        """The same home without coroutines."""
        return self._home

    @property
    def agent(self) -> str:
        """The agent whose home it is."""
        return self._home.agent

    def _twin(self) -> _Home:
        """Returns the home whose answers come to the running loop."""
        loop = asyncio.get_running_loop()
        last, twin = self._last
        if last is loop:
            return twin
        link = _links.get(loop)
        if link is None:
            link = _links[loop] = _Link(loop)
        twin = self._home._later(link.channel)
        self._last = (loop, twin)
        return twin

    async def _answer(self, answer: _T) -> _T:
        """Waits for an answer of a twin that is not here yet: a ticket stands for it."""
        if isinstance(answer, Ticket):
            arrived: _T = await _links[asyncio.get_running_loop()].wait(answer)
            return arrived
        return answer

    def watch(
        self,
        path: StrPath | None = None,
        *,
        since: str | None = None,
        timeout: float | None = None,
    ) -> Watch:
        """Follows what changes at and below a path from now on, or since a cursor."""
        return Watch(self, "/" if path is None else str(path), since, timeout)

    async def __aenter__(self) -> Home:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<homefs.aio.Home of {self.agent}>"

    # Made by `cargo xtask gen` from here
    async def write(
        self,
        path: StrPath,
        content: Content,
        *,
        expected_version: int | None = None,
        durability: Durability | None = None,
    ) -> int:
        """Writes a whole file and returns its version; missing directories are made."""
        return await self._answer(
            self._twin().write(
                path,
                content,
                expected_version=expected_version,
                durability=durability,
            )
        )

    async def append(
        self,
        path: StrPath,
        content: Content,
        *,
        expected_version: int | None = None,
        durability: Durability | None = None,
    ) -> int:
        """Adds to the end of a file, which is made if it is missing; returns its version."""
        return await self._answer(
            self._twin().append(
                path,
                content,
                expected_version=expected_version,
                durability=durability,
            )
        )

    async def read(self, path: StrPath, *, version: int | str | None = None) -> str:
        """Returns the text of a file; of an old version or moment if one is given."""
        return await self._answer(self._twin().read(path, version=version))

    async def read_bytes(
        self,
        path: StrPath,
        offset: int = 0,
        length: int | None = None,
        *,
        version: int | str | None = None,
    ) -> bytes:
        """Returns the bytes of a file, or of a part of it; fewer at its end."""
        return await self._answer(self._twin().read_bytes(path, offset, length, version=version))

    async def edit(
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
        return await self._answer(
            self._twin().edit(
                path,
                old,
                new,
                all=all,
                expected_version=expected_version,
                durability=durability,
            )
        )

    async def insert(
        self,
        path: StrPath,
        line: int,
        text: str,
        *,
        expected_version: int | None = None,
        durability: Durability = "memory",
    ) -> int:
        """Inserts lines after a line, 0 being before the first; returns the file's version."""
        return await self._answer(
            self._twin().insert(
                path,
                line,
                text,
                expected_version=expected_version,
                durability=durability,
            )
        )

    async def stat(self, path: StrPath) -> Stat:
        """Tells what is known of a node; a last link is not followed."""
        return await self._answer(self._twin().stat(path))

    async def exists(self, path: StrPath) -> bool:
        """Tells whether there is something at a path."""
        return await self._answer(self._twin().exists(path))

    async def is_file(self, path: StrPath) -> bool:
        """Tells whether there is a file at a path."""
        return await self._answer(self._twin().is_file(path))

    async def is_dir(self, path: StrPath) -> bool:
        """Tells whether there is a directory at a path."""
        return await self._answer(self._twin().is_dir(path))

    async def ls(self, path: StrPath | None = None) -> list[Stat]:
        """Lists a directory by name, the root if none is given; a file is listed as itself."""
        return await self._answer(self._twin().ls(path))

    async def tree(self, path: StrPath | None = None, depth: int | None = None) -> str:
        """Shows everything below a directory as a tree, at most so many levels of it."""
        return await self._answer(self._twin().tree(path, depth))

    async def find(self, pattern: str = "**", path: StrPath | None = None) -> list[str]:
        """Finds nodes below a directory by a pattern; one without `/` matches names at any depth.

        With `/` it matches the path below the directory, where `**` stands for any number of
        directories.
        """
        return await self._answer(self._twin().find(pattern, path))

    async def grep(
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
        return await self._answer(
            self._twin().grep(
                pattern,
                path,
                glob=glob,
                ignore_case=ignore_case,
                literal=literal,
                limit=limit,
                before=before,
                after=after,
            )
        )

    async def walk(self, path: StrPath | None = None) -> list[Stat]:
        """Lists everything below a directory."""
        return await self._answer(self._twin().walk(path))

    async def mkdir(self, path: StrPath, *, parents: bool = True) -> int:
        """Makes a directory, and those on the way to it; returns its version."""
        return await self._answer(self._twin().mkdir(path, parents=parents))

    async def delete(self, path: StrPath, *, recursive: bool = False) -> int:
        """Removes a node to the trash; a directory that is not empty only if asked."""
        return await self._answer(self._twin().delete(path, recursive=recursive))

    async def mv(
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
        return await self._answer(
            self._twin().mv(source, target, no_replace=no_replace, exchange=exchange)
        )

    async def cp(self, source: StrPath, target: StrPath, *, recursive: bool = False) -> int:
        """Copies a node to a path, or into a directory; a directory only if asked."""
        return await self._answer(self._twin().cp(source, target, recursive=recursive))

    async def symlink(self, target: str, path: StrPath) -> int:
        """Makes a symbolic link at a path."""
        return await self._answer(self._twin().symlink(target, path))

    async def link(self, existing: StrPath, new: StrPath) -> int:
        """Gives a file one more name."""
        return await self._answer(self._twin().link(existing, new))

    async def readlink(self, path: StrPath) -> str:
        """Returns where a symbolic link points."""
        return await self._answer(self._twin().readlink(path))

    async def search(
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
        return await self._answer(
            self._twin().search(query, limit=limit, kind=kind, space=space, below=below, all=all)
        )

    async def related(self, path: StrPath, *, limit: int = 10) -> list[Hit]:
        """Finds the files that are most like a file."""
        return await self._answer(self._twin().related(path, limit=limit))

    async def recall(
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
        return await self._answer(
            self._twin().recall(
                question,
                max_tokens,
                strategy=strategy,
                space=space,
                below=below,
                min_score=min_score,
                tokenizer=tokenizer,
                paths=paths,
                explain=explain,
            )
        )

    async def remember(
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
        return await self._answer(
            self._twin().remember(
                text,
                title=title,
                importance=importance,
                tags=tags,
                ttl=ttl,
                space=space,
                source=source,
                alike=alike,
                supersedes=supersedes,
            )
        )

    async def forget(self, path: StrPath, *, purge: bool = False) -> Forgotten:
        """Lets a memory go, to the trash or for good; works on every file and directory."""
        return await self._answer(self._twin().forget(path, purge=purge))

    async def purge(self, path: StrPath) -> Forgotten:
        """Erases a node from the tree, the history and the trash; tells what that took."""
        return await self._answer(self._twin().purge(path))

    async def context(self, max_tokens: int = 2000, *, tokenizer: Tokenizer = "o200k") -> Standing:
        """Returns what an agent should know at its start, within a budget of tokens."""
        return await self._answer(self._twin().context(max_tokens, tokenizer=tokenizer))

    async def links(self, path: StrPath) -> Links:
        """Lists what a note links to, and what links to it."""
        return await self._answer(self._twin().links(path))

    async def tags(self, path: StrPath | None = None) -> list[Tag]:
        """Counts the tags at and below a path."""
        return await self._answer(self._twin().tags(path))

    async def timeline(
        self,
        below: StrPath | None = None,
        *,
        after: str | None = None,
        before: str | None = None,
        limit: int = 20,
    ) -> list[Noted]:
        """Lists files by when they were last written, newest first."""
        return await self._answer(
            self._twin().timeline(below, after=after, before=before, limit=limit)
        )

    async def stale(
        self,
        below: StrPath | None = None,
        *,
        days: int = 90,
        limit: int = 20,
    ) -> list[Noted]:
        """Lists files that nobody has read for long and that matter little."""
        return await self._answer(self._twin().stale(below, days=days, limit=limit))

    async def log(
        self,
        path: StrPath,
        *,
        limit: int = 100,
        before: int | None = None,
    ) -> list[Edition]:
        """Lists the versions of a file, newest first, also of a removed one."""
        return await self._answer(self._twin().log(path, limit=limit, before=before))

    async def diff(
        self,
        path: StrPath,
        from_: int | str | None = None,
        to: int | str | None = None,
    ) -> str:
        """Shows how a file differs between two moments; from the version before the last to now.

        A moment is a version, or a time such as `2h ago`, `yesterday` or RFC 3339. What is shown is a
        unified diff, empty if they do not differ.
        """
        return await self._answer(self._twin().diff(path, from_, to))

    async def restore(self, path: StrPath, version: int | str) -> int:
        """Makes an old version of a file the present one; returns the new version."""
        return await self._answer(self._twin().restore(path, version))

    async def trash(self) -> list[Trashed]:
        """Lists what was removed and can be brought back, the last first."""
        return await self._answer(self._twin().trash())

    async def untrash(self, path: StrPath, *, to: StrPath | None = None) -> int:
        """Brings back what the last removal of a path took, there or to another path."""
        return await self._answer(self._twin().untrash(path, to=to))

    async def cursor(self) -> str:
        """Returns the cursor of this moment, from which changes can be watched."""
        return await self._answer(self._twin().cursor())

    async def meta(self, path: StrPath) -> Metadata:
        """Returns what is noted about a node."""
        return await self._answer(self._twin().meta(path))

    async def set_meta(
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
        return await self._answer(
            self._twin().set_meta(
                path,
                importance=importance,
                title=title,
                source=source,
                ttl=ttl,
                tags=tags,
                add_tags=add_tags,
                remove_tags=remove_tags,
                other=other,
            )
        )

    async def grant(self, path: StrPath, who: str, right: Right) -> int:
        """Lets an agent, or a group as `group:name`, use a part of a shared space."""
        return await self._answer(self._twin().grant(path, who, right))

    async def revoke(self, path: StrPath, who: str) -> int:
        """Takes the rights of an agent or group at a path away."""
        return await self._answer(self._twin().revoke(path, who))

    async def grants(self, path: StrPath | None = None) -> list[Grant]:
        """Lists the rules of access that hold at a path."""
        return await self._answer(self._twin().grants(path))

    async def spaces(self) -> list[Space]:
        """Lists the spaces that the agent sees."""
        return await self._answer(self._twin().spaces())

    async def agents(self) -> list[str]:
        """Lists the agents that have a home; for operators."""
        return await self._answer(self._twin().agents())

    async def sync(
        self,
        *,
        direction: Direction = "both",
        space: str | None = None,
        wait: bool | None = None,
        timeout: float | None = None,
    ) -> list[Synced]:
        """Makes spaces and their remote agree; with `wait` it goes on through outages."""
        return await self._answer(
            self._twin().sync(direction=direction, space=space, wait=wait, timeout=timeout)
        )

    async def status(self) -> dict[str, Any]:
        """Tells how the store is."""
        return await self._answer(self._twin().status())

    async def conflicts(self) -> list[Conflicting]:
        """Lists the conflicts that nobody has resolved, oldest first."""
        return await self._answer(self._twin().conflicts())

    async def resolve(self, which: str, take: Side | None = None) -> list[Conflicting]:
        """Closes conflicts by number, path or pattern, with one of their contents if asked."""
        return await self._answer(self._twin().resolve(which, take))

    async def remote_add(
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
        await self._answer(
            self._twin().remote_add(
                address,
                endpoint=endpoint,
                region=region,
                virtual_host=virtual_host,
                single_writer=single_writer,
                machine=machine,
                read_only=read_only,
            )
        )

    async def remote_rm(self, *, force: bool = False) -> int:
        """Fetches what only the remote has, unless forgone by `force`, and lets it go; returns how many
        bytes were fetched.
        """
        return await self._answer(self._twin().remote_rm(force=force))

    async def pin(self, path: StrPath) -> None:
        """Keeps everything at and below a path on this machine."""
        await self._answer(self._twin().pin(path))

    async def unpin(self, path: StrPath) -> None:
        """Keeps it there no longer."""
        await self._answer(self._twin().unpin(path))

    async def pins(self) -> list[str]:
        """Lists the paths that are kept on this machine."""
        return await self._answer(self._twin().pins())

    async def attach(
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
        await self._answer(
            self._twin().attach(source, path, read_only=read_only, settings=settings)
        )

    async def detach(self, path: StrPath) -> None:
        """Shows a source no longer; what the home has itself stays."""
        await self._answer(self._twin().detach(path))

    async def sources(self) -> list[Source]:
        """Lists the sources that are attached."""
        return await self._answer(self._twin().sources())

    async def refresh(self, path: StrPath) -> None:
        """Looks at once for what has changed at a source."""
        await self._answer(self._twin().refresh(path))

    async def changes(self, path: StrPath) -> list[SourceChange]:
        """Lists what was changed over a source."""
        return await self._answer(self._twin().changes(path))

    async def discard_changes(self, path: StrPath) -> None:
        """Gives up what was changed over a source."""
        await self._answer(self._twin().discard_changes(path))

    async def write_back(self, path: StrPath, *, overwrite: bool = False) -> list[SourceChange]:
        """Does to a source what was changed over it; lists what was done. What was written there
        after it was changed here is refused, unless it is to be overwritten.
        """
        return await self._answer(self._twin().write_back(path, overwrite=overwrite))

    async def barrier(self) -> None:
        """Returns when everything acknowledged so far survives power loss."""
        await self._answer(self._twin().barrier())

    async def sh(
        self,
        script: str,
        *,
        session: str | None = None,
        timeout: float | None = None,
        stdin: Content | None = None,
    ) -> Output:
        """Runs a script on the files of the home, in a worker if it was opened with `workers`."""
        return await self._answer(
            self._twin().sh(script, session=session, timeout=timeout, stdin=stdin)
        )

    async def close(self) -> None:
        """Ends the use of the home; later calls fail."""
        await self._answer(self._twin().close())

    # to here; do not edit.


class Watch(AsyncIterator[Event]):
    """Changes at and below a path, one after the other, as they happen.

    `cursor` is where to go on after the last change that was returned; it outlives the process.
    """

    def __init__(self, home: Home, path: str, since: str | None, timeout: float | None) -> None:
        self._home = home
        self._path = path
        self._timeout = checked_timeout(timeout)
        self._seen: deque[Event] = deque()
        # Asked for now, so that nothing is missed before the first event is awaited: what this
        # loop calls meanwhile waits until the cursor is known.
        start: Any = home._twin().cursor() if since is None else since
        self._starts: asyncio.Future[str] | None = None
        if isinstance(start, Ticket):
            self._starts = _links[asyncio.get_running_loop()].expect(start)
            start = ""
        self._cursor: str = start
        self._next_cursor: str = start

    @property
    def cursor(self) -> str | None:
        """Where to go on; None as long as that is asked for."""
        if self._starts is not None:
            return None
        return self._cursor if self._seen else self._next_cursor

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Event:
        if self._starts is not None:
            # Whoever gives up waiting may ask again.
            self._next_cursor = await asyncio.shield(self._starts)
            self._starts = None
        loop = asyncio.get_running_loop()
        end = None if self._timeout is None else loop.time() + self._timeout
        while not self._seen:
            left = _SLICE if end is None else min(_SLICE, end - loop.time())
            self._cursor = self._next_cursor
            answer = self._home._twin()._watch_once(self._path, self._cursor, max(left, 0.0))
            events, self._next_cursor, _ = await self._home._answer(answer)
            self._seen.extend(events)
            if not self._seen and end is not None and left <= 0:
                raise StopAsyncIteration
        return self._seen.popleft()


class _Opening:
    """A home that is being opened: to be awaited, or entered by `async with`."""

    def __init__(self, agent: str | None, options: dict[str, Any]) -> None:
        self._agent = agent
        self._options = options
        self._home: Home | None = None

    async def _open(self) -> Home:
        return Home(await asyncio.to_thread(_Home, self._agent, **self._options))

    def __await__(self) -> Generator[Any, None, Home]:
        return self._open().__await__()

    async def __aenter__(self) -> Home:
        self._home = await self._open()
        return self._home

    async def __aexit__(self, *_: object) -> None:
        if self._home is not None:
            await self._home.close()


def open(
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
) -> _Opening:
    """Opens a home as `homefs.open` does: `home = await open(…)`, or `async with open(…)`."""
    options = {
        "store": store,
        "operator": operator,
        "all": all,
        "offline": offline,
        "read_only": read_only,
        "timeout": timeout,
        "workers": workers,
        "groups": groups,
    }
    return _Opening(agent, options)


async def clone(
    address: str,
    agent: str | None = None,
    *,
    store: str | PathLike[str] | None = None,
    endpoint: str | None = None,
    region: str | None = None,
    virtual_host: bool = False,
    single_writer: bool = False,
    machine: str | None = None,
    read_only: bool = False,
) -> Home:
    """Makes a new store of what a remote has as `homefs.clone` does, and opens the home."""
    await asyncio.to_thread(
        _clone,
        address,
        agent,
        store,
        endpoint,
        region,
        virtual_host,
        single_writer,
        machine,
        read_only,
    )
    return await open(agent, store=store)
