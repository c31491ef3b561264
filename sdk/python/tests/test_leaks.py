"""What is hidden from an agent changes no answer that it gets.

Most questions are asked in Rust, where there is a clock to hold; here it is only seen that the
face adds nothing.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import homefs

#: What only others see of two stores: as many changes of the shared space, whose versions are told.
HIDDEN: list[list[tuple[str, ...]]] = [
    [("write", "lab/way/secret.md", "lantern"), ("link", "lab/open/a.md", "lab/hard"), ("home", "x")],
    [("mkdir", "lab/other/deep"), ("link", "lab/open/a.md", "lab/way/other")],
]
PATHS = ["shared/lab", "shared/lab/way", "shared/lab/way/secret.md", "shared/lab/open/a.md", "nowhere"]
ASKED: list[Callable[[homefs.Home, str], Any]] = [
    lambda home, path: home.stat(path),
    lambda home, path: home.ls(path),
    lambda home, path: home.walk(path),
    lambda home, path: home.tree(path),
    lambda home, path: home.read(path),
    lambda home, path: home.exists(path),
    lambda home, path: home.log(path),
    lambda home, path: home.read(path, version=900),
    lambda home, path: home.meta(path),
    lambda home, path: home.links(path),
    lambda home, path: home.tags(path),
    lambda home, path: home.grants(path),
    lambda home, path: home.delete(path + "/none", recursive=True),
    lambda home, path: home.find("**"),
    lambda home, path: home.grep("lantern"),
    lambda home, path: [hit.path for hit in home.search("lantern")],
    lambda home, path: home.timeline(),
    lambda home, path: home.trash(),
    lambda home, path: home.spaces(),
    lambda home, path: home.agents(),
    lambda home, path: home.sh("ls -aR /; find / -links +1; cat /:stats").stdout,
    lambda home, path: (home.path(path).stat().st_nlink, sorted(home.path("/").glob("**/*"))),
]


def build(store: Path, hidden: list[tuple[str, ...]]) -> homefs.Home:
    with homefs.open("ann", store=store) as ann:
        ann.mkdir("shared/lab", parents=False)
        ann.write("shared/lab/open/a.md", "lantern")
        ann.write("shared/lab/way/in/b.md", "harbour")
        ann.grant("shared/lab/open", "eve", "write")
        ann.grant("shared/lab/way/in", "eve", "read")
        for what, *rest in hidden:
            if what == "write":
                ann.write("shared/" + rest[0], rest[1])
            elif what == "link":
                ann.link("shared/" + rest[0], "shared/" + rest[1])
            elif what == "mkdir":
                ann.mkdir("shared/" + rest[0])
            else:
                ann.write("notes/" + rest[0], "lantern")
    return homefs.open("eve", store=store)


def answer(home: homefs.Home, ask: Callable[[homefs.Home, str], Any], path: str) -> str:
    try:
        told = ask(home, path)
    except (homefs.Error, OSError, UnicodeDecodeError) as error:
        told = f"{type(error).__name__}: {error}"
    if dataclasses.is_dataclass(told) and not isinstance(told, type):
        told = dataclasses.asdict(told)
    # Times, and numbers that are drawn at random.
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", repr(told))
    return re.sub(r"\b[0-9a-f]{32}\b|datetime\([\d, ]+", "DRAWN", text)


@pytest.mark.parametrize("differ", [True, False], ids=["hidden", "control"])
def test_what_is_hidden_changes_no_answer(tmp_path: Path, differ: bool) -> None:
    stores = [(tmp_path / "one", HIDDEN[0]), (tmp_path / "two", HIDDEN[1 if differ else 0])]
    one, other = (build(store, hidden) for store, hidden in stores)
    with one, other:
        for number, ask in enumerate(ASKED):
            for path in PATHS:
                told = [answer(home, ask, path) for home in (one, other)]
                assert told[0] == told[1], (number, path)
