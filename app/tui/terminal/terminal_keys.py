"""Reading what comes from the terminal, until it is left: nobody waits for the reader to notice."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable
from typing import Final

from textual._xterm_parser import XTermParser
from textual.message import Message

from ...platforms import terminal

assert sys.platform != "win32"

TICK_SECONDS: Final = 0.1
"""How long nothing comes before the parser looks whether an escape was a key of its own."""
_PIECE: Final = 4096


def read_keys(
    descriptor: int, parser: XTermParser, tell: Callable[[Message], None], is_over: terminal.Waking
) -> None:
    """Tell of every key and click, until `is_over`; what has come by then is told, too."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    is_last = False
    while not is_last:
        is_ready = is_over.has_input(descriptor, TICK_SECONDS)
        is_last = is_over.is_set()
        if is_last:
            is_ready = terminal.has_input(descriptor)
        # Nothing is what is read where standard input is a pipe that has ended.
        if is_ready and (text := decode(os.read(descriptor, _PIECE))):
            for message in parser.feed(text):
                tell(message)
        for message in parser.tick():
            tell(message)
