"""How values are kept in the store: texts as bytes, servers by digest, rows with a seal."""

from __future__ import annotations

import hashlib
from typing import Any

from ..approval.grants import identity_digest

TIME_MAX = 2.5e11
"""Seconds since the epoch, in the year 9892."""


def is_time(value: object) -> bool:
    """Whether a value can have been kept as a time: seconds that a calendar has."""
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
    """What `as_key` was given. Raises UnicodeDecodeError for other bytes."""
    return key.decode("utf-8", "surrogatepass")


def seal(values: list[Any]) -> str:
    """A digest of what is kept in a row, so that a flipped bit never makes something else of it."""
    return hashlib.sha256(repr(values).encode("ascii", "backslashreplace")).hexdigest()
