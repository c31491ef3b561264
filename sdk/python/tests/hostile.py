"""Calls every method with arguments that mean harm; run as a program, in a process of its own.

What a call answers does not matter; that it answers does: in time, with an answer or an error that
programs expect, in little memory. Which methods and parameters there are is asked of the classes,
and one that the tables here do not know is a failure.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import inspect
import itertools
import json
import math
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import homefs
from homefs import aio

#: How much address space the process has.
ADDRESS_BYTES = 4 << 30
#: What one call may take of the processors, which is the same on a busy machine.
CALL_SECONDS = 5.0
#: How long one call may wait, and all of them.
WAIT_SECONDS = 30.0
ALL_SECONDS = 1800
EXTENDED = os.environ.get("HOMEFS_EXTENDED") == "1"
#: How deep and how long.
DEEP = 100_000
LONG = 1 << 20 if EXTENDED else 1 << 17

#: What a method may raise.
#: Some are those of pathlib: of a pattern that is not relative, and of a buffer without end.
EXPECTED = (homefs.Error, TypeError, ValueError, OverflowError, NotImplementedError, MemoryError)

#: What is in the home: a plain file, one that is longer than any memory, links that lead nowhere
#: or out, and directories in one another, in a long run as many as a path can have.
LARGE, LOOP, OUT, DOWN = "/large", "/loop", "/out", "/d" * (2000 if EXTENDED else 100)

_NESTED = [("(", ")"), ("[", "]"), ("{", "}"), ("{a,", "}"), ("-", ""), ("*", ""), ("\\", "")]
_DEPTHS = [200, 1900, DEEP] if EXTENDED else [DEEP]

TEXTS: list[Any] = [
    "",
    "..",
    "../x",
    "a/../../x",
    "/etc/passwd",
    "a\0b",
    "\udc80",
    "a\n\x1b[31m\u202e",
    "a" * LONG,
    '"' * LONG,
    "../" * DEEP,
    "/a" * DEEP,
    *("".join([opens * depth, "a", ends * depth]) for opens, ends in _NESTED for depth in _DEPTHS),
]
WRONG: list[Any] = [None, 3, 0.5, True, b"a", [], {}, ["a", 3], object(), len, math]
NUMBERS: list[Any] = [
    0,
    -1,
    2**31,
    2**32,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    10**18,
    -(10**18),
    10**400,
    math.nan,
    math.inf,
    1e300,
    "1",
]
_nested: list[Any] = []
for _ in range(DEEP):
    _nested = [_nested]

#: What is given for each type: first something honest, then the rest.
VALUES: dict[str, list[Any]] = {
    "path": ["/a.md", *TEXTS, *WRONG, LARGE, LOOP, OUT, OUT + "/x", DOWN, PurePosixPath("..")]
    + ["/a.md:related", "/:recent?n=1000000000000000000", "/:search?q=" + "(" * 1000],
    "new": ["/new", *TEXTS, *WRONG, DOWN, DOWN + "/x", LOOP, OUT],
    "text": ["word", *TEXTS, *WRONG],
    "content": ["some words\n", *TEXTS, *WRONG, b"\xff\0", bytearray(b"x"), memoryview(b"xyz")[::2]],
    "script": ["echo ok", *TEXTS, *WRONG, "cat /large | wc -c", "cat /large", "yes | head -c 1000000"],
    "pattern": ["w.rd", *TEXTS, *WRONG, "(a|b){1000}{1000}", "(" * 100 + "a*" + ")*" * 100],
    "glob": ["*.md", *TEXTS, *WRONG, "**/" * DEEP, "{a,b}" * 40],
    "number": [1, *NUMBERS, *WRONG],
    "part": [0.5, *NUMBERS, *WRONG],
    "seconds": [0.05, 0, -1, math.nan, -math.inf, "1", *WRONG],
    "limits": [0.05, *NUMBERS, *WRONG],
    "moment": [1, "1", "2h ago", *NUMBERS, *TEXTS, *WRONG, "9" * 400 + "d ago", "-1s ago"],
    "words": [["a"], "a", *TEXTS, *WRONG, ["a"] * DEEP, [*TEXTS], _nested, {"a": "b"}],
    "pairs": [{"a": "b"}, *WRONG, {text: text for text in TEXTS}, {"a": _nested}, {3: "a"}],
    "flag": [True, False, None, 3, "yes", _nested],
    "address": ["/nowhere", *TEXTS, *WRONG, "file://", "file:///", "s3://", "s3://../..", "x://y"]
    + ["chroma://127.0.0.1:1/c", "chroma://a/../b", "s3://a\0b/c"],
    "command": ['{"command": "view", "path": "/memories"}', *TEXTS, *WRONG, json.dumps([])]
    + ['{"command": "view", "path": "/memories", "view_range": [-1000000000000000000, 1]}']
    + ["[" * DEEP, '{"a":' * DEEP],
    "channel": [None, *WRONG],
}

#: What parameters are, by name; where a name means something else, by method and name.
PARAMETERS: dict[str, str] = {
    **dict.fromkeys(["path", "below", "existing", "source", "target", "supersedes"], "path"),
    **dict.fromkeys(["to", "new", "other", "others", "segments"], "new"),
    **dict.fromkeys(["text", "question", "query", "title", "who", "space", "tokenizer"], "text"),
    **dict.fromkeys(["session", "endpoint", "region", "machine", "which", "take", "since"], "text"),
    **dict.fromkeys(["right", "direction", "durability", "strategy", "alike", "kind"], "text"),
    **dict.fromkeys(["ttl", "namespace", "name", "stem", "suffix", "encoding", "errors"], "text"),
    **dict.fromkeys(["newline", "old"], "text"),
    **dict.fromkeys(["content", "stdin", "data"], "content"),
    **dict.fromkeys(["tags", "add_tags", "remove_tags"], "words"),
    **dict.fromkeys(["limit", "before", "after", "expected_version", "depth", "days"], "number"),
    **dict.fromkeys(["line", "offset", "length", "size", "max_tokens", "mode"], "number"),
    **dict.fromkeys(["modified_ns", "buffering"], "number"),
    **dict.fromkeys(["importance", "min_score"], "part"),
    **dict.fromkeys(["version", "from_"], "moment"),
    **dict.fromkeys(["all", "ignore_case", "literal", "parents", "recursive", "purge"], "flag"),
    **dict.fromkeys(["overwrite", "paths"], "flag"),
    **dict.fromkeys(["no_replace", "exchange", "explain", "wait", "virtual_host", "force"], "flag"),
    **dict.fromkeys(["single_writer", "read_only", "exist_ok", "missing_ok"], "flag"),
    **dict.fromkeys(["follow_symlinks", "strict"], "flag"),
    "glob": "glob",
    "script": "script",
    "timeout": "limits",
    "settings": "pairs",
    "address": "address",
    "command": "command",
    "channel": "channel",
    "pattern": "glob",
    "Home.grep.pattern": "pattern",
    "Home.edit.new": "text",
    "Home.diff.to": "moment",
    "Home.symlink.target": "text",
    "Home.mv.target": "new",
    "Home.cp.target": "new",
    "Home.set_meta.source": "text",
    "Home.set_meta.other": "pairs",
    "Home.remember.source": "text",
    "Home.attach.source": "address",
    "Home._rename.target": "new",
    "Home._rename.mode": "text",
    "Home._watch_once.wait": "seconds",
    "Home._watch_once.since": "text",
    "Home.timeline.after": "moment",
    "Home.timeline.before": "moment",
    # A script with a timeout that never ends ends when it is done.
    "HomePath._with.pure": "path",
    "HomePath.open.mode": "text",
    "HomePath.rename.target": "new",
    "HomePath.replace.target": "new",
    "HomePath.full_match.pattern": "glob",
    "OverlayFs.grep.pattern": "pattern",
    "AgentMemory.remember.source": "text",
}

#: What parameters without a default are given when another one is tried; else the honest value.
#: Those that a call would wait for ever without are given too.
ALWAYS = {"Home.sh": {"timeout": 2.0}, "Home.watch": {"timeout": 0.05}, "Home.sync": {}}

#: Methods that end what the others need, or that make an object; tried apart.
APART = {"close", "__init__", "__new__"}


def kind_of(owner: str, method: str, parameter: str) -> str | None:
    """Returns what a parameter is; nothing if nobody has said."""
    return PARAMETERS.get(f"{owner}.{method}.{parameter}") or PARAMETERS.get(parameter)


def methods_of(cls: type) -> Iterator[tuple[str, inspect.Signature]]:
    """Returns the methods of a class: those for everybody, and those of its own package."""
    for name, found in vars(cls).items():
        if callable(found) and not name.startswith("__") and name not in APART:
            yield name, inspect.signature(found)


class Hunt:
    """Makes calls, and keeps what went wrong."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.calls = 0

    def outcome(self, label: str, call: Callable[[], Any]) -> None:
        """Makes one call, whose outcome must be one of those that programs expect."""
        self.calls += 1
        begun, worked = time.monotonic(), time.process_time()
        try:
            call()
        except homefs.Internal as error:
            self.wrong.append(f"{label}: {error!r}"[:300])
        except EXPECTED:
            pass
        except BaseException as error:  # noqa: BLE001 - a panic is no Exception
            if "unknown encoding" in str(error) and type(error) is LookupError:
                return
            self.wrong.append(f"{label}: {type(error).__name__}: {error}"[:300])
        took, work = time.monotonic() - begun, time.process_time() - worked
        if took > WAIT_SECONDS or work > CALL_SECONDS:
            self.wrong.append(f"{label}: took {took:.1f} s, {work:.1f} s of work")

    def hunt(
        self,
        owner: str,
        cls: type,
        make: Callable[[], Any],
        finish: Callable[[Any], Any],
        thin: bool = False,
    ) -> None:
        """Calls every method with one argument after the other that is hostile."""
        for name, signature in methods_of(cls):
            parameters = [each for each in signature.parameters.values() if each.name != "self"]
            kinds = {each.name: kind_of(owner, name, each.name) for each in parameters}
            unknown = [parameter for parameter, kind in kinds.items() if kind is None]
            if unknown:
                self.wrong.append(f"{owner}.{name}: nobody has said what {unknown} are")
                continue
            always = ALWAYS.get(f"{owner}.{name}", {})
            for tried in parameters or [None]:
                values = VALUES[kinds[tried.name]] if tried else [None]
                for value in values[1::7] if thin and tried else values:
                    args, named = [], {}
                    for each in parameters:
                        if each is tried:
                            given = value
                        elif each.name in always:
                            given = always[each.name]
                        elif each.default is inspect.Parameter.empty:
                            given = VALUES[kinds[each.name]][0]
                        else:
                            continue
                        if each.kind is inspect.Parameter.KEYWORD_ONLY:
                            named[each.name] = given
                        elif each.kind is inspect.Parameter.VAR_POSITIONAL:
                            args.append(given)
                        else:
                            named[each.name] = given
                    said = f"{owner}.{name}({tried.name if tried else ''}={short(value)})"
                    target = make()
                    method = getattr(target, name)
                    self.outcome(said, lambda: finish(method(*args, **named)))


