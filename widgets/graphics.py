"""Sixel and kitty graphics through the optional package textual-image, only when asked for.

Its import talks to the terminal on stdin and stdout (up to about 0.3 s where nothing answers, and
typed-ahead keys may be lost), so it has to happen before the app runs. A decoder error in it ends
the app, so it gets only PNG bytes that were encoded here from pixels already decoded. Over tmux,
screen and ssh, half blocks are what works.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from io import BytesIO
from typing import Literal

from textual.widget import Widget

from app.core.images import Pixels

Mode = Literal["auto", "off", "on"]

_image_class: type[Widget] | None = None


def wants_graphics(mode: Mode, environ: Mapping[str, str], is_terminal: bool) -> bool:
    """Whether the terminal should be asked: in "auto", only terminals known to draw pictures."""
    if mode == "off" or not is_terminal:
        return False
    if mode == "on":
        return True
    if any(environ.get(name) for name in ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "NO_COLOR")):
        return False
    return environ.get("TERM", "") in {"xterm-kitty", "xterm-ghostty", "foot"} or environ.get(
        "TERM_PROGRAM", ""
    ) in {"WezTerm", "ghostty", "iTerm.app"}


def prepare_graphics(mode: Mode) -> bool:
    """Find out, before the app runs, whether real pictures can be drawn; if not, half blocks."""
    global _image_class
    _image_class = None
    terminal = all(
        stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__)
    )
    if not wants_graphics(mode, os.environ, terminal):
        return False
    # A silent terminal makes it log a traceback, which would land on the screen.
    logger = logging.getLogger("textual_image")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    try:
        from textual_image.renderable import Image, SixelImage, TGPImage
        from textual_image.widget import Image as ImageWidget
    except Exception:
        return False
    if Image not in (SixelImage, TGPImage):
        return False
    _image_class = ImageWidget
    return True


def has_graphics() -> bool:
    """Whether `prepare_graphics` found a way to draw real pictures."""
    return _image_class is not None


def png_bytes(pixels: Pixels) -> bytes:
    """Decoded pixels as a PNG file that any decoder reads."""
    from PIL import Image

    file = BytesIO()
    Image.frombytes("RGB", (pixels.width, pixels.height), pixels.rgb).save(file, "PNG")
    return file.getvalue()


def graphics_image(data: bytes) -> Widget | None:
    """A widget that draws the PNG, or None where `prepare_graphics` found no way."""
    if _image_class is None:
        return None
    try:
        return _image_class(BytesIO(data))  # type: ignore[arg-type]
    except Exception:
        return None
