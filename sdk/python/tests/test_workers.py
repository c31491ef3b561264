"""Scripts in processes of their own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import homefs
from homefs import aio

#: What `cargo test` builds.
PROGRAM = Path(__file__).parents[3] / "target" / "debug" / "homefs"
#: It would end this process, by its stack.
DEEP = "jq -n 'reduce range(1000000) as $i (1; [.]) | tojson' | wc -c"


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the command `homefs` on the PATH."""
    if not PROGRAM.exists():
        pytest.skip("there is no target/debug/homefs: cargo build --package homefs-cli")
    monkeypatch.setenv("PATH", str(PROGRAM.parent))


def test_what_a_script_does_to_its_process_it_does_to_its_session(
    store: Path, on_path: None
) -> None:
    with homefs.open("me", store=store, workers=True) as home:
        home.write("a.md", "one\n")
        assert home.sh("cat a.md; x=5", session="s").stdout == "one\n"
        assert home.sh("echo $x", session="s").stdout == "5\n"
        assert home.sh(DEEP, session="s").status != 0
        assert home.sh("cat a.md; echo $x", session="s").stdout == "one\n\n"


async def ran(store: Path) -> str:
    async with aio.open("me", store=store, workers=True) as home:
        return (await home.sh("echo here", session="s")).stdout


def test_a_coroutine_has_workers_too(store: Path, on_path: None) -> None:
    assert asyncio.run(ran(store)) == "here\n"


def test_workers_need_the_command(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(homefs.Unsupported, match="is not on the PATH"):
        homefs.open("me", store=store, workers=True)
    with homefs.open("me", store=store) as home:
        assert home.sh("echo here").stdout == "here\n"
