"""Writes all wire traffic to a file (`--capture FILE`), without delaying calls."""

from __future__ import annotations

import os
import stat
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..content.text import size
from ..platforms.files import open_file, set_rights, why
from ..protocol.wire.capture import line_of
from ..protocol.wire.frames import Frame

PAUSE_SECONDS: Final = 0.25
"""How long what was taken in waits to be written, so that messages are written together."""
WAITING_MAX: Final = 256_000_000
"""Bytes that may wait for a disk that is too slow; then the capture ends."""
TOGETHER: Final = 1_000_000
"""Bytes that are written at once."""
END_SECONDS: Final = 5.0


def open_capture(path: str) -> CaptureFile:
    """A capture that begins now. Raises OSError if the file cannot be written."""
    return CaptureFile(Path(path).expanduser())


class CaptureFile:
    """Takes frames from any thread and writes them in one of its own, in their order."""

    def __init__(self, path: Path) -> None:
        """Raises OSError if the file cannot be written."""
        self._descriptor = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        if stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            set_rights(self._descriptor, 0o600)
        self._waiting: deque[Frame] = deque()
        self._waiting_bytes = 0
        self._words = ""
        self._tell: Callable[[str], None] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._write, name="capture", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """Reason why capturing stopped, in words; empty while it works."""
        return self._words

    def take(self, frame: Frame) -> None:
        """Have a frame written; returns at once."""
        with self._lock:
            if self._words:
                return
            self._waiting.append(frame)
            self._waiting_bytes += len(frame.raw)
            is_too_much = self._waiting_bytes > WAITING_MAX
        if is_too_much:
            self._give_up(f"the disk is too slow: more than {size(WAITING_MAX)} waited for it")

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Call `tell`, once and from any thread, with the reason why capturing stopped."""
        with self._lock:
            self._tell, words = tell, self._words
        if words:
            tell(words)

    def close(self) -> None:
        """Write what waits, and end. May be called again."""
        self._closing.set()
        self._thread.join(END_SECONDS)

    def _write(self) -> None:
        try:
            is_last = False
            while not is_last and not self._words:
                is_last = self._closing.wait(PAUSE_SECONDS)
                self._write_waiting()
        except OSError as problem:
            self._give_up(why(problem))
        finally:
            os.close(self._descriptor)

    def _write_waiting(self) -> None:
        with self._lock:
            frames, self._waiting = self._waiting, deque()
            self._waiting_bytes = 0
        while frames:
            lines, length = [], 0
            while frames and length < TOGETHER:
                lines.append(line_of(frames.popleft()))
                length += len(lines[-1])
            view = memoryview(b"\n".join([*lines, b""]))
            while view:
                view = view[os.write(self._descriptor, view) :]

    def _give_up(self, why: str) -> None:
        with self._lock:
            is_first = not self._words
            self._words = f"the capture ends here: {why}"
            self._waiting.clear()
            tell = self._tell
        if is_first and tell is not None:
            tell(self._words)
