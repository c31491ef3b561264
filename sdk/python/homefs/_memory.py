"""The memory of one agent, with the two calls that most need."""

from __future__ import annotations

import os
from collections.abc import Sequence

from homefs._homefs import Home
from homefs._records import Remembered
from homefs._words import Strategy


class AgentMemory:
    """What an agent remembers; made by `agent_memory`."""

    def __init__(self, home: Home) -> None:
        self.home = home

    @property
    def agent(self) -> str:
        """The agent."""
        return self.home.agent

    def remember(
        self,
        content: str,
        *,
        title: str | None = None,
        importance: float | None = None,
        tags: str | Sequence[str] | None = None,
        ttl: str | None = None,
        source: str | None = None,
        namespace: str | None = None,
    ) -> Remembered:
        """Keeps a text; with a namespace in the shared space of that name."""
        return self.home.remember(
            content,
            title=title,
            importance=importance,
            tags=tags,
            ttl=ttl,
            source=source,
            space=None if namespace is None else f"shared/{namespace}",
        )

    def recall(self, query: str, max_tokens: int = 4000, *, strategy: Strategy = "balanced") -> str:
        """Returns the memories that answer best and fit the budget, as Markdown to be quoted."""
        return self.home.recall(query, max_tokens, strategy=strategy).text

    def forget(self, path: str, *, purge: bool = False) -> None:
        """Lets a memory go: to the trash, or for good."""
        self.home.forget(path, purge=purge)

    def close(self) -> None:
        """Ends the use of the home."""
        self.home.close()

    def __enter__(self) -> AgentMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def agent_memory(
    agent: str | None = None,
    *,
    store: str | os.PathLike[str] | None = None,
    home: Home | None = None,
) -> AgentMemory:
    """Opens the memory of an agent, or shows that of a home that is open."""
    return AgentMemory(home if home is not None else Home(agent, store=store))
