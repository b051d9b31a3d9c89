"""Facts about an image from its first bytes, without decoding.

Cheap enough for the event loop: the walk over a JPEG's segments and a GIF's blocks is bounded. The
facts are claims of the file; whether there is an image behind them shows when it is decoded.

An XML parser would expand a server's declarations, so only the first bytes of an SVG are searched,
by expressions that cannot backtrack over more than a tag.
"""

from __future__ import annotations

import re

from ..frozen import frozen
from ..mime import disagreement, essence, found_type
from ..text import cut, size, visible
from .base64_bytes import Base64Bytes

HEAD_BYTES = 384 * 1024
"""Bytes that are read; the size in a JPEG comes after its profiles and thumbnails."""

MAX_SEGMENTS = 2_000
MAX_COUNTED = 1_000

NAMES = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "image/bmp": "BMP",
    "image/svg+xml": "SVG",
}
"""The pictures that can be shown, by the type that their bytes spell."""


@frozen
class ImageFacts:
    """`found` is a MIME type, "" if the bytes spell none; sizes are pixels as stored, 0 unknown.

    `frames` is 1 for a still picture, at most `MAX_COUNTED`, and 0 if it is animated but the
    frames were not counted. `byte_count` is that of the whole file.
    """

    claimed: str
    found: str
    width: int = 0
    height: int = 0
    frames: int = 1
    byte_count: int = 0

    @property
    def disagreement(self) -> str:
        """Difference of the claimed type and the bytes, in words; "" if they agree."""
        return disagreement(self.claimed, self.found, NAMES)

    @property
    def warning(self) -> str:
        """The disagreement, marked as such."""
        return f"WARNING {self.disagreement}" if self.disagreement else ""

    @property
    def words(self) -> str:
        """The description, and the warning if there is one; safe to show."""
        return "  ".join(filter(None, (self.description, self.warning)))

    @property
    def description(self) -> str:
        """Kind and size: "image  PNG  640 x 400  42.0 kB"."""
        kind = NAMES.get(self.found) or self.found or essence(self.claimed) or "unknown type"
        pieces = ["image", kind]
        if self.width and self.height:
            pieces.append(f"{self.width} x {self.height}")
        pieces.append(size(self.byte_count))
        if self.frames != 1:
            pieces.append(f"animated, {self.frames} frames" if self.frames else "animated")
        return "  ".join(pieces)


def read_facts(data_base64: str, claimed: str) -> ImageFacts:
    """Facts about a picture from its beginning; never raises."""
    data = Base64Bytes(data_base64)
    head = data.read(0, HEAD_BYTES)
    found = found_type(head)
    width, height, frames = 0, 0, 1
    try:
        match found:
            case "image/png":
                width, height, frames = _png(head)
            case "image/gif":
                width, height = _little(head, 6, 2), _little(head, 8, 2)
                frames = count_gif_frames(head)
            case "image/bmp":
                width, height = _bmp(head)
            case "image/webp":
                width, height, frames = _webp(head)
            case "image/jpeg":
                width, height = _jpeg(head)
    except IndexError:
        width, height = 0, 0
    return ImageFacts(claimed, found, width, height, frames, len(data))


def count_gif_frames(raw: bytes) -> int:
    """The pictures in a GIF (GIF89a, section 20), up to `MAX_COUNTED`; 0 where `raw` ends first.

    A file that holds one picture and ends there, however damaged, counts as one.
    """
    try:
        at = 13 + _table(raw[10])
        frames = 0
        for _ in range(4 * MAX_COUNTED):
            block = raw[at]
            if block == 0x3B or frames >= MAX_COUNTED:
                return frames
            if block == 0x2C:
                frames += 1
                at += 10 + _table(raw[at + 9]) + 1
            elif block == 0x21:
                at += 2
            else:
                return max(frames, 1)
            while length := raw[at]:
                at += 1 + length
            at += 1
    except IndexError:
        return 1 if frames < 2 else 0
    return frames


