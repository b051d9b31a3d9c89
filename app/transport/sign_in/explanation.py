"""The explained sign-in of one link: a module that imports nothing heavy before it is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

    import httpx2

    from .challenge import Demand
    from .values import Discovery


class SignInExplanation:
    """The discovery behind the refusals of one link, made once for all that are alike."""

    def __init__(self, note: Callable[[str], None]) -> None:
        """`note` gets a line on each request."""
        self._note = note
        self._one_at_a_time = asyncio.Lock()
        self._made: object = None
        """What was asked for when it was made; None before."""
        self.found: Discovery | None = None
        """The newest one; None if there is none, or nothing could be requested."""

    async def of(
        self,
        demand: Demand,
        verify: ssl.SSLContext | bool,
        transport: httpx2.AsyncBaseTransport | None,
    ) -> Discovery | None:
        """The discovery behind a demand; the others are those of `explain`."""
        from .explaining import explain

        asked = (demand.status, demand.challenges)
        async with self._one_at_a_time:
            if asked != self._made:
                self.found = await explain(demand, self._note, verify, transport)
                self._made = asked
        return self.found

    def forget(self) -> None:
        """Request everything again the next time: it may have been fixed."""
        self._made = None
