"""What tells a word that is drawn at random from one that is written, a path or a digest."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

ORDINARY = re.compile(
    r"[0-9a-fA-F]{7,128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?:sha\d+[:-])[0-9a-fA-F+/=]+|(?:~|\.{1,2})?/\S*|[a-z]+://\S*"
)
"""Digests, UUIDs, paths and URLs: a log in which they are masked proves nothing."""

WORD_MIN: Final = 20
"""Characters from which on a word of a command that nothing explains can be a token."""


def looks_random(value: str) -> bool:
    """Letters and digits mixed, or upper and lower case within; and no path, digest or UUID."""
    core = value.rstrip(",.)}]")
    if len(core) < 8 or ORDINARY.fullmatch(core):
        return False
    letters = any(char.isalpha() for char in core)
    digits = any(char.isdigit() for char in core)
    inner = core[1:]
    mixed = inner != inner.lower() and inner != inner.upper()
    return letters and (digits or (mixed and len(core) >= 16))


def looks_like_a_token(value: str) -> bool:
    """Where only a token belongs, one of hexadecimal digits is no exception."""
    return len(value) >= 24 or (len(value) >= 8 and any(char.isdigit() for char in value))


def looks_drawn(word: str) -> bool:
    """A long word of a command or a URL that nobody types: both cases and digits, all mixed."""
    if len(word) < WORD_MIN or ORDINARY.fullmatch(word):
        return False
    digits = sum(char.isdigit() for char in word)
    return digits >= 2 and word != word.lower() and word != word.upper()


def is_basic(value: str) -> bool:
    """Whether it is `user:password` in base64 (RFC 7617)."""
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
