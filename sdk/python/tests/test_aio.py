"""Homes with an event loop: never blocking it, cancelled, shut down, mixed with threads."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import homefs
from homefs import aio


def run(main: Any) -> Any:
    return asyncio.run(asyncio.wait_for(main, 60))


def test_a_home_is_opened_in_three_ways(store: Path) -> None:
    async def main() -> None:
        async with aio.open("me", store=store) as home:
            assert await home.write("a", "1") == 1
            assert await home.read("a") == "1"
            assert home.agent == "me" and repr(home) == "<homefs.aio.Home of me>"
        with pytest.raises(homefs.Closed):
            await home.read("a")
        home = await aio.open(store=store)
        await home.close()
        again = aio.Home(homefs.open(store=store))
        assert await again.exists("a") and again.sync_home.read("a") == "1"
        await again.close()

    run(main())


def test_methods_are_those_of_a_home_as_coroutines() -> None:
    def methods(cls: type) -> dict[str, inspect.Signature]:
        public = {name: found for name, found in vars(cls).items() if not name.startswith("_")}
        return {name: inspect.signature(found) for name, found in public.items() if callable(found)}

    plain, later = methods(homefs.Home), methods(aio.Home)
    # What behaves like pathlib.Path cannot wait.
    del plain["path"]
    assert plain.keys() == later.keys()
    for name, wanted in plain.items():
        _, *found = later[name].parameters.values()
        bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found]
        assert bare == [*wanted.parameters.values()][1:], name
        assert name == "watch" or inspect.iscoroutinefunction(getattr(aio.Home, name)), name


def test_calls_may_be_made_at_once(home: homefs.Home) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        tasks = [asyncio.create_task(ours.write(f"f{number}", "x")) for number in range(50)]
        assert sorted(await asyncio.gather(*tasks)) == list(range(1, 51))
        assert len(await ours.ls()) == 50

    run(main())


def test_many_calls_are_under_way_at_once(home: homefs.Home) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        await ours.write("a", "needle")
        found = await asyncio.gather(*(ours.grep("needle") for _ in range(100)))
        assert all(len(matches) == 1 for matches in found)
        # Each ends only after all have begun.
        script = "echo > begun$n; until test -e go; do sleep 0.02; done; echo done"
        waiting = [asyncio.create_task(ours.sh(f"n={n}; {script}")) for n in range(12)]
        while len(await ours.find("begun*")) < len(waiting):
            await asyncio.sleep(0.01)
        await ours.write("go", "")
        outputs = await asyncio.gather(*waiting)
        assert [output.stdout for output in outputs] == ["done\n"] * 12

    run(main())


def test_the_loop_goes_on_while_a_call_waits(home: homefs.Home) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        # It ends only if the loop goes on meanwhile.
        script = asyncio.create_task(ours.sh("until test -e go; do sleep 0.02; done; echo seen"))
        for _ in range(10):
            await asyncio.sleep(0.01)
        assert not script.done()
        await ours.write("go", "")
        assert (await script).stdout == "seen\n"

    run(main())


def test_errors_arrive_as_they_are(home: homefs.Home) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        with pytest.raises(homefs.NotFound):
            await ours.read("nope")
        with pytest.raises(homefs.NotFound):
            await ours.ls("nope")
        with pytest.raises(TypeError):
            await ours.ls(3)  # type: ignore[arg-type]
        with pytest.raises(homefs.Invalid):
            await ours.write("a\udc80", "x")

    run(main())


def test_a_watch_sees_what_follows_it(home: homefs.Home) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        watch = ours.watch("/n")
        await ours.write("other", "1")
        await ours.write("n/a", "1")
        assert (await watch.__anext__()).path in ("/n", "/n/a")
        cursor = watch.cursor
        ends = [event async for event in ours.watch("/n", since=cursor, timeout=0.05)]
        assert all(event.path.startswith("/n") for event in ends)
        seen = asyncio.create_task(ours.watch(timeout=20).__anext__())
        await asyncio.sleep(0.05)
        await ours.delete("other")
        assert (await seen).action == "removed"

    run(main())


def test_a_watch_begins_when_it_is_made(store: Path) -> None:
    async def main() -> None:
        owner = homefs.open("me", store=store)
        assert owner.status()["pid"] == os.getpid()
        # The second home of a process asks the first by its socket; its cursor takes a while.
        client = await aio.open("me", store=store)
        for number, (watcher, writer) in enumerate(
            [(client, aio.Home(owner)), (aio.Home(owner), client), (client, client)] * 20
        ):
            watch = watcher.watch()
            # Not awaited before the watch is made, nor before the change is.
            await writer.write(f"f{number}", "x")
            assert (await watch.__anext__()).path == f"/f{number}"
        watch = aio.Home(owner).watch()
        owner.write("plain", "x")
        assert (await watch.__anext__()).path == "/plain"
        await client.close()
        owner.close()

    run(main())


def test_a_watch_goes_on_after_one_gave_up(store: Path) -> None:
    async def main() -> None:
        owner = homefs.open("me", store=store)
        client = await aio.open("me", store=store)
        watch = client.watch()
        assert watch.cursor is None
        # Given up at once, while the cursor is still asked for.
        gives_up = asyncio.create_task(watch.__anext__())
        await asyncio.sleep(0)
        gives_up.cancel()
        await asyncio.gather(gives_up, return_exceptions=True)
        await client.write("a", "1")
        assert (await watch.__anext__()).path == "/a"
        assert watch.cursor is not None
        await client.close()
        owner.close()

    run(main())


def test_a_cancelled_call_ends_at_once(home: homefs.Home) -> None:
    async def main() -> None:
        ours = aio.Home(home)
        script = asyncio.create_task(ours.sh("sleep 20; echo x > late"))
        await asyncio.sleep(0.1)
        script.cancel()
        with pytest.raises(asyncio.CancelledError):
            await script
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(ours.watch().__anext__(), 0.05)
        assert await ours.write("a", "1") > 0
        assert not await ours.exists("late")

    began = time.monotonic()
    run(main())
    assert time.monotonic() - began < 10


def test_a_loop_may_end_with_calls_under_way(home: homefs.Home) -> None:
    async def main(left: list[Any]) -> None:
        ours = aio.Home(home)
        left.extend(asyncio.ensure_future(ours.sh("sleep 25")) for _ in range(4))
        left.extend(asyncio.ensure_future(ours.grep("x")) for _ in range(40))
        left.append(asyncio.ensure_future(ours.watch().__anext__()))
        await asyncio.sleep(0)

    began = time.monotonic()
    for _ in range(3):
        asyncio.run(main([]))
    # Not even cancelled: the loop is closed under them.
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    left: list[Any] = []
    loop.run_until_complete(main(left))
    loop.close()
    del left
    assert time.monotonic() - began < 25, "it waited for the scripts"
    home.write("a", "still there")
    assert home.read("a") == "still there"


def test_one_home_serves_several_loops_and_threads(home: homefs.Home) -> None:
    ours = aio.Home(home)
    failures: list[BaseException] = []

    async def work(name: str) -> None:
        for turn in range(100):
            await ours.write(f"{name}/{turn}", name)
            if turn % 10 == 0:
                assert len(await ours.ls(name)) == turn + 1

    def loop(name: str) -> None:
        try:
            run(work(name))
        except BaseException as error:
            failures.append(error)

    def plain() -> None:
        try:
            for turn in range(500):
                home.append("log", "x")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=loop, args=(f"l{number}",)) for number in range(4)]
    threads += [threading.Thread(target=plain) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(home.find("l*/*")) == 400 and len(home.read("log")) == 1000
    run(work("again"))


def test_a_home_may_be_closed_under_its_calls(store: Path) -> None:
    async def main() -> None:
        home = await aio.open(store=store)
        calls = [asyncio.ensure_future(home.watch().__anext__()) for _ in range(3)]
        await asyncio.sleep(0.05)
        await home.close()
        for call in calls:
            with pytest.raises(homefs.Closed):
                await call

    run(main())


def test_a_client_of_another_process_never_blocks_the_loop(store: Path) -> None:
    async def main() -> None:
        owner = homefs.open("owner", store=store)
        async with aio.open("me", store=store) as home:
            await asyncio.gather(*(home.write(f"f{number}", "x" * 1000) for number in range(100)))
            assert len(await home.ls()) == 100
            text = "y" * 2_000_000
            await home.write("large", text)
            assert await home.read("large") == text
        owner.close()

    run(main())
