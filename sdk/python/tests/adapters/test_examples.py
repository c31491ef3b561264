"""The examples work as their readers see them, and strict checkers accept them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*command: str) -> str:
    # Elsewhere than the sources, so that the package is found that is installed.
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=EXAMPLES)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def example(name: str, *arguments: object) -> str:
    return run(sys.executable, str(EXAMPLES / f"{name}.py"), *map(str, arguments))


def test_an_agent_remembers_with_the_memory_tool(store: Path) -> None:
    pytest.importorskip("anthropic", reason="needs the package anthropic")
    said = example("memory_agent", store)
    assert "I remember: The memory file has been edited." in said
    assert "     1\t- drinks tea\n     2\t- lives in Oslo" in said
    assert "versions: 2" in said


def test_a_graph_remembers_across_threads(store: Path) -> None:
    pytest.importorskip("langgraph.graph", reason="needs the package langgraph")
    said = example("langgraph_store", store)
    assert "best match: I keep two cats\nfiles: 3\n" in said
    assert "found by: /langgraph/users/7" in said


def test_an_explorer_leaves_a_folder_as_it_is(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# App\n\nAn app.\n")
    (folder / "src" / "app.py").write_text("print('x')  # LATER: more\n")
    (folder / "src" / "other.py").write_text("# LATER\n")
    said = example("explore", store, folder)
    assert "src/app.py:1:print('x')  # LATER: more" in said
    assert "print('x')  # DONE: more" in said
    assert "changed here only: /repo/src/app.py" in said
    assert (folder / "src" / "app.py").read_text() == "print('x')  # LATER: more\n"


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_mypy_accepts_the_example(name: str, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs the package mypy")
    for line in (EXAMPLES / f"{name}.py").read_text().splitlines():
        if line.startswith(("import ", "from ")) and "__future__" not in line:
            pytest.importorskip(line.split()[1], reason=f"needs what {name}.py imports")
    cache = f"--cache-dir={tmp_path}"
    run(sys.executable, "-m", "mypy", "--strict", cache, str(EXAMPLES / f"{name}.py"))
