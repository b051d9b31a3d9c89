"""Bytes to lines, bounded, in linear time."""

from __future__ import annotations

from dataclasses import dataclass

LINE_LIMIT = 16_000_000
HEAD = 4_096


@dataclass(frozen=True, slots=True)
class Overlong:
    """A line over the limit: its size in bytes, its beginning and its end."""

    size: int
    head: bytes
    tail: bytes


class LineReader:
    """Collects chunks and gives out whole lines; a line over `limit` bytes is not kept."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._size = 0
        self._head = b""
        self._tail = b""

    def feed(self, chunk: bytes) -> list[bytes | Overlong]:
        *whole, rest = chunk.split(b"\n")
        lines: list[bytes | Overlong] = []
        for piece in whole:
            self._add(piece)
            lines.append(self._take())
        if rest:
            self._add(rest)
        return lines

    def close(self) -> list[bytes | Overlong]:
        """The unfinished last line, if there is one."""
        return [self._take()] if self._size else []

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._kept += piece
            return
        if self._kept:
            self._head, self._tail = bytes(self._kept[:HEAD]), bytes(self._kept[-HEAD:])
            self._kept = bytearray()
        if len(self._head) < HEAD:
            self._head += piece[: HEAD - len(self._head)]
        self._tail = (self._tail + piece)[-HEAD:]

    def _take(self) -> bytes | Overlong:
        line: bytes | Overlong
        if self._size > self._limit:
            line = Overlong(self._size, self._head, self._tail)
        else:
            line = bytes(self._kept)
        self._kept = bytearray()
        self._size, self._head, self._tail = 0, b"", b""
        return line
