"""How long a picture takes from the bytes of a server to the cells of the screen."""

from __future__ import annotations

import base64
import struct
import time
import zlib
from collections.abc import Callable
from functools import partial
from io import BytesIO

import anyio
from PIL import Image

from signoff.app.content.media.images import ImageRefused, Pixels, Wish, decode_wish
from signoff.app.demo.content import scene
from signoff.app.sandbox.worker import run_limited, shut_down
from signoff.widgets.images.image_view import fit, half_blocks, sample
from signoff.widgets.images.terminal_images import placeholders, transmit
from tests.bench.figures import Figure, Samples

COLUMNS, ROWS = 120, 24
TARGET_SECONDS = 0.1
SMALL = "picture 640x400: decoded in the worker"
LARGE = "picture 4000x3000, JPEG: decoded in the worker"
LARGE_PNG = "picture 4000x3000, PNG: decoded in the worker"
BOMB = "picture of 30,000x30,000 in 109 kB: refused"
PAINT = "picture painted in half blocks, 120x24"
PNG = "picture 640x400: as PNG for a terminal"
KITTY = "picture of 640x400: kitty's commands and cells"
SIXEL = "picture 640x400: as sixels"


def measure(runs: int = 10) -> list[Figure]:
    """Decoding goes through the worker process, as in the program; painting does not."""
    samples = Samples()
    try:
        anyio.run(_measure, samples, runs)
    finally:
        shut_down()
    target = f"< {TARGET_SECONDS * 1000:g} ms"
    return [
        samples.figure(SMALL, target, _met(samples.median(SMALL))),
        samples.figure(LARGE),
        samples.figure(LARGE_PNG),
        samples.figure(BOMB, target, _met(samples.median(BOMB))),
        samples.figure(PAINT, target, _met(samples.median(PAINT))),
        samples.figure(PNG),
        samples.figure(KITTY),
        samples.figure(SIXEL),
    ]


async def _measure(samples: Samples, runs: int) -> None:
    small = scene(640, 400).data
    large, large_png = _photograph("JPEG"), _photograph("PNG")
    bomb = _bomb(30_000)
    box = Wish(COLUMNS, 2 * ROWS)
    # The first run waits for Python to start.
    pixels = await run_limited(decode_wish, small, box)
    for _ in range(runs):
        await _decoded(samples, SMALL, small, box)
        await _decoded(samples, LARGE, large, box)
        await _decoded(samples, LARGE_PNG, large_png, box)
        await _refused(samples, BOMB, bomb, box)
        _timed(samples, PAINT, partial(_paint, pixels))
        png = await _decoded(samples, PNG, small, Wish(640, 400, "png"))
        _timed(samples, KITTY, partial(_tell, png))
        await _decoded(samples, SIXEL, small, Wish(640, 400, "sixel"))


async def _decoded(samples: Samples, name: str, data: str, wish: Wish) -> Pixels:
    started = time.perf_counter()
    pixels = await run_limited(decode_wish, data, wish)
    samples.add(name, time.perf_counter() - started)
    return pixels


async def _refused(samples: Samples, name: str, data: str, wish: Wish) -> None:
    started = time.perf_counter()
    try:
        await run_limited(decode_wish, data, wish)
    except ImageRefused:
        samples.add(name, time.perf_counter() - started)
    else:
        raise AssertionError(f"{name}: it was decoded")


def _paint(pixels: Pixels) -> None:
    strips = half_blocks(sample(pixels, *fit(pixels, COLUMNS, ROWS)))
    assert len(strips) == ROWS


def _tell(pixels: Pixels) -> None:
    assert transmit(pixels.encoded, 1, 64, 20)
    assert len(placeholders(1, 64, 20)) == 20


def _photograph(kind: str) -> str:
    """Smooth like a photograph, and within the limit of bytes as PNG, too."""
    picture = Image.effect_noise((250, 188), 40).resize((4000, 3000)).convert("RGB")
    file = BytesIO()
    picture.save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


def _bomb(side: int) -> str:
    """A PNG of one bit a pixel, all of them equal, that packs very well."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    packer = zlib.compressobj(9)
    row = bytes(1 + side // 8)
    data = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    raw = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    return base64.b64encode(raw).decode()


def _timed(samples: Samples, name: str, action: Callable[[], None]) -> None:
    started = time.perf_counter()
    action()
    samples.add(name, time.perf_counter() - started)


def _met(seconds: float) -> str:
    return "met" if seconds < TARGET_SECONDS else "MISSED"


if __name__ == "__main__":
    for figure in measure():
        print(figure.as_line())
