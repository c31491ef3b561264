"""The session of the OpenAI Agents SDK, against the one of its own package, and in a run."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import homefs

agents = pytest.importorskip(
    "agents", reason="needs the package openai-agents: homefs[openai-agents]"
)

from agents import Agent, Runner, SQLiteSession, set_tracing_disabled  # noqa: E402
from agents.items import ModelResponse  # noqa: E402
from agents.memory import Session, SessionSettings  # noqa: E402
from agents.models.interface import Model  # noqa: E402
from agents.usage import Usage  # noqa: E402
from openai.types.responses import ResponseOutputMessage, ResponseOutputText  # noqa: E402

from homefs.adapters.openai_agents import HomeSession  # noqa: E402


def says(text: str, role: str = "user") -> Any:
    return {"role": role, "content": text}


def test_it_agrees_with_the_session_of_the_package(home: homefs.Home, tmp_path: Path) -> None:
    async def run() -> None:
        ours: Any = HomeSession("one/../two", home)
        theirs: Any = SQLiteSession("one/../two", tmp_path / "sessions.db")
        assert isinstance(ours, Session)

        async def both(method: str, *arguments: Any) -> Any:
            expected = await getattr(theirs, method)(*arguments)
            assert await getattr(ours, method)(*arguments) == expected, (method, arguments)
            return expected

        await both("get_items")
        await both("pop_item")
        await both("clear_session")
        await both("add_items", [])
        await both("get_items")
        await both("add_items", [says("hello"), says('é\n\u2028"\ud800', "assistant")])
        await both("add_items", [{"type": "function_call", "arguments": "{}", "call_id": "1"}])
        for limit in (None, 0, 1, 2, 3, 4, -1):
            await both("get_items", limit)
        assert await both("pop_item") == {
            "type": "function_call",
            "arguments": "{}",
            "call_id": "1",
        }
        await both("get_items")
        await both("clear_session")
        await both("get_items")

    asyncio.run(run())


def test_settings_bound_what_is_returned(home: homefs.Home) -> None:
    async def run() -> None:
        session = HomeSession("s", home, session_settings=SessionSettings(limit=2))
        await session.add_items([says(str(number)) for number in range(5)])
        assert [item["content"] for item in await session.get_items()] == ["3", "4"]  # type: ignore[typeddict-item]
        assert len(await session.get_items(4)) == 4

    asyncio.run(run())


def test_sessions_are_apart_and_readable(home: homefs.Home) -> None:
    async def run() -> None:
        one, two = HomeSession("a/b", home), HomeSession("a", home)
        await one.add_items([says("größer")])
        await two.add_items([says("x")])
        assert len(await one.get_items()) == 1
        assert home.read(one.path) == '{"role": "user", "content": "größer"}\n'
        assert one.path.startswith("/sessions/") and one.path.count("/") == 2
        home.append(one.path, "a remark of somebody\n[1]\n")
        assert len(await one.get_items()) == 1
        assert await one.pop_item() == says("größer")

    asyncio.run(run())


def test_items_that_are_added_at_once_are_all_kept(home: homefs.Home) -> None:
    async def run() -> None:
        session = HomeSession("s", home)
        await asyncio.gather(*(session.add_items([says(str(n))]) for n in range(50)))
        popped = await asyncio.gather(*(session.pop_item() for _ in range(50)))
        assert sorted(json.dumps(item) for item in popped) == sorted(
            json.dumps(says(str(n))) for n in range(50)
        )
        assert await session.pop_item() is None

    asyncio.run(run())


class Scripted(Model):
    """A model that repeats how much it was given."""

    async def get_response(self, *arguments: Any, **named: Any) -> ModelResponse:
        given = named.get("input", arguments[1] if len(arguments) > 1 else [])
        count = 1 if isinstance(given, str) else len(given)
        text = ResponseOutputText(text=f"{count} items", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def test_a_run_goes_on_where_the_last_one_ended(home: homefs.Home) -> None:
    set_tracing_disabled(True)

    async def run() -> None:
        agent = Agent(name="scripted", model=Scripted())
        session = HomeSession("run", home)
        first = await Runner.run(agent, "hello", session=session)
        assert first.final_output == "1 items"
        second = await Runner.run(agent, "again", session=session)
        assert second.final_output == "3 items"
        assert len(await session.get_items()) == 4

    asyncio.run(run())
