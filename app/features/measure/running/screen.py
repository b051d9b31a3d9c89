"""A program in a pseudo-terminal, and its screen as an emulator has it.

Needs pyte, which `mcp-signoff[measure]` brings.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import time
from typing import Any, Final

from ....platforms.processes import APART
from ....platforms.terminal import open_pair, reads_lines, set_size
from ..drivers import Strokes
from .running import Run

COLUMNS: Final = 120
ROWS: Final = 40
STILL_SECONDS: Final = 0.8
"""Seconds without a change after which a screen counts as drawn."""
CELL_MAX: Final = 16
"""Characters of one cell of the screen."""


_MOVING: Final = re.compile(r"[\u2800-\u28ff◐◓◑◒|/\\0-9]+")


def steady(text: str) -> str:
    """The text without spinners and seconds that pass."""
    return _MOVING.sub("", text)


class Screen:
    """The screen of a program in a pseudo-terminal. Raises ImportError without pyte."""

    def __init__(self, run: Run) -> None:
        import pyte

        self._run = run
        self._screen: Any = pyte.Screen(COLUMNS, ROWS)
        self._stream: Any = pyte.ByteStream(self._screen)
        self._fd = -1
        self._process: asyncio.subprocess.Process | None = None
        self.changed_at = time.monotonic()
        self.reads = 0
        """How often the program wrote something."""

    @contextlib.asynccontextmanager
    async def open(self) -> Any:
        """Start the program, and end it and all that it started."""
        main, other = open_pair(COLUMNS, ROWS)
        self._fd = main
        loop = asyncio.get_running_loop()
        loop.add_reader(main, self._read)
        try:
            environment = {**self._run.environment, "COLORTERM": "truecolor"}
            environment.pop("NO_COLOR", None)
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._run.command,
                    stdin=other,
                    stdout=other,
                    stderr=other,
                    cwd=self._run.place.folder,
                    env=environment,
                    **APART,
                )
            finally:
                os.close(other)
            yield self
        finally:
            loop.remove_reader(main)
            if self._process is not None:
                pid = self._process.pid
                await asyncio.shield(asyncio.to_thread(self._run.place.end_processes, pid))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._process.wait(), 5.0)
            os.close(main)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65_536)
        except (BlockingIOError, OSError):
            return
        if not data:
            return
        self.reads += 1
        self._answer_queries(data)
        before = steady(self.text)
        # The emulator knows fewer sequences than terminals: one that it cannot read is left out.
        with contextlib.suppress(Exception):
            self._stream.feed(data)
        self._trim()
        if steady(self.text) != before:
            self.changed_at = time.monotonic()

    def _answer_queries(self, data: bytes) -> None:
        """Answer what programs ask of a terminal before they draw anything."""
        if b"\x1b[6n" in data:
            self.type(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
        if b"\x1b[c" in data or b"\x1b[0c" in data:
            self.type("\x1b[?62;22c")
        if b"\x1b]11;?" in data:
            self.type("\x1b]11;rgb:0000/0000/0000\x1b\\")
        if b"\x1b]10;?" in data:
            self.type("\x1b]10;rgb:ffff/ffff/ffff\x1b\\")

    def type(self, keys: str) -> None:
        """Send keys."""
        with contextlib.suppress(OSError):
            os.write(self._fd, keys.encode())

    async def press(self, strokes: Strokes) -> None:
        """Send keys, with a pause between two texts."""
        for number, keys in enumerate(strokes):
            if number:
                await asyncio.sleep(STILL_SECONDS)
            self.type(keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        set_size(self._fd, columns, rows, 0 if self.has_ended else self._pid)
        self._screen.resize(rows, columns)

    @property
    def text(self) -> str:
        """The text on the screen."""
        # Not `display` of the emulator, which fails at half of a wide character.
        rows = (self._screen.buffer[y] for y in range(self._screen.lines))
        lines = ("".join(row[x].data for x in range(self._screen.columns)) for row in rows)
        return "\n".join(line.rstrip() for line in lines).strip("\n")

    def _trim(self) -> None:
        """Shorten the cells that a flood of combining characters made long: each costs as much."""
        for row in self._screen.buffer.values():
            for x, cell in list(row.items()):
                if len(cell.data) > CELL_MAX:
                    row[x] = cell._replace(data=cell.data[:CELL_MAX])

    @property
    def _pid(self) -> int:
        return self._process.pid if self._process is not None else 0

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.returncode is not None

    @property
    def status(self) -> int | None:
        """The exit status of the program; None as long as it runs."""
        return self._process.returncode if self._process is not None else None

    @property
    def reads_lines(self) -> bool:
        """True if the program reads lines, which end with Enter, instead of single keys."""
        return reads_lines(self._fd)

    @property
    def is_still(self) -> bool:
        return time.monotonic() - self.changed_at > STILL_SECONDS
