"""The pictures of one widget that the terminal itself draws."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from ...app.content.media.images import Form, Pixels
from . import kitty
from .graphics import (
    CELL,
    Graphics,
    Protocol,
    at_cell,
    cell_size,
    graphics,
    iterm2,
    terminal_writer,
)

_FORMS: dict[Protocol, Form] = {
    Protocol.KITTY: "png",
    Protocol.ITERM2: "png",
    Protocol.SIXEL: "sixel",
}


@dataclass(slots=True)
class Frame:
    """A picture in a view. `image_id` is kitty's, 0 while the terminal was not told of it."""

    pixels: Pixels
    seconds: float = 0.0
    image_id: int = 0
    strips: list[Strip] | None = None
    drawn_for: object = None


class TerminalPictures:
    """What one widget has the terminal draw.

    `is_alone`: the widget neither scrolls nor is anything of its screen in front of it, so the
    terminal may draw over its cells.
    """

    def __init__(self, widget: Widget, *, is_alone: bool) -> None:
        self._widget = widget
        self._is_alone = is_alone
        self._is_due = False

    @property
    def way(self) -> Graphics | None:
        """How the terminal draws pictures in this widget; None: in characters."""
        found, app = graphics(), self._widget.app
        if found is None or app.no_color or terminal_writer(app) is None:
            return None
        if found.protocol is Protocol.KITTY:
            # The number of a picture is a colour: one that is changed would be another picture's.
            return found if app.console.color_system == "truecolor" else None
        if not self._is_alone or (found.protocol is Protocol.SIXEL and cell_size() is None):
            return None
        return found

    @property
    def form(self) -> Form:
        """What pixels should be decoded to."""
        way = self.way
        return "rgb" if way is None else _FORMS[way.protocol]

    @property
    def pixels_a_cell(self) -> tuple[int, int]:
        """A cell of half blocks has 1 x 2."""
        return (1, 2) if self.way is None else (cell_size() or CELL)

    def cells(self, pixels: Pixels) -> tuple[int, int]:
        """Columns and rows that encoded pixels take."""
        width, height = cell_size() or CELL
        return (
            max(1, min(-(-pixels.width // width), kitty.MAX_SIDE)),
            max(1, min(-(-pixels.height // height), kitty.MAX_SIDE)),
        )

    def tell(self, frame: Frame) -> None:
        """Send a picture to a kitty, unless it is there already."""
        way = self.way
        if way is None or way.protocol is not Protocol.KITTY:
            return
        if frame.image_id or not frame.pixels.encoded:
            return
        frame.image_id = kitty.new_id()
        size = self.cells(frame.pixels)
        self._write(
            kitty.transmit(frame.pixels.encoded, frame.image_id, *size, in_tmux=way.in_tmux)
        )

    def forget(self, frames: Iterable[Frame]) -> None:
        """The terminal need not keep these any longer."""
        found = graphics()
        in_tmux = found is not None and found.in_tmux
        for frame in frames:
            if frame.image_id:
                self._write(kitty.forget(frame.image_id, in_tmux=in_tmux))
                frame.image_id = 0

    def strips(self, frame: Frame) -> list[Strip]:
        """The cells of an encoded picture: kitty's, or blanks that are drawn over."""
        columns, rows = self.cells(frame.pixels)
        if frame.image_id:
            return kitty.placeholders(frame.image_id, columns, rows)
        return [Strip([Segment(" " * columns)], columns)] * rows

    def paint_soon(self, frame: Frame) -> None:
        """Have the terminal draw over the cells once Textual has painted them."""
        if not frame.image_id and not self._is_due:
            self._is_due = True
            self._widget.call_after_refresh(self._paint, frame)

    def _paint(self, frame: Frame) -> None:
        self._is_due = False
        way, widget = self.way, self._widget
        if way is None or not widget.is_attached or widget.screen is not widget.app.screen:
            return
        if widget.screen.query("Toast"):
            # What is in front stays there; the cells are painted again when it goes.
            return
        columns, rows = self.cells(frame.pixels)
        region = widget.content_region
        if columns > region.width or rows > region.height:
            return
        encoded = frame.pixels.encoded
        picture = (
            iterm2(encoded, columns, rows)
            if way.protocol is Protocol.ITERM2
            else encoded.decode("ascii")
        )
        left = region.x + (region.width - columns) // 2
        top = region.y + (region.height - rows) // 2
        self._write(at_cell(left, top, picture))

    def _write(self, sequence: str) -> None:
        # While the app is closing there may be no terminal any more.
        with contextlib.suppress(Exception):
            if (write := terminal_writer(self._widget.app)) is not None:
                write(sequence)
