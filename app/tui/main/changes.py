"""The changes of the tool list, which follow new ones."""

from __future__ import annotations

from textual.content import Content
from textual.screen import Screen

from ...engine.engine import Engine
from ..base.context import Shown
from ..text.pager import PagerScreen


def show_changes(screen: Screen[None], engine: Engine) -> Shown:
    """Show the changes since the previous list of tools."""
    from ..text.sections import change_sections

    title = Content("Changes since the previous list of tools")
    opened = ChangesScreen(title, change_sections(engine))
    screen.app.push_screen(opened)
    return opened, lambda: opened.take(change_sections(engine))


class ChangesScreen(PagerScreen):
    """The changes of the tool list, redrawn when they differ."""
