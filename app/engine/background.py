"""Tasks of the event loop that nobody awaits: what fails in one of them is said all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..protocol.findings import Finding, error
from ..storage.fault_log import note_fault

T = TypeVar("T")


class Background:
    """Begins tasks and keeps them until they end."""

    def __init__(self, notice: Callable[[Finding], None], doing: str) -> None:
        """`doing`: when it was that something failed, in words."""
        self._notice = notice
        self._doing = doing
        self._open: dict[asyncio.Task[Any], None] = {}

    def begin(self, work: Coroutine[Any, Any, T], name: str | None = None) -> asyncio.Task[T]:
        """Begin a task; its end is seen to."""
        task = asyncio.create_task(work, name=name)
        self._open[task] = None
        task.add_done_callback(self._done)
        return task

    def cancel(self) -> list[asyncio.Task[Any]]:
        """Cancel all that have not ended, and say which these are."""
        cancelled = list(self._open)
        for task in cancelled:
            task.cancel()
        return cancelled

    def _done(self, task: asyncio.Task[Any]) -> None:
        del self._open[task]
        problem = None if task.cancelled() else task.exception()
        if problem is not None:
            self._notice(error("fault", note_fault(problem, self._doing)))
