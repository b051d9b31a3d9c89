"""The state folder, which only its owner can read or write."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..platforms.files import NO_LINK, open_file, rights, user_id, why

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS_WRITE = 0o022
_OTHERS = 0o077


class StoreError(Exception):
    """Stored data cannot be used; the text is in our own words and safe to show."""


def state_folder() -> Path:
    """The folder for state (`XDG_STATE_HOME/signoff` on Linux); it may not exist yet.

    Raises StoreError if it is not absolute: such a value is to be considered invalid (XDG Base
    Directory Specification 0.8), and would trust whatever lies in the current folder.
    """
    import platformdirs

    folder = platformdirs.user_state_path("signoff", appauthor=False)
    if not folder.is_absolute():
        raise StoreError(f"the state folder {shown(folder)} is not an absolute path")
    return folder


def other_owner(path: Path, owner: int) -> StoreError:
    """The error for a file of another user, by its number."""
    return StoreError(f"{shown(path)} belongs to another user (uid {owner})")


def private_folder(folder: Path) -> Path:
    """Make the folder if it is missing, and ensure that no other user can write in it.

    Returns the real path. Raises StoreError for a folder that belongs to another user, that others
    may write in, or that is reached by another user's symbolic link. If others may merely read it,
    that is closed to them.
    """
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreError(f"{shown(folder)} is not a folder") from None
    except OSError as problem:
        raise StoreError(f"the folder {shown(folder)} cannot be made: {why(problem)}") from None
    return _checked(folder, is_folder=True)


def private_file(path: Path) -> Path:
    """Make an empty file if there is none, and ensure that only its owner can use it.

    Returns the real path; raises StoreError as `private_folder` does. A file that exists is never
    opened: closing it would drop the locks that SQLite holds on it in this process.
    """
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK
        os.close(open_file(path, flags, FILE_MODE))
    except FileExistsError:
        pass
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be made: {why(problem)}") from None
    return _checked(path, is_folder=False)


def private_file_if_any(path: Path) -> Path | None:
    """`private_file` for a file that is not to be made; None if there is none."""
    return _checked(path, is_folder=False) if os.path.lexists(path) else None


def shown(path: Path | str) -> str:
    """A path, safe to show."""
    from ..content.text import visible

    return visible(str(path))


def _checked(path: Path, *, is_folder: bool) -> Path:
    try:
        link = path.lstat()
        found = path.stat()
        real = path.resolve()
        parent = real.parent.stat()
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be looked at: {why(problem)}") from None
    me = user_id()
    is_link = stat.S_ISLNK(link.st_mode)
    if is_link and link.st_uid != me:
        raise StoreError(f"{shown(path)} is a symbolic link of another user")
    if is_folder and not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{shown(path)} is not a folder")
    if not is_folder and not stat.S_ISREG(found.st_mode):
        what = "is a folder, not a file" if stat.S_ISDIR(found.st_mode) else "is not a regular file"
        raise StoreError(f"{shown(path)} {what}")
    if found.st_uid != me:
        raise other_owner(path, found.st_uid)
    if rights(found) & _OTHERS_WRITE:
        raise StoreError(f"{shown(path)} can be written to by other users (fix: chmod go-w)")
    if not is_folder and is_link and (parent.st_uid != me or rights(parent) & _OTHERS_WRITE):
        raise StoreError(f"{shown(path)} leads into a folder that is not only yours to write in")
    mode = rights(found)
    if mode & _OTHERS:
        try:
            real.chmod(mode & ~_OTHERS)
        except OSError as problem:
            words = f"{shown(path)} is open to other users and cannot be closed to them"
            raise StoreError(f"{words}: {why(problem)}") from None
    return real
