"""A home directory for AI agents: files, memory and history, in process.

    import homefs

    home = homefs.open(agent="akashi")
    home.write("notes/plan.md", "Ship on Friday")
    print(home.recall("when do we ship?"))

Everything is done inside this process if it owns the store, and by its owner's socket if another
process does; which of the two makes no difference but speed. `homefs.aio` has the same methods as
coroutines.
"""

from __future__ import annotations

import atexit as _atexit
from collections.abc import Sequence as _Sequence
from os import PathLike as _PathLike

from homefs import _records, aio
from homefs._errors import (
    AlreadyExists,
    Closed,
    Conflict,
    Corrupt,
    Denied,
    Error,
    Internal,
    Invalid,
    IsADirectory,
    LimitExceeded,
    NotADirectory,
    NotEmpty,
    NotFound,
    ReadOnly,
    Unavailable,
    Unsupported,
)
from homefs._homefs import Home, __version__, _close_all
from homefs._memory import AgentMemory, agent_memory
from homefs._overlay import AsyncOverlayFs, OverlayFs
from homefs._path import HomePath
from homefs._records import *  # noqa: F403
from homefs._remote import clone, mount, unmount
from homefs._watch import Watch

__all__ = [
    "AgentMemory",
    "AlreadyExists",
    "AsyncOverlayFs",
    "Closed",
    "Conflict",
    "Corrupt",
    "Denied",
    "Error",
    "Home",
    "HomePath",
    "Internal",
    "Invalid",
    "IsADirectory",
    "LimitExceeded",
    "NotADirectory",
    "NotEmpty",
    "NotFound",
    "OverlayFs",
    "ReadOnly",
    "Unavailable",
    "Unsupported",
    "Watch",
    "__version__",
    "agent_memory",
    "aio",
    "clone",
    "mount",
    "open",
    "unmount",
]
__all__ += _records.__all__


def open(
    agent: str | None = None,
    *,
    store: str | _PathLike[str] | None = None,
    operator: bool = False,
    all: bool = False,
    offline: bool | None = None,
    read_only: bool = False,
    timeout: float | None = None,
    workers: bool = False,
    groups: _Sequence[str] | None = None,
) -> Home:
    """Opens the home of an agent; what is not said is found as the command `homefs` finds it.

    `store` is the directory of the store, which is made if it is missing. An `operator` holds
    every right, and with `all` sees every home. `offline` leaves the remote alone. `timeout` is
    how many seconds a call waits for another process that owns the store and does not answer.
    With `workers`, each session of scripts runs in a process of its own that has nothing but this
    home; that needs the command `homefs` on the PATH. With `groups`, the session is for somebody
    who is in these groups and in no others, whatever groups the agent is in.
    """
    return Home(
        agent,
        store=store,
        operator=operator,
        all=all,
        offline=offline,
        read_only=read_only,
        timeout=timeout,
        workers=workers,
        groups=groups,
    )


# A program that ends leaves its homes in order; what was acknowledged is safe in any case.
_atexit.register(_close_all)
