"""Two processes, one of Python and one of Node.js, work in one home at once.

Both count in one file and write to one log; whichever came first owns the store and answers the
other, and when it ends the other takes over.

    python two_processes.py STORE & node ../../node/examples/two-processes.mjs STORE; wait
"""

from __future__ import annotations

import sys

import homefs

STEPS = 50


def main(store: str) -> None:
    """Does this process's part, waits for the other's, and tells what both have done."""
    with homefs.open(agent="akashi", store=store) as home:
        for step in range(1, STEPS + 1):
            increment(home, "counter")
            home.append("log", f"python {step}\n")
        home.write("done/python", "")
        wait_for(home, "/done/node")
        lines = len(home.read("log").splitlines())
        print(f"counted to {home.read('counter')} and logged {lines} lines")


def increment(home: homefs.Home, path: str) -> int:
    """Adds one to a number that others count up too."""
    while True:
        # The version is asked for first: if somebody writes after that, the write is refused.
        version = home.stat(path).version if home.exists(path) else 0
        count = int(home.read(path)) if version else 0
        try:
            return home.write(path, str(count + 1), expected_version=version)
        except homefs.Conflict:
            continue


def wait_for(home: homefs.Home, path: str) -> None:
    """Waits until there is something at a path."""
    while not home.exists(path):
        # What came between the question and the watch is found by the next question.
        for change in home.watch("/done", timeout=0.2):
            if change.path == path:
                return


if __name__ == "__main__":
    main(sys.argv[1])
