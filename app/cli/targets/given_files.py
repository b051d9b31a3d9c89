"""Files of a command line, read and written with the errors of a command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ...content.files.content import FileFault, read_data, read_text, write_text
from ...content.text import visible
from .usage import UsageError

if TYPE_CHECKING:
    from ...protocol.wire.capture import Capture
    from ...protocol.wire.frames import Frame


@contextmanager
def _named(path: str | Path, option: str) -> Iterator[None]:
    try:
        yield
    except FileFault as fault:
        where = f"{option}: " if option else ""
        raise UsageError(f"{where}{visible(str(path))} {fault}") from None


def given_data(path: str | Path, most: int, option: str = "") -> bytes:
    """The content of a file, with at most so many bytes. Raises UsageError."""
    with _named(path, option):
        return read_data(path, most)


def given_text(path: str | Path, most: int, option: str = "", *, encoding: str = "utf-8") -> str:
    """The text of a file, of at most so many bytes. Raises UsageError."""
    with _named(path, option):
        return read_text(path, most, encoding=encoding)


def given_capture(path: str | Path) -> Capture:
    """A capture in a file; its lines are read when they are looked at. Raises UsageError."""
    from ...protocol.wire.capture import CAPTURE_MAX, Capture, NotACapture

    try:
        return Capture(given_data(path, CAPTURE_MAX))
    except NotACapture as problem:
        raise UsageError(f"{visible(str(path))} is not a capture file: {problem}") from None


def given_frames(path: str | Path) -> list[Frame]:
    """All frames of a capture in a file. Raises UsageError."""
    from ...protocol.wire.capture import NotACapture

    try:
        return given_capture(path).frames()
    except NotACapture as problem:
        raise UsageError(f"{visible(str(path))} is not a capture file: {problem}") from None


def write_given(option: str, path: str | Path, text: str) -> None:
    """Write the file of an option. Raises UsageError."""
    with _named(path, option):
        write_text(path, text)
