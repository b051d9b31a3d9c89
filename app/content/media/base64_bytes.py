"""Random access to bytes behind base64, also as rows of a hex dump; decodes only needed pieces."""

from __future__ import annotations

import base64
import binascii
import re

from ..frozen import frozen


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
        """Up to `count` bytes from `at`; fewer at the end, b"" for invalid base64."""
        if at < 0 or count <= 0 or at >= self._length:
            return b""
        first, last = at // 3 * 4, -(-(at + count) // 3) * 4
        try:
            found = base64.b64decode(self._text[first:last], validate=True)
        except (binascii.Error, ValueError):
            return b""
        return found[at % 3 : at % 3 + count]


ROW_BYTES = 16
_BLOCK_BYTES = 48
"""Whole rows and whole groups of base64 end together here: 3 rows, 64 characters."""
_BLOCK_CHARACTERS = _BLOCK_BYTES // 3 * 4
_BASE64 = re.compile(r"[A-Za-z0-9+/]*+={0,2}\Z")
_BLANKS = re.compile(r"\s")


@frozen
class HexDump:
    """A dump of the bytes behind `blob`, strict base64 (RFC 4648, section 4) of any length."""

    blob: str
    row_bytes: int = ROW_BYTES
    """Bytes in a row, a divisor of ROW_BYTES."""

    @property
    def size(self) -> int:
        """Number of bytes."""
        padding = len(self.blob[-2:]) - len(self.blob[-2:].rstrip("="))
        return max(0, (len(self.blob) - padding) * 3 // 4)

    @property
    def row_count(self) -> int:
        return -(-self.size // self.row_bytes)

    def row(self, index: int) -> str:
        """One row: offset, hexadecimal, printable ASCII: `0010  53 69 67 6e ...  Sign`.

        For broken base64 the row has a note on that instead.
        """
        start = index * self.row_bytes
        offset = f"{start:0{self._digits}x}"
        block, at = divmod(start, _BLOCK_BYTES)
        found = self._decoded(block)
        if found is None:
            return f"{offset}  not valid base64"
        row = found[at : at + self.row_bytes]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        return f"{offset}  {row.hex(' '):<{self.row_bytes * 3 - 1}}  {text}"

    def rows(self, first: int, last: int) -> list[str]:
        """The rows from `first` up to `last`, without the latter, as far as there are any."""
        return [self.row(index) for index in range(max(first, 0), min(last, self.row_count))]

    def head(self, count: int) -> bytes:
        """The first `count` bytes, fewer if there are fewer or where the base64 breaks off."""
        found = b""
        for block in range(-(-min(count, self.size) // _BLOCK_BYTES)):
            piece = self._decoded(block)
            if piece is None:
                break
            found += piece
        return found[:count]

    @property
    def fault(self) -> str:
        """Error in the base64, "" if there is none. Checks all of it."""
        if _BLANKS.search(self.blob):
            return "not valid base64: it has blanks or line breaks"
        if not _BASE64.match(self.blob):
            return "not valid base64: it has characters that base64 does not have"
        if len(self.blob) % 4:
            return "not valid base64: it is cut or lacks padding"
        return ""

    @property
    def _digits(self) -> int:
        return max(4, len(f"{max(self.size - 1, 0):x}"))

    def _decoded(self, block: int) -> bytes | None:
        piece = self.blob[block * _BLOCK_CHARACTERS : (block + 1) * _BLOCK_CHARACTERS]
        try:
            return base64.b64decode(piece, validate=True)
        except (binascii.Error, ValueError):
            return None