def _table(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _png(head: bytes) -> tuple[int, int, int]:
    """Size, and the frames that an animation control chunk announces before the picture."""
    width, height = _big(head, 16, 4), _big(head, 20, 4)
    control = head.find(b"acTL", 33, 4096)
    picture = head.find(b"IDAT", 33, 4096)
    if control > 0 and (picture < 0 or control < picture):
        return width, height, max(1, min(_big(head, control + 4, 4), MAX_COUNTED))
    return width, height, 1


def _bmp(head: bytes) -> tuple[int, int]:
    if _little(head, 14, 4) == 12:
        return _little(head, 18, 2), _little(head, 20, 2)
    height = _little(head, 22, 4)
    return _little(head, 18, 4), min(height, 2**32 - height)


def _webp(head: bytes) -> tuple[int, int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        frames = _webp_frames(head) if head[20] & 2 else 1
        return 1 + _little(head, 24, 3), 1 + _little(head, 27, 3), frames
    if kind == b"VP8L":
        bits = _little(head, 21, 4)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF), 1
    if kind == b"VP8 ":
        return _little(head, 26, 2) & 0x3FFF, _little(head, 28, 2) & 0x3FFF, 1
    return 0, 0, 1


def _webp_frames(head: bytes) -> int:
    """Frames up to the end of the file, 0 if they are not all in `head`."""
    at, frames = 12, 0
    end = 8 + _little(head, 4, 4)
    for _ in range(4 * MAX_COUNTED):
        if at >= end or frames >= MAX_COUNTED:
            return max(frames, 1)
        if at + 8 > len(head):
            return 0
        frames += head[at : at + 4] == b"ANMF"
        length = _little(head, at + 4, 4)
        at += 8 + length + (length & 1)
    return 0


def _jpeg(head: bytes) -> tuple[int, int]:
    """From the frame header (ITU-T T.81, B.2.2), which any number of segments may precede."""
    at = 2
    for _ in range(MAX_SEGMENTS):
        while head[at] == 0xFF and head[at + 1] == 0xFF:
            at += 1
        marker = head[at + 1]
        if head[at] != 0xFF or marker in (0xD9, 0xDA):
            return 0, 0
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(head, at + 7, 2), _big(head, at + 5, 2)
        at += 2 if marker == 0x01 or 0xD0 <= marker <= 0xD8 else 2 + _big(head, at + 2, 2)
    return 0, 0


def _big(raw: bytes, at: int, count: int) -> int:
    return int.from_bytes(_exactly(raw, at, count), "big")


def _little(raw: bytes, at: int, count: int) -> int:
    return int.from_bytes(_exactly(raw, at, count), "little")


def _exactly(raw: bytes, at: int, count: int) -> bytes:
    found = raw[at : at + count]
    if len(found) < count:
        raise IndexError
    return found


HEAD_CHARACTERS = 64 * 1024
VALUE_CHARACTERS = 40

_TAG = re.compile(r"<svg\b[^<>]{0,8192}+", re.I)
_ATTRIBUTES = {
    name: re.compile(rf"""\s{name}\s{{0,9}}=\s{{0,9}}(?:"([^"]{{0,200}}+)"|'([^']{{0,200}}+)')""")
    for name in ("width", "height", "viewBox")
}


def svg_size(text: str) -> str:
    """The size as the root element gives it: "640 x 400, viewBox 0 0 64 40"; "" if it is mute.

    Safe to show.
    """
    tag = _TAG.search(text, 0, HEAD_CHARACTERS)
    if tag is None:
        return ""
    found = {}
    for name, pattern in _ATTRIBUTES.items():
        if match := pattern.search(tag[0]):
            value = (match[1] or match[2] or "").strip()
            found[name] = visible(cut(value, VALUE_CHARACTERS).text)
    pieces = []
    if "width" in found or "height" in found:
        pieces.append(f"{found.get('width', '?')} x {found.get('height', '?')}")
    if "viewBox" in found:
        pieces.append(f"viewBox {found['viewBox']}")
    return ", ".join(pieces)
