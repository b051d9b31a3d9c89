"""Random access to the bytes behind base64, of which only what is asked for is decoded."""

from __future__ import annotations

import base64
import binascii


class Base64Bytes:
    """`len` is that of the bytes; nothing is checked until it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        end = text[-2:]
        padding = len(end) - len(end.rstrip("="))
        self._length = (len(text) - padding) * 3 // 4

    def __len__(self) -> int:
        return self._length

    def read(self, at: int, count: int) -> bytes:
        """Up to `count` bytes from `at`; fewer at the end, b"" where the text is no base64."""
        if at < 0 or count <= 0 or at >= self._length:
            return b""
        first, last = at // 3 * 4, -(-(at + count) // 3) * 4
        try:
            found = base64.b64decode(self._text[first:last], validate=True)
        except (binascii.Error, ValueError):
            return b""
        return found[at % 3 : at % 3 + count]
