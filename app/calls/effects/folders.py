"""Snapshots of a folder's files, and the changes between two of them.

Taking one blocks; for a thread. `reduced` turns touches of paths into one effect for each path. The
rest is pure.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...content.frozen import frozen
from .deeds import FileAccess, FileLoss, SeenFile
from .touches import PathAccess

KEPT_MAX = 1_000_000
"""Bytes of a file up to which its content is kept, to see what it lost."""


@frozen
class FileState:
    """One entry of a folder. `digest` is SHA-256 in hexadecimal digits, of a link its target's
    name; empty if the file was too large or could not be read."""

    kind: str
    """file, folder, link or other; root: the watched folder itself."""
    size: int = 0
    modified_ns: int = 0
    mode: int = 0
    digest: str = ""
    content: bytes | None = None
    """Up to `KEPT_MAX` bytes; None for a larger file."""

    def is_as(self, other: FileState) -> bool:
        """True if the content is the same, as far as it is known."""
        if self.kind != other.kind:
            return False
        if self.kind in ("folder", "root"):
            return True
        if self.digest and other.digest:
            return self.digest == other.digest
        return (self.size, self.modified_ns) == (other.size, other.modified_ns)


FolderState = Mapping[str, FileState]
"""Absolute path to the state of the file or folder there."""


def loss_between(before: FileState, after: FileState) -> FileLoss:
    """Decide whether old content is gone."""
    if before.is_as(after) or not before.size:
        return FileLoss.KEPT
    old, new = before.content, after.content
    if before.kind != "file" or after.kind != "file" or old is None or new is None:
        return FileLoss.LOST if not after.size else FileLoss.UNKNOWN
    if new.startswith(old):
        return FileLoss.KEPT
    if not new.strip():
        return FileLoss.LOST
    try:
        return FileLoss.KEPT if _keeps(json.loads(old), json.loads(new)) else FileLoss.LOST
    except (ValueError, RecursionError):
        pass
    try:
        lines, there = old.decode().splitlines(), set(new.decode().splitlines())
    except UnicodeDecodeError:
        return FileLoss.UNKNOWN
    kept = [line in there for line in lines if line.strip()]
    if all(kept):
        return FileLoss.KEPT
    return FileLoss.LOST if not any(kept) else FileLoss.UNKNOWN


def _keeps(old: object, new: object) -> bool:
    """True if no key and no element of `old` is missing; a value may be another."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _keeps(value, new[key]) for key, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(new) >= len(old)
    return isinstance(old, dict | list) == isinstance(new, dict | list)


def compare(before: FolderState, after: FolderState) -> list[SeenFile]:
    """Return the change of each path, in order; as far as known without a trace."""
    seen = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old is None and new is not None:
            seen.append(SeenFile(path, FileAccess.CREATED, FileLoss.KEPT))
        elif new is None:
            seen.append(SeenFile(path, FileAccess.DELETED, FileLoss.LOST))
        elif old is not None and not old.is_as(new):
            seen.append(changed(path, old, new))
        elif old is not None and old.mode != new.mode:
            seen.append(SeenFile(path, FileAccess.ATTRIBUTES, FileLoss.KEPT, is_same=True))
    return seen


def changed(path: str, before: FileState, after: FileState) -> SeenFile:
    """A file whose content is another."""
    old, new = before.content, after.content
    is_grown = old is not None and new is not None and len(new) > len(old) and new.startswith(old)
    deed = FileAccess.APPENDED if is_grown else FileAccess.CHANGED
    return SeenFile(path, deed, loss_between(before, after), is_same=False)


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
    """Read the current state; None if it does not exist. Files larger than `room` are not read."""
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


WasThere = Callable[[str], bool | None]
"""True if a path that exists now existed before the call; None if that is not known."""

FILES_MAX = 500
READS_MAX = 100
_OWN = re.compile(r"/__pycache__(/[^/]+\.pyc(\.\d+)?)?$")
_QUIET = re.compile(
    r"/(usr|lib|lib32|lib64|bin|sbin|nix|proc|sys|dev|run/systemd|snap)(/|$)"
    r"|/etc/(ld\.so|localtime|hosts|resolv\.conf|nsswitch|host\.conf|gai\.conf|ssl/|pki/|services"
    r"|protocols|timezone|mime\.types|locale|os-release)"
    r"|.*/(site-packages|dist-packages|node_modules|__pycache__)(/|$)"
    r"|.*/lib/python\d[^/]*/|.*/pyvenv\.cfg$|.*\.so(\.\d+)*$"
)
"""What runtimes read for themselves."""

_BEFORE = {
    PathAccess.MADE: False,
    PathAccess.OPENED: True,
    PathAccess.EMPTIED: True,
    PathAccess.WROTE: True,
    PathAccess.APPENDED: True,
    PathAccess.MAPPED: True,
    PathAccess.GONE: True,
    PathAccess.LEFT: True,
    PathAccess.ATTRIBUTES: True,
    PathAccess.READ: True,
}
"""By the first touch of a path: True if the path existed before, False if it did not."""
_CHANGING = frozenset(
    {PathAccess.EMPTIED, PathAccess.WROTE, PathAccess.APPENDED, PathAccess.MAPPED}
)
_QUIET_TOUCHES = frozenset(
    {PathAccess.MAPPED, PathAccess.OPENED, PathAccess.OPENED_OR_MADE, PathAccess.READ}
)


