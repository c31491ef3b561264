"""The backend of deepagents, against one of its own package, and in an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import homefs

pytest.importorskip("deepagents", reason="needs the package deepagents: homefs[deepagents]")

from deepagents import create_deep_agent  # noqa: E402
from deepagents.backends import CompositeBackend, FilesystemBackend, StateBackend  # noqa: E402
from deepagents.backends.protocol import SandboxBackendProtocol  # noqa: E402
from langchain_core.callbacks import CallbackManagerForLLMRun  # noqa: E402
from langchain_core.language_models import BaseChatModel  # noqa: E402
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402
from pydantic import PrivateAttr  # noqa: E402

from homefs.adapters.deepagents import HomeBackend, HomeSandbox  # noqa: E402

FILES = {
    "/top.py": "import os\nLATER(x)\n",
    "/src/app/main.py": "print('a.b*c')\n# LATER: more\n",
    "/src/app/util.py": "x = 1",
    "/src/.env": "LATER=1\n",
    "/.github/ci/main.yml": "on: push\n",
    "/docs/ü.md": "# Größe\n\nLATER\r\nlast",
    "/empty.txt": "",
    "/blank.txt": " \n",
}


@pytest.fixture
def pair(home: homefs.Home, tmp_path: Path) -> tuple[HomeBackend, FilesystemBackend]:
    """Our backend and the reference, with the same files."""
    root = tmp_path / "reference"
    root.mkdir()
    ours = HomeBackend(home, "/desk")
    theirs = FilesystemBackend(root_dir=root, virtual_mode=True)
    for path, content in FILES.items():
        assert ours.write(path, content).error is None
        assert theirs.write(path, content).error is None
    return ours, theirs


def test_listings_agree(pair: tuple[HomeBackend, FilesystemBackend]) -> None:
    ours, theirs = pair
    for path in ("/", "/src", "/src/app", "/src/app/", "/nowhere", "/top.py"):
        mine, other = ours.ls(path), theirs.ls(path)
        assert mine.error == other.error, path
        shown = [
            sorted(
                (one["path"], one.get("is_dir"), one.get("size")) for one in result.entries or []
            )
            for result in (mine, other)
        ]
        assert shown[0] == shown[1], path


@pytest.mark.parametrize(
    "window", [(0, 2000), (0, 1), (1, 1), (1, 2000), (2, 1), (-3, 1), (0, 0), (9, 9), (0, -1)]
)
def test_reads_agree(pair: tuple[HomeBackend, FilesystemBackend], window: tuple[int, int]) -> None:
    ours, theirs = pair
    for path in ("/top.py", "/src/app/util.py", "/nowhere", "/src", "/src/app/main.py"):
        mine, other = ours.read(path, *window), theirs.read(path, *window)
        assert mine.error == other.error, path
        for name in ("total_lines", "start_line", "end_line", "next_offset", "no_lines_requested"):
            assert getattr(mine, name) == getattr(other, name), (path, name)
        if mine.file_data is not None:
            assert other.file_data is not None
            assert mine.file_data["content"] == other.file_data["content"]
            assert mine.file_data["encoding"] == other.file_data["encoding"]


def test_what_is_seen_rather_than_read_is_whole(home: homefs.Home) -> None:
    backend = HomeBackend(home)
    for path, content in (("/a.png", b"\x89PNG"), ("/b.pdf", b"%PDF"), ("/c.bin", b"\xff\x00")):
        home.write(path, content)
        data = backend.read(path, 5, 1).file_data
        assert data is not None and data["encoding"] == "base64"


@pytest.mark.parametrize(
    "pattern",
    ["*.py", "**/*.py", "src/**/*.py", "/*.py", "*.yml", "**/*.yml", ".env", "*", "*.{py,md}",
     "src/app/util.??", "[st]*.py", "../*.py", "", "nothing"],
)  # fmt: skip
def test_globs_and_greps_agree(pair: tuple[HomeBackend, FilesystemBackend], pattern: str) -> None:
    ours, theirs = pair
    for path in (None, "/", "/src", "/nowhere", "/src/app/"):
        mine, other = ours.glob(pattern, path), theirs.glob(pattern, path)
        assert mine.error == other.error, path
        assert sorted(one["path"] for one in mine.matches or []) == sorted(
            one["path"] for one in other.matches or []
        ), path
        if pattern in ("", "*"):
            # Where ripgrep is installed, the reference lets it decide about hidden files.
            continue
        found = [backend.grep("LATER", path, pattern) for backend in pair]
        assert (found[0].error is None) == (found[1].error is None), path
        shown = [
            sorted(
                (one["path"], one["line"], one["text"].rstrip("\r")) for one in result.matches or []
            )
            for result in found
        ]
        assert shown[0] == shown[1], path


def test_a_grep_is_literal_and_bounded(pair: tuple[HomeBackend, FilesystemBackend]) -> None:
    ours, _ = pair
    assert [one["path"] for one in ours.grep("a.b*c").matches or []] == ["/src/app/main.py"]
    assert ours.grep("LATE.").matches == []
    everything = ours.grep("LATER")
    assert len(everything.matches or []) == 4 and not everything.truncated
    assert not ours.grep("LATER", max_count=4).truncated
    some = ours.grep("LATER", max_count=2)
    assert len(some.matches or []) == 2 and some.truncated
    some = ours.grep("LATER", glob="*.py", max_count=1)
    assert len(some.matches or []) == 1 and some.truncated


@pytest.mark.parametrize(
    "edit",
    [("LATER(x)", "done"), ("import", "import"), ("o", "0"), ("nowhere", "x"), ("", "x"),
     ("LATER(x)\n\n", "x")],
)  # fmt: skip
def test_edits_agree(pair: tuple[HomeBackend, FilesystemBackend], edit: tuple[str, str]) -> None:
    ours, theirs = pair
    for path in ("/top.py", "/nowhere", "/src/app/util.py"):
        for every in (False, True):
            assert ours.edit(path, *edit, every) == theirs.edit(path, *edit, every), path
            if path != "/nowhere":
                assert (
                    ours.read(path).file_data["content"] == theirs.read(path).file_data["content"]
                )  # type: ignore[index]


def test_files_are_sent_both_ways_and_removed(
    pair: tuple[HomeBackend, FilesystemBackend],
) -> None:
    files = [("/up/a.bin", b"\xff\x00"), ("/src", b"no"), ("/top.py/x", b"no")]
    for backend in pair:
        assert [bool(one.error) for one in backend.upload_files(files)] == [False, True, True]
        down = backend.download_files(["/up/a.bin", "/nowhere", "/src"])
        assert [one.content for one in down] == [b"\xff\x00", None, None]
        assert [one.error for one in down] == [None, "file_not_found", "is_directory"]
    ours, theirs = pair
    for path in ("/src", "/src", "/top.py", "/nowhere"):
        assert ours.delete(path) == theirs.delete(path)
    assert [one["path"] for one in ours.ls("/").entries or []] == [
        one["path"] for one in theirs.ls("/").entries or []
    ]


def test_nothing_above_the_root_is_reached(home: homefs.Home) -> None:
    home.write("/secret", "no")
    backend = HomeBackend(home, "/desk")
    for path in ("/../secret", "../secret", "/a/../../secret"):
        assert backend.read(path).error == f"File '{path}' not found"
        assert backend.delete(path).error is not None
    assert backend.write("/../x", "in").error is None
    assert home.read("/desk/x") == "in"


def test_a_handle_leads_no_higher_than_the_root(home: homefs.Home) -> None:
    home.write("private/pay.md", "Ann earns 4711")
    home.write("desk/tea.md", "Ann drinks green tea")
    backend = HomeBackend(home, "/desk")
    tea, pay = (
        home.recall(question).memories[0].handle
        for question in ("what does Ann drink?", "what does Ann earn?")
    )
    found = backend.read(f"/{tea}").file_data
    assert found is not None and found["content"] == "Ann drinks green tea"
    assert backend.read(f"/{pay}").error == f"File '/{pay}' not found"
    assert backend.write(f"/{pay}", "x").error is not None
    assert backend.edit(f"/{pay}", "4711", "1").error is not None
    assert backend.delete(f"/{pay}").error is not None
    assert home.read("private/pay.md") == "Ann earns 4711"


def test_errors_are_answers(home: homefs.Home, store: Path) -> None:
    backend = HomeBackend(home)
    assert "surrogates" in str(backend.write("/x", "\ud800").error)
    home.write("/bin", b"\xff")
    assert backend.edit("/bin", "a", "b").error is not None
    home.write("/d/x", "")
    assert backend.write("/d", "x").error is not None
    with homefs.open("me", store=store, read_only=True) as only:
        denied = HomeBackend(only).upload_files([("/x", b"")])
        assert denied[0].error == "permission_denied"
        assert "read-only" in str(HomeBackend(only).write("/x", "").error)


def test_coroutines_do_the_same(pair: tuple[HomeBackend, FilesystemBackend]) -> None:
    ours, _ = pair

    async def run() -> None:
        assert (await ours.awrite("/later.txt", "a b")).path == "/later.txt"
        assert (await ours.aedit("/later.txt", "a", "c")).occurrences == 1
        assert (await ours.aread("/later.txt")).file_data["content"] == "c b"  # type: ignore[index]
        assert len((await ours.agrep("c b")).matches or []) == 1
        assert len((await ours.aglob("later.*")).matches or []) == 1
        assert (await ours.als("/docs")).entries
        assert (await ours.adownload_files(["/later.txt"]))[0].content == b"c b"
        assert not (await ours.aupload_files([("/u", b"")]))[0].error
        assert (await ours.adelete("/later.txt")).error is None

    asyncio.run(run())


def test_a_sandbox_runs_scripts_on_the_files(home: homefs.Home) -> None:
    sandbox = HomeSandbox(home)
    assert isinstance(sandbox, SandboxBackendProtocol)
    sandbox.write("/notes/a.txt", "one\ntwo\n")
    done = sandbox.execute("cd /notes && wc -l < a.txt; name=x")
    assert (done.output.strip(), done.exit_code, done.truncated) == ("2", 0, False)
    assert sandbox.execute("pwd; echo $name").output.split() == ["/notes", "x"]
    failed = sandbox.execute("echo out; cat missing", timeout=5)
    assert (
        failed.exit_code == 1 and failed.output.startswith("out\n") and "missing" in failed.output
    )
    assert asyncio.run(sandbox.aexecute("echo later", timeout=5)).output.strip() == "later"
    assert sandbox.id != HomeSandbox(home, session="other").execute("pwd").output


class Scripted(BaseChatModel):
    """A model that says what a script says, and keeps what it was told."""

    _script: Iterator[AIMessage] = PrivateAttr()
    _told: list[BaseMessage] = PrivateAttr(default_factory=list)

    def __init__(self, script: Sequence[AIMessage]) -> None:
        super().__init__()
        self._script = iter(script)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Scripted:  # type: ignore[override]
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        self._told = list(messages)
        return ChatResult(generations=[ChatGeneration(message=next(self._script))])


def calls(*tools: tuple[str, dict[str, Any]]) -> AIMessage:
    made = [
        {"name": name, "args": arguments, "id": f"{name}-{number}", "type": "tool_call"}
        for number, (name, arguments) in enumerate(tools)
    ]
    return AIMessage(content="", tool_calls=made)


def run_agent(backend: Any, *script: AIMessage) -> list[str]:
    """Runs an agent by a script and returns what its tools answered."""
    agent = create_deep_agent(model=Scripted([*script, AIMessage(content="done")]), backend=backend)
    result = agent.invoke({"messages": [{"role": "user", "content": "go"}]})
    assert result["messages"][-1].content == "done"
    return [str(one.content) for one in result["messages"] if isinstance(one, ToolMessage)]


def test_an_agent_works_in_a_home(home: homefs.Home) -> None:
    answers = run_agent(
        HomeSandbox(home),
        calls(("write_file", {"file_path": "/plan.md", "content": "1. look\n2. act\n"})),
        calls(("edit_file", {"file_path": "/plan.md", "old_string": "act", "new_string": "ask"})),
        calls(("read_file", {"file_path": "/plan.md"}), ("ls", {"path": "/"})),
        calls(
            ("grep", {"pattern": "ask", "output_mode": "content"}), ("glob", {"pattern": "*.md"})
        ),
        calls(("execute", {"command": "sort -r /plan.md | head -1"})),
    )
    assert home.read("/plan.md") == "1. look\n2. ask\n"
    assert "2. ask" in answers[2] and "/plan.md" in answers[3]
    assert "2. ask" in answers[4] and "/plan.md" in answers[5]
    assert "2. ask" in answers[6]


def test_an_agent_keeps_its_memories_in_a_home(home: homefs.Home) -> None:
    def backend(_: Any = None) -> CompositeBackend:
        return CompositeBackend(
            default=StateBackend(), routes={"/memories/": HomeBackend(home, "/memories")}
        )

    made: Callable[..., Any] = backend
    run_agent(
        made(),
        calls(
            ("write_file", {"file_path": "/memories/likes.md", "content": "tea"}),
            ("write_file", {"file_path": "/draft.md", "content": "gone"}),
        ),
    )
    assert home.read("/memories/likes.md") == "tea" and not home.exists("/draft.md")
    answers = run_agent(made(), calls(("read_file", {"file_path": "/memories/likes.md"})))
    assert "tea" in answers[0]
