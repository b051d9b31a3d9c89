"""A program in a pseudo-terminal, with the moment at which each byte came.

Nothing draws the screen here: a terminal emulator in this process would compete with the program
for the processor and for the interpreter lock of the reader.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

_SYNC_QUERY = b"\x1b[?2026$p"
_SYNC_ANSWER = b"\x1b[?2026;2$y"
_ESCAPES = re.compile(rb"\x1b(\][^\x07\x1b]*(\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[PX^_].*?\x1b\\|.)")


class Tty:
    """Runs `argv` in a terminal of 120 x 36 cells; `started` is the moment before the launch."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self._chunks: list[tuple[float, bytes]] = []
        self._news = threading.Condition()
        self._ended = False
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            list(argv),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**env, **terminal},
            cwd=cwd,
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, name="tty", daemon=True)
        self._reader.start()

    def __enter__(self) -> Tty:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def seen(self, is_so: Callable[[str], object], timeout: float = 60.0) -> float:
        """Seconds from the launch until the text that was written so far satisfies `is_so`."""
        deadline = time.perf_counter() + timeout
        count = 0
        with self._news:
            while True:
                while count < len(self._chunks):
                    count += 1
                    if is_so(self._text(count)):
                        return self._chunks[count - 1][0] - self.started
                left = deadline - time.perf_counter()
                if left <= 0 or self._ended:
                    raise AssertionError(f"not seen: {self._text(count)[-2000:]}")
                self._news.wait(left)

    def quiet(self, seconds: float) -> None:
        """Wait until nothing was written for so long."""
        while True:
            with self._news:
                last = self._chunks[-1][0] if self._chunks else self.started
            left = last + seconds - time.perf_counter()
            if left <= 0:
                return
            time.sleep(left)

    def press(self, keys: bytes, gap: float, rest: float) -> tuple[float, float, float]:
        """Press keys and wait until nothing was written for `rest` seconds.

        Seconds from the press to the first byte, to the last byte before a pause of `gap` seconds,
        and to the last byte of all.
        """
        with self._news:
            before = len(self._chunks)
        pressed = time.perf_counter()
        os.write(self._master, keys)
        with self._news:
            answered = self._news.wait_for(lambda: len(self._chunks) > before, 10)
        assert answered, "a key changed nothing on the screen"
        self.quiet(rest)
        with self._news:
            times = [moment - pressed for moment, _ in self._chunks[before:]]
        burst = times[0]
        for moment in times[1:]:
            if moment - burst > gap:
                break
            burst = moment
        return times[0], burst, times[-1]

    def close(self) -> None:
        """Ask the program to quit as a person does; kill it where it does not."""
        with contextlib.suppress(OSError):
            os.write(self._master, b"\x11")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(2)
        os.close(self._master)

    def _text(self, count: int) -> str:
        written = b"".join(data for _, data in self._chunks[:count])
        return _ESCAPES.sub(b"", written).decode("utf-8", "replace")

    def _read(self) -> None:
        while True:
            try:
                select.select([self._master], [], [])
                data = os.read(self._master, 65536)
            except (OSError, ValueError):
                data = b""
            now = time.perf_counter()
            with self._news:
                if data:
                    self._chunks.append((now, data))
                else:
                    self._ended = True
                self._news.notify_all()
            if not data:
                return
            if _SYNC_QUERY in data:
                with contextlib.suppress(OSError):
                    os.write(self._master, _SYNC_ANSWER)
