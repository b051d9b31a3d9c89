"""Frames as JSON lines for others to read: as in a capture, without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .capture import line_of
from .frames import Frame
from .showing import Showing


def json_lines(frames: Iterable[Frame], showing: Showing) -> Iterator[bytes]:
    """One line for each."""
    for frame in frames:
        raw = showing.text(frame).encode("utf-8", "replace")
        is_cut = frame.is_cut
        safe = Frame(
            *(frame.number, frame.at, frame.tick, frame.sender, raw),
            frame.size if is_cut else len(raw),
            frame.call,
            frame.http,
        )
        yield line_of(safe) + b"\n"
