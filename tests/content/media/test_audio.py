from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.media.audio import read_facts
from signoff.app.content.media.base64_bytes import Base64Bytes
from tests.content.sounds import flac, m4a, mp3, ogg, wav, wav_of


def described(raw: bytes, mime: str = "audio/wav") -> str:
    return read_facts(base64.b64encode(raw).decode(), mime).words


def test_a_wav_file_tells_its_length() -> None:
    assert described(wav(1.5, 2)) == "audio  WAV  1.5 s  stereo  8,000 Hz  16 bit  48.0 kB"
    assert "  mono  " in described(wav(0.1, 1))
    assert "  6 channels  " in described(wav(0.1, 6))
    assert "  24 bit  " in described(wav(0.1, width=3))
    assert "WAV  float  1.0 s" in described(wav_of(3, 32, bytes(32_000)))
    assert "WAV  A-law  1.0 s" in described(wav_of(6, 8, bytes(8_000)))
    assert "WAV  codec 999  1.0 s" in described(wav_of(999, 8, bytes(8_000)))


@pytest.mark.parametrize(
    ("raw", "mime", "words"),
    [
        (flac(), "audio/flac", "FLAC  2.0 s  stereo  44,100 Hz  16 bit"),
        (flac(0), "audio/flac", "FLAC  length unknown  stereo"),
        (ogg("vorbis"), "audio/ogg", "Ogg  Vorbis  2.0 s  stereo  44,100 Hz"),
        (ogg("opus"), "audio/ogg", "Ogg  Opus  2.0 s  stereo  48,000 Hz"),
        (ogg("opus"), "audio/opus", "Ogg  Opus  2.0 s"),
        (ogg("speex"), "audio/ogg", "Ogg  other codec  length unknown"),
        (mp3(), "audio/mpeg", "MP3  128 kbit/s  about 2.0 s  stereo  44,100 Hz"),
        (mp3(is_counted=True), "audio/mp3", "MP3  about 2.0 s  stereo  44,100 Hz"),
        (mp3(tag=5_000), "audio/mpeg", "MP3  128 kbit/s  about 2.0 s  stereo"),
        (m4a(), "audio/mp4", "M4A  2.0 s"),
        (m4a()[:4_000], "audio/x-m4a", "M4A  length unknown"),
    ],
)
def test_other_sounds_tell_what_their_headers_do(raw: bytes, mime: str, words: str) -> None:
    line = described(raw, mime)
    assert f"audio  {words}" in line
    assert "WARNING" not in line


def test_what_is_claimed_is_held_against_what_was_found() -> None:
    assert described(wav(), "audio/mpeg").endswith("WARNING claims audio/mpeg, is WAV")
    assert described(flac(), "").endswith("WARNING claims no type, is FLAC")
    assert described(wav(), "audio/x-wav").endswith("1.6 kB")
    assert described(b"%PDF-1.7", "audio/wav") == (
        "audio  application/pdf  8 B  not a sound  WARNING claims audio/wav, is application/pdf"
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (wav()[:18], "damaged header: no format in it"),
        (wav()[:40], "damaged header: no data in it"),
        (wav(1.0)[:8_044], "truncated: 0.5 of 1.0 s are there"),
        (wav_of(1, 16, bytes(9), rate=0), "damaged header: 1 channels at 0 Hz"),
        (flac()[:12], "damaged header: no stream information"),
        (b"ID3" + bytes(997), "damaged header: no frame at the beginning"),
        (b"hello", "no kind of sound known here: 68 65 6c 6c"),
        (b"", "empty: zero bytes"),
    ],
)
def test_what_is_wrong_is_told_calmly(raw: bytes, words: str) -> None:
    assert words in described(raw)


def test_a_length_that_was_left_open_is_that_of_the_bytes() -> None:
    for claimed in (0, 0xFFFF_FFFF):
        line = described(wav_of(1, 16, bytes(16_000), claimed=claimed))
        assert "  1.0 s  " in line
        assert "truncated" not in line


def test_what_is_no_base64_is_told() -> None:
    assert read_facts("???", "audio/wav").words == (
        "audio  audio/wav  2 B  not valid base64: byte 3f at position 0"
    )


def test_the_type_is_shown_clean_and_short() -> None:
    line = described(b"x", "audio/\x1b[2J" + "a" * 500)
    assert "\x1b" not in line
    assert len(line) < 150


sounds = st.sampled_from([wav(0.01), flac(), ogg(), ogg("opus"), mp3(0.1, tag=20), m4a()])


@given(
    raw=sounds,
    length=st.integers(0, 400),
    changes=st.lists(st.tuples(st.integers(0, 399), st.integers(0, 255)), max_size=5),
)
def test_damage_never_raises(raw: bytes, length: int, changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(raw[:400])
    for at, byte in changes:
        damaged[at % len(damaged)] = byte
    assert described(bytes(damaged[:length])).startswith("audio  ")


@given(raw=st.binary(max_size=60), at=st.integers(0, 70), count=st.integers(0, 70))
def test_bytes_are_read_anywhere(raw: bytes, at: int, count: int) -> None:
    data = Base64Bytes(base64.b64encode(raw).decode())
    assert len(data) == len(raw)
    assert data.read(at, count) == raw[at : at + count]
