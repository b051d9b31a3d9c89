"""Detects a light terminal: by its environment, or by its reply to a query.

A reply comes in among the keys. It is taken out before anything else reads them, whenever it comes
and in however many pieces, so that no part of it is ever a key.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from textual._xterm_parser import XTermParser
from textual.message import Message

QUESTION: Final = "\x1b]11;?\x1b\\"
"""OSC 11 of xterm: which colour has the background?"""
_ANSWER: Final = re.compile(
    r"\x1b\]11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]{0,8}"
    r"|[^\x07\x1b]{0,60})(?:\x07|\x1b\\)"
)
_BEGINNING: Final = "\x1b]11;"
_ENDED: Final = re.compile(r"\x07|\x1b(?!\Z)")
_LONGEST: Final = 96
AWAITED_SECONDS: Final = 2.0
"""An answer that comes later is swallowed, and changes nothing."""
_KEY_SECONDS: Final = 0.05
_ANSWER_SECONDS: Final = 1.0
_SILENT: Final = ("dumb", "linux", "eterm", "vt", "cons", "screen")
"""Terminals, by the beginning of TERM, that print a question instead of answering it."""


def said_by_environment(environment: Mapping[str, str]) -> bool | None:
    """Read `COLORFGBG`: True for light, False for dark, None if unknown."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    if not background.isdecimal() or int(background) > 15:
        return None
    # The rule of rxvt and Vim: white is light, every other of the sixteen colours counts as dark.
    return int(background) in (7, 15)


def may_be_asked(environment: Mapping[str, str]) -> bool:
    """True if it is a terminal that answers, or keeps silent without printing the question."""
    term = environment.get("TERM", "")
    return bool(term) and not term.startswith(_SILENT) and not environment.get("STY")


class AnswerFilter:
    """Takes replies about the background out of the terminal's input.

    `tell` gets True for a light background, in the thread that reads. `clock` gives monotonic
    seconds.
    """

    def __init__(self, tell: Callable[[bool], None], clock: Callable[[], float]) -> None:
        self._tell = tell
        self._clock = clock
        self._began = clock()
        self._held = ""
        self._held_since = 0.0

    def take(self, data: str) -> str:
        """Return input without replies; the beginning of a reply is held back."""
        text, self._held = self._held + data, ""
        text = _ANSWER.sub(self._found, text)
        at = self._unfinished(text)
        text, self._held = text[:at], text[at:]
        self._held_since = self._clock()
        return text

    def give_up(self) -> str:
        """Return held-back input that turned out not to be a reply."""
        patience = _ANSWER_SECONDS if self._held.startswith(_BEGINNING) else _KEY_SECONDS
        if not self._held or self._clock() - self._held_since < patience:
            return ""
        held, self._held = self._held, ""
        return "" if held.startswith(_BEGINNING) else held

    def _found(self, match: re.Match[str]) -> str:
        if match[1]:
            red, green, blue = (int(one, 16) / (16 ** len(one) - 1) for one in match.groups())
            self._tell(0.299 * red + 0.587 * green + 0.114 * blue > 0.5)
        return ""

    def _unfinished(self, text: str) -> int:
        """Return the offset of an unfinished reply, or the length of the text."""
        at = text.rfind(_BEGINNING)
        if at >= 0 and len(text) - at <= _LONGEST and not _ENDED.search(text, at + 1):
            return at
        for length in range(len(_BEGINNING) - 1, 0, -1):
            # The key of escape alone is held up only while an answer is waited for.
            if length == 1 and self._clock() - self._began > AWAITED_SECONDS:
                break
            if text.endswith(_BEGINNING[:length]):
                return len(text) - length
        return len(text)


class AnsweredParser(XTermParser):
    """Reads keys and the mouse as Textual does, but for answers about the background."""

    def __init__(self, debug: bool, tell: Callable[[bool], None]) -> None:
        super().__init__(debug)
        self._filter = AnswerFilter(tell, time.monotonic)

    def feed(self, data: str) -> Iterable[Message]:
        # Textual reads the end of input as an empty string.
        rest = self._filter.take(data) if data else data
        if rest or not data:
            yield from super().feed(rest)

    def tick(self) -> Iterable[Message]:
        if rest := self._filter.give_up():
            yield from super().feed(rest)
        yield from super().tick()
