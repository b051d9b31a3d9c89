"""Turns of the event loop, one after the other, so that many calls at once never hold it up."""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """Whoever waits goes on in a turn of the loop that nobody else here has; first come, first
    served. Alone one goes on at once."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_taken = False
        """The turn of now."""

    async def wait(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._is_taken:
            self._is_taken = True
            loop.call_soon(self._next)
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._is_taken = False
