"""Images of a server, decoded to the size at which they are drawn.

A small file can contain gigabytes of pixels, so the header is judged before anything is decoded,
and callers run this in a worker process with a memory limit. Pillow is imported only when needed.

Animations are decoded all at once and within a limit. Damaged parts of PNG files that are not
needed for drawing are dropped. Sixel output: six rows of pixels a character, one colour register
after another. DEC, "VT330/VT340 Programmer Reference Manual", volume 2, chapter 14: `#n;2;r;g;b`
sets a register in per cent, `#n` chooses it, `!n` repeats, `$` returns to the left, `-` goes on to
the next six.
"""

from __future__ import annotations

import base64
import binascii
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from ..frozen import frozen
from ..mime import found_type
from .image_facts import NAMES

if TYPE_CHECKING:
    from PIL.Image import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def without_damaged_extras(raw: bytes) -> bytes:
    """A PNG without the ancillary chunks whose checksum is wrong; anything else as it is.

    A picture can be drawn without them (PNG, third edition, section 13.2), but Pillow gives up on
    a colour profile with a wrong checksum, as a published server sends one.
    """
    if not raw.startswith(_SIGNATURE):
        return raw
    at = len(_SIGNATURE)
    kept = [raw[:at]]
    while at + 12 <= len(raw):
        end = at + 12 + int.from_bytes(raw[at : at + 4], "big")
        body, checksum = raw[at + 4 : end - 4], raw[end - 4 : end]
        is_ancillary = bool(body[:1]) and bool(body[0] & 0x20)
        if not is_ancillary or zlib.crc32(body).to_bytes(4, "big") == checksum:
            kept.append(raw[at:end])
        at = end
    return b"".join([*kept, raw[at:]])


COLOURS = 128
"""Registers that are used; terminals have 256, but each one costs a pass over every band."""


