"""Words on the frame of a widget, in the wording for which there is room."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

_FRAME = 6
"""Cells of the frame beside its words: corners, a bit of line, a blank."""


def that_fits(box: Widget, wordings: Sequence[Content]) -> Content:
    """The first of the wordings that fits on a side of the box, which is laid out; else the last.

    The longest comes first.
    """
    room = box.outer_size.width - _FRAME
    return next((one for one in wordings if one.cell_length <= room), wordings[-1])
