"""Signals that come before whoever handles them is there."""

from __future__ import annotations

import signal
import sys

from ..platforms.signals import ENDING


class EarlySignal:
    """Ends the program on a signal, and remembers it.

    Python swallows what is raised while it cleans up after an import or an object; the app looks
    here once it hears signals itself.
    """

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, number: int, frame: object) -> None:
        # Once: a second one must not interrupt the ending of the server.
        if self.number is None:
            self.number = number
            sys.exit(128 + number)

    @classmethod
    def listening(cls) -> EarlySignal:
        """One that hears all signals that end a program."""
        early = cls()
        for number in ENDING:
            signal.signal(number, early)
        return early
