"""Output and prompts of plain mode: whole lines, no wider than the terminal.

A prompt can be interrupted, and names the expected input.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import TextIO

from ...content.text import visible
from ..approving.keyboard import Interrupted, Keyboard
from ..output.printing import Hiding, encodable, width_of, wrapped
from ..output.readable import Out


class Console:
    """Lines on standard output. Raises OSError if the reader has closed it."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._is_in_line = False

    @property
    def is_terminal(self) -> bool:
        return self._stream.isatty()

    @property
    def width(self) -> int | None:
        """Columns of the terminal now; None if the lines may be of any length."""
        return width_of(self._stream)

    def say(self, line: str = "") -> None:
        """One line, as several if it is too wide."""
        self.break_line()
        width = self.width
        for one in wrapped(line, None if width is None else width - 1):
            # Blanks at the end are nothing to a reader, and fill a log.
            self._write(f"{one.rstrip(' ')}\n")

    def say_whole(self, line: str) -> None:
        """One line, also if it is too wide: to be copied."""
        self.break_line()
        self._write(f"{line}\n")

    def say_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.say(line)

    def prompt(self, words: str) -> None:
        """Write a prompt before typed text, on the same line."""
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
    """Output of the words for calls and results; styles are ignored."""

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


class InputCancelled(Exception):
    """The user gave up a form or a prompt."""


class InputEnded(Exception):
    """There is nothing more to read."""


class Dialogue:
    """Prompts and the typed lines. `before_prompt` prints pending notices."""

    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self.console = console
        self.keyboard = keyboard
        self.before_prompt: Callable[[], None] = lambda: None
        self.is_asking = False
        """Whether a line is being asked for here, or will be after the question that is open."""
        self._is_cancelled = False

    async def ask(self, prompt: str) -> str:
        """One line. Raises InputCancelled after ctrl+C, and InputEnded at the end of input."""
        return await self._in_turn(lambda: self._line(prompt))

    async def ask_word(self, prompt: str) -> str:
        """One line that was typed after it was asked for, and by itself: empty for any other."""
        return await self._in_turn(lambda: self._word(prompt))

    async def _in_turn(self, read: Callable[[], Awaitable[str]]) -> str:
        """Read, and again after each interrupt, which may be a question that goes before."""
        self._is_cancelled = False
        self.is_asking = True
        try:
            while True:
                async with self.keyboard.turn():
                    if self._is_cancelled:
                        raise InputCancelled
                    if self.keyboard.is_wanted:
                        continue
                    self.keyboard.forget_interrupts()
                    try:
                        return await read()
                    except Interrupted:
                        if self._is_cancelled:
                            raise InputCancelled from None
        finally:
            self.is_asking = False

    async def _line(self, prompt: str) -> str:
        self.before_prompt()
        self.console.prompt(prompt)
        line = await self.keyboard.line()
        self.console.typed(line)
        if line is None:
            raise InputEnded
        return line

    async def _word(self, prompt: str) -> str:
        await self.keyboard.quiet()
        typed = await self._line(prompt)
        try:
            is_alone = not await self.keyboard.is_more_coming()
        except Interrupted:
            is_alone = False
        if is_alone:
            return typed.strip()
        await self._quiet()
        return ""

    async def _quiet(self) -> None:
        """Ignore input until nothing was typed for a while, from the last interrupt on."""
        while True:
            with contextlib.suppress(Interrupted):
                await self.keyboard.quiet()
                return

    def cancel(self) -> None:
        """ctrl+C while a line is waited for."""
        self._is_cancelled = True
        self.keyboard.interrupt()
