"""Failures of background work on screens: reported, with a trace kept; the program goes on."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final

from rich.console import RenderableType
from textual.app import App
from textual.css.query import NoMatches
from textual.widget import MountError, Widget
from textual.worker import Worker, WorkerFailed, WorkerState

from ...presentation.exit_status import ExitStatus
from ...storage.fault_log import note_fault, watch, watch_loop

_OF_LEAVING: Final = (MountError, NoMatches)
"""Raised by Textual for a change of the screen once the app exits and has none left."""


NOT_DONE = "This could not be done"


class TellsFailures(Widget):
    """A widget whose workers may fail, for example on a server's data, without ending the program.

    Name it after the container that it is mixed into: Textual takes the styles of the first base.
    """

    FAILED: ClassVar[str] = "This could not be drawn (f8: show it raw)"
    """What the failure of a worker means."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        event.stop()
        problem = event.worker.error
        if event.state is WorkerState.ERROR and problem is not None:
            words = f"{self.FAILED}: {note_fault(problem, 'in work for the screen')}."
            self.notify(words, severity="error", timeout=10, markup=False)


class LeavesTrace(App[None]):
    """An app that a fault ends in words. Textual would print the traceback with all variables."""

    fault = ""
    """What ended it, in words; empty where nothing did."""
    _is_leaving = False

    def exit(
        self,
        result: None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        self._is_leaving = True
        super().exit(result, return_code, message)

    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._is_leaving and isinstance(cause, _OF_LEAVING):
            return
        if not self.fault:
            self.fault = note_fault(cause, "on the screen")
        super()._handle_exception(error)
        self._return_code = ExitStatus.FAULT

    def panic(self, *renderables: object) -> None:
        """Suppress Textual's own output for an exception that draws itself."""
        self._fatal_error()

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def tell_faults(self) -> None:
        """Show uncaught exceptions of tasks and threads from now on. Call it on the loop."""
        loop = asyncio.get_running_loop()
        watch_loop(loop)

        def tell(words: str) -> None:
            loop.call_soon_threadsafe(self._tell_fault, words)

        watch(tell)

    def _tell_fault(self, words: str) -> None:
        words = f"{words[:1].upper()}{words[1:]}."
        self.notify(words, title="Fault", severity="error", timeout=10, markup=False)
