"""Runs the behaviours that every SDK shares; `sdk/behaviours.json` says what its parts mean."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import homefs
from homefs import aio

TABLE = json.loads((Path(__file__).parents[2] / "behaviours.json").read_text())
#: Words of Python cannot be the names of arguments.
RENAMED = {"from": "from_"}
MISSING = object()


class Run:
    """One behaviour on one store; `call` makes a call and returns plain data or an error."""

    def __init__(self, store: Path, tmp: Path, behaviour: dict[str, Any]) -> None:
        self.store = store
        self.tmp = tmp
        self.behaviour = behaviour
        self.saved: dict[str, Any] = {}
        self.homes: dict[str, Any] = {}

    def options(self, name: str) -> dict[str, Any]:
        opened = self.behaviour.get("homes", {}).get(name, {"agent": name})
        return {"store": self.store, **opened}

    def arguments(self, step: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        signature = TABLE["methods"][step["call"]]
        given = {name: self.value(value) for name, value in step.get("args", {}).items()}
        names = signature["positional"]
        while names and names[-1] not in given:
            names = names[:-1]
        gaps = any(name not in given for name in names)
        if gaps:
            return [], {RENAMED.get(name, name): value for name, value in given.items()}
        options = {name: value for name, value in given.items() if name not in names}
        return [given[name] for name in names], options

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$bytes" in value:
            return bytes.fromhex(value["$bytes"])
        if "$repeat" in value:
            text, count = value["$repeat"]
            return text * count
        if "$saved" in value:
            name, *way = [value["$saved"]] if isinstance(value["$saved"], str) else value["$saved"]
            part = plain(self.saved[name]) if way else self.saved[name]
            for step in way:
                part = part[step]
            return part
        if "$host_dir" in value:
            root = self.tmp / f"host{len(list(self.tmp.glob('host*')))}"
            root.mkdir()
            for name, text in value["$host_dir"].items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return str(root)
        if "$host_address" in value:
            return "file://" + self.value({"$host_dir": value["$host_address"]})
        return {key: self.value(item) for key, item in value.items()}

    def judge(self, step: dict[str, Any], answer: Any, error: homefs.Error | None) -> None:
        told = json.dumps(step)
        if "raises" in step:
            assert error is not None, f"{told} returned {answer!r}"
            assert step.get("code", error.code) == error.code, f"{told} raised {error!r}"
            assert step["raises"] in ({"$any": True}, error.kind), f"{told} raised {error!r}"
            if "path" in step:
                assert error.path == step["path"], told
            return
        if error is not None:
            raise AssertionError(f"{told} raised {error!r}") from error
        if "returns" in step:
            found = plain(answer)
            assert fits(found, step["returns"], self.value), f"{told} returned {found!r}"
        if "save" in step:
            self.saved[step["save"]] = answer


def plain(value: Any) -> Any:
    """Turns records into dictionaries and tuples into lists."""
    if isinstance(value, homefs.Record):
        return plain(value.as_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def fits(found: Any, wanted: Any, value: Callable[[Any], Any]) -> bool:
    """Tells whether what was returned is what was expected."""
    if isinstance(wanted, dict):
        for mark, check in MARKS.items():
            if mark in wanted:
                return check(found, wanted[mark], value)
        if any(key.startswith("$") for key in wanted):
            return bool(found == value(wanted))
        return (
            isinstance(found, dict)
            and found.keys() == wanted.keys()
            and all(fits(found[key], item, value) for key, item in wanted.items())
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(fits(item, want, value) for item, want in zip(found, wanted, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(found, bool) or wanted is None:
        return found is wanted
    return bool(found == wanted)


def is_of(found: Any, kind: str) -> bool:
    classes: dict[str, Any] = {"text": str, "number": (int, float), "bytes": bytes}
    if kind == "boolean":
        return isinstance(found, bool)
    return isinstance(found, classes[kind]) and not isinstance(found, bool)


def contains(found: Any, wanted: Any, value: Callable[[Any], Any]) -> bool:
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted in found
    return any(fits(item, wanted, value) for item in found)


MARKS: dict[str, Callable[[Any, Any, Callable[[Any], Any]], bool]] = {
    "$any": lambda found, wanted, value: True,
    "$type": lambda found, wanted, value: is_of(found, wanted),
    "$contains": contains,
    "$fields": lambda found, wanted, value: (
        isinstance(found, dict)
        and all(fits(found.get(key, MISSING), item, value) for key, item in wanted.items())
    ),
    "$len": lambda found, wanted, value: len(found) == wanted,
    "$at_most": lambda found, wanted, value: found <= wanted,
    "$all": lambda found, wanted, value: all(fits(found, item, value) for item in wanted),
    "$not": lambda found, wanted, value: not fits(found, wanted, value),
}


def by_name(behaviour: dict[str, Any]) -> str:
    return str(behaviour["name"])


@pytest.mark.parametrize("behaviour", TABLE["behaviours"], ids=by_name)
def test_a_home_behaves(behaviour: dict[str, Any], store: Path, tmp_path: Path) -> None:
    run = Run(store, tmp_path, behaviour)
    for step in behaviour["steps"]:
        answer, error = None, None
        try:
            if "next" in step:
                answer = next(run.saved[step["next"]])
            else:
                name = step.get("home", "me")
                if name not in run.homes:
                    run.homes[name] = homefs.open(**run.options(name))
                positional, options = run.arguments(step)
                answer = getattr(run.homes[name], step["call"])(*positional, **options)
        except homefs.Error as raised:
            error = raised
        run.judge(step, answer, error)
    for opened in run.homes.values():
        opened.close()


@pytest.mark.parametrize("behaviour", TABLE["behaviours"], ids=by_name)
def test_a_home_behaves_with_a_loop(behaviour: dict[str, Any], store: Path, tmp_path: Path) -> None:
    async def steps() -> None:
        run = Run(store, tmp_path, behaviour)
        for step in behaviour["steps"]:
            answer, error = None, None
            try:
                if "next" in step:
                    answer = await anext_of(run.saved[step["next"]])
                else:
                    name = step.get("home", "me")
                    if name not in run.homes:
                        run.homes[name] = await aio.open(**run.options(name))
                    positional, options = run.arguments(step)
                    answer = getattr(run.homes[name], step["call"])(*positional, **options)
                    if not isinstance(answer, aio.Watch):
                        answer = await answer
            except homefs.Error as raised:
                error = raised
            run.judge(step, answer, error)
        for opened in run.homes.values():
            await opened.close()

    asyncio.run(asyncio.wait_for(steps(), 60))


async def anext_of(watch: aio.Watch) -> Any:
    return await watch.__anext__()


def test_every_method_is_there_with_its_arguments() -> None:
    for name, wanted in TABLE["methods"].items():
        found = [*inspect.signature(getattr(homefs.Home, name)).parameters.values()][1:]
        positional = [p.name.rstrip("_") for p in found if p.kind != p.KEYWORD_ONLY]
        options = [p.name for p in found if p.kind == p.KEYWORD_ONLY]
        assert positional == wanted["positional"], name
        assert sorted(options) == sorted(wanted["options"]), name


def test_no_method_is_missing_from_the_table() -> None:
    public = {name for name in vars(homefs.Home) if not name.startswith("_")}
    assert public - {"agent", "path"} == set(TABLE["methods"])
