"""What the READMEs show works as it stands there."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

SDK = Path(__file__).parents[1]


def first_program(page: Path) -> str:
    shown = re.search(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert shown, f"{page} shows no program"
    return shown[1]


@pytest.mark.parametrize(
    ("page", "answer"),
    [(SDK.parents[1] / "README.md", "green tea"), (SDK / "README.md", "Ship on Friday")],
    ids=["project", "package"],
)
def test_the_first_program_of_a_readme_works(page: Path, answer: str) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(first_program(page), {})
    assert answer in said.getvalue()
