"""Homes that are closed, forked, shared, left open or lose their owner."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import homefs
from homefs import aio


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a script in an interpreter of its own."""
    command = [sys.executable, "-X", "dev", "-c", script, *map(str, arguments)]
    # Not in the folder of the sources, which would be imported instead of what is installed.
    folder = Path(__file__).parent
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)


def test_a_closed_home_refuses_and_closes_again(store: Path) -> None:
    home = homefs.open(store=store)
    path = home.path("a")
    home.write("a", "1")
    watch = home.watch()
    home.close()
    home.close()
    for call in (lambda: home.read("a"), lambda: home.write("a", "2"), path.exists, home.status):
        with pytest.raises(homefs.Closed):
            call()  # type: ignore[operator]
    with pytest.raises(homefs.Closed):
        next(watch)
    with pytest.raises(ValueError):
        home.ls()
    assert repr(home) == "<homefs.Home of me>"


#: Arguments that are not paths, which are "a".
ARGUMENTS = {"line": 0, "right": "read", "source": "/", "version": 1}


def arguments(name: str) -> list[object]:
    """Returns as many arguments as a method needs."""
    parameters = [*inspect.signature(getattr(homefs.Home, name)).parameters.values()][1:]
    needed = [one.name for one in parameters if one.default is one.empty]
    return [ARGUMENTS.get(parameter, "a") for parameter in needed]


def test_every_method_of_a_closed_home_refuses(store: Path) -> None:
    home = homefs.open(store=store)
    home.close()
    names = [name for name in vars(homefs.Home) if not name.startswith("_")]
    for name in set(names) - {"agent", "close", "path"}:
        with pytest.raises(homefs.Closed):
            getattr(home, name)(*arguments(name))

    async def main() -> None:
        for name in set(names) - {"agent", "close", "path", "watch"}:
            with pytest.raises(homefs.Closed):
                await getattr(aio.Home(home), name)(*arguments(name))

    asyncio.run(main())


def test_a_with_statement_closes(store: Path) -> None:
    with homefs.open("akashi", store=store) as home:
        assert home.agent == "akashi"
    with pytest.raises(homefs.Closed):
        home.exists("a")


def test_the_environment_and_the_config_file_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMEFS_STORE", str(tmp_path / "named"))
    monkeypatch.setenv("HOMEFS_AGENT_ID", "ann")
    with homefs.open() as home:
        assert home.agent == "ann"
    assert (tmp_path / "named").is_dir()


def test_a_forked_child_is_refused_and_harms_nobody(home: homefs.Home, store: Path) -> None:
    home.write("a", "parent")
    opened = home.path("a")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            refused = 0
            for call in (
                lambda: home.read("a"),
                lambda: home.write("a", "child"),
                lambda: home.ls(),
                lambda: home.sh("echo x"),
                opened.read_text,
            ):
                try:
                    call()
                except homefs.Closed as error:
                    refused += "fork" in str(error)
            try:
                asyncio.run(aio.Home(home).read("a"))
            except homefs.Closed as error:
                refused += "fork" in str(error)
            home.close()
            with homefs.open("me", store=store) as own:
                own.append("a", " and child")
            status = 0 if refused == 6 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert home.read("a") == "parent and child"


def test_a_forked_child_that_ends_normally_leaves_the_parent_alone(store: Path) -> None:
    script = """
import os, sys, homefs
home = homefs.open(store=sys.argv[1])
home.write("a", "1")
pid = os.fork()
if pid == 0:
    del home
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
home.append("a", "2")
print(home.read("a"))
"""
    done = python(script, store)
    assert (done.returncode, done.stdout) == (0, "12\n"), done.stderr


