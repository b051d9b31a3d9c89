from __future__ import annotations

import base64
import pickle
import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from signoff.app.content.media.image_facts import NAMES
from signoff.app.content.media.images import (
    DARK,
    Crop,
    ImageRefused,
    Pixels,
    Wish,
    decode,
    decode_base64,
    decode_crop,
    decode_wish,
)
from tests.approved import approved
from tests.tiers import examples

PROSE = approved("media")

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def pixel(pixels: Pixels, x: int, y: int) -> tuple[int, int, int]:
    start = 3 * (y * pixels.width + x)
    red, green, blue = pixels.rgb[start : start + 3]
    return red, green, blue


def near(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(one, other, strict=True))


def refusal(data: str | bytes) -> str:
    with pytest.raises(ImageRefused) as refused:
        decode(data, 10, 10)
    return refused.value.reason


def png_claiming(width: int, height: int, body: bytes = b"") -> bytes:
    """A PNG of one bit a pixel whose header may promise more than its body holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_every_known_format_is_decoded(kind: str) -> None:
    pixels = decode(encoded(saved(Image.new("RGB", (40, 20), BLUE), kind)), 80, 80)
    assert (pixels.width, pixels.height, len(pixels.rgb)) == (40, 20, 40 * 20 * 3)
    assert pixels.header.format == kind
    assert near(pixel(pixels, 39, 19), BLUE)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_png_mode_becomes_rgb(mode: str) -> None:
    others: dict[str, Any] = {"1": 1, "L": 255, "LA": (255, 255), "P": 0, "I;16": 65535}
    white: Any = others.get(mode, (255,) * len(mode))
    image = Image.new(mode, (4, 4), white)
    if mode == "P":
        image.putpalette([255, 255, 255])
    assert pixel(decode(encoded(saved(image, "PNG")), 8, 8), 2, 2) == (255, 255, 255)


def test_sixteen_bits_of_grey_keep_their_middle() -> None:
    image = Image.new("I;16", (4, 4), 32768)
    assert near(pixel(decode(encoded(saved(image, "PNG")), 8, 8), 1, 1), (128, 128, 128))


def test_a_large_picture_is_shrunk_into_the_box_in_its_shape() -> None:
    pixels = decode(encoded(saved(Image.new("RGB", (600, 300)), "JPEG")), 80, 48)
    assert (pixels.width, pixels.height) == (80, 40)
    assert (pixels.header.width, pixels.header.height) == (600, 300)


def test_transparency_shows_the_background() -> None:
    data = encoded(saved(Image.new("RGBA", (4, 4), (255, 0, 0, 0)), "PNG"))
    assert pixel(decode(data, 8, 8), 0, 0) == DARK
    assert pixel(decode(data, 8, 8, (1, 2, 3)), 0, 0) == (1, 2, 3)
    half = encoded(saved(Image.new("RGBA", (4, 4), (255, 255, 255, 128)), "PNG"))
    assert near(pixel(decode(half, 8, 8, (0, 0, 0)), 0, 0), (128, 128, 128))


def test_the_orientation_of_the_camera_is_applied() -> None:
    image = Image.new("RGB", (40, 20), RED)
    image.paste(GREEN, (0, 0, 40, 10))
    exif = Image.Exif()
    exif[0x0112] = 6
    pixels = decode(encoded(saved(image, "JPEG", exif=exif, quality=95)), 10, 80)
    assert (pixels.width, pixels.height) == (10, 20)
    assert near(pixel(pixels, 9, 10), GREEN)
    assert near(pixel(pixels, 0, 10), RED)


def test_only_the_first_frame_is_shown_and_said_to_be() -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in (RED, BLUE)]
    raw = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    pixels = decode(encoded(raw), 8, 8)
    assert near(pixel(pixels, 0, 0), RED)
    assert pixels.header.is_animated


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("", "image: empty"),
        ("????", "image: not base64"),
        ("aGVs bG8=", "image: base64 with blanks"),
        ("aGVsbG8", "image: base64 that ends too early"),
        ("_-8=", "image: base64 for URLs"),
        ("data:image/png;base64,aGVsbG8=", "image: a data URL"),
        ("é", "image: outside ASCII"),
        (encoded(b"<html><body>"), "image: HTML"),
        (encoded(b"%PDF-1.7 etc"), "image: PDF"),
    ],
)
def test_what_is_no_image_is_refused_with_the_reason(data: str, key: str) -> None:
    PROSE.holds(key, refusal(data))


def test_a_format_outside_the_list_is_not_tried() -> None:
    PROSE.holds(
        "image: an unknown format", refusal(encoded(saved(Image.new("RGB", (4, 4)), "TIFF")))
    )


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_a_truncated_file_is_refused(kind: str) -> None:
    noise = Image.effect_noise((64, 64), 80).convert("RGB")
    raw = saved(noise, kind)
    assert refusal(encoded(raw[: len(raw) // 2]))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_a_file_that_ends_in_its_header_is_called_damaged(kind: str) -> None:
    raw = saved(Image.new("RGB", (4, 4)), kind)
    ends = {"PNG": 8, "JPEG": 4, "GIF": 8, "WEBP": 14, "BMP": 10}
    words = refusal(encoded(raw[: ends[kind]])).replace(NAMES[f"image/{kind.lower()}"], "KIND")
    PROSE.holds("image: a header that is cut off", words)


def test_a_truncated_body_is_called_truncated() -> None:
    raw = saved(Image.effect_noise((64, 64), 80), "JPEG")
    assert refusal(encoded(raw[: len(raw) // 2])).startswith("truncated")


def test_a_bomb_is_refused_by_its_header() -> None:
    bomb = png_claiming(13_300, 13_300, zlib.compress(bytes(1663 * 13_300 + 13_300), 9))
    assert len(bomb) < 30_000
    PROSE.holds("image: a bomb", refusal(encoded(bomb)))


@pytest.mark.parametrize(
    ("width", "height", "key"),
    [
        (30_000, 30_000, "image: too large"),
        (10_001, 1, "image: too wide"),
        (1, 10_001, "image: too high"),
        (4_473, 4_472, "image: too many pixels"),
    ],
)
def test_a_size_over_the_limit_is_refused(width: int, height: int, key: str) -> None:
    PROSE.holds(key, refusal(encoded(png_claiming(width, height))))


def test_a_size_at_the_limit_is_decoded() -> None:
    rows = bytes((10_000 // 8 + 1) * 2_000)
    pixels = decode(encoded(png_claiming(10_000, 2_000, zlib.compress(rows))), 80, 80)
    assert (pixels.width, pixels.height) == (80, 16)


def test_encoded_data_over_the_limit_is_refused_before_it_is_decoded() -> None:
    PROSE.holds("image: larger than the limit", refusal("A" * 15_000_000))
    with pytest.raises(ImageRefused, match="larger"):
        decode_base64(encoded(bytes(1_048_577)), 2**20)
    assert len(decode_base64(encoded(bytes(2**20)), 2**20)) == 2**20


def test_a_refusal_survives_the_way_out_of_a_worker() -> None:
    again = pickle.loads(pickle.dumps(ImageRefused("why")))
    assert again.reason == "why"


VALID = {
    kind: saved(Image.effect_noise((16, 16), 80).convert("RGB"), kind)
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP")
}


@pytest.mark.slow
@examples(150)
@given(
    kind=st.sampled_from(sorted(VALID)),
    changes=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=6),
    keep=st.floats(0.05, 1),
    box=st.tuples(st.integers(-1, 40), st.integers(-1, 40)),
)
def test_damage_gives_pixels_in_the_box_or_a_refusal(
    kind: str, changes: list[tuple[float, int]], keep: float, box: tuple[int, int]
) -> None:
    raw = bytearray(VALID[kind])
    for place, byte in changes:
        raw[int(place * len(raw))] = byte
    try:
        pixels = decode(encoded(bytes(raw[: max(1, int(keep * len(raw)))])), *box)
    except ImageRefused as refused:
        reason = refused.reason
    else:
        reason = "none"
        assert 1 <= pixels.width <= max(1, box[0])
        assert 1 <= pixels.height <= max(1, box[1])
        assert len(pixels.rgb) == 3 * pixels.width * pixels.height
    assert reason


def test_a_piece_is_drawn_at_the_size_that_was_asked_for() -> None:
    image = Image.new("RGB", (40, 20), RED)
    image.paste(BLUE, (20, 0, 40, 20))
    data = encoded(saved(image, "PNG"))
    right = decode_crop(data, Crop(20, 0, 20, 20, 60, 60))
    assert (right.width, right.height, set_of(right)) == (60, 60, {BLUE})
    both = decode_crop(data, Crop(15, 5, 10, 10, 5, 5))
    assert (both.width, both.height) == (5, 5)
    assert near(pixel(both, 0, 0), RED)
    assert near(pixel(both, 4, 4), BLUE)
    assert (both.header.width, both.header.height) == (40, 20)


def test_a_piece_is_cut_from_the_upright_picture() -> None:
    image = Image.new("RGB", (40, 20), RED)
    image.paste(BLUE, (20, 0, 40, 20))
    exif = image.getexif()
    exif[0x0112] = 6
    data = encoded(saved(image, "PNG", exif=exif))
    pixels = decode_crop(data, Crop(0, 20, 20, 20, 20, 20))
    assert (pixels.header.width, pixels.header.height) == (20, 40)
    assert set_of(pixels) == {BLUE}


def test_the_form_for_a_terminal_holds_the_same_pixels() -> None:
    image = Image.new("RGB", (3, 2), RED)
    image.putpixel((2, 1), BLUE)
    data = encoded(saved(image, "PNG"))
    bare = decode_wish(data, Wish(9, 9))
    png = decode_wish(data, Wish(9, 9, "png"))
    assert (png.width, png.height, png.rgb) == (3, 2, b"")
    assert Image.open(BytesIO(png.encoded)).tobytes() == bare.rgb
    piece = decode_wish(data, Wish(9, 9, crop=Crop(2, 1, 1, 1, 2, 2)))
    assert set_of(piece) == {BLUE}


def set_of(pixels: Pixels) -> set[tuple[int, ...]]:
    return {tuple(pixels.rgb[at : at + 3]) for at in range(0, len(pixels.rgb), 3)}
