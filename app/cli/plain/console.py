"""Where plain mode writes: whole lines, no wider than the terminal, and what asks for one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from ...content.text import visible
from ...headless.hiding import Hiding
from ...headless.printing import encodable, width_of
from ...headless.readable import Out
from ...headless.wrapping import wrapped


class Console:
    """Lines on standard output. Raises OSError where nobody takes them any more."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._is_in_line = False

    @property
    def is_terminal(self) -> bool:
        return self._stream.isatty()

    @property
    def width(self) -> int | None:
        """Columns of the terminal now; None where the lines may be of any length."""
        return width_of(self._stream)

    def say(self, line: str = "") -> None:
        """One line, as several where it is too wide."""
        self.break_line()
        width = self.width
        for one in wrapped(line, None if width is None else width - 1):
            # Blanks at the end are nothing to a reader, and fill a log.
            self._write(f"{one.rstrip(' ')}\n")

    def say_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.say(line)

    def prompt(self, words: str) -> None:
        """What stands before what is typed, on the same line."""
        self.break_line()
        width = self.width
        *before, last = wrapped(words.rstrip(" "), None if width is None else width - 2)
        for one in before:
            self._write(f"{one}\n")
        self._write(f"{last} ")
        self._is_in_line = True

    def typed(self, line: str | None) -> None:
        """A line was read. From a terminal it is there already; from a script it is repeated."""
        if self._is_in_line and (line is None or not sys.stdin.isatty()):
            self._write(f"{visible(line or '')}\n".lstrip(" "))
        self._is_in_line = False

    def break_line(self) -> None:
        """Go on at the beginning of a line."""
        if self._is_in_line:
            self._write("\n")
            self._is_in_line = False

    def _write(self, text: str) -> None:
        self._stream.write(encodable(text, self._stream))
        self._stream.flush()


class PlainOut(Out):
    """What the words for calls and answers are written to: their styles are nothing here."""

    whole = "`save` has it all"

    def __init__(self, console: Console, hiding: Hiding, text_limit: int) -> None:
        super().__init__(hiding)
        self._lines = console
        self.text_limit = text_limit

    def blank(self) -> None:
        self._lines.say()

    def begin_part(self, number: int, total: int) -> None:
        self._lines.say(f"part {number} of {total:,}")

    def line(self, *pieces: tuple[str, str]) -> None:
        self._lines.say("".join(self.hiding.text(text) for text, _ in pieces))
