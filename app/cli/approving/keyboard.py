"""Lines from standard input, on the loop: a terminal, a pipe or a file.

On the loop and not in a thread: a thread that waits for a line would outlive Ctrl-C.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Final

from ...approval.approval import QUIET_SECONDS
from ...platforms.input import LOOK_SECONDS, Input
from ...platforms.vanishing import is_gone

LINE_MAX: Final = 4_000_000
"""Bytes of one line; a longer one is cut, and never an answer."""
IGNORED: Final = "(Input typed before this line is ignored.)"
SEVERAL_LINES: Final = "(Several lines at once are not an answer.)"
AT_ONCE_SECONDS: Final = 0.1
"""What follows a line within this time was not typed by a person."""


class Interrupted(Exception):
    """A waiting reader must stop: its prompt is outdated."""


class Keyboard:
    """Lines typed by a person or written by a script. One reader at a time, each in a `turn`."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._is_interrupted = False
        self._input: Input | None = None
        self._turn = asyncio.Lock()
        self._wanting = 0
        """Questions that wait for their turn."""

    @contextlib.asynccontextmanager
    async def turn(self, *, of_question: bool = False) -> AsyncIterator[None]:
        """Reserve the keyboard for one reader; first come, first served.

        A prompt gives way to an approval request: its reader is interrupted. `is_wanted` is set for
        a reader whose turn began while such a request was waiting.
        """
        self._wanting += of_question
        if of_question and self._turn.locked():
            self.interrupt()
        try:
            await self._turn.acquire()
        finally:
            self._wanting -= of_question
        try:
            yield
        finally:
            self._turn.release()

    @property
    def is_taken(self) -> bool:
        """True if a reader reads, or is about to."""
        return self._turn.locked()

    @property
    def is_wanted(self) -> bool:
        """True if a question waits for its turn."""
        return self._wanting > 0

    @property
    def is_terminal(self) -> bool:
        try:
            return os.isatty(self._source.descriptor)
        except (OSError, ValueError):
            return False

    @property
    def _source(self) -> Input:
        descriptor = sys.stdin.fileno()
        if self._input is None or self._input.descriptor != descriptor:
            self._input = Input(descriptor)
        return self._input

    async def line(self) -> str | None:
        """Return the next line; None at the end of input, or ctrl+D.

        Text before a ctrl+D was never submitted by Enter, and is dropped. Raises Interrupted, and
        OSError if the terminal is gone.
        """
        self._look_up()
        while b"\n" not in self._rest:
            piece = await self._piece()
            if not piece:
                left, self._rest = bytes(self._rest), bytearray()
                is_last = bool(left) and not self.is_terminal
                return _text(left) if is_last else None
            self._rest += piece
            if len(self._rest) > LINE_MAX and b"\n" not in self._rest:
                del self._rest[LINE_MAX:]
        line, _, rest = bytes(self._rest).partition(b"\n")
        self._rest = bytearray(rest)
        return _text(line)

    async def is_more_coming(self) -> bool:
        """True if more input follows the line, as after a pasted one."""
        if self._rest:
            return True
        try:
            await asyncio.wait_for(self._readable(with_any_key=True), AT_ONCE_SECONDS)
        except TimeoutError:
            return False
        # Ctrl+D is the end of what was typed, and nothing behind it.
        return True

    def interrupt(self) -> None:
        """Interrupt the waiting reader, or else the next one."""
        self._is_interrupted = True
        if self._waiting is not None:
            _done(self._waiting)

    def forget_interrupts(self) -> None:
        """Clear a pending interrupt."""
        self._is_interrupted = False

    async def quiet(self, seconds: float = QUIET_SECONDS) -> bool:
        """Ignore input until nothing was typed for so long; True if anything was ignored.

        Every byte restarts the wait, so that neither text typed ahead, nor a held key, nor a paste
        that is still arriving answers the next request. Only for terminals. Raises Interrupted.
        """
        swallowed = bool(self._rest)
        self._rest.clear()
        with self._deaf() as source:
            while True:
                try:
                    await asyncio.wait_for(self._readable(), seconds)
                except TimeoutError:
                    return swallowed
                if not source.read():
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                swallowed = True

    def give_back(self) -> None:
        """Leave the terminal as it was found: for the shell, while the program is stopped."""
        if self._input is not None:
            self._input.give_back()

    def take_again(self) -> None:
        """Continue after a suspension, ignoring input again if it did before."""
        if self._input is not None:
            self._input.take_again()

    @contextlib.contextmanager
    def _deaf(self) -> Iterator[Input]:
        """Read every key at once without echo; signals still work."""
        source = self._source
        source.make_deaf()
        try:
            yield source
        finally:
            source.hear_again()

    async def _piece(self) -> bytes:
        await self._readable()
        source = self._source
        piece = source.read()
        if not piece and self.is_terminal and is_gone(source.descriptor):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return piece

    async def _readable(self, *, with_any_key: bool = False) -> None:
        """Wait until there is something to read, or the end. Raises Interrupted."""
        source = self._source
        loop = asyncio.get_running_loop()
        waiting = self._waiting = loop.create_future()
        try:
            # Not before there is what an interrupt ends: it may come with a signal, at any time.
            self._look_up()
            if source.is_ready(with_any_key=with_any_key):
                # Others get their turn.
                await asyncio.sleep(0)
            elif source.CAN_BE_WATCHED:
                loop.add_reader(source.descriptor, _done, waiting)
                try:
                    await waiting
                finally:
                    loop.remove_reader(source.descriptor)
            else:
                while not waiting.done() and not source.is_ready(with_any_key=with_any_key):
                    await asyncio.wait([waiting], timeout=LOOK_SECONDS)
            self._look_up()
        finally:
            self._waiting = None

    def _look_up(self) -> None:
        if self._is_interrupted:
            self._is_interrupted = False
            raise Interrupted


def _done(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
