"""Facts about a sound by a bounded look into its headers, and the loudness of a WAV.

Reads headers of WAV, MP3, Ogg, FLAC and MP4. Only the needed pieces of the base64 text are decoded,
so this is cheap enough for the event loop; loudness is computed in the worker. The facts are claims
of the file; its length is exact for WAV, FLAC and Ogg.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol

from ..frozen import frozen
from ..mime import disagreement, essence, found_type
from ..text import seconds, size
from .base64_bytes import Base64Bytes
from .images import ImageRefused, decode_base64

MAX_CHUNKS = 200
TAIL_BYTES = 64 * 1024


class ByteSource(Protocol):
    """Bytes that can be read anywhere."""

    def __len__(self) -> int: ...

    def read(self, at: int, count: int) -> bytes:
        """Up to `count` bytes from `at`; fewer at the end."""


class Damaged(Exception):
    """The header breaks its format; the message explains it in a few words."""


@frozen
class SoundHeader:
    """`seconds` is None if the length is not known, 0 means unknown in the other fields.

    For a WAV, `data_at` and `data_bytes` are the range of its samples, as far as they exist, and
    `samples` is their type: "int", "float", or "" for a codec that is not drawn.
    """

    seconds: float | None = None
    is_exact: bool = True
    channels: int = 0
    rate: int = 0
    bits: int = 0
    codec: str = ""
    trouble: str = ""
    data_at: int = 0
    data_bytes: int = 0
    samples: str = ""


def read_sound_header(mime: str, data: ByteSource) -> SoundHeader:
    """The header of a sound whose first bytes spell `mime`.

    Raises:
        Damaged: it breaks its format.
    """
    match mime:
        case "audio/wav":
            return _wav(data)
        case "audio/flac":
            return _flac(data)
        case "audio/ogg":
            return _ogg(data)
        case "audio/mpeg":
            return _mp3(data)
        case "audio/mp4":
            return _mp4(data)
    return SoundHeader()


_WAV_CODECS = {2: "ADPCM", 6: "A-law", 7: "µ-law", 17: "IMA ADPCM", 49: "GSM", 85: "MP3"}


def _wav(data: ByteSource) -> SoundHeader:
    """RIFF chunks; "Multimedia Programming Interface and Data Specifications 1.0", 1991."""
    at, form = 12, b""
    for _ in range(MAX_CHUNKS):
        head = data.read(at, 8)
        if len(head) < 8:
            break
        length = int.from_bytes(head[4:8], "little")
        if head[:4] == b"fmt ":
            form = data.read(at + 8, min(length, 40))
        elif head[:4] == b"data":
            return _wav_data(form, at + 8, length, len(data) - at - 8)
        at += 8 + length + (length & 1)
    raise Damaged("no data in it" if form else "no format in it")


def _wav_data(form: bytes, at: int, claimed: int, there: int) -> SoundHeader:
    if len(form) < 16:
        raise Damaged("no format before the data" if not form else "the format is cut off")
    kind, channels = _little(form, 0, 2), _little(form, 2, 2)
    rate, byte_rate, bits = _little(form, 4, 4), _little(form, 8, 4), _little(form, 14, 2)
    if kind == 0xFFFE and len(form) >= 26:
        kind = _little(form, 24, 2)
    if not (0 < channels <= 256 and 0 < rate <= 10_000_000):
        raise Damaged(f"{channels} channels at {rate:,} Hz")
    is_plain = (kind == 1 and bits in (8, 16, 24, 32)) or (kind == 3 and bits in (32, 64))
    if is_plain:
        byte_rate = rate * channels * bits // 8
    if byte_rate == 0:
        raise Damaged("no bytes a second")
    # A writer that streams does not know the length and leaves all bits set, or none.
    is_open = claimed >= 0xFFFF_FFFE or (claimed == 0 and there > 0)
    length = there if is_open else min(claimed, there)
    trouble = ""
    if not is_open and claimed > there:
        trouble = f"truncated: {there / byte_rate:.1f} of {claimed / byte_rate:.1f} s are there"
    codec = ("float" if kind == 3 else "") if is_plain else _WAV_CODECS.get(kind, f"codec {kind}")
    return SoundHeader(
        length / byte_rate,
        channels=channels,
        rate=rate,
        bits=bits if is_plain else 0,
        codec=codec,
        trouble=trouble,
        data_at=at,
        data_bytes=length,
        samples=("float" if kind == 3 else "int") if is_plain else "",
    )


def _flac(data: ByteSource) -> SoundHeader:
    """STREAMINFO, which is the first block (RFC 9639, section 8.2)."""
    info = data.read(8, 18)
    if data.read(4, 1)[:1] not in (b"\x00", b"\x80") or len(info) < 18:
        raise Damaged("no stream information")
    bits = int.from_bytes(info[10:18], "big")
    rate, channels = bits >> 44, (bits >> 41 & 7) + 1
    depth, samples = (bits >> 36 & 31) + 1, bits & (1 << 36) - 1
    if not rate:
        raise Damaged("no sample rate")
    return SoundHeader(samples / rate if samples else None, True, channels, rate, depth)


def _ogg(data: ByteSource) -> SoundHeader:
    """The first packet names the codec; the last page has the position of the end (RFC 3533, 6)."""
    head = data.read(0, 512)
    opus, vorbis = head.find(b"OpusHead"), head.find(b"\x01vorbis")
    if opus >= 0 and len(head) >= opus + 16:
        channels, rate, codec = head[opus + 9], 48_000, "Opus"
        skipped = _little(head, opus + 10, 2)
    elif vorbis >= 0 and len(head) >= vorbis + 16:
        channels, rate = head[vorbis + 11], _little(head, vorbis + 12, 4)
        codec, skipped = "Vorbis", 0
    elif len(data) < 27 + sum(head[26:27]):
        # A page has a header of 27 bytes, whose last one counts the bytes of a table behind it.
        raise Damaged("the first page is cut off")
    else:
        return SoundHeader(codec="other codec")
    if not rate or not channels:
        raise Damaged("no sample rate")
    tail = data.read(max(0, len(data) - TAIL_BYTES), TAIL_BYTES)
    page = tail.rfind(b"OggS")
    at = _little(tail, page + 6, 8) if 0 <= page <= len(tail) - 14 else 0
    length = (at - skipped) / rate if skipped <= at < 1 << 62 and at else None
    return SoundHeader(length, True, channels, rate, codec=codec)


_MP3_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_LAYER3_V1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_LAYER3_V2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)


def _mp3(data: ByteSource) -> SoundHeader:
    """The first frame (ISO/IEC 11172-3, 2.4.1.3) and, if it has one, its count of frames."""
    start = 0
    tag = data.read(0, 10)
    if tag[:3] == b"ID3" and len(tag) == 10:
        start = 10 + (
            tag[6] & 127 << 21 | (tag[7] & 127) << 14 | (tag[8] & 127) << 7 | tag[9] & 127
        )
    head = data.read(start, 4096)
    at = next(
        (at for at in range(len(head) - 4) if head[at] == 0xFF and _is_layer3(head[at : at + 4])),
        -1,
    )
    if at < 0:
        raise Damaged("no frame at the beginning")
    version, mode = head[at + 1] >> 3 & 3, head[at + 3] >> 6
    rate = _MP3_RATES[version][head[at + 2] >> 2 & 3]
    channels = 1 if mode == 3 else 2
    kilobits = (_LAYER3_V1 if version == 3 else _LAYER3_V2)[head[at + 2] >> 4]
    side = (17 if mode == 3 else 32) if version == 3 else (9 if mode == 3 else 17)
    counted = head[at + 4 + side : at + 4 + side + 12]
    if counted[:4] in (b"Xing", b"Info") and len(counted) == 12 and counted[7] & 1:
        samples = int.from_bytes(counted[8:12], "big") * (1152 if version == 3 else 576)
        return SoundHeader(samples / rate, False, channels, rate)
    length = (len(data) - start - at) * 8 / (kilobits * 1000)
    return SoundHeader(length, False, channels, rate, codec=f"{kilobits} kbit/s")


def _is_layer3(head: bytes) -> bool:
    return (
        head[1] & 0xE6 == 0xE2
        and head[1] >> 3 & 3 != 1
        and head[2] >> 4 not in (0, 15)
        and head[2] >> 2 & 3 != 3
    )


def _mp4(data: ByteSource) -> SoundHeader:
    """`mvhd` in `moov` (ISO/IEC 14496-12, 8.2.2), wherever among the boxes it is."""
    moov = _box(data, 0, len(data), b"moov")
    header = _box(data, moov[0], moov[1], b"mvhd") if moov else None
    if header is None:
        return SoundHeader()
    body = data.read(header[0], 32)
    if len(body) < 32:
        raise Damaged("the movie header is cut off")
    wide = body[0] == 1
    scale = int.from_bytes(body[20:24] if wide else body[12:16], "big")
    units = int.from_bytes(body[24:32] if wide else body[16:20], "big")
    if not scale:
        raise Damaged("no time scale")
    return SoundHeader(units / scale)


def _box(data: ByteSource, at: int, end: int, name: bytes) -> tuple[int, int] | None:
    """Return the range of the content of the first box of that name."""
    for _ in range(MAX_CHUNKS):
        head = data.read(at, 16)
        if at + 8 > end or len(head) < 8:
            return None
        length, skip = int.from_bytes(head[:4], "big"), 8
        if length == 1 and len(head) == 16:
            length, skip = int.from_bytes(head[8:16], "big"), 16
        length = length or end - at
        if length < skip:
            return None
        if head[4:8] == name:
            return at + skip, min(end, at + length)
        at += length
    return None


def _little(raw: bytes, at: int, count: int) -> int:
    return int.from_bytes(raw[at : at + count], "little")


MAX_ENCODED_BYTES = 16 * 1024 * 1024
SAVED_LIMIT = 128 * 1024 * 1024

NAMES = {
    "audio/wav": "WAV",
    "audio/mpeg": "MP3",
    "audio/ogg": "Ogg",
    "audio/flac": "FLAC",
    "audio/mp4": "M4A",
    "audio/aac": "AAC",
    "audio/midi": "MIDI",
    "audio/amr": "AMR",
}
"""The sounds that are known, by the type that their bytes spell."""


NO_HEADER = SoundHeader()


@frozen
class AudioFacts:
    """`found` is a MIME type, "" if the bytes have none; `trouble`: the error, in words."""

    claimed: str
    found: str
    byte_count: int
    header: SoundHeader = NO_HEADER
    trouble: str = ""

    @property
    def is_sound(self) -> bool:
        """True if the bytes are those of a known kind of sound."""
        return self.found in NAMES

    @property
    def disagreement(self) -> str:
        """Difference of the claimed type and the bytes, in words; "" if they agree."""
        return disagreement(self.claimed, self.found, NAMES)

    @property
    def words(self) -> str:
        """One line: "audio  WAV  1.5 s  stereo  8,000 Hz  16 bit  48.0 kB"; safe to show."""
        header = self.header
        kind = NAMES.get(self.found) or self.found or essence(self.claimed) or "unknown type"
        pieces = ["audio", kind]
        if header.codec:
            pieces.append(header.codec)
        if header.seconds is not None:
            about = "" if header.is_exact else "about "
            pieces.append(about + seconds(header.seconds))
        elif self.is_sound and not self.trouble:
            pieces.append("length unknown")
        if header.channels:
            usual = {1: "mono", 2: "stereo"}
            pieces.append(usual.get(header.channels, f"{header.channels} channels"))
        if header.rate:
            pieces.append(f"{header.rate:,} Hz")
        if header.bits:
            pieces.append(f"{header.bits} bit")
        pieces.append(size(self.byte_count))
        if self.trouble:
            pieces.append(self.trouble)
        if self.disagreement:
            pieces.append(f"WARNING {self.disagreement}")
        return "  ".join(pieces)


def read_facts(data_base64: str, claimed: str) -> AudioFacts:
    """Read facts about a sound from its headers. Never raises: errors are part of them."""
    data = Base64Bytes(data_base64)
    head = data.read(0, 4096)
    facts = AudioFacts(claimed, found_type(head), len(data))
    if not head:
        return replace(facts, trouble=_why_empty(data_base64))
    if not facts.found:
        return replace(facts, trouble=f"no kind of sound known here: {head[:4].hex(' ')}")
    if not facts.is_sound:
        return replace(facts, trouble="not a sound")
    try:
        header = read_sound_header(facts.found, data)
    except Damaged as damaged:
        return replace(facts, trouble=f"damaged header: {damaged}")
    return replace(facts, header=header, trouble=header.trouble)


def _why_empty(data_base64: str) -> str:
    try:
        decode_base64(data_base64, SAVED_LIMIT)
    except ImageRefused as refused:
        return refused.reason
    return "empty: zero bytes"


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
