"""What is drawn of a widget, as text that can be approved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App
from textual.widget import Widget


def drawn(widget: Widget) -> str:
    """The rows of the widget in sight, without frame and bars; trailing blanks are left out."""
    in_sight = widget.screen.find_widget(widget).visible_region
    region = widget.scrollable_content_region.intersection(in_sight)
    strips = widget.screen._compositor.render_strips()
    rows = [strips[y].crop(region.x, region.right).text.rstrip() for y in region.line_range]
    return "\n".join(rows).strip("\n")


def flowing(widget: Widget) -> str:
    """What is drawn of the widget as one line, however it is folded."""
    return " ".join(drawn(widget).split())


class Notices:
    """The notices of a program, each read once, in their order."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._read: set[str] = set()

    def take(self) -> str | None:
        """The oldest notice that was not read yet, with its title."""
        for one in list(self._app._notifications):
            if one.identity not in self._read:
                self._read.add(one.identity)
                return "\n".join(filter(None, [one.title, one.message]))
        return None

    async def next(self, until: Callable[[Callable[[], object], str], Awaitable[None]]) -> str:
        """Wait, with the `until` of a stage, for a notice that was not read yet."""
        taken: list[str | None] = []

        def has_come() -> bool:
            taken.append(self.take())
            return taken[-1] is not None

        await until(has_come, "a notice")
        return taken[-1] or ""
