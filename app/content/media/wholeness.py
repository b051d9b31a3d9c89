"""Whether a picture or a sound ends before its data do, from its headers and its end.

Nothing is decoded: each check reads a bounded number of small pieces, so that it can be made for
every response. What cannot be known within the bound counts as whole.
"""

from __future__ import annotations

from typing import Final

from .base64_bytes import Base64Bytes
from .image_facts import HEAD_BYTES, MAX_SEGMENTS

CUT: Final = "is cut off: the data ends before the {} does"
NO_PIXELS: Final = "has no pixels: its size is {:,} x {:,}"
_TAIL_BYTES: Final = 64
_OPEN_RIFF: Final = 0x7FFF_0000
"""From here on the size of a RIFF file is that of a stream whose length was not known."""


def fault_of(data: Base64Bytes, found: str) -> str:
    """Describe why a file of the detected type is not whole; empty if it is, or is not known."""
    match found:
        case "image/png":
            return _png(data)
        case "image/jpeg":
            return CUT.format("picture") if _is_cut_jpeg(data) else ""
        case "image/gif":
            return CUT.format("picture") if _is_cut_gif(data) else ""
        case "image/webp" | "audio/wav":
            what = "picture" if found == "image/webp" else "sound"
            return CUT.format(what) if _is_cut_riff(data) else ""
    return ""


def _png(data: Base64Bytes) -> str:
    """Follow the lengths of the chunks up to IEND (PNG, third edition, section 5.3)."""
    at = 8
    for _ in range(MAX_SEGMENTS):
        head = data.read(at, 16)
        length, kind = int.from_bytes(head[:4], "big"), head[4:8]
        at += 12 + length
        if len(head) < 8 or at > len(data):
            return CUT.format("picture")
        if kind == b"IHDR":
            width, height = int.from_bytes(head[8:12], "big"), int.from_bytes(head[12:16], "big")
            if not width or not height:
                return NO_PIXELS.format(width, height)
        if kind == b"IEND":
            return ""
    return ""


def _is_cut_jpeg(data: Base64Bytes) -> bool:
    """Look for the end of the image behind the first scan (ITU-T T.81, B.2.1).

    In a scan the byte FF is followed by 00 or begins a marker, so that data never look like the
    end. A thumbnail, which has an end of its own, comes before the scan.
    """
    at = 2
    for _ in range(MAX_SEGMENTS):
        head = data.read(at, 4)
        if len(head) < 4:
            return head[:2] != b"\xff\xd9"
        if head[0] != 0xFF or head[1] == 0xD9:
            return False
        if head[1] == 0xDA:
            tail = data.read(max(at, len(data) - HEAD_BYTES), HEAD_BYTES)
            return b"\xff\xd9" not in tail
        if head[1] == 0xFF:
            at += 1
        elif head[1] == 0x01 or 0xD0 <= head[1] <= 0xD8:
            at += 2
        else:
            at += 2 + int.from_bytes(head[2:4], "big")
    return False


def _is_cut_gif(data: Base64Bytes) -> bool:
    """Look for the trailer (GIF89a, section 27); some writers fill up with zeros behind it."""
    tail = data.read(max(0, len(data) - _TAIL_BYTES), _TAIL_BYTES)
    return not tail.rstrip(b"\0").endswith(b"\x3b")


def _is_cut_riff(data: Base64Bytes) -> bool:
    size = int.from_bytes(data.read(4, 4), "little")
    return len(data) < 8 or len(data) < 8 + size < _OPEN_RIFF
