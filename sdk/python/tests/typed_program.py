# pyright: strict
"""A small program that type checkers read, and that works."""

from __future__ import annotations

import asyncio
import sys

import homefs
from homefs import aio


def work(home: homefs.Home) -> str:
    """Uses what a home has."""
    version: int = home.write("notes/plan.md", "Ship on Friday", expected_version=0)
    text: str = home.read("notes/plan.md")
    sizes: dict[str, int] = {entry.name: entry.size for entry in home.ls("notes")}
    kept: homefs.Remembered = home.remember("We ship on Friday", tags=["work"], importance=0.7)
    recall: homefs.Recall = home.recall("when do we ship?", max_tokens=200)
    places: list[str] = [memory.path for memory in recall.memories]
    path: homefs.HomePath = home.path("notes") / "plan.md"
    with path.open("a") as file:
        file.write(text)
    try:
        home.write("notes/plan.md", b"late", expected_version=version)
    except homefs.Conflict as error:
        assert error.path == "/notes/plan.md"
    output = home.sh("wc -c < notes/plan.md", timeout=5)
    assert kept.path in places and sizes["plan.md"] == 14
    return output.stdout.strip()


async def work_later(store: str) -> int:
    """Uses the same without blocking."""
    async with aio.open("later", store=store) as home:
        await home.write("a", "1")
        watch = home.watch(timeout=5)
        await home.append("a", "2")
        async for event in watch:
            return event.version
    return 0


if __name__ == "__main__":
    with homefs.open("typed", store=sys.argv[1]) as opened:
        assert work(opened) == "28"
    assert asyncio.run(work_later(sys.argv[1])) == 2
