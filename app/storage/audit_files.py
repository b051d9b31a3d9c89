"""The files of an audit log: their names, the lock on the newest, and reading."""

from __future__ import annotations

import bisect
import contextlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..content.frozen import frozen
from ..platforms.files import NO_LINK, NO_WAIT, open_file, read_at
from ..platforms.locks import try_lock, unlock
from .auditing.chain import LINE_MAX, START, read_seal
from .auditing.verifying import Places, Verification

LOCK_SECONDS = 0.3
TAIL = LINE_MAX + 4_096
"""Bytes from the end of a file within which its last record begins."""

PAGE = 1 << 19
"""Bytes that are read at a time from the end of a log."""

_LOCK_PAUSE = 0.002
_CHUNK = 1 << 20


@frozen
class FileEnd:
    """The end of a file: the last record, and bytes after it without a newline."""

    seq: int = 0
    hash: str = START
    torn: bytes = b""
    is_unended: bool = False
    """The last record is whole but for its newline."""


def numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def rotated_files(path: Path) -> list[Path]:
    """The files that rotation has put aside, the newest first."""
    pattern = re.compile(re.escape(path.name) + r"\.([1-9]\d{0,8})")
    found = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            match = pattern.fullmatch(entry.name)
            if match is not None and entry.is_file(follow_symlinks=False):
                found.append((int(match.group(1)), path.with_name(entry.name)))
    return [file for _, file in sorted(found)]


def rotate(path: Path, keep: int) -> bool:
    """Put the newest file aside as `.1`, the others one number up; False if that failed.

    Only the newest name leads to the newest file at any moment, also when it stops in between.
    """
    try:
        numbers = {int(file.suffix[1:]) for file in rotated_files(path)}
        for number in [number for number in numbers if number >= keep]:
            numbered(path, number).unlink()
            numbers.discard(number)
        free = next(number for number in range(1, keep + 1) if number not in numbers)
        for number in range(free - 1, 0, -1):
            numbered(path, number).rename(numbered(path, number + 1))
        path.rename(numbered(path, 1))
    except OSError:
        return False
    return True


def lock(fd: int, *, shared: bool = False, seconds: float = LOCK_SECONDS) -> bool:
    """Wait for the lock on an open file; False if another holder kept it all the time.

    It belongs to this opening of the file, so that it also holds between two threads, and the
    system frees it when the process dies.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            try_lock(fd, shared=shared)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_LOCK_PAUSE)


def read_end(fd: int, size: int) -> FileEnd:
    """The last record of a file of `size` bytes. A damaged one counts with the hash it claims."""
    start = max(0, size - TAIL)
    data = read_at(fd, size - start, start)
    lines = data.split(b"\n")
    if start:
        lines[0] = b""
    rest = lines.pop()
    found = read_seal(rest) if rest else None
    if found is not None and found.is_whole:
        return FileEnd(found.seq, found.hash, is_unended=True)
    last = next((found for line in reversed(lines) if (found := read_seal(line))), None)
    if last is None:
        return FileEnd(torn=rest)
    return FileEnd(last.seq, last.hash, torn=rest)


def end_of(path: Path) -> FileEnd:
    """The last record of a file; as of an empty one if it cannot be read."""
    try:
        fd = open_file(path, os.O_RDONLY | NO_LINK | NO_WAIT)
    except OSError:
        return FileEnd()
    try:
        return read_end(fd, os.fstat(fd).st_size)
    except OSError:
        return FileEnd()
    finally:
        os.close(fd)


class LogLines:
    """The lines of a log with their ends, from the oldest file to the newest.

    The files are opened and measured at once, so that later appends and rotations change nothing.
    Opening and reading raise OSError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stack = contextlib.ExitStack()
        try:
            self._files = _open_all(path, self._stack)
        except OSError:
            self._stack.close()
            raise
        self._starts: list[int] = []
        self._back = len(self._files) - 1
        self._before = self._files[-1].size if self._files else 0

    def __enter__(self) -> LogLines:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._stack.close()

    @property
    def file_count(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[bytes]:
        self._starts = []
        count = 0
        for file in self._files:
            self._starts.append(count)
            for line in _lines(file.fd, file.size):
                count += 1
                yield line

    @property
    def has_newest(self) -> bool:
        """True if the file of the log's own name exists, rather than rotated ones alone."""
        return bool(self._files) and self._files[-1].path == self._path

    def place(self, line: int) -> str:
        """Name the place of a line, counted from 1 over all files: `line 7 of audit.jsonl`."""
        index = bisect.bisect_left(self._starts, line) - 1
        return f"line {line - self._starts[index]} of {self._files[index].path.name}"

    def places(self, found: Verification) -> Places:
        """Name the places of a verification's findings in these lines."""
        return Places(
            files=self.file_count,
            has_newest=self.has_newest,
            bad=self.place(found.line) if found.line is not None else "",
            back=self.place(found.back.line) if found.back is not None else "",
        )

    @property
    def has_older(self) -> bool:
        """True if `older` has more to give."""
        return self._back > 0 or (self._back == 0 and self._before > 0)

    def older(self, wanted: int = PAGE) -> list[bytes]:
        """The page of whole lines, without ends, before the one that was read last.

        The first comes from the end of the log. Empty if there is nothing more.
        """
        rest = b""
        while self.has_older:
            file = self._files[self._back]
            start = max(0, self._before - wanted)
            rest = read_at(file.fd, self._before - start, start) + rest
            self._before = start
            if not start:
                self._back -= 1
                self._before = self._files[self._back].size if self._back >= 0 else 0
            else:
                cut = rest.find(b"\n") + 1
                if not cut:
                    continue
                self._before += cut
                rest = rest[cut:]
            lines = [line for line in rest.split(b"\n") if line]
            if lines:
                return lines
            rest = b""
        return []


@frozen
class _File:
    path: Path
    fd: int
    size: int


def _open_all(path: Path, stack: contextlib.ExitStack) -> list[_File]:
    """The files, oldest first, while no writer can rotate."""
    newest: list[_File] = []
    with contextlib.ExitStack() as held:
        if path.exists():
            file = _opened(path, stack)
            lock(file.fd, shared=True)
            held.callback(unlock, file.fd)
            newest = [replace(file, size=os.fstat(file.fd).st_size)]
        return [*(_opened(file, stack) for file in reversed(rotated_files(path))), *newest]


def _opened(path: Path, stack: contextlib.ExitStack) -> _File:
    fd = open_file(path, os.O_RDONLY | NO_WAIT)
    stack.callback(os.close, fd)
    return _File(path, fd, os.fstat(fd).st_size)


def _lines(fd: int, size: int) -> Iterator[bytes]:
    done, rest = 0, b""
    while done < size:
        chunk = read_at(fd, min(_CHUNK, size - done), done)
        if not chunk:
            break
        done += len(chunk)
        lines = chunk.split(b"\n")
        lines[0] = rest + lines[0]
        rest = lines.pop()
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest
