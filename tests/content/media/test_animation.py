from __future__ import annotations

import base64
from io import BytesIO

import pytest
from PIL import Image

from signoff.app.content.media import images
from signoff.app.content.media.images import (
    MIN_SECONDS,
    USUAL_SECONDS,
    ImageRefused,
    Wish,
    decode_frames,
)

COLOURS = [(250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0)]


def moving(kind: str, count: int, side: int = 8, duration: int = 80) -> bytes:
    frames = [Image.new("RGB", (side, side), COLOURS[n % 4]) for n in range(count)]
    file = BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=duration, loop=0)
    return file.getvalue()


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_every_frame_is_decoded_with_its_time(kind: str) -> None:
    found = decode_frames(encoded(moving(kind, 4)), Wish(4, 4))
    assert [(one.width, one.height) for one in found.frames] == [(4, 4)] * 4
    for one, colour in zip(found.frames, COLOURS, strict=True):
        assert all(abs(a - b) < 12 for a, b in zip(one.rgb[:3], colour, strict=True))
    assert found.seconds == (0.08,) * 4
    assert not found.is_cut


def test_a_picture_that_stands_still_is_one_frame() -> None:
    file = BytesIO()
    Image.new("RGB", (5, 5), COLOURS[0]).save(file, "JPEG")
    found = decode_frames(encoded(file.getvalue()), Wish(9, 9))
    assert len(found.frames) == 1
    assert not found.is_cut


def test_frames_and_pixels_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    many = decode_frames(encoded(moving("GIF", 70)), Wish(4, 4))
    assert len(many.frames) == 64
    assert many.is_cut
    monkeypatch.setattr(images, "MAX_FRAME_PIXELS", 3 * 64 + 10)
    assert len(decode_frames(encoded(moving("GIF", 5)), Wish(4, 4)).frames) == 3
    monkeypatch.setattr(images, "MAX_FRAME_PIXELS", 1)
    assert len(decode_frames(encoded(moving("GIF", 5)), Wish(4, 4)).frames) == 1


def test_haste_and_slowness_are_limited() -> None:
    assert decode_frames(encoded(moving("GIF", 2, duration=0)), Wish(4, 4)).seconds == (
        (USUAL_SECONDS,) * 2
    )
    assert decode_frames(encoded(moving("GIF", 2, duration=20)), Wish(4, 4)).seconds == (
        (MIN_SECONDS,) * 2
    )
    assert decode_frames(encoded(moving("GIF", 2, duration=60_000)), Wish(4, 4)).seconds == (
        (10.0,) * 2
    )


def test_damage_ends_the_animation_where_it_is() -> None:
    raw = moving("GIF", 4, side=60)
    found = decode_frames(encoded(raw[: len(raw) * 3 // 4]), Wish(4, 4))
    assert 1 <= len(found.frames) < 4


def test_damage_in_the_first_frame_is_refused() -> None:
    raw = moving("PNG", 2, side=60)
    with pytest.raises(ImageRefused, match="truncated"):
        decode_frames(encoded(raw[: raw.index(b"IDAT") + 9]), Wish(4, 4))
