"""Open files of a home, as the classes of `io` expect them."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

from homefs._errors import AlreadyExists

if TYPE_CHECKING:
    from homefs._homefs import Home

#: Bytes read or written at a time.
_BUFFER_BYTES = 64 << 10


class HomeFile(io.RawIOBase):
    """A file of a home as a raw stream: a position, and calls by the file's path."""

    def __init__(self, home: Home, path: str, mode: str) -> None:
        super().__init__()
        self._home = home
        self.name = path
        self.mode = mode
        self._position = 0
        plus = "+" in mode
        self._reads = plus or "r" in mode
        self._writes = plus or "r" not in mode
        self._appends = "a" in mode
        if "r" in mode:
            home._size(path)
        else:
            try:
                home._create(path)
            except AlreadyExists:
                if "x" in mode:
                    raise
                if "w" in mode:
                    home._truncate(path, 0)
        if self._appends:
            self._position = home._size(path)

    def readable(self) -> bool:
        """Whether it can be read."""
        return self._reads

    def writable(self) -> bool:
        """Whether it can be written."""
        return self._writes

    def seekable(self) -> bool:
        """Whether the position can be set: always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Reads into a buffer; fewer bytes only at the end."""
        self._check(self._reads, "readable")
        view = memoryview(buffer).cast("B")
        read = self._home.read_bytes(self.name, self._position, len(view))
        view[: len(read)] = read
        self._position += len(read)
        return len(read)

    def write(self, content: Any) -> int:
        """Writes all of it, at the end if the file was opened to append."""
        self._check(self._writes, "writable")
        data = bytes(content)
        if self._appends:
            self._home.append(self.name, data)
            self._position = self._home._size(self.name)
        elif data:
            self._home._write_at(self.name, self._position, data)
            self._position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Sets the position and returns it."""
        self._check(True, "")
        if whence == io.SEEK_CUR:
            offset += self._position
        elif whence == io.SEEK_END:
            offset += self._home._size(self.name)
        elif whence != io.SEEK_SET:
            raise ValueError(f"whence is 0, 1 or 2, not {whence}")
        if offset < 0:
            raise ValueError(f"a position cannot be negative: {offset}")
        self._position = offset
        return offset

    def tell(self) -> int:
        """Returns the position."""
        self._check(True, "")
        return self._position

    def truncate(self, size: int | None = None) -> int:
        """Cuts or lengthens the file, at the position if no size is given."""
        self._check(self._writes, "writable")
        size = self._position if size is None else size
        self._home._truncate(self.name, size)
        return size

    def _check(self, can: bool, what: str) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not can:
            raise io.UnsupportedOperation(f"file is not {what}")


def open_file(
    home: Home,
    path: str,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> IO[Any]:
    """Opens a file of a home as `open` opens one of the host; text is UTF-8 if nothing is said."""
    letters = set(mode)
    binary = "b" in letters
    if letters - set("rwaxbt+") or len(mode) != len(letters) or len(letters & set("rwax")) != 1:
        raise ValueError(f"invalid mode: {mode!r}")
    if binary and "t" in letters:
        raise ValueError("can't have text and binary mode at once")
    if binary and not (encoding is None and errors is None and newline is None):
        raise ValueError("binary mode doesn't take an encoding, errors or newline argument")
    if buffering == 0 and not binary:
        raise ValueError("can't have unbuffered text I/O")
    raw = HomeFile(home, path, "".join(sorted(letters - {"t"})))
    if buffering == 0:
        return raw  # type: ignore[return-value]
    size = buffering if buffering > 1 else _BUFFER_BYTES
    buffer: io.BufferedRandom | io.BufferedReader | io.BufferedWriter
    if "+" in letters:
        buffer = io.BufferedRandom(raw, size)
    elif "r" in letters:
        buffer = io.BufferedReader(raw, size)
    else:
        buffer = io.BufferedWriter(raw, size)
    if binary:
        return buffer
    text = io.TextIOWrapper(buffer, encoding or "utf-8", errors, newline, buffering == 1)
    text.mode = mode  # type: ignore[misc]
    return text
