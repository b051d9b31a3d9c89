"""Keys of the store: texts as bytes, servers by digest, rows with a seal.

The key of keyed digests: without it a short secret cannot be found from its digest by trying. It
lies beside the store and not in it, so that a copy of the store alone gives nothing away.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path
from typing import Any

from ..approval.grants import identity_digest
from ..platforms.files import NO_LINK, open_file, why
from .state_dir import FILE_MODE, StoreError, private_file_if_any, private_folder, shown

TIME_MAX = 2.5e11
"""Seconds since the epoch, in the year 9892."""


def is_time(value: object) -> bool:
    """True if a value can have been kept as a time: seconds that a calendar has."""
    return isinstance(value, float) and abs(value) < TIME_MAX


def server_key(identity: str) -> bytes:
    """A server as the store knows it: a digest, since its identity holds its command line."""
    return as_key(identity_digest(identity))


def as_key(text: str) -> bytes:
    """A text as the store keeps it: different code points are different bytes.

    SQLite's text holds no lone surrogates, and servers may send them.
    """
    return text.encode("utf-8", "surrogatepass")


def as_text(key: bytes) -> str:
    """Invert `as_key`. Raises UnicodeDecodeError for other bytes."""
    return key.decode("utf-8", "surrogatepass")


def seal(values: list[Any]) -> str:
    """Digest of a row's values, so that a flipped bit never makes something else of it."""
    return hashlib.sha256(repr(values).encode("ascii", "backslashreplace")).hexdigest()


FILE_NAME = "values.key"
KEY_BYTES = 32


def value_key(folder: Path) -> bytes:
    """The key in the folder, made if there is none yet.

    Raises StoreError if it cannot be used; it is not made again then, since every approval that
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
        words = f"it has {len(key)} bytes, not {KEY_BYTES}; move it away to start a new one"
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
