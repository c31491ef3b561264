"""The classes of reasoning-fs on a home: the same methods, kept for good.

What differs is what was wrong there: nothing waits for a sync to be safe, a deleted file is gone
at once, and an error is told.
"""

from __future__ import annotations

import os
from typing import Any

from homefs import aio
from homefs._homefs import Home
from homefs._records import Match, Stat


def _split(command: str, content: str | bytes | None) -> tuple[str, str | bytes]:
    """Takes `path, content`, or `path=content` in one."""
    if content is not None:
        return command, content
    if not isinstance(command, str):
        raise TypeError("a command is a string")
    path, sign, text = command.partition("=")
    if not sign:
        raise ValueError("write takes a path and a content, or path=content in one")
    return path.strip(), text


def _directory(path: str) -> str:
    return path if path not in ("", ".") else "/"


def _names(entries: list[Stat]) -> str:
    return "\n".join(sorted(entry.name for entry in entries))


def _relative(paths: list[str]) -> str:
    return "\n".join(sorted(path.lstrip("/") for path in paths))


def _lines(matches: list[Match]) -> str:
    return "\n".join(f"{match.path.lstrip('/')}:{match.line}:{match.text}" for match in matches)


class OverlayFs:
    """A file system for agents with the signatures of reasoning-fs.

    `db_path` is the directory of a store, found as `homefs.open` finds it if not given.
    `batch_size` and `auto_sync` are taken and mean nothing: every write is safe when it returns.
    """

    def __init__(
        self,
        db_path: str | os.PathLike[str] | None = None,
        batch_size: int = 50,
        auto_sync: bool = True,
        *,
        agent: str | None = None,
        home: Home | None = None,
    ) -> None:
        self.home = home if home is not None else Home(agent, store=db_path)
        self.db_path = db_path
        self.batch_size = batch_size
        self.auto_sync = auto_sync

    def write(self, path: str, content: str | bytes | None = None) -> str:
        """Writes a file: a path and a content, or `path=content` in one."""
        path, content = _split(path, content)
        self.home.write(path, content)
        return f"Written {path}"

    def read(self, path: str) -> str:
        """Returns the text of a file."""
        return self.home.read(path)

    def cat(self, path: str) -> str:
        """As `read`."""
        return self.home.read(path)

    def ls(self, path: str = "/") -> str:
        """Lists a directory, one name per line."""
        return _names(self.home.ls(_directory(path)))

    def grep(self, pattern: str, path: str = "/") -> str:
        """Finds a text in files, one `path:line:text` per line."""
        return _lines(self.home.grep(pattern, _directory(path), literal=True))

    def find(self, pattern: str = "", path: str = "/") -> str:
        """Finds files by name, one path per line; all without a pattern."""
        return _relative(self._files(pattern or "**", path))

    def delete(self, path: str) -> str:
        """Removes a file; the trash keeps it."""
        self.home.delete(path, recursive=True)
        return f"Deleted {path}"

    def sync(self) -> None:
        """Returns when everything written so far survives power loss."""
        self.home.barrier()

    def stats(self) -> dict[str, Any]:
        """Counts the files; nothing is ever left in a buffer."""
        total = sum(found.is_file for found in self.home.walk())
        return {"total_files": total, "write_buffer_size": 0, "db_path": self.db_path}

    def clear(self) -> None:
        """Removes everything to the trash."""
        for entry in self.home.ls():
            if entry.path != "/shared":
                self.home.delete(entry.path, recursive=True)

    def close(self) -> None:
        """Ends the use of the home."""
        self.home.close()

    def __enter__(self) -> OverlayFs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _files(self, pattern: str, path: str) -> list[str]:
        below = _directory(path)
        files = {found.path for found in self.home.walk(below) if found.is_file}
        return [found for found in self.home.find(pattern, below) if found in files]


class AsyncOverlayFs:
    """As `OverlayFs`, with coroutines."""

    def __init__(
        self,
        db_path: str | os.PathLike[str] | None = None,
        batch_size: int = 100,
        auto_sync: bool = True,
        *,
        agent: str | None = None,
        home: aio.Home | None = None,
    ) -> None:
        self.home = home if home is not None else aio.Home(Home(agent, store=db_path))
        self.db_path = db_path
        self.batch_size = batch_size
        self.auto_sync = auto_sync

    async def write(self, path: str, content: str | bytes | None = None) -> str:
        """Writes a file: a path and a content, or `path=content` in one."""
        path, content = _split(path, content)
        await self.home.write(path, content)
        return f"Written {path}"

    async def read(self, path: str) -> str:
        """Returns the text of a file."""
        return await self.home.read(path)

    async def cat(self, path: str) -> str:
        """As `read`."""
        return await self.home.read(path)

    async def ls(self, path: str = "/") -> str:
        """Lists a directory, one name per line."""
        return _names(await self.home.ls(_directory(path)))

    async def grep(self, pattern: str, path: str = "/") -> str:
        """Finds a text in files, one `path:line:text` per line."""
        return _lines(await self.home.grep(pattern, _directory(path), literal=True))

    async def find(self, pattern: str = "", path: str = "/") -> str:
        """Finds files by name, one path per line; all without a pattern."""
        below = _directory(path)
        files = {found.path for found in await self.home.walk(below) if found.is_file}
        found = await self.home.find(pattern or "**", below)
        return _relative([path for path in found if path in files])

    async def delete(self, path: str) -> str:
        """Removes a file; the trash keeps it."""
        await self.home.delete(path, recursive=True)
        return f"Deleted {path}"

    async def sync(self) -> str:
        """Returns when everything written so far survives power loss."""
        await self.home.barrier()
        return "Sync complete"

    async def stats(self) -> dict[str, Any]:
        """Counts the files; nothing is ever left in a buffer."""
        total = sum(found.is_file for found in await self.home.walk())
        return {"total_files": total, "write_buffer_size": 0, "db_path": self.db_path}

    async def clear(self) -> None:
        """Removes everything to the trash."""
        for entry in await self.home.ls():
            if entry.path != "/shared":
                await self.home.delete(entry.path, recursive=True)

    async def close(self) -> None:
        """Ends the use of the home."""
        await self.home.close()

    async def __aenter__(self) -> AsyncOverlayFs:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
