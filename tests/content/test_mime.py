from __future__ import annotations

import io
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from signoff.app.content.mime import essence, found_type, is_same_type, is_text, suffix_of, text_of


def _picture(kind: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(file, kind)
    return file.getvalue()


def _sound() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(200))
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "mime"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("GIF", "image/gif"),
        ("WEBP", "image/webp"),
        ("BMP", "image/bmp"),
        ("TIFF", "image/tiff"),
    ],
)
def test_pictures_are_found_by_what_a_real_encoder_writes(kind: str, mime: str) -> None:
    assert found_type(_picture(kind)) == mime


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (_sound(), "audio/wav"),
        (b"ID3\x04\x00rest", "audio/mpeg"),
        (b"\xff\xfb\x90\x64rest", "audio/mpeg"),
        (b"\xff\xf1\x50\x80rest", "audio/aac"),
        (b"OggS\x00\x02" + bytes(30), "audio/ogg"),
        (b"OggS\x00\x02" + bytes(22) + b"\x80theora", "video/ogg"),
        (b"fLaC\x00", "audio/flac"),
        (b"\x00\x00\x00\x20ftypM4A ", "audio/mp4"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"%PDF-1.7", "application/pdf"),
        (b"PK\x03\x04rest", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (bytes(257) + b"ustar\x00", "application/x-tar"),
        (b"\x7fELF\x02", "application/x-executable"),
        (b"MZ\x90\x00", "application/vnd.microsoft.portable-executable"),
        (b"#!/bin/sh\nrm", "text/x-script"),
        (b"[Desktop Entry]\nExec=rm", "application/x-desktop"),
        (b"# words\n\n[Desktop Entry]\n", "application/x-desktop"),
        (b"\n # a\n#b\n\t[InternetShortcut]", "application/x-desktop"),
        (b"# a\n#[Desktop Entry]\n", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", "image/svg+xml"),
        (b'<?xml version="1.0"?>\n<!-- x -->\n<svg>', "image/svg+xml"),
        (b"\xef\xbb\xbf  <SVG\n>", "image/svg+xml"),
        (b"<!DOCTYPE html><p>", "text/html"),
        (b"<!-- hi --><html>", "text/html"),
        (b"\n<script>alert(1)</script>", "text/html"),
        (b"<?xml version='1.0'?><a/>", "application/xml"),
        (b"plain words", ""),
        (b'{"a": 1}', ""),
        (b"RIFF1234ABCD", ""),
        (b"\xff\xff\xff\xff", ""),
        (b"", ""),
    ],
)
def test_found_by_the_first_bytes(head: bytes, mime: str) -> None:
    assert found_type(head) == mime


@given(st.binary(max_size=64))
def test_finding_never_fails(head: bytes) -> None:
    assert found_type(head) == essence(found_type(head))


@pytest.mark.parametrize(
    ("mime", "suffix"),
    [
        ("image/png", ".png"),
        ("Image/PNG; q=1", ".png"),
        ("application/vnd.api+json", ".json"),
        ("application/atom+xml", ".xml"),
        ("text/x-rust", ".txt"),
        ("application/x-unheard-of", ".bin"),
        ("", ".bin"),
        ("../../etc/passwd", ".bin"),
        ("text/plain\x00.exe", ".bin"),
    ],
)
def test_suffixes_come_from_the_table(mime: str, suffix: str) -> None:
    assert suffix_of(mime) == suffix


@given(st.text() | st.from_regex(r"[a-z]{1,9}/[^ ]{1,20}", fullmatch=True))
def test_no_claim_gets_into_a_suffix(mime: str) -> None:
    suffix = suffix_of(mime)
    assert suffix[0] == "."
    assert suffix[1:].isalnum()
    assert suffix[1:].isascii()
    assert len(suffix) <= 8


def test_text_by_claim() -> None:
    assert is_text("text/markdown")
    assert is_text("application/problem+json; charset=utf-8")
    assert is_text("image/svg+xml")
    assert not is_text("image/png")
    assert not is_text("")


def test_names_of_one_type() -> None:
    assert is_same_type("audio/x-wav", "audio/wav")
    assert is_same_type("IMAGE/JPG", "image/jpeg; a=b")
    assert not is_same_type("image/png", "image/jpeg")


def test_text_by_its_bytes() -> None:
    assert text_of("Grüße\n".encode()) == "Grüße\n"
    assert text_of(b"\xff\xfe") is None
    assert text_of(b"a\x00b") is None
    assert text_of(bytes(range(1, 32))) is None
