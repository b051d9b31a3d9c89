"""Reading what comes from the terminal, until it is left: nobody waits for the reader to notice."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import threading
from collections.abc import Callable
from typing import Final

from textual._xterm_parser import XTermParser
from textual.message import Message

TICK_SECONDS: Final = 0.1
"""How long nothing comes before the parser looks whether an escape was a key of its own."""
_PIECE: Final = 4096


class Waking(threading.Event):
    """An event that also wakes who waits for a descriptor."""

    def __init__(self) -> None:
        super().__init__()
        self.woken_by, self._wakes = os.pipe()
        for end in (self.woken_by, self._wakes):
            os.set_blocking(end, False)

    def set(self) -> None:
        super().set()
        with contextlib.suppress(OSError):
            os.write(self._wakes, b"\0")

    def clear(self) -> None:
        super().clear()
        with contextlib.suppress(OSError):
            os.read(self.woken_by, _PIECE)


def read_keys(
    descriptor: int, parser: XTermParser, tell: Callable[[Message], None], is_over: Waking
) -> None:
    """Tell of every key and click, until `is_over`; what has come by then is told, too."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    is_last = False
    while not is_last:
        ready, _, _ = select.select([descriptor, is_over.woken_by], [], [], TICK_SECONDS)
        is_last = is_over.is_set()
        if is_last:
            ready, _, _ = select.select([descriptor], [], [], 0)
        # Nothing is what is read where standard input is a pipe that has ended.
        if descriptor in ready and (text := decode(os.read(descriptor, _PIECE))):
            for message in parser.feed(text):
                tell(message)
        for message in parser.tick():
            tell(message)