def reduced(
    touches: dict[str, list[PathAccess]],
    before: FolderState,
    after: FolderState,
    was_there: WasThere,
    *,
    scratch: str = "",
    temporary: str = "",
    began_ns: int = 0,
) -> tuple[list[SeenFile], int]:
    """Return the effect on each path, and the number of others over the limit.

    `before` and `after` have all paths of the folder `scratch`, and others as far as they are
    known; `temporary` is the folder for temporary files; `began_ns` is the time of the first one.
    """
    seen: list[SeenFile] = []
    reads: list[SeenFile] = []
    for path, of_path in touches.items():
        is_inside = bool(scratch) and path.startswith(scratch.rstrip("/") + "/")
        existed = path in before if is_inside else _existed(path, of_path, before, was_there)
        if (
            existed is not False
            and is_only_mapped(of_path)
            and not _was_stored_to(path, before, after, began_ns)
        ):
            of_path = [PathAccess.READ]
        one = _became(path, of_path, before, after, existed)
        if one is None:
            continue
        one = replace(
            one,
            is_own=bool(_OWN.search(path)),
            is_temporary=bool(temporary) and path.startswith(temporary.rstrip("/") + "/"),
        )
        if one.deed is not FileAccess.READ:
            seen.append(one)
        elif not is_inside and not _QUIET.match(path):
            reads.append(one)
    kept = [*sorted(seen, key=_weight)[:FILES_MAX], *reads[:READS_MAX]]
    return kept, len(seen) + len(reads) - len(kept)


def is_only_mapped(touches: Sequence[PathAccess]) -> bool:
    """True if a file was mapped so that it can be stored to, and nothing else was done to it."""
    return PathAccess.MAPPED in touches and {*touches} <= _QUIET_TOUCHES


def _was_stored_to(path: str, before: FolderState, after: FolderState, began_ns: int) -> bool:
    """True if content, size or time of a mapped file show that bytes were stored in it."""
    old, new = before.get(path), after.get(path)
    if new is None:
        return old is not None
    if old is None:
        return new.modified_ns >= began_ns
    return not old.is_as(new) or (old.size, old.modified_ns) != (new.size, new.modified_ns)


def _weight(one: SeenFile) -> tuple[bool, bool, str]:
    return (not one.matters, one.loss is not FileLoss.LOST, one.path)


def _became(
    path: str,
    touches: Sequence[PathAccess],
    before: FolderState,
    after: FolderState,
    existed: bool | None,
) -> SeenFile | None:
    """Return the effect on a path; None if there was no detectable one."""
    kinds = set(touches)
    if kinds <= {PathAccess.READ}:
        return SeenFile(path, FileAccess.READ)
    old, new = before.get(path), after.get(path)
    exists = _exists(touches, existed)
    if not exists:
        if existed is False:
            return SeenFile(path, FileAccess.TRANSIENT, FileLoss.KEPT)
        if existed is None:
            return SeenFile(path, FileAccess.TRANSIENT, FileLoss.UNKNOWN)
        has_moved = touches[-1] is PathAccess.LEFT
        return SeenFile(path, FileAccess.MOVED if has_moved else FileAccess.DELETED, FileLoss.LOST)
    if existed is False:
        return SeenFile(path, FileAccess.CREATED, FileLoss.KEPT)
    is_same = old.is_as(new) if old is not None and new is not None else None
    loss = loss_between(old, new) if old is not None and new is not None else FileLoss.UNKNOWN
    if kinds & {PathAccess.GONE, PathAccess.LEFT, PathAccess.CAME} and existed:
        return SeenFile(
            path, FileAccess.REPLACED, _if_unknown(loss, PathAccess.GONE in kinds), is_same
        )
    if existed is None:
        if kinds & (_CHANGING | {PathAccess.CAME}) or PathAccess.OPENED_OR_MADE in kinds:
            return SeenFile(path, FileAccess.WRITTEN, loss, is_same)
        return None
    if PathAccess.EMPTIED in kinds:
        return SeenFile(path, FileAccess.EMPTIED, _if_unknown(loss, is_lost=True), is_same)
    if kinds & {PathAccess.WROTE, PathAccess.MAPPED}:
        return SeenFile(path, FileAccess.CHANGED, loss, is_same)
    if PathAccess.APPENDED in kinds:
        return SeenFile(path, FileAccess.APPENDED, FileLoss.KEPT, is_same)
    if PathAccess.ATTRIBUTES in kinds:
        return SeenFile(path, FileAccess.ATTRIBUTES, FileLoss.KEPT, is_same)
    return None


def _if_unknown(loss: FileLoss, is_lost: bool) -> FileLoss:
    """Treat a truncated file as lost, unless the content can be compared."""
    return FileLoss.LOST if loss is FileLoss.UNKNOWN and is_lost else loss


def _existed(
    path: str, touches: Sequence[PathAccess], before: FolderState, was_there: WasThere
) -> bool | None:
    if path in before:
        return True
    first = touches[0]
    if first in _BEFORE:
        return _BEFORE[first]
    # Opened to be made, if need be, or another file has come in its place.
    return was_there(path) if _exists(touches, None) else None


def _exists(touches: Sequence[PathAccess], existed: bool | None) -> bool:
    exists = existed is not False
    for touch in touches:
        if touch in (PathAccess.GONE, PathAccess.LEFT):
            exists = False
        elif touch in (
            PathAccess.MADE,
            PathAccess.OPENED_OR_MADE,
            PathAccess.OPENED,
            PathAccess.CAME,
        ):
            exists = True
    return exists