def test_eight_threads_share_a_home(home: homefs.Home) -> None:
    failures: list[BaseException] = []

    def hammer(number: int) -> None:
        try:
            for turn in range(200):
                path = f"t{number}/f{turn % 10}"
                home.write(path, f"{number} {turn}")
                assert home.read(path) == f"{number} {turn}"
                home.append("all", "x")
                if turn % 50 == 0:
                    home.ls(f"t{number}")
                    home.grep(str(turn), f"t{number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(home.read("all")) == 8 * 200


def test_a_thread_that_waits_lets_others_run(home: homefs.Home) -> None:
    seen: list[homefs.Event] = []
    watch = home.watch(timeout=20)
    waiter = threading.Thread(target=lambda: seen.append(next(watch)))
    waiter.start()
    home.write("a", "1")
    waiter.join(20)
    assert [event.path for event in seen] == ["/a"]


def test_closing_ends_calls_of_other_threads(store: Path) -> None:
    home = homefs.open(store=store)
    caught: list[BaseException] = []

    def wait() -> None:
        try:
            next(home.watch())
        except BaseException as error:
            caught.append(error)

    waiter = threading.Thread(target=wait)
    waiter.start()
    home.close()
    waiter.join(20)
    assert [type(error) for error in caught] == [homefs.Closed]


@pytest.mark.parametrize(
    "ending",
    [
        "pass",
        "keep = [home]; keep.append(keep)",
        "import contextlib, threading\n"
        "def wait():\n"
        "    with contextlib.suppress(homefs.Closed): next(home.watch())\n"
        "threading.Thread(target=wait, daemon=True).start()",
        "import asyncio, homefs.aio as aio; a = aio.Home(home)\n"
        "async def main(): asyncio.ensure_future(a.watch().__anext__()); await asyncio.sleep(0)\n"
        "asyncio.run(main())",
    ],
)
def test_an_interpreter_may_end_with_an_open_home(store: Path, ending: str) -> None:
    script = f"""
import sys, homefs
home = homefs.open(store=sys.argv[1])
home.write("a", "kept")
{ending}
print("end")
"""
    done = python(script, store)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    with homefs.open(store=store) as home:
        assert home.read("a") == "kept"


def test_an_interrupt_ends_a_wait(store: Path) -> None:
    script = """
import signal, sys, threading, homefs, os
home = homefs.open(store=sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    if sys.argv[2] == "watch":
        next(home.watch())
    else:
        home.sh("sleep 30")
except KeyboardInterrupt:
    print("interrupted")
"""
    for what in ("watch", "script"):
        done = python(script, store, what)
        assert done.stdout == "interrupted\n", done.stderr


OWNER = """
import sys, homefs
home = homefs.open("owner", store=sys.argv[1], operator=True)
home.mkdir("/shared/team")
home.grant("/shared/team", "me", "write")
home.write("/shared/team/a", "of the owner")
print("ready", flush=True)
sys.stdin.read()
"""


def test_two_processes_share_a_store_and_the_owner_may_die(store: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(store)]
    owner = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    )
    try:
        assert owner.stdout is not None and owner.stdout.readline() == "ready\n"
        with homefs.open("me", store=store) as home:
            assert home.status()["pid"] == owner.pid
            assert home.read("/shared/team/a") == "of the owner"
            home.write("mine", "x" * 3_000_000)
            assert len(home.read("mine")) == 3_000_000
            path = home.path("file")
            with path.open("w") as file:
                file.write("line\n")
            assert path.read_text() == "line\n"
            with pytest.raises(homefs.NotFound):
                home.read("nope")
            owner.send_signal(signal.SIGKILL)
            owner.wait(20)
            home.append("mine", "!")
            assert home.read("mine").endswith("x!")
            assert home.status()["pid"] == os.getpid()
            assert home.read("/shared/team/a") == "of the owner"
    finally:
        owner.kill()
        owner.communicate()


OTHER_VERSION = """
import fcntl, socket, struct, sys
lock = open(sys.argv[1] + "/lock", "r+")
fcntl.lockf(lock, fcntl.LOCK_EX)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1] + "/socket")
listener.listen()
print("ready", flush=True)
hello = b"homefs\\0\\n" + struct.pack("<I", 999) + b"\\x059.9.9 and what only that one knows"
while True:
    connection, _ = listener.accept()
    connection.sendall(struct.pack("<I", len(hello)) + hello)
    connection.recv(1000)
    connection.close()
"""


def test_a_store_owned_by_another_version_says_what_to_do(store: Path) -> None:
    homefs.open(store=store).close()
    command = [sys.executable, "-c", OTHER_VERSION, str(store)]
    owner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None and owner.stdout.readline() == "ready\n"
        both = f"9\\.9\\.9 .*{re.escape(homefs.__version__)}"
        with pytest.raises(
            homefs.Unsupported, match=f"{both}.*use the same version.*end the owner"
        ):
            homefs.open(store=store)
        with pytest.raises(homefs.Unsupported, match=both):
            asyncio.run(aio.open(store=store)._open())
    finally:
        owner.kill()
        owner.communicate()
    with homefs.open(store=store) as home:
        assert home.write("a", "1") == 1


def test_a_home_that_is_garbage_gives_the_store_up(store: Path) -> None:
    home = homefs.open(store=store)
    home.write("a", "1")
    del home
    with homefs.open(store=store) as again:
        assert again.status()["pid"] == os.getpid() and again.read("a") == "1"
