"""A new store of what a remote has, and mounts, which the command `homefs` makes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from os import PathLike
from typing import Any

from homefs._errors import BY_KIND, Error, Unsupported
from homefs._homefs import Home, _clone


def clone(
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
    """Makes a new store of what a remote has, such as `s3://bucket/prefix`, and opens the home.

    Contents come when they are first read. With credentials that may only read, or with
    `read_only`, nothing is ever sent there. Raises `NotFound` if no home is at the address, and
    then leaves no store behind.
    """
    _clone(
        address, agent, store, endpoint, region, virtual_host, single_writer, machine, read_only
    )
    return Home(agent, store=store)


def mount(
    dir: str | PathLike[str],
    agent: str | None = None,
    *,
    address: str | None = None,
    store: str | PathLike[str] | None = None,
    read_only: bool = False,
) -> None:
    """Mounts a home as a directory, by the command `homefs`, which must be installed.

    The mount outlives this process, until `unmount`. A home of the same store that is open here
    stays open: its calls then go to the process of the mount. With an `address`, a store that is
    new takes that remote up first.
    """
    words = ["mount", *_store(store)]
    if agent is not None:
        words += ["--agent-id", agent]
    if read_only:
        words.append("--read-only")
    places = [os.fspath(dir)] if address is None else [address, os.fspath(dir)]
    _run([*words, "--", *places])


def unmount(
    dir: str | PathLike[str],
    *,
    store: str | PathLike[str] | None = None,
    lazy: bool = False,
) -> None:
    """Takes a mount away, by the command `homefs`."""
    words = ["unmount", *_store(store)]
    if lazy:
        words.append("--lazy")
    _run([*words, "--", os.fspath(dir)])


def _store(store: str | PathLike[str] | None) -> list[str]:
    return [] if store is None else ["--store", os.fspath(store)]


def _run(words: list[str]) -> None:
    program = shutil.which("homefs")
    if program is None:
        raise Unsupported(
            "mounting needs the command homefs, which is not on the PATH: "
            "cargo install --path crates/homefs-cli"
        )
    done = subprocess.run(
        [program, "--json", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise _error(done.stderr)


def _error(told: str) -> Error:
    """Makes an exception of what the command said."""
    try:
        error: dict[str, Any] = json.loads(told.splitlines()[-1])["error"]
    except (ValueError, LookupError, TypeError):
        return BY_KIND["invalid"](told.strip())
    message, path = str(error["message"]), error["path"]
    prefix = f"{path}: "
    if path is not None and message.startswith(prefix):
        message = message[len(prefix) :]
    return BY_KIND.get(error["kind"], BY_KIND["invalid"])(message, path, error.get("code"))