def short(value: Any) -> str:
    """Shows the beginning of a value."""
    try:
        return f"{value!r:.40}"
    except RecursionError:
        return "a list in a list in …"


def taken(found: Any) -> Any:
    """Takes the first few of what comes one by one."""
    if isinstance(found, homefs.Watch):
        # Whoever says no time waits as long as it takes.
        ends = isinstance(found._timeout, (int, float)) and not found._timeout > 1
        return list(itertools.islice(found, 3)) if ends else None
    if isinstance(found, Iterator):
        return list(itertools.islice(found, 3))
    if hasattr(found, "read") and hasattr(found, "close"):
        with contextlib.closing(found):
            return found.read(3) if found.readable() else None
    return found


def fill(home: homefs.Home) -> None:
    """Makes what hostile paths lead to."""
    home.write("/a.md", "some words\n")
    home.sh("truncate -s 1T /large; ln -s /loop /loop; ln -s ../../../etc /out")
    home.mkdir(DOWN)


def main(store: str) -> int:
    """Hunts through a store."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    faulthandler.dump_traceback_later(ALL_SECONDS, exit=True)
    hunt = Hunt()
    with homefs.open("me", store=store) as home, homefs.open("me", store=store, operator=True) as operator:
        fill(home)

        def fresh() -> homefs.Home:
            with contextlib.suppress(homefs.Error):
                home.write("/a.md", "some words\n")
            return home

        hunt.hunt("Home", homefs.Home, fresh, taken)
        hunt.hunt("Home", homefs.Home, lambda: operator, taken, thin=True)
        hunt.hunt("HomePath", homefs.HomePath, lambda: fresh().path("a.md"), taken)
        hunt.hunt("OverlayFs", homefs.OverlayFs, lambda: homefs.OverlayFs(home=home), taken, thin=True)
        hunt.hunt("AgentMemory", homefs.AgentMemory, lambda: homefs.AgentMemory(home), taken, thin=True)

        async def later() -> None:
            loop = asyncio.get_running_loop()
            twin = aio.Home(home)
            for name, signature in methods_of(aio.Home):
                if name in ("watch", "sync_home") or name.startswith("_"):
                    continue
                needed = [
                    each
                    for each in signature.parameters.values()
                    if each.name != "self" and each.default is inspect.Parameter.empty
                ]
                for value in [*TEXTS[:8], *WRONG, 2**64]:
                    call = getattr(twin, name)
                    begun = loop.time()
                    try:
                        await asyncio.wait_for(call(*[value] * len(needed)), WAIT_SECONDS)
                    except homefs.Internal as error:
                        hunt.wrong.append(f"aio.{name}({short(value)}): {error!r}")
                    except EXPECTED:
                        pass
                    except BaseException as error:  # noqa: BLE001
                        hunt.wrong.append(f"aio.{name}({short(value)}): {type(error).__name__}")
                    hunt.calls += 1
                    assert loop.time() - begun < 2 * WAIT_SECONDS

        asyncio.run(later())
        # What was asked of it has not changed what it is.
        home.write("/last", "words")
        assert home.read("/last") == "words"
        seen = {found.path for found in home.walk()}
        assert "/last" in seen
    for arguments in itertools.chain(
        ({"agent": value} for value in TEXTS + WRONG),
        ({"store": value} for value in ["", "a\0b", str(Path(store).with_name("\udc80")), *WRONG]),
        ({"timeout": value} for value in NUMBERS),
    ):
        both = {"store": store, **arguments}
        if both["store"] is not None:
            hunt.outcome(f"open({arguments!r:.60})", lambda: homefs.open(**both).close())
    with homefs.open("me", store=store) as home:
        assert home.read("/last") == "words"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"calls": hunt.calls, "peak_mib": peak, "wrong": hunt.wrong}))
    return 1 if hunt.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
