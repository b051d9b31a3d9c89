"""Answers to what a Streamable HTTP server asked for, on their way to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from ...content.json.jsonio import JsonValue

UNSENT_MAX = 1_000
"""Answers that may wait for a server that asks without taking them."""


class HttpAnswers:
    """Each leaves in a request of its own, one after the other."""

    def __init__(self, outbox: Any) -> None:
        """`outbox` is the stream onto the transport of the SDK."""
        self._outbox = outbox
        self._unsent: deque[dict[str, JsonValue]] = deque()
        self._sending: asyncio.Task[None] | None = None

    def put(self, answer: dict[str, JsonValue]) -> bool:
        """Send it as soon as may be; False where too many wait already."""
        has_room = len(self._unsent) < UNSENT_MAX
        if has_room:
            self._unsent.append(answer)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return has_room

    def close(self) -> None:
        """Nobody waits for them any more."""
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        # The connection may be over by now; then nobody waits for them any more.
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while self._unsent:
                message = jsonrpc_message_adapter.validate_python(self._unsent.popleft())
                await self._outbox.send(SessionMessage(message))
