"""Asking for one line at a time: whoever asks can be interrupted, and says what it waits for."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

from ...headless.keyboard import Interrupted, Keyboard
from .console import Console


class Cancelled(Exception):
    """What was being filled in or asked is given up."""


class Ended(Exception):
    """There is nothing more to read."""


class Dialogue:
    """Prompts and the lines that answer them. `before_prompt` says what happened meanwhile."""

    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self.console = console
        self.keyboard = keyboard
        self.before_prompt: Callable[[], None] = lambda: None
        self.is_asking = False
        """Whether a line is being asked for here, or will be after the question that is open."""
        self._is_cancelled = False

    async def ask(self, prompt: str) -> str:
        """One line. Raises Cancelled after ctrl+C, and Ended at the end of input."""
        return await self._in_turn(lambda: self._line(prompt))

    async def ask_word(self, prompt: str) -> str:
        """One line that was typed after it was asked for, and by itself: empty for any other."""
        return await self._in_turn(lambda: self._word(prompt))

    async def _in_turn(self, read: Callable[[], Awaitable[str]]) -> str:
        """Read, and anew after each interrupt, which may be a question that goes before."""
        self._is_cancelled = False
        self.is_asking = True
        try:
            while True:
                async with self.keyboard.turn():
                    if self._is_cancelled:
                        raise Cancelled
                    if self.keyboard.is_wanted:
                        continue
                    self.keyboard.forget_interrupts()
                    try:
                        return await read()
                    except Interrupted:
                        if self._is_cancelled:
                            raise Cancelled from None
        finally:
            self.is_asking = False

    async def _line(self, prompt: str) -> str:
        self.before_prompt()
        self.console.prompt(prompt)
        line = await self.keyboard.line()
        self.console.typed(line)
        if line is None:
            raise Ended
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
        """Be deaf until nothing was typed for a while, from the last interrupt on."""
        while True:
            with contextlib.suppress(Interrupted):
                await self.keyboard.quiet()
                return

    def cancel(self) -> None:
        """ctrl+C while a line is waited for."""
        self._is_cancelled = True
        self.keyboard.interrupt()
