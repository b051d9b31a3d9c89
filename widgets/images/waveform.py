"""Draws the loudness of a sound from left to right, in blocks of eighths; needs no colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

BLOCKS = " ▁▂▃▄▅▆▇█"
ROWS = 4


class WaveformView(Widget, can_focus=True):
    """Draws peaks from 0 to 1, one a column, the loudest as high as there is room.

    It asks with `Wanted` for as many as it has columns, again when its width changes, and draws
    nothing until there are some.
    """

    DEFAULT_CSS = """
    WaveformView { width: 1fr; height: auto; color: $text-accent; }
    WaveformView:focus { background: $foreground 5%; }
    """

    class Wanted(Message):
        """Number of peaks that are needed."""

        def __init__(self, view: WaveformView, columns: int) -> None:
            super().__init__()
            self.view = view
            self.columns = columns

        @property
        def control(self) -> WaveformView:
            return self.view

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._peaks: tuple[float, ...] = ()
        self._asked = 0

    def show(self, peaks: Sequence[float]) -> None:
        """Draw these."""
        self._peaks = tuple(peaks)
        self.refresh(layout=True)

    def _on_resize(self, event: events.Resize) -> None:
        width = self.content_size.width
        if width and width != self._asked:
            self._asked = width
            self.post_message(self.Wanted(self, width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return ROWS if self._peaks else 0

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        line = bars(self._peaks, ROWS)[y] if self._peaks and y < ROWS else ""
        return Strip([Segment(line)]).adjust_cell_length(width).apply_style(self.rich_style)


def bars(peaks: Sequence[float], rows: int) -> list[str]:
    """Lines from the top, one character a peak; any sound is at least an eighth high."""
    loudest = max(peaks, default=0.0)
    eighths = [max(1, round(peak / loudest * 8 * rows)) if peak > 0 else 0 for peak in peaks]
    return [
        "".join(BLOCKS[min(8, max(0, one - 8 * row))] for one in eighths)
        for row in reversed(range(rows))
    ]
