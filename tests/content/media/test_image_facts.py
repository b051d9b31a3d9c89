from __future__ import annotations

import base64
import struct
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from signoff.app.content.media.image_facts import (
    MAX_COUNTED,
    ImageFacts,
    count_gif_frames,
    read_facts,
)
from tests.approved import approved

PROSE = approved("media")


def saved(kind: str, width: int = 64, height: int = 40, frames: int = 1, **options: Any) -> bytes:
    images = [Image.new("RGB", (width, height), (20 * number, 0, 90)) for number in range(frames)]
    file = BytesIO()
    if frames > 1:
        options |= {"save_all": True, "append_images": images[1:]}
    images[0].save(file, kind, **options)
    return file.getvalue()


def facts(raw: bytes, claimed: str = "") -> ImageFacts:
    return read_facts(base64.b64encode(raw).decode(), claimed)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_kind_and_size_are_read_from_the_header(kind: str) -> None:
    raw = saved(kind, 640, 400)
    found = facts(raw, f"image/{kind.lower()}")
    assert (found.width, found.height, found.frames) == (640, 400, 1)
    assert found.byte_count == len(raw)
    assert found.disagreement == ""
    assert "  640 x 400  " in found.words


def test_other_ways_to_write_the_size() -> None:
    assert facts(saved("WEBP", 31, 17, lossless=True)).width == 31
    assert facts(saved("JPEG", 31, 17, progressive=True)).height == 17
    profile = saved("JPEG", 31, 17, icc_profile=bytes(200_000))
    assert (facts(profile).width, facts(profile).height) == (31, 17)
    core = b"BM" + bytes(12) + struct.pack("<IHHHH", 12, 31, 17, 1, 24)
    assert (facts(core).width, facts(core).height) == (31, 17)
    upside_down = bytearray(saved("BMP", 31, 17))
    upside_down[22:26] = struct.pack("<i", -17)
    assert facts(bytes(upside_down)).height == 17


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_frames_are_counted(kind: str) -> None:
    found = facts(saved(kind, frames=7), f"image/{kind.lower()}")
    assert found.frames == 7
    assert found.words.endswith("animated, 7 frames")


def test_frames_that_end_beyond_what_is_looked_at_are_not_counted() -> None:
    raw = saved("GIF", frames=5)
    assert count_gif_frames(raw[:-40]) in (0, 4, 5)
    assert count_gif_frames(raw[:-1]) == 0
    assert count_gif_frames(saved("GIF")[:-1]) == 1
    assert facts(saved("WEBP", frames=5)[:-130]).frames == 0


def test_a_flood_of_frames_is_counted_to_a_limit() -> None:
    frame = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x00"
    raw = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0, 0, 0) + frame * 5_000 + b";"
    assert count_gif_frames(raw) == MAX_COUNTED


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        ("image/jpeg", "claims image/jpeg, is PNG"),
        ("image/svg+xml", "claims image/svg+xml, is PNG"),
        ("", "claims no type, is PNG"),
        ("IMAGE/PNG; q=1", ""),
        ("image/x-png", ""),
    ],
)
def test_what_is_claimed_is_held_against_what_was_found(claimed: str, words: str) -> None:
    found = facts(saved("PNG"), claimed)
    assert found.disagreement == words
    assert found.words.endswith(f"WARNING {words}" if words else " B")


def test_what_is_no_picture_is_named_by_what_it_is() -> None:
    pdf = facts(b"%PDF-1.7 and more", "image/png")
    PROSE.holds("image: another type claimed", pdf.words)
    others = (
        *(facts(b"hello", "image/png"), facts(b"hello", "\x1b[2Jevil")),
        read_facts("not base64 at all!", "image/png"),
    )
    PROSE.holds("image: not a picture", "\n".join(one.words for one in others))


@given(
    kind=st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP"]),
    changes=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=6),
    length=st.integers(0, 2_000),
)
def test_damage_never_raises(kind: str, changes: list[tuple[int, int]], length: int) -> None:
    raw = bytearray(saved(kind, frames=1 if kind in ("JPEG", "BMP") else 3))
    for at, value in changes:
        raw[at % len(raw)] = value
    found = facts(bytes(raw[:length]), "image/png")
    assert found.width >= 0
    assert found.words.startswith("image  ")
