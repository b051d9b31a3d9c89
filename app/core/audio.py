"""One line about a sound, since a terminal cannot play it."""

from __future__ import annotations

import wave
from io import BytesIO

from app.core.images import ImageRefused, decode_base64
from app.core.text import visible

MAX_ENCODED_BYTES = 16 * 1024 * 1024


def describe_audio(data_base64: str | bytes, mime: str) -> str:
    """MIME type and size; for a WAV file also its length, channels and rate, as its header says.

    Never raises: what is wrong with the data is part of the line.
    """
    kind = visible(mime[:80]) or "audio"
    try:
        raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    except ImageRefused as refused:
        return f"{kind}: {refused.reason}"
    size = f"{len(raw):,} bytes"
    if raw[:4] != b"RIFF" or raw[8:12] != b"WAVE":
        return f"{kind}, {size}"
    try:
        with wave.open(BytesIO(raw)) as sound:
            seconds = sound.getnframes() / sound.getframerate()
            channels = sound.getnchannels()
            rate = sound.getframerate()
    except Exception:
        # The module raises wave.Error, EOFError, struct.error and ZeroDivisionError on bad headers.
        return f"{kind}, {size}, a WAV file with a damaged header"
    voices = {1: "mono", 2: "stereo"}.get(channels, f"{channels} channels")
    return f"{kind}, {size}, WAV, {seconds:.1f} s, {voices}, {rate:,} Hz"
