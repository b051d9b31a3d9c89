"""Log messages to the client: at each level, from several loggers, and far too many."""

from __future__ import annotations

from typing import Annotated, Any, Final, get_args

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.types import (
    LOG_LEVEL_META_KEY,
    CallToolResult,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SetLevelRequestParams,
)
from pydantic import Field

from ..declare import hints, plain, tool
from .revisions import is_modern

_READS: Final = hints(read_only=True, open_world=False)
_LEVELS: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)
_MESSAGES: Final[dict[LoggingLevel, tuple[str | None, Any]]] = {
    "debug": ("demo.kitchen", "The oven reports 181.4 degrees."),
    "info": ("demo.kitchen", "The soup is on the table."),
    "notice": ("demo.door", {"event": "opened", "by": "ada", "at": "18:30"}),
    "warning": ("demo.kitchen", {"low": ["flour", "salt"], "left": {"flour": 0.2, "salt": 0.1}}),
    "error": ("demo.door", "The door did not close.\nIt was tried twice."),
    "critical": ("demo.kitchen", {"error": {"code": 71, "message": "Smoke above the stove"}}),
    "alert": (None, ["a list", 2, True, None]),
    "emergency": (None, "Leave the kitchen."),
}


class LogTools:
    """The messages are made up; the level that the client sets is kept."""

    def __init__(self) -> None:
        self._least: LoggingLevel = "info"

    async def set_level(
        self, ctx: ServerRequestContext[Any, Any], params: SetLevelRequestParams
    ) -> HandlerResult:
        """`logging/setLevel`, which revisions up to 2025-11-25 have."""
        self._least = params.level
        return {}

    @tool("Log at every level", _READS)
    async def log_every_level(self, ctx: Context) -> CallToolResult:
        """Sends one log message at each of the eight levels, some as text and some as data. Levels
        below the client's log level are left out."""
        sent = [
            level
            for level, (logger, data) in _MESSAGES.items()
            if await self._log(ctx, level, data, logger)
        ]
        named = f": {', '.join(sent)}" if sent else ""
        return plain(f"Sent {len(sent)} of {len(_MESSAGES)} messages{named}.{self._why_none(ctx)}")

    @tool("Flood the log", _READS)
    async def flood_the_log(
        self,
        ctx: Context,
        messages: Annotated[int, Field(ge=1, le=20_000, description="How many")] = 2_000,
    ) -> CallToolResult:
        """Sends log messages as fast as it can. A client should stay responsive, keep some of them,
        and show the number of dropped ones."""
        sent = 0
        for number in range(1, messages + 1):
            sent += await self._log(ctx, "info", f"Drop {number} of {messages}", "demo.flood")
        return plain(f"Sent {sent} of {messages} messages.{self._why_none(ctx)}")

    async def _log(self, ctx: Context, level: LoggingLevel, data: Any, logger: str | None) -> bool:
        """Whether the client wants this level; it is then sent."""
        least = self._least_of(ctx)
        if least not in _LEVELS or _LEVELS.index(level) < _LEVELS.index(least):
            return False
        params = LoggingMessageNotificationParams(level=level, logger=logger, data=data)
        await ctx.session.send_notification(
            LoggingMessageNotification(params=params), related_request_id=ctx.request_id
        )
        return True

    def _least_of(self, ctx: Context) -> Any:
        """The level from which on the client wants messages; None for none at all."""
        if is_modern(ctx):
            return (ctx.request_context.meta or {}).get(LOG_LEVEL_META_KEY)
        return self._least

    def _why_none(self, ctx: Context) -> str:
        return "" if self._least_of(ctx) in _LEVELS else " This request did not ask for any."
