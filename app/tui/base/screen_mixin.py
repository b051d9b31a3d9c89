"""Corrects what Textual's screens get wrong or do twice."""

from __future__ import annotations

from textual import events, messages
from textual.screen import Screen


class ScreenMixin:
    """Mix into every screen, before its other bases.

    Sizes: Textual keeps the size of a widget until a count of its changes has moved, and moves the
    count only if no layout is requested yet: a widget that changes twice, with a layout of the
    screen between the two, keeps the height of the first for ever.

    Styles: Textual styles each widget as it is mounted, and all of them again as their new
    screen comes to the front, a fifth of the processor time in which a dialog opens. Only the
    screen itself needs it: it is mounted before its own style sheet is read.
    """

    _was_in_front = False

    def on_layout(self, message: messages.Layout) -> None:
        message.widget._layout_updates += 1

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        assert isinstance(self, Screen)
        if not self._was_in_front:
            self._was_in_front = True
            event.refresh_styles = False
            self.app.stylesheet.update_nodes([self])
