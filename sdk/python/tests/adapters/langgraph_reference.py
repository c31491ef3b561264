"""Runs LangGraph's own tests of a store against ours, as a plugin of pytest.

They are in the source package of langgraph-checkpoint, at `tests/test_store.py`; test_langgraph.py
gets and runs them.
"""

from __future__ import annotations

import tempfile
from typing import Any

import pytest
from langgraph.store import memory

import homefs
from homefs.adapters.langgraph import HomeStore

_folders: list[tempfile.TemporaryDirectory[str]] = []


class InMemoryStore(HomeStore):
    """Our store, made as the one of the package is: each in a store of its own."""

    def __init__(self, *, index: Any = None) -> None:
        if index is not None:
            pytest.skip("tests of embeddings that homefs does not need")
        _folders.append(tempfile.TemporaryDirectory())
        super().__init__(homefs.open("me", store=_folders[-1].name))


def pytest_configure() -> None:
    """Puts our store in the place of theirs before their tests import it."""
    memory.InMemoryStore = InMemoryStore  # type: ignore[assignment,misc]


def pytest_unconfigure() -> None:
    """Removes what the stores kept."""
    while _folders:
        _folders.pop().cleanup()
