"""A program in a real pseudo-terminal: type into it, read its screen, cut the line."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.e2e.keys import encode_key, encode_mouse, encode_paste
from tests.e2e.launch import start
from tests.e2e.processes import (
    descendants,
    kill,
    processes_alive,
    started_at,
    wait_gone,
    working_in,
)
from tests.e2e.screen import VirtualScreen

__all__ = ["Terminal", "processes_alive", "wait_gone"]

# "Is synchronised output there?" - "It is, and it is off now."
_SYNC_QUERY = b"\x1b[?2026$p"
_SYNC_ANSWER = b"\x1b[?2026;2$y"

_SEEN = 0.15
"""Seconds for which something stands where it is before a person can aim at it."""


def _pair() -> tuple[int, int]:
    """Both ends of a terminal; this one is not waited for."""
    if sys.platform == "win32":
        raise NotImplementedError
    master, slave = os.openpty()
    os.set_blocking(master, False)
    return master, slave


class Terminal:
    """Runs `argv` in a pseudo-terminal of `columns` x `rows` cells.

    The program gets a private home, also its working directory unless `cwd` says otherwise. Leaving
    the context kills the program, everything below it and everything that works in that home.
    `takes_terminal` and `stdout` are those of `start`.
    """

    def __init__(
        self,
        argv: Sequence[str],
        columns: int = 120,
        rows: int = 36,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        takes_terminal: bool = True,
        stdout: int | None = None,
    ) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="terminal-"))
        self._screen = VirtualScreen(columns, rows)
        self._raw = bytearray()
        self._changed = threading.Condition()
        self._ended = False
        self._last_output = time.monotonic()
        self._seen: dict[int, str] = {}
        self._master, slave = _pair()
        self._set_size(columns, rows)
        try:
            self._process = start(
                argv,
                slave,
                self.home,
                env or {},
                cwd,
                takes_terminal=takes_terminal,
                stdout=stdout,
            )
        finally:
            os.close(slave)
        self._stop_reading, self._wake = os.pipe()
        self._reader = threading.Thread(target=self._read, name="terminal-reader", daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What is on the screen

    @property
    def pid(self) -> int:
        """The process id of the program."""
        return self._process.pid

    @property
    def text(self) -> str:
        """The screen as lines of text, without the blanks at their ends."""
        with self._changed:
            return "\n".join(self._screen.lines())

    @property
    def raw(self) -> bytes:
        """Every byte the program has written so far."""
        with self._changed:
            return bytes(self._raw)

    @property
    def full_screen(self) -> bool:
        """Whether the program holds the alternate screen."""
        with self._changed:
            return self._screen.alternate

    def cell(self, x: int, y: int) -> Any:
        """The cell at column x, row y: pyte's Char with data, fg, bg, bold, reverse."""
        with self._changed:
            return self._screen.cells()[y][x]

    def find(self, text: str, below: int = 0) -> tuple[int, int]:
        """Column and row where the text begins, searched downwards from the row `below`.

        Raises:
            AssertionError: it is not on the screen.
        """
        with self._changed:
            place = self._screen.find(text, below)
        assert place is not None, self._report(f"{text!r} is not on the screen")
        return place

    def wait_for(self, wanted: str | Callable[[str], object], timeout: float = 60.0) -> str:
        """Wait until the screen matches a regex or satisfies a predicate; returns its text.

        Raises:
            AssertionError: not within `timeout` seconds, or the program ended before.
        """
        matches = re.compile(wanted).search if isinstance(wanted, str) else wanted
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                text = "\n".join(self._screen.lines())
                if matches(text):
                    return text
                left = deadline - time.monotonic()
                if left <= 0 or self._ended:
                    why = "the program ended" if self._ended else f"{timeout} s passed"
                    raise AssertionError(self._report(f"waited for {wanted!r}, but {why}", text))
                self._changed.wait(left)

    def wait_until(self, condition: Callable[[], object], timeout: float = 60.0) -> None:
        """Wait for something outside the screen, such as a file that a server writes.

        Raises:
            AssertionError: it did not come true within `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, self._report(f"{timeout} s passed")
            time.sleep(0.02)

    def settle(self, quiet: float = 0.3, timeout: float = 10.0) -> str:
        """Wait until nothing was written for `quiet` seconds; returns the screen's text."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline and not self._ended:
            with self._changed:
                left = self._last_output + quiet - time.monotonic()
            if left <= 0:
                break
            time.sleep(left)
        return self.text

    # Keyboard and mouse

    def send(self, keys: str | bytes) -> None:
        """Write to the program as the terminal would, without any translation."""
        data = memoryview(keys.encode() if isinstance(keys, str) else keys)
        deadline = time.monotonic() + 10
        while data:
            if not select.select([], [self._master], [], 0.1)[1]:
                assert time.monotonic() < deadline, self._report("the program reads no keys")
                continue
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._master, data) :]

    def press(self, *keys: str) -> None:
        """Press keys in Textual's spelling, one after the other: "enter", "ctrl+y", "f1", "a"."""
        for key in keys:
            self.send(encode_key(key))
            if key == "escape":
                # Escape and the next key in one read would be read as alt+key.
                time.sleep(0.15)

    def hold(self, key: str, seconds: float, rate: float = 30.0) -> None:
        """Hold a key down: `rate` presses a second, as the keyboard's repeat sends them."""
        with self.holding(key, rate):
            time.sleep(seconds)

    @contextlib.contextmanager
    def holding(self, key: str, rate: float = 30.0) -> Iterator[None]:
        """Hold a key down for as long as the context lasts."""
        released = threading.Event()
        code = encode_key(key)

        def repeat() -> None:
            with contextlib.suppress(OSError, AssertionError):
                self.send(code)
                while not released.wait(1 / rate):
                    self.send(code)

        finger = threading.Thread(target=repeat, name="terminal-finger", daemon=True)
        finger.start()
        try:
            yield
        finally:
            released.set()
            finger.join()

    def paste(self, text: str, bracketed: bool = True) -> None:
        """Paste text; without `bracketed` it arrives as if typed at once."""
        self.send(encode_paste(text, bracketed=bracketed))

    def mouse_down(self, x: int, y: int, button: int = 0) -> None:
        self.send(encode_mouse(button, x, y, down=True))

    def mouse_up(self, x: int, y: int, button: int = 0) -> None:
        self.send(encode_mouse(button, x, y, down=False))

    def mouse_move(self, x: int, y: int) -> None:
        self.send(encode_mouse(35, x, y, down=True))

    def mouse_click(self, x: int, y: int, count: int = 1) -> None:
        """Click cell (x, y), counted from 0; `count=2` is a double click."""
        for _ in range(count):
            self.mouse_down(x, y)
            self.mouse_up(x, y)

    def click(self, text: str, count: int = 1, below: int = 0) -> None:
        """Click the middle of the first place where the text stands, from the row `below` on.

        As a person does, who sees where it has come to stand: not where it was for a moment.

        Raises:
            AssertionError: it does not come to stand there.
        """
        self.wait_for(lambda _: self._screen.find(text, below))
        place = self.find(text, below)
        since = time.monotonic()
        while time.monotonic() < since + _SEEN:
            time.sleep(0.02)
            with self._changed:
                now = self._screen.find(text, below)
            if now != place:
                place, since = self.find(text, below), time.monotonic()
        x, y = place
        self.mouse_click(x + len(text) // 2, y, count)

    # Window, line and process

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size; the kernel tells the program by SIGWINCH."""
        with self._changed:
            self._screen.resize(columns, rows)
        self._set_size(columns, rows)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself."""
        self.remember_processes()
        self._process.send_signal(number)

    def hang_up(self) -> None:
        """Close the window: the program gets SIGHUP and its terminal is gone."""
        self.remember_processes()
        self._end_reader()
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def wait_exit(self, timeout: float = 60.0) -> int:
        """The exit status once the program ended; -N when signal N killed it.

        Raises:
            AssertionError: it still runs after `timeout` seconds.
        """
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(self._report(f"still runs after {timeout} s")) from None
        self._reader.join(1.0)
        return status

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def remember_processes(self) -> list[int]:
        """Note the processes below the program, so that `close` can kill even orphans."""
        found = descendants(self._process.pid)
        self._seen.update((pid, started_at(pid)) for pid in found)
        return found

    def close(self) -> None:
        """Kill everything that is left and forget the home folder."""
        self.remember_processes()
        if self.running:
            self._process.kill()
        kill(pid for pid, start in self._seen.items() if started_at(pid) == start)
        kill(working_in(self.home))
        self._process.wait(60)
        self.hang_up()
        for fd in (self._stop_reading, self._wake):
            with contextlib.suppress(OSError):
                os.close(fd)
        shutil.rmtree(self.home, ignore_errors=True)

    def _set_size(self, columns: int, rows: int) -> None:
        if sys.platform == "win32":
            raise NotImplementedError
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        while True:
            ready = select.select([self._master, self._stop_reading], [], [])[0]
            if self._stop_reading in ready:
                break
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""
            if not data:
                break
            with self._changed:
                known = max(0, len(self._raw) - len(_SYNC_QUERY) + 1)
                self._raw += data
                asked = _SYNC_QUERY in self._raw[known:]
                self._screen.feed(data)
                self._last_output = time.monotonic()
                self._changed.notify_all()
            if asked:
                with contextlib.suppress(OSError):
                    os.write(self._master, _SYNC_ANSWER)
        with self._changed:
            self._screen.flush()
            self._ended = True
            self._changed.notify_all()

    def _end_reader(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._wake, b"x")
        self._reader.join()

    def _report(self, what: str, text: str | None = None) -> str:
        state = "running" if self.running else f"ended with status {self._process.returncode}"
        screen = self.text if text is None else text
        lines = "\n".join(f"|{line}" for line in screen.rstrip("\n").split("\n"))
        return f"{what}; the program is {state}; its screen:\n{lines}"
