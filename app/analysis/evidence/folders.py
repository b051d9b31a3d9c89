"""The files of a folder at one moment, and what came between two moments. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ...calls.deeds import FileDeed, Loss, SeenFile

KEPT_MAX = 1_000_000
"""Bytes of a file up to which its content is kept, to see what it lost."""


@dataclass(frozen=True, slots=True)
class FileState:
    """One entry of a folder. `digest` is SHA-256 in hexadecimal digits, of a link its target's
    name; empty where the file was too large or could not be read."""

    kind: str
    """file, folder, link or other; root: the watched folder itself."""
    size: int = 0
    modified_ns: int = 0
    mode: int = 0
    digest: str = ""
    content: bytes | None = None
    """Up to `KEPT_MAX` bytes; None where there are more."""

    def is_as(self, other: FileState) -> bool:
        """Whether the content is the same, as far as it is known."""
        if self.kind != other.kind:
            return False
        if self.kind in ("folder", "root"):
            return True
        if self.digest and other.digest:
            return self.digest == other.digest
        return (self.size, self.modified_ns) == (other.size, other.modified_ns)


FolderState = Mapping[str, FileState]
"""Absolute path to what is there."""


def loss_between(before: FileState, after: FileState) -> Loss:
    """Whether something that was there is gone."""
    if before.is_as(after) or not before.size:
        return Loss.KEPT
    old, new = before.content, after.content
    if before.kind != "file" or after.kind != "file" or old is None or new is None:
        return Loss.LOST if not after.size else Loss.UNKNOWN
    if new.startswith(old):
        return Loss.KEPT
    if not new.strip():
        return Loss.LOST
    try:
        return Loss.KEPT if _keeps(json.loads(old), json.loads(new)) else Loss.LOST
    except (ValueError, RecursionError):
        pass
    try:
        lines, there = old.decode().splitlines(), set(new.decode().splitlines())
    except UnicodeDecodeError:
        return Loss.UNKNOWN
    kept = [line in there for line in lines if line.strip()]
    if all(kept):
        return Loss.KEPT
    return Loss.LOST if not any(kept) else Loss.UNKNOWN


def _keeps(old: object, new: object) -> bool:
    """Whether no key and no element of `old` is missing; a value may be another."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _keeps(value, new[key]) for key, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(new) >= len(old)
    return isinstance(old, dict | list) == isinstance(new, dict | list)


def compare(before: FolderState, after: FolderState) -> list[SeenFile]:
    """What became of each path, in their order; all that can be known without a trace."""
    seen = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old is None and new is not None:
            seen.append(SeenFile(path, FileDeed.CREATED, Loss.KEPT))
        elif new is None:
            seen.append(SeenFile(path, FileDeed.DELETED, Loss.LOST))
        elif old is not None and not old.is_as(new):
            seen.append(changed(path, old, new))
        elif old is not None and old.mode != new.mode:
            seen.append(SeenFile(path, FileDeed.ATTRIBUTES, Loss.KEPT, is_same=True))
    return seen


def changed(path: str, before: FileState, after: FileState) -> SeenFile:
    """A file whose content is another."""
    old, new = before.content, after.content
    is_grown = old is not None and new is not None and len(new) > len(old) and new.startswith(old)
    deed = FileDeed.APPENDED if is_grown else FileDeed.CHANGED
    return SeenFile(path, deed, loss_between(before, after), is_same=False)
