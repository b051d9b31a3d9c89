"""What a program under test draws: each widget once it comes into sight, and what a test reads.

Textual draws after every change, and throws away what it drew where there is no terminal: a
quarter of what a test of the whole program cost. A test that reads the rows of a screen has all
of them drawn at that moment, unless nothing has changed since the last time.

It uses names of Textual that are private; `private_names.py` lists them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.strip import Strip
from textual.widget import Widget

Draw = Callable[..., Any]
Rows = Callable[..., list[Strip]]


_times = count()
_last_time = next(_times)
"""When something was drawn last, of any screen."""


def drawn_once(draw: Draw) -> Draw:
    """The same for what goes to a terminal; else each widget is drawn once, by itself."""
    drawn: WeakSet[Widget] = WeakSet()

    def draw_what_is_new(
        self: Compositor, full: bool = False, screen_stack: Any = None, simplify: bool = False
    ) -> Any:
        global _last_time
        _last_time = next(_times)
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

    kept: WeakKeyDictionary[Compositor, tuple[object, list[Strip]]] = WeakKeyDictionary()

    def rows_as_seen(self: Compositor, size: Any = None) -> list[Strip]:
        root = self.root
        if root is not None and root is root.app.screen:
            visible_screen_stack.set(root.app._background_screens)
        if root is None or not _is_settled(self):
            return rows(self, size)
        app = root.app
        now = _last_time, size, app.size, id(app.screen), *map(id, app._filters)
        before = kept.get(self)
        if before is None or before[0] != now:
            before = kept[self] = now, rows(self, size)
        return list(before[1])

    return rows_as_seen


def _is_settled(compositor: Compositor) -> bool:
    """Whether nothing is about to change what is drawn; all of it is in one of these places."""
    root = compositor.root
    try:
        has_work = bool(getattr(asyncio.get_running_loop(), "_ready", (None,)))
    except RuntimeError:
        return False
    if has_work or root is None or root.app._batch_count or compositor._dirty_regions:
        return False
    return not any(
        one._dirty_widgets
        or one._layout_required
        or one._scroll_required
        or one._repaint_required
        or one._recompose_required
        for one in root.app.screen_stack
    )
