"""Writes results into files, whole or not at all; file names have no words of a server."""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue
from ..content.text import visible
from ..platforms.files import NO_LINK, open_file, why
from .call import Call
from .manifest import AnswerFile, CallContent, CallFacts, files_of, manifest_file

_WORDS = {
    errno.ENOSPC: "no space is left on the disk",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "no permission to write here",
    errno.EPERM: "no permission to write here",
    errno.EROFS: "the disk is read-only",
    errno.ENOENT: "the folder does not exist",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EISDIR: "a folder with this name exists",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "the symbolic links lead in a circle",
}


_FAILURES = (OSError, ValueError, RuntimeError)
"""What a path, a disk, or values nested too deeply can come to."""


class NotSaved(Exception):
    """Nothing was written; `reason` is safe to show."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@frozen
class SavedFiles:
    """The written files and their place."""

    place: Path
    files: int
    size: int
    """Bytes of all files together."""


def place_of(text: str) -> Path:
    """The path that a person typed: `~` is their home, the rest is from the current folder.

    Raises NotSaved.
    """
    text = text.strip()
    if not text:
        raise NotSaved("a name is missing")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise NotSaved("the home folder does not exist") from None


def told_of(server: str, call: Call) -> CallFacts:
    """Facts for the manifest of an ended call; `server` is the configured name, raw."""
    ended = ""
    if call.ended_at is not None:
        # The clock of calls knows how long ago it was, the clock on the wall what time that is.
        at = time.time() - (time.monotonic() - call.ended_at)
        ended = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    digest = call.snapshot.arguments_digest
    return CallFacts(server, call.request.name, digest, call.status, ended)


def is_taken(place: Path) -> str:
    """Describe the obstacle at a place; "" if it is free. An empty folder counts as free."""
    try:
        if not os.path.lexists(place):
            return ""
        if not place.is_dir():
            return "a file with this name exists"
        return "this folder is not empty" if any(place.iterdir()) else ""
    except (OSError, ValueError) as problem:
        return _why(problem)


def missing_folder(place: Path) -> str:
    """The folder that a file would be in, safe to show, if it is not there; else ""."""
    try:
        return "" if os.path.lexists(place.parent) else visible(str(place.parent))
    except ValueError:
        return ""


def make_folder(place: Path) -> None:
    """Make the folder of a file, and those above it, for its owner alone. Raises NotSaved."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except _FAILURES as problem:
        raise NotSaved(_why(problem)) from None


def free_place(place: Path) -> Path:
    """The place, with a number before its suffix where something is there already."""
    number, found = 1, place
    while os.path.lexists(found) and number < 1000:
        number += 1
        found = place.with_stem(f"{place.stem}-{number}")
    return found


def save_answer(folder: Path, told: CallFacts, came: CallContent) -> SavedFiles:
    """Write every part, the raw result and the manifest into a folder of mode 0700.

    All is written under other names first. A new folder appears complete; in one that holds files
    already, those of the same names are replaced once all could be written. Raises NotSaved.
    """
    try:
        folder = folder.resolve()
        is_merged = folder.is_dir() and any(folder.iterdir())
        if folder.exists() and not folder.is_dir():
            raise NotSaved("a file with this name exists")
        stage = Path(
            tempfile.mkdtemp(prefix=".signoff-", dir=folder if is_merged else folder.parent)
        )
        try:
            names, total = _fill(stage, _with_manifest(told, came))
            if is_merged:
                for name in names:
                    (stage / name).replace(folder / name)
            else:
                stage.rename(folder)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except _FAILURES as problem:
        raise NotSaved(_why(problem)) from None
    return SavedFiles(folder, len(names), total)


def save_file(place: Path, data: bytes | Iterable[bytes]) -> SavedFiles:
    """Write one file of mode 0600, replacing an existing one; `data` may come in pieces.

    Raises NotSaved.
    """
    total = 0
    try:
        place = place.parent.resolve() / place.name
        if place.is_dir():
            raise NotSaved("a folder with this name exists")
        if place.exists() and not place.is_file():
            raise NotSaved("a device or a pipe with this name exists")
        handle, name = tempfile.mkstemp(prefix=".signoff-", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in (data,) if isinstance(data, bytes) else data:
                    total += file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(place)
        finally:
            Path(name).unlink(missing_ok=True)
    except _FAILURES as problem:
        raise NotSaved(_why(problem)) from None
    return SavedFiles(place, 1, total)


@cache
def viewer_folder() -> Path:
    """A folder of mode 0700 for files that other programs look at; it goes when Signoff ends.

    Raises NotSaved.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="signoff-"))
    except OSError as problem:
        raise NotSaved(_why(problem)) from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _with_manifest(told: CallFacts, came: CallContent) -> Iterator[AnswerFile]:
    entries: list[dict[str, JsonValue]] = []
    for file in files_of(came):
        entries.append(file.entry)
        yield file
    yield manifest_file(told, entries, came.answer)


def _fill(folder: Path, files: Iterable[AnswerFile]) -> tuple[list[str], int]:
    names, total = [], 0
    for file in files:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
        with os.fdopen(open_file(folder / file.name, flags, 0o600), "wb") as written:
            for chunk in file.chunks():
                total += written.write(chunk)
            written.flush()
            os.fsync(written.fileno())
        names.append(file.name)
    return names, total


def _why(problem: Exception) -> str:
    if isinstance(problem, OSError):
        words = _WORDS.get(problem.errno or 0)
        return words or why(problem)
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    if isinstance(problem, JsonError):
        return problem.reason
    if isinstance(problem, RuntimeError):
        return _WORDS[errno.ELOOP]
    return "this is not a valid file name"
