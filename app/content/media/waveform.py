"""Loudness of a WAV from left to right; computed in the worker."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from itertools import pairwise

from ..frozen import frozen
from .audio import MAX_ENCODED_BYTES, Damaged, SoundHeader, read_sound_header
from .images import ImageRefused, decode_base64

MAX_COLUMNS = 1_000

_INTEGERS = {2: "h", 4: "i"}
_FLOATS = {4: "f", 8: "d"}


@frozen
class Waveform:
    """The largest deflection in each column, from 0 to 1 of the samples' range."""

    peaks: tuple[float, ...]

    @property
    def loudest(self) -> float:
        return max(self.peaks, default=0.0)

    @property
    def words(self) -> str:
        """The loudest sample in decibels of full scale."""
        if self.loudest <= 0:
            return "silence"
        return f"peak {20 * math.log10(self.loudest):.1f} dB"


class _Bytes:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw)

    def read(self, at: int, count: int) -> bytes:
        return self.raw[at : at + count] if at >= 0 else b""


def waveform(data_base64: str, columns: int) -> Waveform:
    """The waveform of a WAV, over all its channels.

    Raises:
        ImageRefused: there is none; the reason in words.
    """
    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    if raw[:4] != b"RIFF" or raw[8:12] != b"WAVE":
        raise ImageRefused("only WAV is drawn")
    try:
        header = read_sound_header("audio/wav", _Bytes(raw))
    except Damaged as damaged:
        raise ImageRefused(f"damaged header: {damaged}") from None
    if not header.samples:
        raise ImageRefused(f"{header.codec} is not drawn")
    samples, centre, full = _samples(raw, header)
    count = max(1, min(columns, MAX_COLUMNS, len(samples)))
    edges = [index * len(samples) // count for index in range(count + 1)]
    return Waveform(
        tuple(
            _peak(samples[start:end], centre, full) for start, end in pairwise(edges) if end > start
        )
    )


def _samples(raw: bytes, header: SoundHeader) -> tuple[Sequence[float], int, float]:
    """The samples as numbers, the number for silence, and the largest distance from it."""
    width = header.bits // 8
    length = header.data_bytes // width * width
    body = raw[header.data_at : header.data_at + length]
    if header.samples == "float":
        return _array(_FLOATS[width], body), 0, 1.0
    if width == 1:
        return body, 128, 128.0
    if width == 3:
        # The two upper bytes are more than can be drawn.
        upper = bytearray(len(body) // 3 * 2)
        upper[0::2], upper[1::2] = body[1::3], body[2::3]
        return _array("h", bytes(upper)), 0, 32768.0
    return _array(_INTEGERS[width], body), 0, float(1 << (header.bits - 1))


def _array(code: str, body: bytes) -> array[float]:
    samples: array[float] = array(code)
    samples.frombytes(body)
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def _peak(samples: Sequence[float], centre: int, full: float) -> float:
    largest = max(max(samples) - centre, centre - min(samples)) / full
    return min(1.0, largest) if math.isfinite(largest) else 1.0
