"""The gallery: every kind of content, every way in which it goes wrong, every hard form."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image, ImageSequence

from tests.demo.peer import Json, Peer


def decoded(block: Json) -> bytes:
    return base64.b64decode(block["data"], validate=True)


@pytest.mark.parametrize(
    ("kind", "mime", "found"),
    [
        ("png", "image/png", "PNG"),
        ("jpeg", "image/jpeg", "JPEG"),
        ("webp", "image/webp", "WEBP"),
        ("gif", "image/gif", "GIF"),
        ("animated gif", "image/gif", "GIF"),
        ("bmp", "image/bmp", "BMP"),
    ],
)
def test_a_picture_is_what_it_says(peer: Peer, kind: str, mime: str, found: str) -> None:
    (block,) = peer.call("show_image", kind=kind).content
    assert block["mimeType"] == mime
    picture = Image.open(io.BytesIO(decoded(block)))
    assert picture.format == found
    frames = len(list(ImageSequence.Iterator(picture)))
    assert frames == (9 if kind == "animated gif" else 1)


@pytest.mark.parametrize("how", ["not an image", "truncated", "bomb", "another type", "empty"])
def test_a_broken_picture_is_broken_as_it_was_asked_to_be(peer: Peer, how: str) -> None:
    _, block = peer.call("show_broken_image", how=how).content
    data = decoded(block)
    assert block["mimeType"] == ("image/jpeg" if how == "another type" else "image/png")
    assert len(data) < 100_000
    is_png = data.startswith(b"\x89PNG")
    assert is_png is (how in ("truncated", "bomb", "another type"))
    if how == "bomb":
        assert int.from_bytes(data[16:20], "big") ** 2 == 900_000_000
