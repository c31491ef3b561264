"""Stubs say what the module has, and strict checkers accept a program that uses it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "typed_program.py"


def check(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROGRAM.parent)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_match_the_module() -> None:
    pytest.importorskip("mypy")
    check(sys.executable, "-m", "mypy.stubtest", "homefs._homefs", "--concise")


def test_mypy_accepts_a_program(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    cache = f"--cache-dir={tmp_path}"
    check(sys.executable, "-m", "mypy", "--strict", cache, str(PROGRAM))


def test_pyright_accepts_a_program() -> None:
    pyright = shutil.which("pyright", path=str(Path(sys.executable).parent))
    if pyright is None:
        pytest.skip("pyright is not installed")
    check(pyright, "--pythonpath", sys.executable, str(PROGRAM))


def test_the_program_works(store: Path) -> None:
    check(sys.executable, str(PROGRAM), str(store))
