"""Looks at the files of a folder: what is there, and what it holds. Blocks; for a thread."""

from __future__ import annotations

import hashlib
import os
import stat

from .folders import KEPT_MAX, FileState

ENTRIES_MAX = 20_000
BYTES_MAX = 500_000_000
"""Of all files together whose content is read; the size and the time of others are compared."""
_PIECE = 1 << 20


class TooManyFiles(Exception):
    """The folder has more entries than are looked at."""


def look_at(folder: str) -> dict[str, FileState]:
    """Everything in a folder, by absolute path; links are not followed. Raises TooManyFiles."""
    found = {folder: FileState("root")}
    room = BYTES_MAX
    waiting = [folder]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            state = state_of(entry.path, room)
            if state is None:
                continue
            if len(found) >= ENTRIES_MAX:
                raise TooManyFiles
            found[entry.path] = state
            if state.kind == "folder":
                waiting.append(entry.path)
            elif state.digest:
                room -= state.size
    return found


def state_of(path: str, room: int = BYTES_MAX) -> FileState | None:
    """What is there now; None where nothing is. Files larger than `room` are not read."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    mode, size, modified = stat.S_IMODE(status.st_mode), status.st_size, status.st_mtime_ns
    if stat.S_ISDIR(status.st_mode):
        return FileState("folder", mode=mode)
    try:
        if stat.S_ISLNK(status.st_mode):
            target = os.fsencode(os.readlink(path))
            return FileState("link", size, modified, 0, hashlib.sha256(target).hexdigest())
        if not stat.S_ISREG(status.st_mode):
            return FileState("other", size, modified, mode)
        if size > room:
            return FileState("file", size, modified, mode)
        digest, kept = hashlib.sha256(), bytearray()
        with open(path, "rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
                if len(kept) <= KEPT_MAX:
                    kept += piece
        content = bytes(kept) if len(kept) <= KEPT_MAX else None
        return FileState("file", size, modified, mode, digest.hexdigest(), content)
    except OSError:
        return FileState("file", size, modified, mode)
