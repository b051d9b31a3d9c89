"""Asking for one line at a time: whoever asks can be interrupted, and says what it waits for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from signoff.app.flows.keyboard import Interrupted, Keyboard
from signoff.app.plain.console import Console


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
        """Whether a line is being waited for here."""
        self._is_cancelled = False

    async def ask(self, prompt: str) -> str:
        """One line. Raises Cancelled after ctrl+C, and Ended at the end of input."""
        self._is_cancelled = False
        self.is_asking = True
        try:
            while True:
                self.keyboard.forget_interrupts()
                self.before_prompt()
                self.console.prompt(prompt)
                try:
                    line = await self.keyboard.line()
                except Interrupted:
                    if self._is_cancelled:
                        raise Cancelled from None
                    continue
                self.console.typed(line)
                if line is None:
                    raise Ended
                return line
        finally:
            self.is_asking = False

    async def ask_word(self, prompt: str) -> str:
        """One line that was typed after it was asked for, and by itself: empty for any other."""
        await self._quiet()
        typed = await self.ask(prompt)
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
