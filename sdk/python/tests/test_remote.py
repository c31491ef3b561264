"""A home that follows its agent: remotes, clones, and mounts by the command `homefs`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import homefs
from homefs import aio


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A remote with the home of one agent."""
    (tmp_path / "remote").mkdir()
    address = f"file://{tmp_path / 'remote'}"
    with homefs.open("me", store=tmp_path / "first", operator=True) as home:
        home.write("note.md", "one")
        home.remote_add(address, machine="first")
        home.sync()
    return address


def test_a_clone_brings_the_home(address: str, tmp_path: Path) -> None:
    with homefs.clone(address, "me", store=tmp_path / "second", machine="second") as home:
        assert home.read("note.md") == "one"
        assert home.status()["remote"]["machine"] == "second"
        home.write("more.md", "two")
        home.sync()
    with homefs.open("me", store=tmp_path / "first") as home:
        home.sync()
        assert home.read("more.md") == "two"
        with pytest.raises(homefs.AlreadyExists):
            homefs.clone(address, "me", store=tmp_path / "second")


def test_a_clone_with_a_loop(address: str, tmp_path: Path) -> None:
    async def work() -> str:
        home = await aio.clone(address, "me", store=tmp_path / "second", read_only=True)
        async with home:
            with pytest.raises(homefs.ReadOnly):
                await home.sync(direction="push")
            return await home.read("note.md")

    assert asyncio.run(work()) == "one"


def test_where_nothing_is_no_store_is_made(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(homefs.NotFound, match="nothing is there"):
        homefs.clone(f"file://{tmp_path / 'empty'}", store=tmp_path / "second")
    assert not (tmp_path / "second").exists()
    with pytest.raises(homefs.Invalid, match="it is an address"):
        homefs.open(store="s3://bucket/prefix")


def command(directory: Path, script: str) -> Path:
    """Makes a stand-in for the command, which notes its arguments."""
    program = directory / "homefs"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {directory}/given\n{script}\n')
    program.chmod(0o755)
    return directory / "given"


def test_a_mount_is_made_by_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(homefs.Unsupported, match="is not on the PATH"):
        homefs.mount(tmp_path / "m")
    given = command(tmp_path, "exit 0")
    homefs.mount("m", "me", address="s3://b/p", store="s", read_only=True)
    words = ["mount", "--store", "s", "--agent-id", "me", "--read-only", "--", "s3://b/p", "m"]
    assert given.read_text().split() == ["--json", *words]
    homefs.unmount("m", lazy=True)
    assert given.read_text().split() == ["--json", "unmount", "--lazy", "--", "m"]
    told = {"error": {"kind": "not-empty", "message": "m: it is full", "path": "m"}}
    command(tmp_path, f"echo '{json.dumps(told)}' >&2; exit 2")
    with pytest.raises(homefs.NotEmpty) as raised:
        homefs.mount("m")
    assert (raised.value.path, raised.value.message) == ("m", "it is full")
    command(tmp_path, "echo error: no such option >&2; exit 2")
    with pytest.raises(homefs.Invalid, match="no such option"):
        homefs.unmount("m")
