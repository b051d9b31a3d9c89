"""Lines from standard input, on the loop: a terminal, a pipe or a file.

On the loop and not in a thread: a thread that waits for a line would outlive Ctrl-C.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import select
import stat
import sys
from collections.abc import Iterator
from typing import Any, Final

from signoff.app.core.approvals.approval import QUIET_SECONDS
from signoff.app.system.vanishing import is_gone

LINE_MAX: Final = 4_000_000
"""Bytes of one line; what is longer is cut, and no answer to anything."""
AT_ONCE_SECONDS: Final = 0.1
"""What follows a line within this time was not typed by a person."""
_PIECE: Final = 65_536


class Interrupted(Exception):
    """Whoever waits for a line is to look up: what was asked is another matter by now."""


class Keyboard:
    """What a person types, or a script has written. One line is waited for at a time."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._before: list[Any] | None = None
        """How the terminal was, while it is deaf."""

    @property
    def is_terminal(self) -> bool:
        try:
            return os.isatty(self._descriptor)
        except (OSError, ValueError):
            return False

    @property
    def _descriptor(self) -> int:
        return sys.stdin.fileno()

    async def line(self) -> str | None:
        """The next line; None at the end of what there is to read, or ctrl+D.

        What stands before a ctrl+D was never sent off by Enter, and is nothing. Raises Interrupted,
        and OSError where the terminal is gone.
        """
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
        """Whether something stands behind the line, as behind one that was pasted."""
        if self._rest:
            return True
        try:
            await asyncio.wait_for(self._readable(), AT_ONCE_SECONDS)
        except TimeoutError:
            return False
        # Ctrl+D is the end of what was typed, and nothing behind it.
        return True

    def interrupt(self) -> None:
        """Make whoever waits for a line look up."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(Interrupted())

    async def quiet(self, seconds: float = QUIET_SECONDS) -> bool:
        """Be deaf until nothing was typed for so long; whether anything was swallowed.

        Every byte starts the wait anew, so that neither what was typed ahead, nor a held key, nor
        a paste that is still arriving answers what is asked next. Only for terminals.
        """
        swallowed = bool(self._rest)
        self._rest.clear()
        with self._deaf():
            while True:
                try:
                    await asyncio.wait_for(self._readable(), seconds)
                except TimeoutError:
                    return swallowed
                if not os.read(self._descriptor, _PIECE):
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                swallowed = True

    def give_back(self) -> None:
        """Leave the terminal as it was found: for the shell, while the program is stopped."""
        import termios

        if self._before is not None:
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)

    def take_again(self) -> None:
        """Continued by the shell: deaf again, if it was."""
        if self._before is not None:
            self._set_deaf()

    @contextlib.contextmanager
    def _deaf(self) -> Iterator[None]:
        """Every key is seen at once and none is shown; signals stay what they are."""
        import termios

        try:
            self._before = termios.tcgetattr(self._descriptor)
        except termios.error as problem:
            raise OSError(errno.EIO, os.strerror(errno.EIO)) from problem
        self._set_deaf()
        try:
            yield
        finally:
            before, self._before = self._before, None
            # Where the terminal is gone, so is what was typed. The rest goes with the change.
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, before)

    def _set_deaf(self) -> None:
        import termios

        assert self._before is not None
        deaf = list(self._before)
        deaf[3] &= ~(termios.ICANON | termios.ECHO)
        deaf[6] = [*deaf[6]]
        deaf[6][termios.VMIN], deaf[6][termios.VTIME] = 1, 0
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, deaf)

    async def _piece(self) -> bytes:
        await self._readable()
        piece = os.read(self._descriptor, _PIECE)
        if not piece and self.is_terminal and is_gone(self._descriptor):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return piece

    async def _readable(self) -> None:
        """Wait until there is something to read, or the end."""
        descriptor = self._descriptor
        if stat.S_ISREG(os.fstat(descriptor).st_mode) or select.select([descriptor], [], [], 0)[0]:
            # A file is always ready, and no selector takes one. Others get their turn.
            await asyncio.sleep(0)
            return
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        loop.add_reader(descriptor, _done, self._waiting)
        try:
            await self._waiting
        finally:
            loop.remove_reader(descriptor)
            self._waiting = None


def _done(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
