"""The listed definitions, compared with those of earlier."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..protocol.definitions.change_values import ListDiff
from .background import Background
from .definitions import Definitions

if TYPE_CHECKING:
    from ..protocol.tool import ToolDefinition


class Comparing:
    """Compares each list with the one before it, one comparison after the other."""

    def __init__(
        self,
        definitions: Definitions,
        tasks: Background,
        ready: Callable[[], Awaitable[None]],
        compare: Callable[[], Callable[[tuple[ToolDefinition, ...]], ListDiff]],
        compared: Callable[[], None],
    ) -> None:
        """`ready` waits for what the log has to say before. What `compare` gives may take long: it
        runs in a thread, and is asked for on the loop. `compared` is told of its end."""
        self.diff = ListDiff()
        """What the newest comparison found that was not empty."""
        self.may_begin = asyncio.Event()
        """Set after the first paint, or by whoever cannot wait for it."""
        self._definitions = definitions
        self._tasks = tasks
        self._ready = ready
        self._compare = compare
        self._compared = compared
        self._newest: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """There is another list: compare it as soon as may be."""
        self._newest = self._tasks.begin(self._compare_after(self._newest))

    async def wait(self) -> None:
        """Wait until what is listed on this connection was compared."""
        self.may_begin.set()
        if self._definitions.is_listed:
            await self._definitions.wait_until_listed()
        if self._newest is not None and not self._newest.done():
            await asyncio.wait({self._newest})

    async def _compare_after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait({before})
        await self.may_begin.wait()
        await self._ready()
        diff = await asyncio.to_thread(self._compare(), self._definitions.tools)
        if not diff.is_empty:
            self.diff = diff
        self._compared()
