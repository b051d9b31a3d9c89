"""PNG files whose ancillary chunks are damaged, as a published server sends them."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from signoff.app.content.media.images import ImageRefused, decode

SIGNATURE_AND_HEADER = 8 + 25


def _png(chunk: bytes) -> bytes:
    """A red PNG of 2 x 2 pixels with a chunk behind its header."""
    file = io.BytesIO()
    Image.new("RGB", (2, 2), (255, 0, 0)).save(file, "PNG")
    raw = file.getvalue()
    chunk = (len(chunk) - 4).to_bytes(4, "big") + chunk + b"\0\0\0\0"
    return base64.b64encode(raw[:SIGNATURE_AND_HEADER] + chunk + raw[SIGNATURE_AND_HEADER:])


def test_a_damaged_colour_profile_is_left_out() -> None:
    assert decode(_png(b"iCCPprofile\0\0nonsense"), 2, 2).rgb == b"\xff\0\0" * 4


def test_a_damaged_critical_chunk_is_refused() -> None:
    with pytest.raises(ImageRefused):
        decode(_png(b"PLTE\0\0\0"), 2, 2)
