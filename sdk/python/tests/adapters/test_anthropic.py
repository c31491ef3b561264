"""Anthropic's memory tool, against the reference implementation of its own package."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

import homefs

anthropic = pytest.importorskip(
    "anthropic", reason="needs the package anthropic: homefs[anthropic]"
)

from anthropic.lib.tools import BetaAsyncAbstractMemoryTool, ToolError  # noqa: E402
from anthropic.tools import BetaLocalFilesystemMemoryTool  # noqa: E402

from homefs.adapters.anthropic import AsyncMemoryTool, MemoryTool  # noqa: E402

LINES = "".join(f"line {number}\n" for number in range(1, 13))

# Each list is a life of its own; the tool and the reference must say the same at every step.
LIVES: dict[str, list[dict[str, Any]]] = {
    "viewing": [
        {"command": "view", "path": "/memories"},
        {"command": "create", "path": "/memories/a.md", "file_text": LINES},
        {"command": "create", "path": "/memories/b/c.md", "file_text": ""},
        {"command": "create", "path": "/memories/b/d/e.md", "file_text": "x" * 2000},
        {"command": "create", "path": "/memories/b/d/f/deep.md", "file_text": "no"},
        {"command": "create", "path": "/memories/.hidden", "file_text": "no"},
        {"command": "view", "path": "/memories"},
        {"command": "view", "path": "/memories/b"},
        {"command": "view", "path": "/memories/a.md"},
        {"command": "view", "path": "/memories/a.md", "view_range": [2, 4]},
        {"command": "view", "path": "/memories/a.md", "view_range": [11, -1]},
        {"command": "view", "path": "/memories/a.md", "view_range": [0, 2]},
        {"command": "view", "path": "/memories/a.md", "view_range": [20, 30]},
        {"command": "view", "path": "/memories/a.md", "view_range": [3, 1]},
        {"command": "view", "path": "/memories/b/c.md"},
        {"command": "view", "path": "/memories/missing.md"},
    ],
    "creating": [
        {"command": "create", "path": "/memories/x.md", "file_text": "é\r\nü"},
        {"command": "create", "path": "/memories/x.md", "file_text": "again"},
        {"command": "view", "path": "/memories/x.md"},
        {"command": "create", "path": "/elsewhere/x.md", "file_text": ""},
        {"command": "create", "path": "/memories/../x.md", "file_text": ""},
    ],
    "replacing": [
        {"command": "create", "path": "/memories/a.md", "file_text": LINES},
        {
            "command": "str_replace",
            "path": "/memories/a.md",
            "old_str": "line 5",
            "new_str": "five\nV",
        },
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "line 1\n", "new_str": ""},
        {
            "command": "str_replace",
            "path": "/memories/a.md",
            "old_str": "line 12\n",
            "new_str": "end",
        },
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "line", "new_str": "x"},
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "nowhere", "new_str": "x"},
        {"command": "str_replace", "path": "/memories/b.md", "old_str": "a", "new_str": "b"},
        {"command": "view", "path": "/memories/a.md"},
    ],
    "inserting": [
        {"command": "create", "path": "/memories/a.md", "file_text": "1\n2\n3\n"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "top"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 2, "insert_text": "mid\n\n"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 5, "insert_text": "end\n"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 99, "insert_text": "no"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": -1, "insert_text": "no"},
        {"command": "view", "path": "/memories/a.md"},
        {"command": "create", "path": "/memories/b.md", "file_text": "no end"},
        {"command": "insert", "path": "/memories/b.md", "insert_line": 1, "insert_text": "more"},
        {"command": "view", "path": "/memories/b.md"},
        {"command": "insert", "path": "/memories/c.md", "insert_line": 0, "insert_text": "x"},
    ],
    "deleting and renaming": [
        {"command": "create", "path": "/memories/d/a.md", "file_text": "1"},
        {"command": "create", "path": "/memories/b.md", "file_text": "2"},
        {"command": "rename", "old_path": "/memories/b.md", "new_path": "/memories/d/a.md"},
        {"command": "rename", "old_path": "/memories/b.md", "new_path": "/memories/n/e/w.md"},
        {"command": "rename", "old_path": "/memories/b.md", "new_path": "/memories/c.md"},
        {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
        {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/f"},
        {"command": "view", "path": "/memories"},
        {"command": "delete", "path": "/memories/f"},
        {"command": "delete", "path": "/memories/f"},
        {"command": "delete", "path": "/memories"},
        {"command": "view", "path": "/memories"},
    ],
}


def sized(text: str) -> str:
    """Makes directories as large as ours: how large they are is up to the host's file system."""
    return re.sub(r"(?m)^[\d.]+[BKMG]\t(?=.*/$)|(?<=items:\n)[\d.]+[BKMG]\t", "4K\t", text)


