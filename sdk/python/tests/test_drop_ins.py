"""Classes with the signatures of others: reasoning-fs and AVM."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import homefs


def test_an_overlay_does_as_that_of_reasoning_fs(store: Path) -> None:
    with homefs.OverlayFs(db_path=store, batch_size=10, auto_sync=False) as overlay:
        assert overlay.write("src/main.py", "def foo(): pass\nx = 1\n") == "Written src/main.py"
        assert overlay.write("src/a/utils.py=def bar(): return 'a=b'") == "Written src/a/utils.py"
        assert overlay.read("src/main.py") == overlay.cat("/src/main.py")
        assert overlay.read("src/a/utils.py") == "def bar(): return 'a=b'"
        assert overlay.ls() == "src" == overlay.ls("") == overlay.ls(".")
        assert overlay.ls("src/") == "a\nmain.py"
        assert overlay.grep("def", "src/") == (
            "src/a/utils.py:1:def bar(): return 'a=b'\nsrc/main.py:1:def foo(): pass"
        )
        assert overlay.grep("foo()") == "src/main.py:1:def foo(): pass"
        assert overlay.find("*.py") == "src/a/utils.py\nsrc/main.py"
        assert overlay.find() == "src/a/utils.py\nsrc/main.py"
        assert overlay.find("*.md") == ""
        assert overlay.stats()["total_files"] == 2
        assert overlay.delete("src/main.py") == "Deleted src/main.py"
        with pytest.raises(FileNotFoundError):
            overlay.read("src/main.py")
        with pytest.raises(ValueError):
            overlay.write("no content")
        assert overlay.sync() is None  # type: ignore[func-returns-value]
        overlay.clear()
        assert overlay.ls() == ""
    with homefs.OverlayFs(store) as again:
        assert again.find() == "" and len(again.home.trash()) > 0


def test_an_overlay_with_coroutines_does_the_same(store: Path) -> None:
    async def main() -> None:
        async with homefs.AsyncOverlayFs(db_path=store) as overlay:
            assert await overlay.write("src/main.py", "def foo(): pass") == "Written src/main.py"
            assert await overlay.write("b=c") == "Written b"
            assert await overlay.read("b") == await overlay.cat("b") == "c"
            assert await overlay.ls() == "b\nsrc"
            assert await overlay.grep("foo") == "src/main.py:1:def foo(): pass"
            assert await overlay.find("*.py") == "src/main.py"
            assert (await overlay.stats())["total_files"] == 2
            assert await overlay.delete("b") == "Deleted b"
            assert await overlay.sync() == "Sync complete"
            await overlay.clear()
            assert await overlay.find() == ""

    asyncio.run(main())


def test_an_agent_remembers_and_recalls(store: Path) -> None:
    with homefs.agent_memory("akashi", store=store) as memory:
        assert memory.agent == "akashi"
        kept = memory.remember(
            "Be cautious when RSI > 70, NVDA dropped 15% last time",
            title="nvda rule",
            importance=0.8,
            tags=["trading", "risk"],
        )
        assert kept.path.startswith("/memories/") and str(kept) == kept.path
        recalled = memory.recall("NVDA risk", max_tokens=200, strategy="balanced")
        assert isinstance(recalled, str) and "dropped 15%" in recalled
        assert memory.home.meta(kept.path).tags == ("risk", "trading")
        memory.home.mkdir("/shared/market")
        shared = memory.remember("risk-off", namespace="market")
        assert shared.path.startswith("/shared/market/")
        memory.forget(kept.path)
        assert "dropped 15%" not in memory.recall("NVDA risk")
        assert homefs.agent_memory(home=memory.home).home is memory.home
