"""A session of the OpenAI Agents SDK: what was said, one line of JSON for each item.

    session = HomeSession("conversation-7", homefs.open(agent="akashi"))
    await Runner.run(agent, "Hello", session=session)

The file is `/sessions/<session id>.jsonl`, for `grep` and for people to read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agents.memory import SessionABC, SessionSettings
from agents.memory.session_settings import resolve_session_limit

from homefs import Conflict, Home, NotFound, aio
from homefs.adapters._text import to_json, to_name

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

__all__ = ["HomeSession"]


class HomeSession(SessionABC):
    """The history of one conversation, in a file of a home."""

    def __init__(
        self,
        session_id: str,
        home: Home | aio.Home,
        *,
        path: str = "/sessions",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._home = home if isinstance(home, aio.Home) else aio.Home(home)
        self.path = f"{path.rstrip('/')}/{to_name(session_id)}.jsonl"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the items in the order in which they were said; of many, the last."""
        limit = resolve_session_limit(limit, self.session_settings)
        try:
            items = [item for line in await self._lines() if (item := _item(line)) is not None]
        except NotFound:
            return []
        if limit is None or limit < 0:
            return items
        return items[len(items) - min(limit, len(items)) :]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items to the end, all or none."""
        if items:
            lines = "".join(f"{to_json(item)}\n" for item in items)
            await self._home.append(self.path, lines)

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the last item away and returns it."""
        while True:
            try:
                version = (await self._home.stat(self.path)).version
                lines = await self._lines()
                item = None
                while lines and item is None:
                    item = _item(lines.pop())
                rest = "".join(f"{line}\n" for line in lines)
                await self._home.write(self.path, rest, expected_version=version)
            except NotFound:
                return None
            except Conflict:
                # Somebody else has spoken meanwhile, and may have said the last word.
                continue
            return item

    async def clear_session(self) -> None:
        """Forgets all of it; the file goes to the trash."""
        try:
            await self._home.delete(self.path)
        except NotFound:
            pass

    async def _lines(self) -> list[str]:
        return (await self._home.read(self.path)).removesuffix("\n").split("\n")


def _item(line: str) -> TResponseInputItem | None:
    """Reads an item; what people have written between them is none."""
    try:
        item = json.loads(line)
    except ValueError:
        return None
    return item if isinstance(item, dict) else None  # type: ignore[return-value]
