"""The memory tool of Anthropic (`memory_20250818`) on the directory `/memories` of a home.

    tool = MemoryTool(homefs.open(agent="akashi"))
    runner = client.beta.messages.tool_runner(tools=[tool], ...)

What the tool says, errors included, is what the reference implementation says, word for word.
What it deletes goes to the trash, and every version of a memory is kept.
"""

from __future__ import annotations

import json

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    ToolError,
)
from anthropic.types.beta import BetaCacheControlEphemeralParam, BetaMemoryTool20250818Command

from homefs import Error, Home, aio

__all__ = ["AsyncMemoryTool", "MemoryTool"]


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool of an agent, for `anthropic.Anthropic`."""

    def __init__(
        self, home: Home, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._home = home

    def _do(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return self._home._memory_command(_said(command))
        except Error as error:
            raise ToolError(error.message) from error

    view = create = str_replace = insert = delete = rename = _do

    def clear_all_memory(self) -> str:
        """Removes all memories, to the trash."""
        return self._home._clear_memories()


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool of an agent, for `anthropic.AsyncAnthropic`."""

    def __init__(
        self,
        home: Home | aio.Home,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._home = home if isinstance(home, aio.Home) else aio.Home(home)

    async def _do(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            answer = self._home._twin()._memory_command(_said(command))
            return await self._home._answer(answer)
        except Error as error:
            raise ToolError(error.message) from error

    view = create = str_replace = insert = delete = rename = _do

    async def clear_all_memory(self) -> str:
        """Removes all memories, to the trash."""
        return await self._home._answer(self._home._twin()._clear_memories())


def _said(command: BetaMemoryTool20250818Command) -> str:
    """Returns a command as the model gave it."""
    # What it gave wrong is told by the answer.
    return json.dumps(command.to_dict(warnings=False))