def sixel_of(image: Image) -> bytes:
    """The whole device control string for an RGB picture."""
    from PIL.Image import Quantize

    few = image.quantize(COLOURS, method=Quantize.MEDIANCUT)
    width, height = few.size
    palette = few.getpalette() or []
    indexes = few.tobytes()
    out = [f'\x1bP0;1;0q"1;1;{width};{height}'.encode()]
    for index in sorted(set(indexes)):
        red, green, blue = (value * 100 // 255 for value in palette[3 * index : 3 * index + 3])
        out.append(f"#{index};2;{red};{green};{blue}".encode())
    for top in range(0, height, 6):
        rows = [indexes[y * width : (y + 1) * width] for y in range(top, min(top + 6, height))]
        out.append(b"$".join(_plane(rows, index) for index in sorted(set().union(*rows))) + b"-")
    return b"".join(out) + b"\x1b\\"


def _plane(rows: list[bytes], index: int) -> bytes:
    """The pixels of one colour in a band of at most six rows."""
    # Each row becomes a number with one bit a pixel at its place, so that adding them up is one
    # step in C; the sixel's character is that bit pattern plus 63.
    total = 0
    for bit, row in enumerate(rows):
        table = bytes(1 << bit if value == index else 0 for value in range(256))
        total |= int.from_bytes(row.translate(table), "big")
    bits = total.to_bytes(len(rows[0]), "big").translate(_TO_SIXEL).rstrip(b"?")
    return b"#%d" % index + _RUN.sub(lambda run: b"!%d%b" % (len(run[0]), run[1]), bits)


_RUN = re.compile(rb"(.)\1{3,}")
_TO_SIXEL = bytes(63 + min(value, 63) for value in range(256))


FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
MAX_ENCODED_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 20_000_000
MAX_SIDE = 10_000
DARK = (24, 24, 24)

RGB = tuple[int, int, int]

_ORIENTATION = 0x0112
"""The EXIF tag (Exif 2.32, section 4.6.4) with the orientation of the camera."""


class ImageRefused(Exception):
    """The image cannot be drawn; `reason` is in words free of server text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@frozen
class ImageHeader:
    """The file's own facts; width and height in pixels, upright."""

    format: str
    width: int
    height: int
    is_animated: bool = False


@frozen
class Pixels:
    """A decoded image: `rgb` holds `height` rows of `width` pixels, 3 bytes each.

    If another form was requested, `rgb` is empty and `encoded` holds it.
    """

    width: int
    height: int
    rgb: bytes
    header: ImageHeader
    encoded: bytes = b""


Form = Literal["rgb", "png", "sixel"]
"""What the decoded pixels are wanted as: bare, or encoded for a terminal that draws pictures."""


@frozen
class Crop:
    """A piece of the upright picture, in its pixels, and the size at which it is to be drawn."""

    left: int
    top: int
    width: int
    height: int
    drawn_width: int
    drawn_height: int


def decode(
    data_base64: str | bytes,
    max_width: int,
    max_height: int,
    background: RGB = DARK,
    form: Form = "rgb",
) -> Pixels:
    """Decode the first frame, upright, shrunk into the box (pixels), composited on `background`.

    A picture that is smaller than the box keeps its size.

    Raises:
        ImageRefused: not base64, not one of `FORMATS`, damaged, or over a limit.
    """
    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    with refusing(raw):
        image, header = open_image(raw)
        box = (max(1, max_width), max(1, max_height))
        return pixels_of(flatten(image, box, background), header, form)


def decode_crop(
    data_base64: str | bytes, crop: Crop, background: RGB = DARK, form: Form = "rgb"
) -> Pixels:
    """Decode a piece of the first frame, shrunk or enlarged to the size it is to be drawn at.

    Raises:
        ImageRefused: as `decode`.
    """
    from PIL import Image

    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    with refusing(raw):
        image, header = open_image(raw)
        whole = flatten(image, (header.width, header.height), background)
        box = (crop.left, crop.top, crop.left + crop.width, crop.top + crop.height)
        size = (max(1, min(crop.drawn_width, MAX_SIDE)), max(1, min(crop.drawn_height, MAX_SIDE)))
        is_larger = size[0] > crop.width
        how = Image.Resampling.NEAREST if is_larger else Image.Resampling.BICUBIC
        return pixels_of(whole.resize(size, how, box), header, form)


@frozen
class Wish:
    """The requested part and size of an image: all of it in a box of pixels, or a piece of it."""

    width: int
    height: int
    form: Form = "rgb"
    background: RGB = DARK
    crop: Crop | None = None


def decode_wish(data_base64: str, wish: Wish) -> Pixels:
    """`decode` or `decode_crop`, in one function that a worker can be given."""
    if wish.crop is not None:
        return decode_crop(data_base64, wish.crop, wish.background, wish.form)
    return decode(data_base64, wish.width, wish.height, wish.background, wish.form)


def decode_base64(data: str | bytes, limit: int) -> bytes:
    """Decode strict base64 (RFC 4648, section 4); at most `limit` bytes.

    Raises:
        ImageRefused: with the error, in words.
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
        raise ImageRefused("empty: zero bytes")
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
def refusing(raw: bytes) -> Iterator[None]:
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
        raise ImageRefused(_unidentified(raw)) from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        claim = re.search(r"\((\d+) pixels\)", str(error))
        claimed = f"{int(claim[1]):,} pixels" if claim else "too many pixels"
        raise ImageRefused(f"claims {claimed}; the limit is {MAX_PIXELS:,}") from None
    except Exception as error:
        words = str(error).lower()
        if isinstance(error, EOFError) or "truncated" in words or "broken data stream" in words:
            raise ImageRefused("truncated: the data ends before the picture does") from None
        raise ImageRefused(f"damaged: the decoder gave up ({type(error).__name__})") from None


def _unidentified(raw: bytes) -> str:
    """The reason why no decoder takes the bytes: damage, if they begin like a known image."""
    found = found_type(raw)
    if found in NAMES:
        return f"damaged: the header of the {NAMES[found]} is cut off or invalid"
    return f"not an image Signoff knows: first bytes {raw[:4].hex(' ')}"


def open_image(raw: bytes) -> tuple[Image, ImageHeader]:
    """Open within the limits; nothing is decoded yet."""
    from PIL import Image

    image = Image.open(BytesIO(without_damaged_extras(raw)), formats=FORMATS)
    width, height = image.size
    if width > MAX_SIDE or height > MAX_SIDE:
        raise ImageRefused(f"{width:,} x {height:,} pixels; the limit is {MAX_SIDE:,} a side")
    if width * height > MAX_PIXELS:
        raise ImageRefused(
            f"{width:,} x {height:,} is {width * height:,} pixels; the limit is {MAX_PIXELS:,}"
        )
    if _orientation(image) >= 5:
        width, height = height, width
    is_animated = bool(getattr(image, "is_animated", False))
    return image, ImageHeader(image.format or "", width, height, is_animated)


def flatten(image: Image, box: tuple[int, int], background: RGB) -> Image:
    """The current frame as RGB, upright, shrunk into the box, composited on `background`."""
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
    stored_box = (box[1], box[0]) if orientation >= 5 else box
    image.draft("RGB", stored_box)
    image.load()
    if image.mode.startswith("I"):
        # 16 bits of grey: Pillow clips them to 8 instead of scaling.
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.thumbnail(stored_box)
    if image.mode == "RGBA":
        ground = Image.new("RGBA", image.size, (*background, 255))
        image = Image.alpha_composite(ground, image).convert("RGB")
    return image.transpose(turns[orientation]) if orientation in turns else image


def pixels_of(image: Image, header: ImageHeader, form: Form) -> Pixels:
    width, height = image.size
    if form == "rgb":
        return Pixels(width, height, image.tobytes(), header)
    if form == "png":
        return Pixels(width, height, b"", header, png_of(image))
    return Pixels(width, height, b"", header, sixel_of(image))


def png_of(image: Image) -> bytes:
    """A PNG that is written quickly: it goes no further than the terminal."""
    file = BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def _orientation(image: Image) -> int:
    """1 to 8; 1 without a readable tag."""
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except MemoryError:
        raise
    except Exception:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


MAX_FRAMES = 64
MAX_FRAME_PIXELS = 10_000_000
"""Pixels of all frames together, as stored."""

MIN_SECONDS = 0.05
USUAL_SECONDS = 0.1
"""What browsers take for a frame that asks for next to no time."""

MAX_SECONDS = 10.0


@frozen
class Animation:
    """Frames of one size and how long each is shown; `is_cut` where the file has more of them."""

    frames: tuple[Pixels, ...]
    seconds: tuple[float, ...]
    is_cut: bool


def decode_frames(data_base64: str | bytes, wish: Wish) -> Animation:
    """Decode the first frames, all of each in the box of the wish, as a picture is.

    Damage after the first frame ends the animation there.

    Raises:
        ImageRefused: as `decode`.
    """
    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    box = (max(1, wish.width), max(1, wish.height))
    frames: list[Pixels] = []
    seconds: list[float] = []
    is_cut = False
    with refusing(raw):
        image, header = open_image(raw)
        allowed = max(1, min(MAX_FRAMES, MAX_FRAME_PIXELS // (header.width * header.height)))
        while True:
            try:
                with refusing(raw):
                    image.seek(len(frames))
                    # Decoding one frame builds on those before it, so the file's own stays whole.
                    frame = flatten(image.copy(), box, wish.background)
            except ImageRefused:
                if not frames:
                    raise
                break
            if len(frames) == allowed:
                is_cut = True
                break
            frames.append(pixels_of(frame, header, wish.form))
            seconds.append(_seconds(image.info.get("duration")))
    return Animation(tuple(frames), tuple(seconds), is_cut)


def _seconds(duration: object) -> float:
    """From Pillow's milliseconds."""
    if not isinstance(duration, int | float) or not duration > 10:
        return USUAL_SECONDS
    return min(max(duration / 1000, MIN_SECONDS), MAX_SECONDS)
