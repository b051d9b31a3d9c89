"""Images of one widget that the terminal itself draws.

Images as text: kitty's graphics protocol with Unicode placeholders.

The data goes to the terminal once, without a place on the screen. The painted cells are ordinary
ones: U+10EEEE with two combining marks for row and column, and the number of the image as their
colour. So the image scrolls, is cut and is covered like any text, and nothing can be drawn over
widgets in front of it. Rules: https://sw.kovidgoyal.net/kitty/graphics-protocol/, "Unicode
placeholders", "Remote client", "Suppressing responses".
"""

from __future__ import annotations

import base64
import contextlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ...app.content.media.images import Form, Pixels
from .terminal_detection import (
    CELL,
    Graphics,
    Protocol,
    at_cell,
    cell_size,
    graphics,
    iterm2,
    terminal_writer,
)

PLACEHOLDER = "\U0010eeee"

CHUNK = 4096
"""Base64 characters in one command, as many as the protocol allows; a multiple of 4."""

_MARKS = (
    "0305 030D-030E 0310 0312 033D-033F 0346 034A-034C 0350-0352 0357 035B 0363-036F 0483-0487 "
    "0592-0595 0597-0599 059C-05A1 05A8-05A9 05AB-05AC 05AF 05C4 0610-0617 0657-065B 065D-065E "
    "06D6-06DC 06DF-06E2 06E4 06E7-06E8 06EB-06EC 0730 0732-0733 0735-0736 073A 073D 073F-0741 "
    "0743 0745 0747 0749-074A 07EB-07F1 07F3 0816-0819 081B-0823 0825-0827 0829-082D 0951 "
    "0953-0954 0F82-0F83 0F86-0F87 135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B 1B6D-1B73 1CD0-1CD2 "
    "1CDA-1CDB 1CE0 1DC0-1DC1 1DC3-1DC9 1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC "
    "20E1 20E7 20E9 20F0 2CEF-2CF1 2DE0-2DFF A66F A67C-A67D A6F0-A6F1 A8E0-A8F1 AAB0 AAB2-AAB3 "
    "AAB7-AAB8 AABE-AABF AAC1 FE20-FE26 10A0F 10A38 1D185-1D189 1D1AA-1D1AD 1D242-1D244"
)


def _expanded(ranges: str) -> tuple[str, ...]:
    marks: list[str] = []
    for one in ranges.split():
        first, _, last = one.partition("-")
        marks += [chr(code) for code in range(int(first, 16), int(last or first, 16) + 1)]
    return tuple(marks)


MARKS = _expanded(_MARKS)
"""The combining marks for 0, 1, 2, ...; the protocol's rowcolumn-diacritics.txt."""

MAX_SIDE = len(MARKS)
"""Cells that one picture can have in a row or a column."""


def new_id() -> int:
    """A number for a picture: 24 bits, so that a colour can hold it; no byte of it is 0.

    All programs in a terminal share the numbers, so it is drawn by lot.
    """
    return int.from_bytes(bytes(1 + secrets.randbelow(255) for _ in range(3)), "big")


def transmit(png: bytes, image_id: int, columns: int, rows: int, *, in_tmux: bool = False) -> str:
    """The sequences that send the terminal a picture of so many cells; it does not reply."""
    data = base64.standard_b64encode(png).decode("ascii")
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)] or [""]
    keys = f"a=T,U=1,f=100,t=d,i={image_id},c={columns},r={rows},q=2,"
    commands = []
    for number, chunk in enumerate(chunks):
        more = int(number < len(chunks) - 1)
        commands.append(f"\x1b_G{keys if number == 0 else 'q=2,'}m={more};{chunk}\x1b\\")
    return "".join(_passed(command) if in_tmux else command for command in commands)


def forget(image_id: int, *, in_tmux: bool = False) -> str:
    """The terminal may free the picture."""
    command = f"\x1b_Ga=d,d=I,i={image_id},q=2\x1b\\"
    return _passed(command) if in_tmux else command


def placeholders(image_id: int, columns: int, rows: int) -> list[Strip]:
    """Cells that the terminal paints the image onto.

    Each cell names its row and column: its left neighbour may be covered or cut off.
    """
    red, green, blue = image_id.to_bytes(3, "big")
    style = Style(color=Color.from_rgb(red, green, blue))
    columns, rows = min(columns, MAX_SIDE), min(rows, MAX_SIDE)
    return [
        Strip(
            [Segment("".join(PLACEHOLDER + MARKS[row] + mark for mark in MARKS[:columns]), style)],
            columns,
        )
        for row in range(rows)
    ]


def _passed(command: str) -> str:
    """For the terminal around tmux, which lets it through with `allow-passthrough` (tmux(1))."""
    return "\x1bPtmux;" + command.replace("\x1b", "\x1b\x1b") + "\x1b\\"


_FORMS: dict[Protocol, Form] = {
    Protocol.KITTY: "png",
    Protocol.ITERM2: "png",
    Protocol.SIXEL: "sixel",
}


@dataclass(slots=True)
class ImageFrame:
    """An image in a view. `image_id` is kitty's, 0 until it was sent to the terminal."""

    pixels: Pixels
    seconds: float = 0.0
    image_id: int = 0
    strips: list[Strip] | None = None
    drawn_for: object = None


class TerminalPictures:
    """Images of one widget, drawn by the terminal.

    `is_alone`: the widget neither scrolls nor is anything of its screen in front of it, so the
    terminal may draw over its cells.
    """

    def __init__(self, widget: Widget, *, is_alone: bool) -> None:
        self._widget = widget
        self._is_alone = is_alone
        self._is_due = False

    @property
    def way(self) -> Graphics | None:
        """Way of the terminal to draw images in this widget; None: in characters."""
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
        """Form that pixels should be decoded to."""
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
            max(1, min(-(-pixels.width // width), MAX_SIDE)),
            max(1, min(-(-pixels.height // height), MAX_SIDE)),
        )

    def tell(self, frame: ImageFrame) -> None:
        """Send a picture to a kitty, unless it is there already."""
        way = self.way
        if way is None or way.protocol is not Protocol.KITTY:
            return
        if frame.image_id or not frame.pixels.encoded:
            return
        frame.image_id = new_id()
        size = self.cells(frame.pixels)
        self._write(transmit(frame.pixels.encoded, frame.image_id, *size, in_tmux=way.in_tmux))

    def forget(self, frames: Iterable[ImageFrame]) -> None:
        """The terminal need not keep these any longer."""
        found = graphics()
        in_tmux = found is not None and found.in_tmux
        for frame in frames:
            if frame.image_id:
                self._write(forget(frame.image_id, in_tmux=in_tmux))
                frame.image_id = 0

    def strips(self, frame: ImageFrame) -> list[Strip]:
        """The cells of an encoded picture: kitty's, or blanks that are drawn over."""
        columns, rows = self.cells(frame.pixels)
        if frame.image_id:
            return placeholders(frame.image_id, columns, rows)
        return [Strip([Segment(" " * columns)], columns)] * rows

    def paint_soon(self, frame: ImageFrame) -> None:
        """Have the terminal draw over the cells once Textual has painted them."""
        if not frame.image_id and not self._is_due:
            self._is_due = True
            self._widget.call_after_refresh(self._paint, frame)

    def _paint(self, frame: ImageFrame) -> None:
        self._is_due = False
        way, widget = self.way, self._widget
        if way is None or not widget.is_attached or widget.screen is not widget.app.screen:
            return
        if widget.screen.query("Toast"):
            # A widget in front stays there; the cells are painted again when it goes.
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
