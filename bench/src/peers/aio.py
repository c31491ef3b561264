"""An event loop with a home that syncs: `aio.py STORE`.

It makes ready, says so, and answers each line on its input, a number of ticks, with a line: how
many nanoseconds late an idle loop was at each tick, how late a loop was that writes and syncs, how
long its writes took, and how many syncs ended meanwhile.
"""
import asyncio
import itertools
import json
import random
import sys
import time

import homefs.aio

TICK_SECONDS = 0.001
FILES = 1000
#: A thousand writes a second, in groups as short as those of a program that has more to do.
WRITES = 20
PAUSE_SECONDS = 0.02

clock = time.perf_counter_ns


async def tick(count):
    late = []
    for _ in range(count):
        start = clock()
        await asyncio.sleep(TICK_SECONDS)
        late.append(clock() - start - int(TICK_SECONDS * 1e9))
    return late


async def write(home, times):
    rest = "".join(f"{random.getrandbits(64):016x}" for _ in range(63)) + "\n"
    for number in itertools.count():
        path, text = f"notes-{number % FILES // 100}/note-{number % 100:02}.md", f"{number:015x}{rest}"
        start = clock()
        await home.write(path, text)
        times.append(clock() - start)
        if number % WRITES == 0:
            await asyncio.sleep(PAUSE_SECONDS)


async def sync(home, syncs):
    while True:
        syncs.append(await home.sync(direction="push"))


async def main():
    loop = asyncio.get_running_loop()
    async with homefs.aio.open(agent="me", store=sys.argv[1]) as home:
        await home.sync(wait=True)
        print("ready", flush=True)
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            ticks = int(line)
            idle, writes, syncs = await tick(ticks), [], []
            tasks = [asyncio.create_task(write(home, writes)), asyncio.create_task(sync(home, syncs))]
            busy = await tick(ticks)
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(error, asyncio.CancelledError) for error in ended), ended
            # The next idle loop is idle.
            await home.sync(wait=True)
            answer = {"idle": idle, "busy": busy, "writes": writes, "syncs": len(syncs)}
            print(json.dumps(answer), flush=True)


asyncio.run(main())
