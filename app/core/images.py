"""Pictures from a server, decoded to the size at which they are drawn.

A small file can stand for gigabytes of pixels, so the header is judged before anything is decoded,
and callers run this in a worker process with a memory limit. Pillow is imported only when needed.
"""

from __future__ import annotations

import base64
import binascii
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
MAX_ENCODED_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 20_000_000
MAX_SIDE = 10_000
DARK = (24, 24, 24)

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"

_ORIENTATION = 0x0112
"""The EXIF tag (Exif 2.32, section 4.6.4) that says how the camera was held."""


class ImageRefused(Exception):
    """There is no picture; `reason` says why in words, free of server text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """What the file says about itself; width and height in pixels as stored, before rotation."""

    format: str
    width: int
    height: int
    frames_note: str


@dataclass(frozen=True, slots=True)
class Pixels:
    """A decoded picture: `rgb` holds `height` rows of `width` pixels, 3 bytes each."""

    width: int
    height: int
    rgb: bytes
    header: ImageHeader


def decode(
    data_base64: str | bytes,
    max_width: int,
    max_height: int,
    background: tuple[int, int, int] = DARK,
) -> Pixels:
    """Decode the first frame, upright, shrunk into the box (pixels), composited on `background`.

    A picture that is smaller than the box keeps its size.

    Raises:
        ImageRefused: not base64, not one of `FORMATS`, damaged, or over a limit.
    """
    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    with _refusing(raw):
        image, header = _open(raw)
        return _draw(image, header, max(1, max_width), max(1, max_height), background)


def read_header(data_base64: str | bytes) -> ImageHeader:
    """What the file claims to be, without decoding it; raises `ImageRefused` like `decode`."""
    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    with _refusing(raw):
        return _open(raw)[1]


def decode_base64(data: str | bytes, limit: int) -> bytes:
    """The bytes behind strict base64 (RFC 4648, section 4); at most `limit` of them.

    Raises:
        ImageRefused: with what is wrong, in words.
    """
    if len(data) // 4 * 3 > limit + 2:
        raise ImageRefused(f"larger than {limit // 2**20} MB")
    try:
        encoded = data.encode("ascii") if isinstance(data, str) else data
    except UnicodeEncodeError:
        raise ImageRefused("not valid base64: it has characters outside ASCII") from None
    try:
        raw = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        raise ImageRefused(f"not valid base64: {_base64_fault(encoded)}") from None
    if not raw:
        raise ImageRefused("empty: there are no bytes")
    if len(raw) > limit:
        raise ImageRefused(f"larger than {limit // 2**20} MB")
    return raw


def _base64_fault(encoded: bytes) -> str:
    if encoded[:5].lower() == b"data:":
        return "it is a data: URL, where only the base64 part belongs"
    if re.search(rb"\s", encoded):
        return "it has blanks or line breaks"
    if re.fullmatch(rb"[A-Za-z0-9_-]+=*", encoded) and re.search(rb"[_-]", encoded):
        return "it uses the URL-safe alphabet"
    strange = re.search(rb"[^A-Za-z0-9+/=]", encoded)
    if strange:
        return f"byte {strange.group()[0]:02x} at position {strange.start()}"
    if len(encoded) % 4:
        return f"{len(encoded)} characters are not a multiple of 4, so it is cut or lacks padding"
    return "wrong padding"


@contextmanager
def _refusing(raw: bytes) -> Iterator[None]:
    """Turn whatever the decoders raise into `ImageRefused`; a lack of memory passes through."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (ImageRefused, MemoryError):
        raise
    except UnidentifiedImageError:
        raise ImageRefused(
            f"these bytes are not an image Signoff knows: first bytes {raw[:4].hex(' ')}"
        ) from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        claim = re.search(r"\((\d+) pixels\)", str(error))
        claimed = f"{int(claim[1]):,} pixels" if claim else "too many pixels"
        raise ImageRefused(f"claims {claimed}; the limit is {MAX_PIXELS:,}") from None
    except Exception as error:
        words = str(error).lower()
        if isinstance(error, EOFError) or "truncated" in words or "broken data stream" in words:
            raise ImageRefused("truncated: the data ends before the picture does") from None
        raise ImageRefused(f"damaged: the decoder gave up ({type(error).__name__})") from None


def _open(raw: bytes) -> tuple[Image, ImageHeader]:
    from PIL import Image

    image = Image.open(BytesIO(_without_damaged_extras(raw)), formats=FORMATS)
    width, height = image.size
    if width > MAX_SIDE or height > MAX_SIDE:
        raise ImageRefused(f"{width:,} x {height:,} pixels; the limit is {MAX_SIDE:,} a side")
    if width * height > MAX_PIXELS:
        raise ImageRefused(
            f"{width:,} x {height:,} is {width * height:,} pixels; the limit is {MAX_PIXELS:,}"
        )
    animated = getattr(image, "is_animated", False)
    note = "animated, first frame shown" if animated else ""
    return image, ImageHeader(image.format or "", width, height, note)


def _without_damaged_extras(raw: bytes) -> bytes:
    """A PNG without the ancillary chunks whose checksum is wrong; anything else as it is.

    A picture can be drawn without them (PNG, third edition, section 13.2), but Pillow gives up on
    a colour profile with a wrong checksum, as a published server sends one.
    """
    if not raw.startswith(_PNG_SIGNATURE):
        return raw
    at = len(_PNG_SIGNATURE)
    kept = [raw[:at]]
    while at + 12 <= len(raw):
        end = at + 12 + int.from_bytes(raw[at : at + 4], "big")
        body, checksum = raw[at + 4 : end - 4], raw[end - 4 : end]
        is_ancillary = bool(body[:1]) and bool(body[0] & 0x20)
        if not is_ancillary or zlib.crc32(body).to_bytes(4, "big") == checksum:
            kept.append(raw[at:end])
        at = end
    return b"".join([*kept, raw[at:]])


def _draw(
    image: Image,
    header: ImageHeader,
    max_width: int,
    max_height: int,
    background: tuple[int, int, int],
) -> Pixels:
    from PIL import Image
    from PIL.Image import Transpose

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    orientation = _orientation(image)
    box = (max_height, max_width) if orientation >= 5 else (max_width, max_height)
    image.draft("RGB", box)
    image.load()
    if image.mode.startswith("I"):
        # 16 bits of grey: Pillow clips them to 8 instead of scaling.
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.thumbnail(box)
    if image.mode == "RGBA":
        ground = Image.new("RGBA", image.size, (*background, 255))
        image = Image.alpha_composite(ground, image).convert("RGB")
    if orientation in turns:
        image = image.transpose(turns[orientation])
    return Pixels(image.width, image.height, image.tobytes(), header)


def _orientation(image: Image) -> int:
    """1 to 8; 1 when there is no tag, or none that can be read."""
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except MemoryError:
        raise
    except Exception:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1
