"""Sounds made by hand: just their headers where that is all that is read."""

from __future__ import annotations

import struct
import wave
from io import BytesIO


def wav(
    seconds: float = 0.1, channels: int = 1, rate: int = 8_000, width: int = 2, frames: bytes = b""
) -> bytes:
    """PCM; silence where no frames are given."""
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(width)
        sound.setframerate(rate)
        sound.writeframes(frames or bytes(int(seconds * rate) * channels * width))
    return file.getvalue()


def wav_of(kind: int, bits: int, data: bytes, rate: int = 8_000, claimed: int = -1) -> bytes:
    """A WAV of any codec, one channel."""
    block = max(1, bits // 8)
    form = struct.pack("<HHIIHH", kind, 1, rate, rate * block, block, bits)
    length = len(data) if claimed < 0 else claimed
    body = b"WAVE" + _chunk(b"fmt ", form) + b"data" + struct.pack("<I", length) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def flac(samples: int = 88_200, rate: int = 44_100, channels: int = 2, bits: int = 16) -> bytes:
    packed = rate << 44 | (channels - 1) << 41 | (bits - 1) << 36 | samples
    info = struct.pack(">HH", 4096, 4096) + bytes(6) + packed.to_bytes(8, "big") + bytes(16)
    return b"fLaC\x80\x00\x00\x22" + info + bytes(50)


def ogg(codec: str = "vorbis", seconds: float = 2.0) -> bytes:
    if codec == "opus":
        packet = b"OpusHead\x01\x02" + struct.pack("<HI", 312, 44_100) + bytes(3)
        end = int(seconds * 48_000) + 312
    elif codec == "vorbis":
        packet = b"\x01vorbis" + struct.pack("<IBI", 0, 2, 44_100) + bytes(14)
        end = int(seconds * 44_100)
    else:
        packet, end = codec.encode(), 1
    return _page(0, packet) + bytes(200_000) + _page(end, b"end")


def mp3(seconds: float = 2.0, *, is_counted: bool = False, tag: int = 0) -> bytes:
    """MPEG 1, layer III, 128 kbit/s, 44,100 Hz, stereo: frames of 417 bytes."""
    head = b"\xff\xfb\x90\x00"
    frames = round(seconds * 44_100 / 1152)
    first = head + bytes(32)
    if is_counted:
        first += b"Xing" + struct.pack(">II", 1, frames)
    start = b"ID3\x04\x00\x00" + bytes((0, 0, tag >> 7, tag & 127)) + bytes(tag) if tag else b""
    return start + first.ljust(417, b"\0") + (head + bytes(413)) * (frames - 1)


def m4a(seconds: float = 2.0) -> bytes:
    times = struct.pack(">IIII", 0, 0, 1_000, int(seconds * 1_000))
    header = _box(b"mvhd", bytes(4) + times + bytes(80))
    brand = _box(b"ftyp", b"M4A \0\0\0\0")
    return brand + _box(b"mdat", bytes(9_000)) + _box(b"moov", header)


def _chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body


def _page(granule: int, packet: bytes) -> bytes:
    head = b"OggS\0\x02" + struct.pack("<QIII", granule, 1, 0, 0)
    return head + bytes((1, len(packet))) + packet


def _box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", 8 + len(body)) + name + body
