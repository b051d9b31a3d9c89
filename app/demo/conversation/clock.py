"""A resource that changes each second in the background, with an update for each subscriber."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ResourceUpdated, SubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.types import SubscribeRequestParams, UnsubscribeRequestParams

from ..sandbox import tell
from .resources import CLOCK, Catalogue


class RunningWork:
    """Keeps hold of running work; a failure is reported to the operator and ends nothing else."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin the work; cancel the returned task to end it early."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            tell(f"work in the background failed: {type(error).__name__}")


_NOT_FOUND = -32002
"""Resource not found, in the revisions that have `resources/subscribe`."""
_SHORTEST_BEAT = 0.05

Ctx = ServerRequestContext[Any, Any]


class DemoClock:
    """Ticks while somebody listens, in the way of either revision."""

    def __init__(
        self, catalogue: Catalogue, bus: SubscriptionBus, background: RunningWork, beat: float
    ) -> None:
        self._catalogue = catalogue
        self._bus = bus
        self._background = background
        self._beat = max(beat, _SHORTEST_BEAT)
        self._telling: tuple[ServerSession, asyncio.Task[None]] | None = None
        """The newest session that subscribed in the older way, and its ticks."""
        self._ticking: asyncio.Task[None] | None = None
        """The ticks for those who listen."""
        self._listeners = 0

    async def subscribe(self, ctx: Ctx, params: SubscribeRequestParams) -> HandlerResult:
        """`resources/subscribe`. What never changes can be subscribed to, and never tells."""
        if params.uri not in self._catalogue:
            raise MCPError(_NOT_FOUND, "Resource not found", {"uri": params.uri})
        if params.uri == CLOCK and (self._telling is None or self._telling[0] is not ctx.session):
            self._stop_telling()
            self._telling = ctx.session, self._background.start(self._tell(ctx.session))
        return {}

    async def unsubscribe(self, ctx: Ctx, params: UnsubscribeRequestParams) -> HandlerResult:
        """`resources/unsubscribe`."""
        if params.uri == CLOCK:
            self._stop_telling()
        return {}

    def _stop_telling(self) -> None:
        if self._telling is not None:
            self._telling[1].cancel()
            self._telling = None

    async def listen(self, ctx: Ctx, call_next: CallNext) -> HandlerResult:
        """`subscriptions/listen`, which lasts for as long as somebody listens."""
        filters = (ctx.params or {}).get("notifications")
        wanted = filters.get("resourceSubscriptions") if isinstance(filters, dict) else None
        if not isinstance(wanted, list) or CLOCK not in wanted:
            return await call_next(ctx)
        self._listeners += 1
        if self._ticking is None:
            self._ticking = self._background.start(self._publish())
        try:
            return await call_next(ctx)
        finally:
            self._listeners -= 1
            if not self._listeners and self._ticking is not None:
                self._ticking.cancel()
                self._ticking = None

    async def _tell(self, session: ServerSession) -> None:
        while True:
            await asyncio.sleep(self._beat)
            await session.send_resource_updated(CLOCK)

    async def _publish(self) -> None:
        while True:
            await asyncio.sleep(self._beat)
            await self._bus.publish(ResourceUpdated(uri=CLOCK))
