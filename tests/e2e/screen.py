"""The screen of a pseudo-terminal: bytes in, cells out."""

from __future__ import annotations

import codecs
import re
from typing import Any

import pyte

_ESCAPES = re.compile(
    r"""
      \x1b\[ (?P<params>[0-?]*) (?P<between>[ -/]*) (?P<final>[@-~])   # CSI
    | \x1b\] [^\x07\x1b]* (?:\x07|\x1b\\)                               # OSC
    | \x1b[PX^_] (?s:.*?) \x1b\\                                        # DCS, SOS, PM, APC
    """,
    re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_](?:(?!\x1b\\)[\s\S])*)?\Z"
)
_COLOURS = re.compile(r"[\d;]*")
_PLAIN_PARAMS = re.compile(r"\??[\d;]*")
_ALTERNATE = {("?1049", "h"): True, ("?1049", "l"): False}


class VirtualScreen:
    """Two pyte screens, normal and alternate, fed through a filter.

    pyte knows neither the alternate screen nor private sequences such as the keyboard protocol's
    `CSI > 25 u`, and would draw parts of them. Between `CSI ? 2026 h` and `CSI ? 2026 l`
    (synchronised output) nothing is drawn, so that no half-painted frame is ever seen.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self._screens = [pyte.Screen(columns, rows), pyte.Screen(columns, rows)]
        self._streams = [pyte.Stream(screen) for screen in self._screens]
        self._alternate = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._frame: list[str | list[int]] | None = None
        self._rows: list[str] | None = None
        """The rows as text, until something is drawn again."""

    @property
    def alternate(self) -> bool:
        """Whether a full-screen program holds the alternate screen."""
        return self._alternate

    def feed(self, data: bytes) -> None:
        """Draw what a program wrote. A sequence cut in two waits for its rest."""
        text = self._pending + self._decoder.decode(data)
        unfinished = _UNFINISHED.search(text)
        cut = unfinished.start() if unfinished else len(text)
        text, self._pending = text[:cut], text[cut:]
        at = 0
        for match in _ESCAPES.finditer(text):
            self._draw(text[at : match.start()])
            at = match.end()
            self._escape(match)
        self._draw(text[at:])

    def flush(self) -> None:
        """Draw an unfinished frame: the program has ended."""
        frame, self._frame = self._frame, None
        for piece in frame or ():
            self._draw(piece)

    def resize(self, columns: int, rows: int) -> None:
        self._rows = None
        for screen in self._screens:
            screen.resize(rows, columns)

    def cells(self) -> list[list[Any]]:
        """The cells as pyte's Char (data, fg, bg, bold, reverse, ...), row by row.

        The second half of a wide character is a cell with empty data.
        """
        screen = self._screens[self._alternate]
        return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]

    def lines(self) -> list[str]:
        """The rows as text without the blanks at their ends."""
        if self._rows is None:
            self._rows = ["".join(cell.data for cell in row).rstrip() for row in self.cells()]
        return list(self._rows)

    def find(self, text: str, below: int = 0) -> tuple[int, int] | None:
        """Column and row of the first place, from the row `below` on, where the text stands."""
        for y, row in enumerate(self.cells()):
            if y < below:
                continue
            at = "".join(cell.data for cell in row).find(text)
            if at >= 0:
                length = 0
                for x, cell in enumerate(row):
                    if length >= at and cell.data:
                        return x, y
                    length += len(cell.data)
        return None

    def _escape(self, match: re.Match[str]) -> None:
        params, final = match["params"], match["final"]
        if final is None or match["between"]:
            return
        if (params, final) == ("?2026", "h"):
            self._frame = []
        elif (params, final) == ("?2026", "l"):
            self.flush()
        if (params, final) in _ALTERNATE:
            self.flush()
            self._alternate = _ALTERNATE[params, final]
            self._rows = None
            if self._alternate:
                self._screens[True].reset()
            return
        if final == "m":
            params = params.replace(":", ";")
            if _COLOURS.fullmatch(params):
                self._draw([min(int(one or 0), 9999) for one in params.split(";")])
        elif _PLAIN_PARAMS.fullmatch(params):
            self._draw(f"\x1b[{params}{final}")

    def _draw(self, piece: str | list[int]) -> None:
        """Draw text, or set how the text after it looks: `piece` is the numbers of `CSI m` then.

        Half of what a program writes is such numbers, and pyte reads them character by character.
        """
        if self._frame is not None:
            self._frame.append(piece)
        elif isinstance(piece, list):
            self._screens[self._alternate].select_graphic_rendition(*piece)
        elif piece:
            self._rows = None
            self._streams[self._alternate].feed(piece)
