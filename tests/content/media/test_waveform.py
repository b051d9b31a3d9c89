from __future__ import annotations

import base64
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.media.audio import Waveform, waveform
from signoff.app.content.media.images import ImageRefused
from tests.content.sounds import mp3, wav, wav_of


def peaks(raw: bytes, columns: int = 4) -> list[float]:
    return [round(one, 2) for one in waveform(base64.b64encode(raw).decode(), columns).peaks]


@pytest.mark.parametrize(
    ("kind", "bits", "pack"),
    [
        (1, 8, lambda x: bytes((128 + round(x * 127),))),
        (1, 16, lambda x: struct.pack("<h", round(x * 32767))),
        (1, 24, lambda x: struct.pack("<i", round(x * 8388607) << 8)[1:]),
        (1, 32, lambda x: struct.pack("<i", round(x * 2147483647))),
        (3, 32, lambda x: struct.pack("<f", x)),
        (3, 64, lambda x: struct.pack("<d", x)),
    ],
)
def test_peaks_of_every_kind_of_sample(kind: int, bits: int, pack: object) -> None:
    assert callable(pack)
    samples = [0.0, 0.0, 0.5, -0.25, -0.75, 0.1, 1.0, 0.0]
    raw = wav_of(kind, bits, b"".join(pack(one) for one in samples))
    found = peaks(raw)
    assert found == pytest.approx([0.0, 0.5, 0.75, 1.0], abs=0.02)


def test_no_more_columns_than_samples_and_none_at_all() -> None:
    assert len(peaks(wav(frames=bytes(6)), 80)) == 3
    assert peaks(wav_of(1, 16, b"", claimed=0)) == []


def test_loudness_in_words() -> None:
    assert Waveform((0.0, 0.0)).words == "silence"
    assert Waveform(()).words == "silence"
    assert Waveform((0.1, 0.5)).words == "peak -6.0 dB"


def test_numbers_that_are_none_are_drawn_as_loud() -> None:
    raw = wav_of(3, 32, struct.pack("<4f", 0.0, math.inf, -math.inf, 7.0))
    assert peaks(raw) == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (mp3(0.1), "only WAV is drawn"),
        (wav()[:30], "damaged header"),
        (wav_of(7, 8, bytes(80)), "µ-law is not drawn"),
        (b"", "empty"),
    ],
)
def test_why_there_is_none(raw: bytes, reason: str) -> None:
    with pytest.raises(ImageRefused, match=reason):
        peaks(raw)


@given(
    kind=st.sampled_from([(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)]),
    data=st.binary(max_size=200),
    columns=st.integers(-3, 300),
)
def test_any_bytes_are_drawn(kind: tuple[int, int], data: bytes, columns: int) -> None:
    found = peaks(wav_of(*kind, data), columns)
    assert all(0 <= one <= 1 for one in found)
