"""Works around a stale size cache of Textual."""

from __future__ import annotations

from textual import messages


class FreshSizes:
    """Mix into a screen, before its other bases.

    Textual keeps the size of a widget until a count of its changes has moved, and moves the count
    only if no layout is requested yet: a widget that changes twice, with a layout of the screen
    between the two, keeps the height of the first for ever.
    """

    def on_layout(self, message: messages.Layout) -> None:
        message.widget._layout_updates += 1
