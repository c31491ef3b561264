"""Exceptions: one class per kind of error, each also one of Python's own where one fits."""

from __future__ import annotations

from typing import Final

from homefs._homefs import error_kinds

_ERRNOS: Final = dict(error_kinds())


class Error(Exception):
    """Whatever homefs refuses or cannot do.

    `kind` tells what to do about it, and `code` which refusal of its kind it is where programs tell
    several apart; neither changes, and the text may.
    """

    #: The kind, the same in every face of homefs.
    kind: str = ""
    #: Which refusal of its kind it is, such as `name-too-long`; none where there is only one.
    code: str | None
    #: The path it is about, if it is about one.
    path: str | None
    #: What was attempted and why it failed, without the path.
    message: str
    #: The number of the operating system that says the same.
    errno: int | None

    def __init__(
        self, message: str = "", path: str | None = None, code: str | None = None
    ) -> None:
        errno = _ERRNOS.get(self.kind)
        if isinstance(self, OSError):
            super().__init__(errno, message, path)
        else:
            super().__init__(message)
        self.errno = errno
        self.code = code
        self.path = path
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def __reduce__(self) -> tuple[type[Error], tuple[str, str | None, str | None]]:
        return type(self), (self.message, self.path, self.code)


class NotFound(Error, FileNotFoundError):
    """Nothing of that name exists, or the agent may not know that it does."""

    kind = "not-found"


class AlreadyExists(Error, FileExistsError):
    """Something of that name exists already."""

    kind = "already-exists"


class NotADirectory(Error, NotADirectoryError):
    """A part of the path is not a directory."""

    kind = "not-a-directory"


class IsADirectory(Error, IsADirectoryError):
    """The path is a directory where a file is needed."""

    kind = "is-a-directory"


class NotEmpty(Error, OSError):
    """The directory still has entries."""

    kind = "not-empty"


class Denied(Error, PermissionError):
    """The agent sees the path but lacks the right."""

    kind = "denied"


class Invalid(Error, ValueError):
    """The request makes no sense as given; repeating it will not help."""

    kind = "invalid"


class Conflict(Error, OSError):
    """The state is not what the caller said it expects."""

    kind = "conflict"


class LimitExceeded(Error, OSError):
    """A quota, a disk or another bound is full."""

    kind = "limit-exceeded"


class Unavailable(Error, OSError):
    """Not possible now; the same call may succeed later."""

    kind = "unavailable"


class Corrupt(Error, OSError):
    """Stored bytes are not what was written."""

    kind = "corrupt"


class Unsupported(Error, OSError):
    """This place cannot do that."""

    kind = "unsupported"


class Closed(Error, ValueError):
    """The home is closed, as a closed file is."""

    kind = "closed"


class Internal(Error, RuntimeError):
    """A defect of homefs."""

    kind = "internal"


class ReadOnly(Error, PermissionError):
    """Nothing can be changed here, whoever asks."""

    kind = "read-only"


#: Every class by its kind; the native module raises from here.
BY_KIND: Final[dict[str, type[Error]]] = {cls.kind: cls for cls in Error.__subclasses__()}
