"""The frames of a moving picture, decoded all at once and within a limit, in the worker."""

from __future__ import annotations

from dataclasses import dataclass

from .images import (
    MAX_ENCODED_BYTES,
    ImageRefused,
    Pixels,
    Wish,
    decode_base64,
    flatten,
    open_image,
    pixels_of,
    refusing,
)

MAX_FRAMES = 64
MAX_FRAME_PIXELS = 10_000_000
"""Pixels of all frames together, as stored."""

MIN_SECONDS = 0.05
USUAL_SECONDS = 0.1
"""What browsers take for a frame that asks for next to no time."""

MAX_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Animation:
    """Frames of one size and how long each is shown; `is_cut` where the file has more of them."""

    frames: tuple[Pixels, ...]
    seconds: tuple[float, ...]
    is_cut: bool


def decode_frames(data_base64: str | bytes, wish: Wish) -> Animation:
    """Decode the first frames, all of each in the box of the wish, as a picture is.

    Damage after the first frame ends the animation there.

    Raises:
        ImageRefused: as `decode`.
    """
    raw = decode_base64(data_base64, MAX_ENCODED_BYTES)
    box = (max(1, wish.width), max(1, wish.height))
    frames: list[Pixels] = []
    seconds: list[float] = []
    is_cut = False
    with refusing(raw):
        image, header = open_image(raw)
        allowed = max(1, min(MAX_FRAMES, MAX_FRAME_PIXELS // (header.width * header.height)))
        while True:
            try:
                with refusing(raw):
                    image.seek(len(frames))
                    # Decoding one frame builds on those before it, so the file's own stays whole.
                    frame = flatten(image.copy(), box, wish.background)
            except ImageRefused:
                if not frames:
                    raise
                break
            if len(frames) == allowed:
                is_cut = True
                break
            frames.append(pixels_of(frame, header, wish.form))
            seconds.append(_seconds(image.info.get("duration")))
    return Animation(tuple(frames), tuple(seconds), is_cut)


def _seconds(duration: object) -> float:
    """From Pillow's milliseconds."""
    if not isinstance(duration, int | float) or not duration > 10:
        return USUAL_SECONDS
    return min(max(duration / 1000, MIN_SECONDS), MAX_SECONDS)
