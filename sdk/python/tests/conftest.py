"""What the tests share: a home in a store of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import homefs


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the settings of the machine away, and the large model with them."""
    for name in [name for name in os.environ if name.startswith("HOMEFS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOMEFS_EMBEDDER", "static")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The directory of a store that nobody has opened yet."""
    return tmp_path / "store"


@pytest.fixture
def home(store: Path) -> Iterator[homefs.Home]:
    """An empty home."""
    with homefs.open("me", store=store) as opened:
        yield opened
