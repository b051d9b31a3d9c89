"""What a program under test draws: each widget once it comes into sight, and what a test reads.

Textual draws after every change, and throws away what it drew where there is no terminal: a
quarter of what a test of the whole program cost. A test that reads the rows of a screen has all
of them drawn at that moment.

It uses names of Textual that are private; `private_names.py` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.strip import Strip
from textual.widget import Widget

Draw = Callable[..., Any]
Rows = Callable[..., list[Strip]]


def drawn_once(draw: Draw) -> Draw:
    """The same for what goes to a terminal; else each widget is drawn once, by itself."""
    drawn: WeakSet[Widget] = WeakSet()

    def draw_what_is_new(
        self: Compositor, full: bool = False, screen_stack: Any = None, simplify: bool = False
    ) -> Any:
        if full or self.root is None or not self.root.app.is_headless:
            return draw(self, full, screen_stack, simplify)
        for widget, (region, clip) in self.visible_widgets.items():
            if widget not in drawn:
                drawn.add(widget)
                visible_screen_stack.set(list(screen_stack or ()))
                widget.render_lines(clip.intersection(region).translate(-region.offset))
        self._dirty_regions.clear()
        return None

    return draw_what_is_new


def as_seen(rows: Rows) -> Rows:
    """The same with the screens that show through from behind, whoever reads it."""

    def rows_as_seen(self: Compositor, size: Any = None) -> list[Strip]:
        root = self.root
        if root is not None and root is root.app.screen:
            visible_screen_stack.set(root.app._background_screens)
        return rows(self, size)

    return rows_as_seen
