"""Work that goes on after the answer that started it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from ..operator import tell


class Background:
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
