"""An agent that keeps what it learns with Anthropic's memory tool, in two conversations.

The model here is a script, so that the example runs without a key and a network. With a key,
`anthropic.Anthropic()` takes the place of `scripted_client()` and a model decides for itself.

    python memory_agent.py STORE
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2

import homefs
from homefs.adapters.anthropic import MemoryTool

#: What the model does in each conversation, one step for each answer it gets.
CONVERSATIONS: list[list[dict[str, Any]]] = [
    [
        {"command": "view", "path": "/memories"},
        {
            "command": "create",
            "path": "/memories/preferences.md",
            "file_text": "- drinks coffee\n- lives in Oslo\n",
        },
        {
            "command": "str_replace",
            "path": "/memories/preferences.md",
            "old_str": "coffee",
            "new_str": "tea",
        },
    ],
    [
        {"command": "view", "path": "/memories"},
        {"command": "view", "path": "/memories/preferences.md"},
    ],
]


def main(store: str) -> None:
    """Runs both conversations, each with a home of its own on the same store."""
    for script in CONVERSATIONS:
        with homefs.open(agent="akashi", store=store) as home:
            print(converse(scripted_client(script), MemoryTool(home), "What do I drink?"))
    with homefs.open(agent="akashi", store=store) as home:
        # What the model wrote is a file like any other: it has a history and can be recalled.
        print("versions:", len(home.log("/memories/preferences.md")))
        print(home.recall("what does the user drink?", max_tokens=200))


def converse(client: anthropic.Anthropic, memory: MemoryTool, question: str) -> str:
    """Lets the model use its memory until it answers, and returns what it says."""
    runner = client.beta.messages.tool_runner(
        model="claude-sonnet-5-5",
        max_tokens=1024,
        tools=[memory],
        messages=[{"role": "user", "content": question}],
    )
    final = runner.until_done()
    return "".join(block.text for block in final.content if block.type == "text")


def scripted_client(script: list[dict[str, Any]]) -> anthropic.Anthropic:
    """Returns a client whose model calls the memory tool by a script, then says what it saw."""
    steps: Iterator[dict[str, Any]] = iter(script)

    def answer(request: httpx2.Request) -> httpx2.Response:
        last = json.loads(request.content)["messages"][-1]["content"]
        command = next(steps, None)
        if command is None:
            seen = last[0]["content"]
            text = seen if isinstance(seen, str) else seen[0]["text"]
            content: list[dict[str, Any]] = [{"type": "text", "text": f"I remember: {text}"}]
        else:
            content = [{"type": "tool_use", "id": "use", "name": "memory", "input": command}]
        message = {
            "id": "message",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": content,
            "stop_reason": "end_turn" if command is None else "tool_use",
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return httpx2.Response(200, json=message)

    transport = httpx2.MockTransport(answer)
    return anthropic.Anthropic(api_key="none", http_client=httpx2.Client(transport=transport))


if __name__ == "__main__":
    main(sys.argv[1])
