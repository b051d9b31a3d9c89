"""Messages without an answer, posted one after the other."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable

from ...content.json.jsonio import JsonValue
from ..gate import SendRefused

UNSENT_MAX = 1_000
"""Answers that may wait for a server that asks without taking them."""


class HttpOutbox:
    """Messages that have no answer: each leaves once the one before was received."""

    def __init__(self, post: Callable[[tuple[dict[str, JsonValue], int]], Awaitable[None]]) -> None:
        self._post = post
        self._unsent: deque[tuple[dict[str, JsonValue], int]] = deque()
        self._sending: asyncio.Task[None] | None = None

    def put(self, item: tuple[dict[str, JsonValue], int]) -> bool:
        """Send a message as soon as may be; False where too many wait already."""
        has_room = len(self._unsent) < UNSENT_MAX
        if has_room:
            self._unsent.append(item)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return has_room

    def close(self) -> None:
        """Drop the pending messages."""
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        while self._unsent:
            with contextlib.suppress(SendRefused):
                await self._post(self._unsent.popleft())
