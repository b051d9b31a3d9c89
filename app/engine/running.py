"""What runs as the server of a bench, looked at once on each connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ..approval.what_runs import WhatRuns, unknown_runs
from ..storage.fault_log import note_fault


class Running:
    """`look` finds out what runs; `again` is told on a new connection what ran before, and now."""

    def __init__(
        self,
        look: Callable[[], Awaitable[WhatRuns | None]],
        again: Callable[[WhatRuns | None, WhatRuns | None], None],
    ) -> None:
        self._look = look
        self._again = again
        self._looking: asyncio.Task[None] | None = None
        self._before: list[WhatRuns | None] = []
        """What ran on the connection before; empty on the first one."""
        self._is_known = False
        self.now: WhatRuns | None = None
        """None also while nobody has looked."""

    def restart(self) -> None:
        """Another connection begins: what ran says nothing of it."""
        self.close()
        if self._is_known:
            self._before = [self.now]
        self._is_known, self.now = False, None

    async def known(self) -> WhatRuns | None:
        """What runs, when it has been looked at."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._find(), name="looking")
        if not self._looking.done():
            await asyncio.wait({self._looking})
        return self.now

    def close(self) -> None:
        """Look no more; whoever waits is told nothing."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _find(self) -> None:
        try:
            self.now = await self._look()
        except Exception as problem:
            words = note_fault(problem, "while it looked at what runs")
            self.now = unknown_runs(f"what runs is not known: {words}")
        self._is_known = True
        if self._before:
            self._again(self._before[0], self.now)
