"""Cursors with the next place of a list, and the list they belong to."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Final

_SEAL_BYTES: Final = 9
_SALT: Final = b"signoff demo cursor 1"
"""The seal distinguishes our cursors from broken or foreign ones. It guards no secret, and a
cursor outlives the process that gave it."""


class NotACursor(ValueError):
    """Broken, or never given by this server."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The next page begins at `offset` of the list of `filter`, in the order of `sort`."""

    offset: int
    filter: dict[str, str]
    sort: str


def written(cursor: Cursor) -> str:
    """The cursor as base64url without padding: seal, then JSON."""
    said = json.dumps(asdict(cursor), separators=(",", ":"), sort_keys=True).encode()
    return base64.urlsafe_b64encode(_seal(said) + said).rstrip(b"=").decode()


def read(text: str) -> Cursor:
    """The cursor that `written` made this text of. Raises NotACursor."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        data = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotACursor("not base64url") from error
    seal, said = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
    if seal != _seal(said):
        raise NotACursor("not of this server")
    whole: dict[str, Any] = json.loads(said)
    cursor = Cursor(**whole)
    if written(cursor) != text:
        raise NotACursor("written in another way")
    return cursor


def _seal(said: bytes) -> bytes:
    return hashlib.blake2b(said, digest_size=_SEAL_BYTES, key=_SALT).digest()
