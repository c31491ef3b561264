"""Sessions that speak for somebody's groups: who may open one, and what it sees."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import homefs


@pytest.fixture
def member(store: Path) -> Callable[[str, str], None]:
    """Makes an agent a member of a group, which the command does."""
    command = shutil.which("homefs", path=os.environ.get("PATH"))
    if command is None:
        pytest.skip("the command homefs, which knows groups, is not on the PATH")

    def add(group: str, agent: str) -> None:
        line = [str(command), "--store", str(store), "--operator", "group", "add", group, agent]
        subprocess.run(line, check=True, capture_output=True, timeout=60)

    return add


def test_who_may_claim_groups_sees_what_they_see(
    store: Path, member: Callable[[str, str], None]
) -> None:
    with homefs.open("boss", store=store, operator=True) as boss:
        for group in ["billing", "people"]:
            boss.mkdir(f"/shared/{group}")
            boss.write(f"/shared/{group}/plan", f"of {group}")
            boss.grant(f"/shared/{group}", f"group:{group}", "read")
    # A service acts for many; a member speaks for its own groups; nobody else does.
    member("claimants", "svc")
    member("billing", "ann")
    for agent, groups, seen in [
        ("svc", ["billing"], {"billing"}),
        ("svc", ["billing", "people"], {"billing", "people"}),
        ("svc", [], set()),
        ("svc", None, set()),
        ("ann", None, {"billing"}),
        ("ann", ["billing"], {"billing"}),
        ("ann", [], set()),
    ]:
        with homefs.open(agent, store=store, groups=groups) as home:
            spaces = ["billing", "people"]
            found = {space for space in spaces if home.exists(f"/shared/{space}/plan")}
            assert found == seen, (agent, groups)
    for agent, groups in [("ann", ["people"]), ("ann", ["billing", "people"]), ("bob", ["people"])]:
        with pytest.raises(homefs.Error) as refused:
            homefs.open(agent, store=store, groups=groups)
        assert refused.value.kind == "denied", (agent, groups)
        assert isinstance(refused.value, PermissionError)
