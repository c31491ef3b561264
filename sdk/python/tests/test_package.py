"""What is installed is what was promised: version, extras, entry point, types and licences."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import homefs

PACKAGE = Path(__file__).parents[1]


def test_the_version_is_that_of_the_workspace() -> None:
    cargo = (PACKAGE.parents[1] / "Cargo.toml").read_text()
    section = cargo.partition("[workspace.package]")[2]
    version = re.search(r'^version = "(.+)"$', section, re.MULTILINE)
    assert version and metadata.version("homefs") == homefs.__version__ == version[1]


def test_every_adapter_is_an_extra() -> None:
    modules = (path.stem for path in (PACKAGE / "homefs" / "adapters").glob("[a-z]*.py"))
    extras = metadata.metadata("homefs").get_all("Provides-Extra")
    assert extras and sorted(extras) == sorted(name.replace("_", "-") for name in modules)


def test_nothing_else_is_needed() -> None:
    for requirement in metadata.requires("homefs") or []:
        assert "extra ==" in requirement, requirement


def test_fsspec_is_told_of_the_adapter() -> None:
    found = metadata.entry_points(group="fsspec.specs", name="homefs")
    assert {point.value for point in found} == {"homefs.adapters.fsspec:HomeFileSystem"}


def test_types_licences_and_readme_are_there() -> None:
    installed = {path.name for path in metadata.files("homefs") or []}
    assert {"py.typed", "_homefs.pyi", "LICENSE-MIT", "LICENSE-APACHE"} <= installed
    about = metadata.metadata("homefs")
    assert about["License-Expression"] == "MIT OR Apache-2.0"
    assert "# homefs for Python" in str(about)


def test_licences_are_those_of_the_project() -> None:
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (PACKAGE / name).read_bytes() == (PACKAGE.parents[1] / name).read_bytes()
