"""What a sound says about itself: a bounded look into its headers, nothing is decoded.

Only the pieces of the base64 text that are needed are decoded, so this is cheap enough for the
event loop. What is read here is a claim of the file; its length is exact for WAV, FLAC and Ogg.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..mime import disagreement, essence, found_type
from ..text import seconds, size
from .audio_headers import Damaged, SoundHeader, read_sound_header
from .base64_bytes import Base64Bytes
from .images import ImageRefused, decode_base64

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


@dataclass(frozen=True, slots=True)
class AudioFacts:
    """`found` is a MIME type, "" where the bytes spell none; `trouble`: what is wrong, in words."""

    claimed: str
    found: str
    byte_count: int
    header: SoundHeader = NO_HEADER
    trouble: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether the bytes are those of a known kind of sound."""
        return self.found in NAMES

    @property
    def disagreement(self) -> str:
        """What the claimed type and the bytes disagree about, in words; "" where they agree."""
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
    """Facts about a sound from its headers. Never raises: what is wrong is part of them."""
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
    return "empty: there are no bytes"
