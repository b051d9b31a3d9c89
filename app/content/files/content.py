"""Files that a person names: their content, or why they cannot be read or written."""

from __future__ import annotations

from pathlib import Path

from ...platforms.files import read_bounded, why


class FileFault(Exception):
    """A file cannot be used; the words follow its name, such as "cannot be read: is a directory".

    `line` is the place of the fault, 0 if it is that of the whole file.
    """

    def __init__(self, words: str, line: int = 0) -> None:
        super().__init__(words)
        self.line = line


def place_of(path: str | Path) -> Path:
    """The path with `~` replaced. Raises FileFault for `~name` of an unknown user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise FileFault("cannot be found: no user has this name") from None


def read_data(path: str | Path, most: int, *, waits: bool = True) -> bytes:
    """The content of a file, `~` included, with at most so many bytes. Raises FileFault.

    A pipe or a device is read, too, for some seconds; unless it `waits`, only a regular file is.
    """
    place = place_of(path)
    try:
        if not waits and place.exists() and not place.is_file():
            raise FileFault("is not a file")
        return read_bounded(place, most)
    except OSError as problem:
        raise FileFault(f"cannot be read: {why(problem)}") from None


def read_text(path: str | Path, most: int, *, waits: bool = True, encoding: str = "utf-8") -> str:
    """The text of a file, as `read_data` reads it. Raises FileFault."""
    data = read_data(path, most, waits=waits)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise FileFault("is not UTF-8", line) from None


def write_text(path: str | Path, text: str) -> None:
    """Write a file, over one that is there; ends of lines stay as they are. Raises FileFault."""
    place = place_of(path)
    try:
        place.write_text(text, encoding="utf-8", newline="\n")
    except OSError as problem:
        raise FileFault(f"cannot be written: {why(problem)}") from None
