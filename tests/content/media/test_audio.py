from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.media.audio import read_facts
from signoff.app.content.media.base64_bytes import Base64Bytes
from tests.approved import approved
from tests.content.sounds import flac, m4a, mp3, ogg, wav, wav_of

PROSE = approved("media")


def described(raw: bytes, mime: str = "audio/wav") -> str:
    return read_facts(base64.b64encode(raw).decode(), mime).words


def test_a_wav_file_tells_its_length() -> None:
    sounds = (
        *(wav(1.5, 2), wav(0.1, 1), wav(0.1, 6), wav(0.1, width=3)),
        *(wav_of(3, 32, bytes(32_000)), wav_of(6, 8, bytes(8_000)), wav_of(999, 8, bytes(8_000))),
    )
    PROSE.holds("audio: WAV", "\n".join(described(sound) for sound in sounds))


def test_other_sounds_tell_what_their_headers_do() -> None:
    lines = [
        described(flac(), "audio/flac"),
        described(flac(0), "audio/flac"),
        described(ogg("vorbis"), "audio/ogg"),
        described(ogg("opus"), "audio/ogg"),
        described(ogg("opus"), "audio/opus"),
        described(ogg("speex"), "audio/ogg"),
        described(mp3(), "audio/mpeg"),
        described(mp3(is_counted=True), "audio/mp3"),
        described(mp3(tag=5_000), "audio/mpeg"),
        described(m4a(), "audio/mp4"),
        described(m4a()[:4_000], "audio/x-m4a"),
    ]
    PROSE.holds("audio: other formats", "\n".join(lines))
    assert not any("WARNING" in line for line in lines)


def test_what_is_claimed_is_held_against_what_was_found() -> None:
    PROSE.holds("audio: another type claimed", described(wav(), "audio/mpeg"))
    PROSE.holds("audio: no type claimed", described(flac(), ""))
    assert described(wav(), "audio/x-wav").endswith("1.6 kB")
    PROSE.holds("audio: not a sound", described(b"%PDF-1.7", "audio/wav"))


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (wav()[:18], "audio: no format"),
        (wav()[:40], "audio: no data"),
        (wav(1.0)[:8_044], "audio: truncated"),
        (wav_of(1, 16, bytes(9), rate=0), "audio: no rate"),
        (ogg()[:20], "audio: a page that is cut off"),
        (flac()[:12], "audio: no stream information"),
        (b"ID3" + bytes(997), "audio: no frame"),
        (b"hello", "audio: an unknown format"),
        (b"", "audio: empty"),
    ],
)
def test_what_is_wrong_is_told_calmly(raw: bytes, key: str) -> None:
    PROSE.holds(key, described(raw))


def test_a_length_that_was_left_open_is_that_of_the_bytes() -> None:
    for claimed in (0, 0xFFFF_FFFF):
        line = described(wav_of(1, 16, bytes(16_000), claimed=claimed))
        assert "  1.0 s  " in line
        assert "truncated" not in line


def test_what_is_no_base64_is_told() -> None:
    PROSE.holds("audio: not base64", read_facts("???", "audio/wav").words)


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
