"""The newest running call in one line, for layouts without room for the list of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from ..app.calls.call import Call
from .call_list import CallList
from .call_row import Line, draw_call


class RunningLine(Widget):
    """One line while a call runs, nothing otherwise.

    A click on `cancel` posts `CallList.CancelRequested`, one elsewhere `CallList.Selected`.
    """

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    RunningLine {
        height: 1;
        width: 1fr;
        display: none;
        background: $panel;
        color: $foreground;
    }
    RunningLine.-running { display: block; }
    RunningLine > .running-line--bar { color: $text-accent; }
    RunningLine > .running-line--cancel { color: $text-error; text-style: underline; }
    RunningLine > .running-line--muted { color: $text-muted; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "running-line--bar",
        "running-line--cancel",
        "running-line--muted",
    }

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._call: Call | None = None
        self._others = 0
        self._now = 0.0

    def show(self, calls: Sequence[Call], now: float) -> None:
        """Draw the newest of these calls that has no outcome yet; they are given oldest first.

        While an answer is being validated, its call is not over, but no longer runs.
        """
        open_calls = [call for call in calls if call.outcome is None]
        self._call = open_calls[-1] if open_calls else None
        self._others = max(0, len(open_calls) - 1)
        self._now = now
        self.set_class(self._call is not None, "-running")
        if self._call is not None:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        line = self._line(width)
        if line is None or y:
            return Strip.blank(width, base)
        segments = [
            Segment(
                part.text,
                self.get_component_rich_style(f"running-line--{part.role}") if part.role else base,
            )
            for part in line.parts
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def on_click(self, event: events.Click) -> None:
        line = self._line(self.size.width)
        if line is None or self._call is None:
            return
        event.stop()
        if line.role_at(event.x) == "cancel":
            self.post_message(CallList.CancelRequested(self._call.id))
        else:
            self.post_message(CallList.Selected(self._call.id))

    def _line(self, width: int) -> Line | None:
        if self._call is None:
            return None
        more = f"+{self._others:,} more" if self._others else ""
        return draw_call(
            self._call,
            width,
            self._now,
            id_cells=len(str(self._call.id)),
            has_key=True,
            more=more,
        )
