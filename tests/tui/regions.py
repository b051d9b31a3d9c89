"""Parts of a screen as text: what stands in one widget of it, whole or as far as it is seen."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from signoff.app.content.texts.sheet_line import GLUE, GUTTER, SheetLine
from signoff.widgets.sheets import SheetView

READABLE = (SheetView, Static)
"""Widgets whose whole text can be read."""


def whole(view: SheetView | Static) -> str:
    """All that a sheet or a text says, however little of it fits: a line of it in one row."""
    if isinstance(view, SheetView):
        return "\n".join(_line(one) for one in view._lines)
    return str(view.render()).replace(GLUE, " ").rstrip()


def _line(line: SheetLine) -> str:
    label = line.label.ljust(line.indent) if line.indent else line.label
    aside = "".join(text for text, _ in line.aside)
    text = label + GUTTER * line.gutter + line.plain + (f"  [{aside}]" if aside else "")
    return text.replace(GLUE, " ").rstrip()


def seen(widget: Widget, *, is_framed: bool = False) -> str:
    """The rows of a widget as they stand on the screen; without its frame unless asked for."""
    strips = widget.screen._compositor.render_strips()
    region = widget.region if is_framed else widget.content_region
    region = region.intersection(widget.screen.region)
    assert region, f"{widget} is not on the screen"
    lines = strips[region.y : region.bottom]
    return "\n".join(line.crop(region.x, region.right).text.rstrip() for line in lines)


def frame(widget: Widget) -> str:
    """What stands in the frame of a widget: its title, and below it its subtitle."""
    words = (widget.border_title, widget.border_subtitle)
    return "\n".join(Content.from_markup(one).plain for one in words if one)


def notices(app: App[Any]) -> str:
    """What pops up, a line each."""
    return "\n".join(one.message for one in app._notifications)
