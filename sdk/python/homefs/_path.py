"""Paths inside a home that behave like `pathlib.Path`."""

from __future__ import annotations

import os
import posixpath
import re
import stat as modes
import time
from collections.abc import Iterator
from pathlib import PurePath, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Final

from homefs._errors import AlreadyExists, IsADirectory, NotADirectory
from homefs._file import open_file
from homefs._records import Stat, moment

if TYPE_CHECKING:
    from homefs._homefs import Home

_KINDS: Final = {
    "file": modes.S_IFREG,
    "directory": modes.S_IFDIR,
    "link": modes.S_IFLNK,
    "pipe": modes.S_IFIFO,
    "socket": modes.S_IFSOCK,
    "character device": modes.S_IFCHR,
    "block device": modes.S_IFBLK,
}


class HomePath:
    """A path inside a home, with the methods of `pathlib.Path`.

    It is always absolute, `.` and `..` being resolved by name. It is no path of the host: the
    built-in `open` refuses it, its own `open` opens it.
    """

    __slots__ = ("_home", "_pure")

    def __init__(self, home: Home, *segments: str | PurePosixPath | HomePath) -> None:
        self._home = home
        joined = PurePosixPath("/", *(str(segment) for segment in segments))
        # Two leading slashes would mean something else to POSIX.
        normal = "/" + posixpath.normpath(str(joined)).lstrip("/")
        self._pure = PurePosixPath(normal)

    # What it is called.

    @property
    def home(self) -> Home:
        """The home it is in."""
        return self._home

    @property
    def parts(self) -> tuple[str, ...]:
        """Its names, the root first."""
        return self._pure.parts

    @property
    def drive(self) -> str:
        """Always empty."""
        return ""

    @property
    def root(self) -> str:
        """Always `/`."""
        return "/"

    @property
    def anchor(self) -> str:
        """Always `/`."""
        return "/"

    @property
    def name(self) -> str:
        """Its last name; empty for the root."""
        return self._pure.name

    @property
    def suffix(self) -> str:
        """The end of its name from the last dot on."""
        return self._pure.suffix

    @property
    def suffixes(self) -> list[str]:
        """All suffixes of its name."""
        return self._pure.suffixes

    @property
    def stem(self) -> str:
        """Its name without the suffix."""
        return self._pure.stem

    @property
    def parent(self) -> HomePath:
        """The directory that holds it; the root holds itself."""
        return self._with(self._pure.parent)

    @property
    def parents(self) -> tuple[HomePath, ...]:
        """The directories on the way to it, the nearest first."""
        return tuple(self._with(parent) for parent in self._pure.parents)

    def joinpath(self, *others: str | PurePosixPath | HomePath) -> HomePath:
        """Returns the path of something below it."""
        return HomePath(self._home, self, *others)

    def __truediv__(self, other: str | PurePosixPath | HomePath) -> HomePath:
        if not isinstance(other, (str, PurePosixPath, HomePath)):
            return NotImplemented
        return self.joinpath(other)

    def with_name(self, name: str) -> HomePath:
        """Returns the path with another last name."""
        return self._with(self._pure.with_name(name))

    def with_stem(self, stem: str) -> HomePath:
        """Returns the path with another last name and the same suffix."""
        return self._with(self._pure.with_stem(stem))

    def with_suffix(self, suffix: str) -> HomePath:
        """Returns the path with another suffix."""
        if not isinstance(suffix, str):
            raise TypeError("a suffix is a string")
        return self._with(self._pure.with_suffix(suffix))

    def relative_to(self, other: str | PurePosixPath | HomePath) -> PurePosixPath:
        """Returns the rest of the path below another one."""
        return self._pure.relative_to(self._other(other))

    def is_relative_to(self, other: str | PurePosixPath | HomePath) -> bool:
        """Tells whether it is another path or below it."""
        return self._pure.is_relative_to(self._other(other))

    def is_absolute(self) -> bool:
        """Always true."""
        return True

    def absolute(self) -> HomePath:
        """Returns itself."""
        return self

    def match(self, pattern: str) -> bool:
        """Tells whether its last names match a pattern."""
        return self._pure.match(pattern)

    def as_posix(self) -> str:
        """Returns it as text."""
        return str(self)

    def as_uri(self) -> str:
        """Returns it as `homefs://agent/path`."""
        return f"homefs://{self._home.agent}{self._pure.as_uri()[len('file://') :]}"

    # What is there.

    def exists(self) -> bool:
        """Tells whether something is there."""
        return self._home.exists(str(self))

    def is_file(self) -> bool:
        """Tells whether a file is there."""
        return self._home.is_file(str(self))

    def is_dir(self) -> bool:
        """Tells whether a directory is there."""
        return self._home.is_dir(str(self))

    def is_symlink(self) -> bool:
        """Tells whether a symbolic link is there."""
        try:
            return self._home.stat(str(self)).kind == "link"
        except (FileNotFoundError, NotADirectoryError):
            return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Tells what is known of it, in the form of `os.stat`."""
        path = self._home._real_path(str(self)) if follow_symlinks else str(self)
        return _stat_result(self._home.stat(path))

    def lstat(self) -> os.stat_result:
        """As `stat`, of a link itself."""
        return self.stat(follow_symlinks=False)

    def info(self) -> Stat:
        """Tells what is known of it as homefs shows it, version included."""
        return self._home.stat(str(self))

    def resolve(self, strict: bool = False) -> HomePath:
        """Returns where it leads when every link on it is followed."""
        real = self._home._real_path(str(self))
        if strict:
            self._home.stat(real)
        return HomePath(self._home, real)

    def readlink(self) -> PurePosixPath:
        """Returns where a symbolic link points."""
        return PurePosixPath(self._home.readlink(str(self)))

    def samefile(self, other: str | HomePath) -> bool:
        """Tells whether another path leads to the same node."""
        nodes = (self._home.stat(self._home._real_path(str(path))) for path in (self, other))
        first, second = ((found.space, found.node) for found in nodes)
        return first == second

    # What is in it.

    def iterdir(self) -> Iterator[HomePath]:
        """Lists a directory."""
        if not self.is_dir():
            # A file would be listed as itself.
            self._home.read_bytes(str(self), 0, 0)
            raise NotADirectory("is not a directory", str(self))
        return (HomePath(self._home, entry.path) for entry in self._home.ls(str(self)))

    def glob(self, pattern: str) -> Iterator[HomePath]:
        """Finds what matches a pattern below it, `**` being any number of directories."""
        if not isinstance(pattern, str):
            raise TypeError("a pattern is a string")
        if not pattern:
            raise ValueError("a pattern cannot be empty")
        if pattern.startswith("/"):
            raise NotImplementedError("a pattern is relative")
        only_directories = pattern.endswith("/") or pattern.endswith("**")
        pattern = pattern.rstrip("/")
        if pattern == "**" or pattern.endswith("/**"):
            found = self._globbed(pattern + "/*") if pattern != "**" else self._below()
            start = pattern[:-2].rstrip("/")
            tops = [self] if not start else self._globbed(start)
            found = [*tops, *found]
        else:
            found = self._globbed(pattern)
        return (path for path in found if not only_directories or path.is_dir())

    def rglob(self, pattern: str) -> Iterator[HomePath]:
        """Finds what matches a pattern at any depth below it."""
        return self.glob(f"**/{pattern}")

    def _globbed(self, pattern: str) -> list[HomePath]:
        # From the slash on, since one without matches at any depth; braces are letters here.
        anchored = "/" + re.sub(r"[{}\\]", r"[\g<0>]", pattern)
        return [HomePath(self._home, path) for path in self._home.find(anchored, str(self))]

    def _below(self) -> list[HomePath]:
        return [HomePath(self._home, found.path) for found in self._home.walk(str(self))]

    # Its content.

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        """Opens it as `open` does; text is UTF-8 if nothing else is said."""
        return open_file(self._home, str(self), mode, buffering, encoding, errors, newline)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """Returns its text."""
        if encoding is None and errors is None:
            return self._home.read(str(self))
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def read_bytes(self) -> bytes:
        """Returns its bytes."""
        return self._home.read_bytes(str(self))

    def write_text(
        self,
        data: str,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> int:
        """Writes a text and returns its length; the directory must exist."""
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        text = data if newline in (None, "", "\n") else data.replace("\n", newline or "\n")
        self.write_bytes(text.encode(encoding or "utf-8", errors or "strict"))
        return len(data)

    def write_bytes(self, data: bytes | bytearray | memoryview) -> int:
        """Writes bytes and returns how many; the directory must exist."""
        content = bytes(memoryview(data))
        if self.name and not self.parent.is_dir():
            # As on the host, where nothing makes directories by the way.
            self._home.stat(str(self.parent))
        self._home.write(str(self), content)
        return len(content)

    # Changing it.

    def touch(self, mode: int = 0o666, exist_ok: bool = True) -> None:
        """Makes an empty file, or sets the time of what is there to now."""
        try:
            self._home._create(str(self))
        except FileExistsError:
            if not exist_ok:
                raise
            self._home._set_attrs(str(self), modified_ns=time.time_ns())

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Makes a directory."""
        try:
            if exist_ok and self.is_dir():
                return
            if not exist_ok and self.exists():
                raise AlreadyExists("exists already", str(self))
            self._home.mkdir(str(self), parents=parents)
        except FileExistsError:
            if not exist_ok or not self.is_dir():
                raise

    def unlink(self, missing_ok: bool = False) -> None:
        """Removes a file; the trash keeps it."""
        try:
            if self._home.stat(str(self)).is_dir:
                raise IsADirectory("is a directory", str(self))
            self._home.delete(str(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rmdir(self) -> None:
        """Removes an empty directory."""
        if not self._home.stat(str(self)).is_dir:
            raise NotADirectory("is not a directory", str(self))
        self._home.delete(str(self))

    def rename(self, target: str | PurePosixPath | HomePath) -> HomePath:
        """Gives it another path, whatever is there, and returns that."""
        path = HomePath(self._home, str(target))
        self._home._rename(str(self), str(path))
        return path

    def replace(self, target: str | PurePosixPath | HomePath) -> HomePath:
        """As `rename`."""
        return self.rename(target)

    def symlink_to(self, target: str | PurePosixPath | HomePath) -> None:
        """Makes it a symbolic link."""
        self._home.symlink(str(target), str(self))

    def hardlink_to(self, target: str | PurePosixPath | HomePath) -> None:
        """Makes it one more name of a file."""
        self._home.link(str(target), str(self))

    def chmod(self, mode: int) -> None:
        """Sets its permission bits."""
        self._home._set_attrs(str(self), mode=mode)

    # What objects have.

    def _with(self, pure: PurePosixPath) -> HomePath:
        return HomePath(self._home, pure)

    def _other(self, other: str | PurePosixPath | HomePath) -> PurePosixPath:
        return HomePath(self._home, other)._pure

    def __str__(self) -> str:
        return str(self._pure)

    def __repr__(self) -> str:
        return f"HomePath({str(self)!r})"

    def __hash__(self) -> int:
        return hash((id(self._home), self._pure))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HomePath):
            return NotImplemented
        return self._home is other._home and self._pure == other._pure

    def __lt__(self, other: HomePath) -> bool:
        return self._pure < other._pure

    def __le__(self, other: HomePath) -> bool:
        return self._pure <= other._pure

    def __gt__(self, other: HomePath) -> bool:
        return self._pure > other._pure

    def __ge__(self, other: HomePath) -> bool:
        return self._pure >= other._pure


#: What may stand for a path beside a text; the native module asks.
PATH_CLASSES: Final = (HomePath, PurePath)


def _stat_result(found: Stat) -> os.stat_result:
    changed, modified = moment(found.changed).timestamp(), moment(found.modified).timestamp()
    mode = _KINDS.get(found.kind, 0) | int(found.mode, 8)
    inode = int(found.node, 16) & 0x7FFF_FFFF_FFFF_FFFF
    basic = (mode, inode, 0, found.links, found.uid, found.gid, found.size)
    whole = tuple(int(when) for when in (modified, modified, changed))
    nanos = tuple(int(when * 1e6) * 1000 for when in (modified, modified, changed))
    fine = (modified, modified, changed)
    return os.stat_result((*basic, *whole, *fine, *nanos))
