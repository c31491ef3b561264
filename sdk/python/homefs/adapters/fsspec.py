"""A home as a file system of fsspec: `homefs://agent/path`, also for pandas and its like.

    pandas.read_csv("homefs://akashi/data/prices.csv")
    fsspec.filesystem("homefs", agent="akashi", store="/srv/homes").ls("/data")

`HomeFileSystem.of(home)` shows a home that is open already.
"""

from __future__ import annotations

import io
import time
from datetime import datetime
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.utils import stringify_path

from homefs import AlreadyExists, Home, IsADirectory, NotADirectory, NotFound, Stat
from homefs._file import open_file

__all__ = ["HomeFileSystem"]

_PREFIX = "homefs://"
_TYPES = {"file": "file", "directory": "directory"}


class HomeFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The files of one home; options beside `agent` are those of `homefs.open`."""

    protocol = "homefs"
    root_marker = "/"

    def __init__(self, agent: str | None = None, *, home: Home | None = None, **options: Any):
        ours = {key: options.pop(key) for key in _OPTIONS if key in options}
        super().__init__(**options)
        self.home = home if home is not None else Home(agent, **ours)

    @classmethod
    def of(cls, home: Home) -> HomeFileSystem:
        """Returns the file system of a home that is open."""
        # Not out of the cache, in which two homes of one agent would be the same.
        fs: HomeFileSystem = cls(home.agent, home=home, skip_instance_cache=True)
        return fs

    @property
    def fsid(self) -> str:
        """What tells this file system from others."""
        return f"homefs-{self.home.agent}"

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        path = stringify_path(path)
        if path.startswith(_PREFIX):
            path = path.removeprefix(_PREFIX).partition("/")[2]
        return "/" + path.strip("/")

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, str]:
        agent = stringify_path(path).removeprefix(_PREFIX).partition("/")[0]
        return {"agent": agent} if path.startswith(_PREFIX) and agent else {}

    def unstrip_protocol(self, name: str) -> str:
        """Returns the address of a path."""
        return f"{_PREFIX}{self.home.agent}{self._strip_protocol(name)}"

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Tells what is known of a path."""
        return self._info(self.home.stat(self._strip_protocol(path)))

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """Lists a directory, or a file as itself."""
        found = self.home.ls(self._strip_protocol(path))
        return [self._info(stat) if detail else stat.path for stat in found]

    def find(
        self,
        path: str,
        maxdepth: int | None = None,
        withdirs: bool = False,
        detail: bool = False,
        **_: Any,
    ) -> Any:
        """Lists the files below a path, with one call."""
        if maxdepth is not None and maxdepth < 1:
            raise ValueError("maxdepth must be at least 1")
        path = self._strip_protocol(path)
        try:
            top = self.home.stat(path)
            found = self.home.walk(path) if top.is_dir else []
        except (NotFound, NotADirectory):
            return {} if detail else []
        below = len(path.rstrip("/")) + 1
        found = [
            stat
            for stat in found
            if (withdirs or not stat.is_dir)
            and (maxdepth is None or stat.path.count("/", below) < maxdepth)
        ]
        if not top.is_dir or (withdirs and path != "/"):
            found.append(top)
        found.sort(key=lambda stat: stat.path)
        if detail:
            return {stat.path: self._info(stat) for stat in found}
        return [stat.path for stat in found]

    def exists(self, path: str, **_: Any) -> bool:
        """Tells whether there is something at a path."""
        return self.home.exists(self._strip_protocol(path))

    def isfile(self, path: str) -> bool:
        """Tells whether there is a file at a path."""
        return self.home.is_file(self._strip_protocol(path))

    def isdir(self, path: str) -> bool:
        """Tells whether there is a directory at a path."""
        return self.home.is_dir(self._strip_protocol(path))

    def created(self, path: str) -> datetime:
        """Tells when a file was made."""
        return self.home.stat(self._strip_protocol(path)).created_at

    def modified(self, path: str) -> datetime:
        """Tells when a file was last written."""
        return self.home.stat(self._strip_protocol(path)).modified_at

    def ukey(self, path: str) -> str:
        """Returns what changes when a file does."""
        stat = self.home.stat(self._strip_protocol(path))
        return f"{stat.node}-{stat.version}"

    def checksum(self, path: str) -> int:
        """Returns what changes when a file does, as a number."""
        return self.home.stat(self._strip_protocol(path)).version

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        """Makes a directory where there is nothing."""
        path = self._strip_protocol(path)
        if self.home.exists(path):
            raise AlreadyExists("already exists", path)
        self.home.mkdir(path, parents=create_parents)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Makes a directory and those on the way to it."""
        path = self._strip_protocol(path)
        if not exist_ok and self.home.exists(path):
            raise AlreadyExists("already exists", path)
        self.home.mkdir(path)

    def rmdir(self, path: str) -> None:
        """Removes an empty directory."""
        path = self._strip_protocol(path)
        if not self.home.is_dir(path):
            # Says which of the two it is.
            self.home.stat(path)
            raise NotADirectory("not a directory", path)
        self.home.delete(path)

    def rm_file(self, path: str) -> None:
        """Removes a file, to the trash."""
        path = self._strip_protocol(path)
        if self.home.stat(path).is_dir:
            raise IsADirectory("is a directory", path)
        self.home.delete(path)

    _rm = rm_file

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Removes files, and with `recursive` directories, to the trash."""
        if not recursive or maxdepth is not None:
            super().rm(path, recursive=recursive, maxdepth=maxdepth)
            return
        for one in self.expand_path(path):
            self.home.delete(one, recursive=True)

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        """Copies a file; of a directory only itself."""
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        if self.home.is_dir(source):
            self.home.mkdir(target)
        else:
            self.home.mkdir(self._parent(target))
            self.home.cp(source, target)

    def mv(
        self,
        path1: Any,
        path2: Any,
        recursive: bool = False,
        maxdepth: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Moves; a single node at once, as the file it is, with its history."""
        if isinstance(path1, str) and isinstance(path2, str) and maxdepth is None:
            source = self._strip_protocol(path1)
            if self.home.exists(source):
                self.home.mv(source, self._strip_protocol(path2))
                return
        super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **kwargs)

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Returns the bytes of a file, or of a part of it."""
        path = self._strip_protocol(path)
        if (start or 0) < 0 or (end or 0) < 0:
            size = self.home._size(path)
            start = max(0, size + start) if start is not None and start < 0 else start
            end = max(0, size + end) if end is not None and end < 0 else end
        start = start or 0
        return self.home.read_bytes(path, start, None if end is None else max(0, end - start))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        """Writes a whole file at once."""
        path = self._strip_protocol(path)
        if mode == "create":
            self.home._create(path)
        self.home.write(path, value)

    def touch(self, path: str, truncate: bool = True, **_: Any) -> None:
        """Makes an empty file, or tells that one was written now."""
        path = self._strip_protocol(path)
        if truncate or not self.home.exists(path):
            self.home.write(path, b"")
        else:
            self.home._set_attrs(path, modified_ns=time.time_ns())

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **_: Any,
    ) -> Any:
        path = self._strip_protocol(path)
        if autocommit or "r" in mode:
            if "r" not in mode:
                self.home.mkdir(self._parent(path))
            return open_file(self.home, path, mode)
        if "x" in mode and self.home.exists(path):
            raise AlreadyExists("already exists", path)
        return _Pending(self.home, path, mode)

    def _info(self, stat: Stat) -> dict[str, Any]:
        info = {"name": stat.path, "islink": stat.kind == "link"}
        if info["islink"]:
            try:
                stat = self.home.stat(self.home._real_path(stat.path))
            except (NotFound, NotADirectory):
                # A link that leads nowhere is what it is.
                pass
        return info | {
            "size": 0 if stat.is_dir else stat.size,
            "type": _TYPES.get(stat.kind, "other"),
            "created": stat.created_at.timestamp(),
            "mtime": stat.modified_at.timestamp(),
            "version": stat.version,
        }


#: What `homefs.open` takes beside the agent.
_OPTIONS = ("store", "operator", "all", "offline", "read_only", "timeout", "workers")


class _Pending(io.BytesIO):
    """A file that is written when the transaction it belongs to is completed."""

    def __init__(self, home: Home, path: str, mode: str) -> None:
        super().__init__()
        self._home, self.path = home, path
        self._appends = "a" in mode
        self._content = b""

    def close(self) -> None:
        """Keeps what was written for the end of the transaction."""
        if not self.closed:
            self._content = self.getvalue()
        super().close()

    def commit(self) -> None:
        """Writes the file."""
        self.close()
        if self._appends:
            self._home.append(self.path, self._content)
        else:
            self._home.write(self.path, self._content)

    def discard(self) -> None:
        """Leaves everything as it was."""
        self.close()
