"""Backups of hosts' files from before `signoff servers wrap`, and the writing of such a file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from ..content.frozen import frozen
from ..platforms.files import read_bounded, replace_whole, rights, user_id, why
from .state_dir import StoreError, other_owner, private_folder, shown, state_folder

FOLDER: Final = "wrapped"
LONGEST: Final = 2_000_000
"""Bytes of a file that is kept or written."""
_OWNER_WRITES: Final = 0o200
_BACKUP: Final = ".backup"
_FACTS: Final = ".json"


@frozen
class WrappedEntry:
    """An entry of a host's file, in a form that outlives other places and another order."""

    file: str
    """The real path: no link."""
    host: str
    container: str
    project: str
    name: str

    @property
    def key(self) -> str:
        """The digest of what the entry is; several hosts can read it."""
        parts = json.dumps([self.file, self.container, self.project, self.name])
        return hashlib.sha256(parts.encode()).hexdigest()[:24]

    def as_json(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS: Final = ("file", "host", "container", "project", "name")


def keep_backup(entry: WrappedEntry, data: bytes) -> Path:
    """Keep the file as it is before; returns the path of the backup. Raises StoreError."""
    folder = private_folder(state_folder() / FOLDER)
    backup = folder / f"{entry.key}{_BACKUP}"
    try:
        replace_whole(backup, data)
        replace_whole(folder / f"{entry.key}{_FACTS}", json.dumps(entry.as_json()).encode())
    except OSError as problem:
        remove_backup(entry)
        raise StoreError(f"the backup {shown(backup)} cannot be written: {why(problem)}") from None
    return backup


def backup_of(entry: WrappedEntry) -> Path:
    """The path of the backup. Raises StoreError."""
    return _folder() / f"{entry.key}{_BACKUP}"


def find_backup(entry: WrappedEntry) -> bytes | None:
    """The file as it was before; None without a backup that can be read."""
    try:
        return read_bounded(backup_of(entry), LONGEST)
    except (OSError, StoreError):
        return None


def remove_backup(entry: WrappedEntry) -> bool:
    """Remove the backup of an entry; True if there was one."""
    is_there = False
    with contextlib.suppress(OSError, StoreError):
        folder = _folder()
        for ending in (_FACTS, _BACKUP):
            with contextlib.suppress(FileNotFoundError):
                (folder / f"{entry.key}{ending}").unlink()
                is_there = True
    return is_there


def wrapped_entries() -> list[WrappedEntry]:
    """All entries with a backup; one whose facts are damaged is left out."""
    found = []
    with contextlib.suppress(OSError, StoreError):
        for path in sorted(_folder().glob(f"*{_FACTS}")):
            with contextlib.suppress(OSError, ValueError):
                facts: Any = json.loads(read_bounded(path, LONGEST))
                if isinstance(facts, dict) and all(isinstance(facts.get(x), str) for x in _FIELDS):
                    found.append(WrappedEntry(**{name: facts[name] for name in _FIELDS}))
    return found


def _folder() -> Path:
    return private_folder(state_folder() / FOLDER)


def check_can_write(path: str) -> Path:
    """The real path of a file that may be replaced. Raises StoreError."""
    real = Path(os.path.realpath(path))
    try:
        found = real.stat()
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be read: {why(problem)}") from None
    if found.st_uid != user_id():
        raise other_owner(real, found.st_uid)
    if not rights(found) & _OWNER_WRITES:
        raise StoreError(f"{shown(path)} is read-only (fix: chmod u+w)")
    return real


def write_back(path: str, before: bytes, after: bytes) -> None:
    """Replace the content of a file that still is `before`, through a link. Raises StoreError.

    Its rights and its group stay; whenever it ends, one of the two contents is there, whole.
    """
    real = check_can_write(path)

    def check() -> None:
        if read_bounded(real, LONGEST) != before:
            raise StoreError(f"{shown(path)} was changed in the meantime; try again")

    try:
        check()
        found = real.stat()
        replace_whole(real, after, found.st_mode & 0o7777, found.st_gid, check)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be written: {why(problem)}") from None
