from __future__ import annotations

import base64
import wave
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from app.core.audio import describe_audio


def wav(seconds: float, channels: int, rate: int) -> bytes:
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(bytes(int(seconds * rate) * channels * 2))
    return file.getvalue()


def described(raw: bytes, mime: str = "audio/wav") -> str:
    return describe_audio(base64.b64encode(raw).decode(), mime)


def test_a_wav_file_tells_its_length() -> None:
    assert described(wav(1.5, 2, 8_000)) == "audio/wav, 48,044 bytes, WAV, 1.5 s, stereo, 8,000 Hz"
    assert ", mono, " in described(wav(0.1, 1, 8_000))
    assert ", 6 channels, " in described(wav(0.1, 6, 8_000))


def test_other_sounds_tell_their_size() -> None:
    assert described(b"ID3" + bytes(997), "audio/mpeg") == "audio/mpeg, 1,000 bytes"


def test_bad_data_is_told() -> None:
    assert describe_audio("???", "audio/wav").startswith("audio/wav: not valid base64")
    assert "damaged header" in described(wav(1, 1, 8_000)[:30])


def test_the_type_is_shown_clean_and_short() -> None:
    line = described(b"x", "audio/\x1b[2J" + "a" * 500)
    assert "\x1b" not in line
    assert len(line) < 150


@given(cut=st.integers(0, 60), place=st.integers(0, 59), byte=st.integers(0, 255))
def test_damage_never_raises(cut: int, place: int, byte: int) -> None:
    raw = bytearray(wav(0.01, 1, 8_000)[:60])
    raw[place] = byte
    assert described(bytes(raw[:cut])).startswith("audio/wav")
