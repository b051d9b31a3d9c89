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
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

_SYNC_QUERY = b"\x1b[?2026$p"
_SYNC_ANSWER = b"\x1b[?2026;2$y"
_ESCAPES = re.compile(rb"\x1b(\][^\x07\x1b]*(\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[PX^_].*?\x1b\\|.)")


def _pair() -> tuple[int, int]:
    """Both ends of a terminal of 120 x 36 cells."""
    if sys.platform == "win32":
        raise NotImplementedError
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    return master, slave


class Tty:
    """Runs `argv` in a terminal of 120 x 36 cells; `started` is the moment before the launch."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self._master, slave = _pair()
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

    def seen(
        self, is_so: Callable[[str], object], timeout: float = 60.0, *, since: int = 0
    ) -> float:
        """Seconds from the launch until what was written satisfies `is_so`.

        What came in the first `since` pieces is left out.
        """
        deadline = time.perf_counter() + timeout
        count = since
        with self._news:
            while True:
                while count < len(self._chunks):
                    count += 1
                    if is_so(self._text(count, since)):
                        return self._chunks[count - 1][0] - self.started
                left = deadline - time.perf_counter()
                if left <= 0 or self._ended:
                    raise AssertionError(f"not seen: {self._text(count, since)[-2000:]}")
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

    def wait_until(self, is_so: Callable[[str], object], timeout: float = 60.0) -> float:
        """Seconds from now until the text that is written from now on satisfies `is_so`."""
        with self._news:
            before = len(self._chunks)
        now = time.perf_counter() - self.started
        return self.seen(is_so, timeout, since=before) - now

    def write(self, keys: bytes) -> None:
        """Press keys and do not wait for anything."""
        os.write(self._master, keys)

    def left(self) -> float:
        """Press ctrl+q; seconds until the program has ended."""
        pressed = time.perf_counter()
        os.write(self._master, b"\x11")
        self._process.wait(10)
        return time.perf_counter() - pressed

    def signal(self, number: int) -> None:
        """Send the program a signal."""
        self._process.send_signal(number)

    def processor_seconds(self) -> float:
        """What the threads of the program that live have computed so far; 0.0 where unknown."""
        nanoseconds = 0
        for thread in Path(f"/proc/{self._process.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                nanoseconds += int(thread.read_text().split()[0])
        return nanoseconds / 1e9

    def peak_memory(self) -> int:
        """The most bytes that the program had in memory at once; 0 where unknown."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return 0

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

    def _text(self, count: int, since: int = 0) -> str:
        written = b"".join(data for _, data in self._chunks[since:count])
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
