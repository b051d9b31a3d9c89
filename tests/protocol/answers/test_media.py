"""Pictures and sounds whose bytes are of another type than declared, or not whole."""

from __future__ import annotations

import base64
import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from signoff.app.protocol.answers.blocks import block_findings
from signoff.app.protocol.answers.content import read_answer, read_contents, read_messages
from tests.tiers import first_quick


def drawn(kind: str, **options: Any) -> bytes:
    file = BytesIO()
    Image.effect_noise((40, 30), 60).save(file, kind, **options)
    return file.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


PNG, JPEG, GIF, WEBP, BMP = (drawn(kind) for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP"))
EXIF = Image.Exif()
EXIF[0x010E] = "a thumbnail ends \xff\xd9 here"
JPEG_WITH_EXIF = drawn("JPEG", exif=EXIF)
NO_PIXELS = PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 9, 8, 2, 0, 0, 0))
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
WAV = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8, 8, 1, 8)
WAV += b"data\0\0\0\0"
OPEN_WAV = WAV[:4] + b"\xff\xff\xff\xff" + WAV[8:]
DIFFERS, CUT, RARE = "media-type-differs", "media-not-whole", "image-not-for-models"


def block(kind: str, raw: bytes, mime: str) -> dict[str, Any]:
    return {"type": kind, "data": base64.b64encode(raw).decode(), "mimeType": mime}


def codes(kind: str, raw: bytes, mime: str) -> list[str]:
    return [one.code for one in block_findings(block(kind, raw, mime), "$.b")]


@pytest.mark.parametrize(
    ("kind", "raw", "mime", "expected"),
    [
        ("image", PNG, "image/png", []),
        ("image", PNG, "IMAGE/PNG; charset=binary", []),
        ("image", JPEG, "image/jpg", []),
        ("image", JPEG_WITH_EXIF, "image/jpeg", []),
        ("image", GIF, "image/gif", []),
        ("image", WEBP, "image/webp", []),
        ("image", WEBP, "image/png", [DIFFERS]),
        ("image", PNG, "image/webp", [DIFFERS]),
        ("image", PNG, "png", [DIFFERS]),
        ("image", b"<!DOCTYPE html><h1>403</h1>", "image/png", [DIFFERS]),
        ("image", b'{"error": "not found"}', "image/jpeg", [DIFFERS]),
        ("image", b"\0\1\2\3", "image/gif", [DIFFERS]),
        ("image", WAV, "image/png", [DIFFERS]),
        ("image", SVG, "image/png", [DIFFERS, RARE]),
        ("image", SVG, "image/svg+xml", [RARE]),
        ("image", BMP, "image/bmp", [RARE]),
        ("image", b"%PDF-1.4\n%EOF", "application/pdf", [RARE]),
        ("image", b"\0\0\0\x18ftypmif1", "image/avif", [RARE]),
        ("image", b"", "image/png", [CUT]),
        ("image", NO_PIXELS, "image/png", [CUT]),
        ("image", PNG[:-12], "image/png", [CUT]),
        ("image", PNG[:10], "image/png", [CUT]),
        ("image", JPEG + b"more", "image/jpeg", []),
        ("image", GIF + b"\0\0", "image/gif", []),
        ("audio", WAV, "audio/x-wav", []),
        ("audio", OPEN_WAV, "audio/wav", []),
        ("audio", WAV[:-2], "audio/wav", [CUT]),
        ("audio", WAV, "audio/mpeg", [DIFFERS]),
        ("audio", b"plain text", "audio/wav", [DIFFERS]),
        ("audio", b"\0\0\0\x18ftypmp42", "audio/mp4", []),
        ("audio", b"ID3\4", "audio/aac", []),
    ],
)
def test_the_bytes_are_compared_with_the_type(
    kind: str, raw: bytes, mime: str, expected: list[str]
) -> None:
    assert codes(kind, raw, mime) == expected


@pytest.mark.parametrize(
    ("raw", "mime"),
    first_quick(
        [
            (PNG, "image/png"),
            (JPEG, "image/jpeg"),
            (JPEG_WITH_EXIF, "image/jpeg"),
            (WEBP, "image/webp"),
            (WAV, "audio/wav"),
        ],
        2,
        several=True,
    ),
)
@given(st.data())
def test_a_file_that_is_cut_anywhere_is_found(raw: bytes, mime: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(min_value=1, max_value=len(raw) - 1))
    assert codes(mime.partition("/")[0], raw[:end], mime)


@given(st.binary(max_size=400), st.sampled_from((PNG, JPEG, GIF, WEBP, WAV)))
def test_bytes_of_no_sense_raise_nothing(noise: bytes, real: bytes) -> None:
    for raw in (noise, real[:8] + noise, real[:30] + noise, real + noise):
        codes("image", raw, "image/png")
        codes("audio", raw, "audio/wav")


def test_the_words_quote_what_was_declared() -> None:
    (finding,) = block_findings(block("image", WEBP, "image/png"), "$.b")
    assert finding.message == (
        "the bytes of the image are not of its declared type: it claims image/png, is WebP"
    )
    (finding,) = block_findings(block("image", b"\0\1\2\3", "image/png"), "$.b")
    assert finding.message.endswith("it claims image/png, the bytes begin with 00 01 02 03")


def test_calls_prompts_and_resources_have_the_finding() -> None:
    picture = block("image", WEBP, "image/png")
    resource = {"uri": "a:b", "mimeType": "image/png", "blob": picture["data"]}
    answers = (
        read_answer({"content": [picture]}),
        read_answer({"content": [{"type": "resource", "resource": resource}]}),
        read_messages({"messages": [{"role": "user", "content": picture}]}),
        read_contents({"contents": [resource]}, "a:b"),
    )
    for answer in answers:
        assert answer is not None
        (finding,) = answer.findings
        assert finding.code == DIFFERS
    generic = {**resource, "mimeType": "application/octet-stream"}
    answer = read_contents({"contents": [generic]}, "a:b")
    assert answer is not None
    assert answer.findings == ()
