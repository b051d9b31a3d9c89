"""The key of keyed digests: without it nobody can tell a short secret from its digest by trying.

It lies beside the store and not in it, so that a copy of the store alone gives nothing away.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from ..platforms.files import NO_LINK, open_file
from .place import (
    FILE_MODE,
    StoreError,
    private_file_if_any,
    private_folder,
    shown,
    why,
)

FILE_NAME = "values.key"
KEY_BYTES = 32


def value_key(folder: Path) -> bytes:
    """The key in the folder, made where there is none yet.

    Raises StoreError where it cannot be used; it is not made anew then, since every approval that
    goes by it would lapse.
    """
    path = private_folder(folder) / FILE_NAME
    if private_file_if_any(path) is None:
        _make(path)
        private_file_if_any(path)
    try:
        held = open_file(path, os.O_RDONLY | NO_LINK)
        try:
            key = os.read(held, KEY_BYTES + 1)
        finally:
            os.close(held)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be read: {why(problem)}") from None
    if len(key) != KEY_BYTES:
        words = f"it has {len(key)} bytes, not {KEY_BYTES}; move it away to start anew"
        raise StoreError(f"{shown(path)} is damaged ({words})")
    return key


def _make(path: Path) -> None:
    """A file with a new key, whole from when it has its name; another Signoff may be first."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        held = open_file(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, FILE_MODE)
        try:
            os.write(held, secrets.token_bytes(KEY_BYTES))
            os.fsync(held)
        finally:
            os.close(held)
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        except OSError:
            # Not every file system has links.
            if not os.path.lexists(path):
                os.rename(fresh, path)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be made: {why(problem)}") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
