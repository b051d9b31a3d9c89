"""What is heard of a Streamable HTTP server between calls: changes, and whether it is there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...protocol.findings import error
from ...protocol.rpc import RpcError
from ..events import Greeting, LinkEvent, ListChanged, Noticed, OfferListChanged
from ..greeting import PROBE_SECONDS, describe
from ..notices import wanted_changes
from ..protocol import MODERN
from ..session import words_of

if TYPE_CHECKING:
    from mcp import ClientSession

    from .tap import HttpTap

RELISTEN_SECONDS = 1.0
RELISTEN_SECONDS_MAX = 30.0


class HttpWatch:
    """Watches one server that was greeted."""

    def __init__(
        self,
        session: ClientSession,
        tap: HttpTap,
        greeting: Greeting,
        emit: Callable[[LinkEvent], None],
    ) -> None:
        self._session = session
        self._tap = tap
        self._is_modern = greeting.era == "modern"
        self._wanted = wanted_changes(greeting.capabilities)
        self._emit = emit
        self._doubt = asyncio.Event()

    async def until(self, over: asyncio.Event) -> None:
        """Hear of changes, and look whether the server is there, until the link is over."""
        import anyio

        self._tap.on_doubt = self._doubt.set
        async with anyio.create_task_group() as group:
            group.start_soon(self._look_after)
            if self._is_modern and self._wanted:
                group.start_soon(self._follow_changes)
            await over.wait()
            group.cancel_scope.cancel()

    async def _follow_changes(self) -> None:
        """Subscribe to list_changed, again and again as streams end (spec 2026-07-28)."""
        from mcp.client.subscriptions import SubscriptionLost, listen

        pause = RELISTEN_SECONDS
        has_listened = False
        while True:
            try:
                async with listen(
                    self._session,
                    tools_list_changed="toolsListChanged" in self._wanted,
                    resources_list_changed="resourcesListChanged" in self._wanted,
                    prompts_list_changed="promptsListChanged" in self._wanted,
                ) as subscription:
                    if has_listened:
                        # What changed meanwhile was told to nobody.
                        self._emit(ListChanged())
                        self._emit(OfferListChanged("resources"))
                        self._emit(OfferListChanged("prompts"))
                    has_listened, pause = True, RELISTEN_SECONDS
                    async for _ in subscription:
                        """The tap has told of it."""
            except SubscriptionLost:
                pass
            except Exception as problem:
                if not has_listened:
                    kept = self._tap.kept("subscriptions/listen")
                    why = describe(kept) if isinstance(kept, RpcError) else words_of(problem)
                    words = f"the server does not tell when its lists change: {why}"
                    self._emit(Noticed(error("subscription-lost", words)))
                    return
            await asyncio.sleep(pause)
            pause = min(RELISTEN_SECONDS_MAX, pause * 2)

    async def _look_after(self) -> None:
        """Where a connection broke, ask the server for a sign of life: any answer is one."""
        import anyio

        session = self._session
        while True:
            await self._doubt.wait()
            self._doubt.clear()
            with anyio.move_on_after(PROBE_SECONDS), contextlib.suppress(Exception):
                await (session.send_discover(MODERN) if self._is_modern else session.send_ping())
