"""Pictures as files: an SVG that needs nothing from anywhere else, and a PNG made of it."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_SECONDS = 60.0

# A profile of its own, and none of the errands that a browser runs on its own account.
_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--default-background-color=00000000",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


_CLEAR = 255
"""The number of the colour that stands for none, after all others."""


class NoPicture(Exception):
    """The browser did not draw; the message says what it said."""


def find_browser() -> str | None:
    """The first headless browser on the PATH."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def draw_png(browser: str, svg: Path) -> Path:
    """Draw the SVG at its own size into a PNG beside it. Raises NoPicture."""
    size = _SIZE.search(svg.read_text(encoding="utf-8"))
    assert size is not None, "Textual writes a viewBox"
    width, height = (math.ceil(float(side)) for side in size.groups())
    png = svg.with_suffix(".png")
    with tempfile.TemporaryDirectory(prefix="signoff-browser-") as profile:
        done = subprocess.run(
            [
                *(browser, *_SWITCHES),
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                f"--screenshot={png}",
                svg.resolve().as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=BROWSER_SECONDS,
            check=False,
        )
    if done.returncode != 0 or not png.exists():
        raise NoPicture(done.stderr.strip()[-500:] or f"status {done.returncode}")
    _make_small(png)
    return png


def _make_small(png: Path) -> None:
    """A terminal has few colours: a palette shows them all in a third of the bytes."""
    with Image.open(png) as picture:
        outside = picture.convert("RGBA").getchannel("A").point(lambda alpha: 255 * (alpha < 128))
        small = picture.convert("RGB").quantize(_CLEAR, dither=Image.Dither.NONE)
    small.putpalette([*(small.getpalette() or []), 0, 0, 0][: 3 * _CLEAR + 3])
    small.paste(_CLEAR, mask=outside)
    small.save(png, optimize=True, transparency=_CLEAR)
