"""No argument ends the process, makes it wait or leads out of the home."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

#: Before the settings of the machine are kept away.
EXTENDED = os.environ.get("HOMEFS_EXTENDED", "")


def picture(directory: Path) -> dict[str, bytes]:
    """Returns every file below a directory."""
    found = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def test_no_argument_ends_the_process_or_leads_out_of_the_home(tmp_path: Path) -> None:
    host = tmp_path / "host"
    (host / "work").mkdir(parents=True)
    (host / "x").write_text("outside")
    before = picture(host)
    program = Path(__file__).with_name("hostile.py")
    ran = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "store")],
        cwd=host / "work",
        env={**os.environ, "HOMEFS_EXTENDED": EXTENDED},
        capture_output=True,
        text=True,
    )
    assert ran.returncode in (0, 1), ran.stderr[-4000:]
    told = json.loads(ran.stdout)
    assert told["wrong"] == []
    assert told["calls"] > 2000
    assert picture(host) == before
    check = shutil.which("homefs", path=os.environ.get("PATH"))
    if check is None:
        pytest.skip("the command homefs, which would check the store, is not on the PATH")
    fsck = subprocess.run(
        [check, "--store", str(tmp_path / "store"), "--operator", "fsck"],
        capture_output=True,
        text=True,
    )
    assert fsck.returncode == 0, fsck.stdout + fsck.stderr
