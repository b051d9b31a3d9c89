"""What holds the content of a pane, and says when it takes more lines or fewer."""

from __future__ import annotations

from textual import events
from textual.containers import Vertical
from textual.message import Message


class Growing(Vertical):
    """As high as its content."""

    DEFAULT_CSS = "Growing { height: auto; }"

    class Grew(Message):
        """It takes another number of lines than before."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines = 0

    @property
    def lines(self) -> int:
        """How many lines it took when it was laid out last."""
        return self._lines

    def on_resize(self, event: events.Resize) -> None:
        if event.size.height != self._lines:
            self._lines = event.size.height
            self.post_message(self.Grew())
