"""The report of a running call: its bar, the whole message, its pace, and how it is cancelled."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.widgets import Static

from ....widgets.labels import say
from ....widgets.lists.call_row import bar, can_cancel
from ...calls.call import Call, State
from ...content.text import seconds
from ...protocol.progress import pace_words

BAR_MOST: Final = 60
"""Cells of the bar."""
QUIET: Final = "$foreground-muted"


class RunningReport(Static):
    """Hidden unless a call is running. `show` gets the time; the widget has no clock."""

    DEFAULT_CSS = """
    RunningReport { height: auto; margin-top: 1; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, call: Call | None, now: float) -> None:
        """Draw this call if it was sent and has no outcome yet."""
        is_shown = call is not None and call.outcome is None and call.state is State.RUNNING
        if self.display is not is_shown:
            self.display = is_shown
        if call is not None and is_shown:
            say(self, running_words(call, now, self.container_size.width))


def running_words(call: Call, now: float, width: int) -> Content:
    """Bar and figures; the message; time, rate and time left; the key that cancels."""
    progress = call.progress
    figures = progress.words or ("" if progress.count else "no progress reported yet")
    cells = max(5, min(BAR_MOST, width - len(figures) - 3))
    pace = next(iter(pace_words(call.pace, progress, now)), "")
    lines = [
        Content.assemble((bar(call, cells, now), "$text-accent"), ("  ", ""), (figures, "bold")),
        Content(progress.message or (call.task.words if call.task is not None else "")),
        Content.styled(" · ".join(filter(None, (seconds(call.elapsed(now)), pace))), QUIET),
    ]
    if call.cancel_requested:
        lines.append(Content.styled(call.status, "bold $text-warning"))
    elif can_cancel(call):
        lines.append(Content.assemble(("ctrl+x", "bold $text-error"), ": cancel"))
    return Content("\n").join(line for line in lines if line)