def said(tool: Any, command: dict[str, Any]) -> str:
    try:
        return f"says {tool.call(dict(command))}"
    except ToolError as error:
        return f"refuses: {error}"


async def said_later(tool: Any, command: dict[str, Any]) -> str:
    try:
        return f"says {await tool.call(dict(command))}"
    except ToolError as error:
        return f"refuses: {error}"


@pytest.mark.parametrize("life", LIVES)
def test_the_tool_says_what_the_reference_says(
    life: str, home: homefs.Home, tmp_path: Path
) -> None:
    reference = BetaLocalFilesystemMemoryTool(str(tmp_path / "reference"))
    ours = MemoryTool(home)
    for command in LIVES[life]:
        assert said(ours, command) == sized(said(reference, command)), command


@pytest.mark.parametrize("life", LIVES)
def test_the_asynchronous_tool_says_the_same(life: str, store: Path) -> None:
    async def run() -> None:
        with homefs.open("me", store=store) as home, homefs.open("she", store=store) as other:
            ours, later = MemoryTool(home), AsyncMemoryTool(other)
            assert isinstance(later, BetaAsyncAbstractMemoryTool)
            for command in LIVES[life]:
                assert await said_later(later, command) == said(ours, command), command
            assert await later.clear_all_memory() == "All memory cleared"

    asyncio.run(run())


def test_clearing_keeps_a_way_back(home: homefs.Home, tmp_path: Path) -> None:
    tool = MemoryTool(home)
    tool.call({"command": "create", "path": "/memories/a.md", "file_text": "1"})
    reference = BetaLocalFilesystemMemoryTool(str(tmp_path / "reference"))
    assert tool.clear_all_memory() == reference.clear_all_memory()
    assert said(tool, {"command": "view", "path": "/memories/a.md"}).startswith("refuses")
    assert "/memories" in [trashed.path for trashed in home.trash()]


@pytest.mark.parametrize(
    "wrong",
    [
        {"command": "view"},
        {"command": "view", "path": 7},
        {"command": "create", "path": "/memories/x"},
        {"command": "create", "path": "/memories/\ud800", "file_text": ""},
        {"command": "insert", "path": "/memories/x", "insert_line": "one", "insert_text": ""},
        {"command": "view", "path": "/memories/a\x00b"},
    ],
)
def test_what_makes_no_sense_is_an_error_of_the_tool(
    home: homefs.Home, wrong: dict[str, Any]
) -> None:
    with pytest.raises(ToolError):
        MemoryTool(home).call(wrong)


def test_a_home_that_is_read_only_is_only_viewed(store: Path) -> None:
    with homefs.open("me", store=store) as home:
        home.write("/memories/a.md", "1")
    with homefs.open("me", store=store, read_only=True) as home:
        tool = MemoryTool(home)
        assert "a.md" in str(tool.call({"command": "view", "path": "/memories"}))
        with pytest.raises(ToolError):
            tool.call({"command": "delete", "path": "/memories/a.md"})


def test_the_api_is_told_of_the_tool(home: homefs.Home) -> None:
    tool = MemoryTool(home, cache_control={"type": "ephemeral"})
    assert json.loads(json.dumps(tool.to_dict())) == {
        "type": "memory_20250818",
        "name": "memory",
        "cache_control": {"type": "ephemeral"},
    }
