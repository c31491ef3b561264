"""Following what changes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from homefs._errors import Invalid

if TYPE_CHECKING:
    from homefs._homefs import Home
    from homefs._records import Event

#: Longest single wait, so that Ctrl-C is noticed soon.
_SLICE = 0.2


def checked_timeout(timeout: float | None) -> float | None:
    """Refuses what is no number of seconds: a wait for it would never end."""
    if timeout is None or timeout >= 0:
        return timeout
    raise Invalid(f"{timeout} is not a number of seconds")


class Watch(Iterator["Event"]):
    """Changes at and below a path, one after the other, as they happen.

    `cursor` is where to go on after the last change that was returned; it outlives the process.
    """

    def __init__(
        self, home: Home, path: str, since: str | None = None, timeout: float | None = None
    ) -> None:
        self._home = home
        self._path = path
        self._timeout = checked_timeout(timeout)
        self._seen: deque[Event] = deque()
        self._cursor = home.cursor() if since is None else since
        self._next_cursor = self._cursor

    @property
    def cursor(self) -> str:
        """Where to go on; what was made together with the last change may come again."""
        return self._cursor if self._seen else self._next_cursor

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> Event:
        end = None if self._timeout is None else time.monotonic() + self._timeout
        while not self._seen:
            left = _SLICE if end is None else min(_SLICE, end - time.monotonic())
            self._cursor = self._next_cursor
            events, self._next_cursor, _ = self._home._watch_once(
                self._path, self._cursor, max(left, 0.0)
            )
            self._seen.extend(events)
            if not self._seen and end is not None and left <= 0:
                raise StopIteration
        return self._seen.popleft()
