"""What happens when drawing something fails: it is said, and the program goes on."""

from __future__ import annotations

from textual.widget import Widget
from textual.worker import Worker, WorkerState


class TellsFailures(Widget):
    """A widget whose workers may fail on what a server sent without ending the program.

    Name it after the container that it is mixed into: Textual takes the styles of the first base.
    """

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        event.stop()
        if event.state is WorkerState.ERROR:
            words = (
                f"This could not be drawn ({type(event.worker.error).__name__}); f8 shows it raw."
            )
            self.notify(words, severity="error", markup=False)
