"""One tool for each kind of content that an answer may hold, and for answers of many parts.

Pictures and sounds made on the spot; Pillow is imported when the first picture is wanted.
"""

from __future__ import annotations

import base64
import io
import math
import wave
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver.resources import Resource, TextResource
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
)
from pydantic import Field

from .constant import constant
from .declare import blocks, failed, hints, text, tool

if TYPE_CHECKING:
    from PIL.Image import Image

_RATE = 8000


def scene(width: int, height: int) -> ImageContent:
    """A house on a hill under the evening sun, as PNG of this many pixels."""
    return _png(_scene(width, height))


def page(host: str) -> ImageContent:
    """A page of a web site as a browser would show it, as PNG of 640 x 400 pixels."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (640, 400), (250, 250, 252))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 640, 30), fill=(206, 210, 220))
    for n, colour in enumerate(((236, 106, 94), (244, 191, 79), (97, 197, 84))):
        draw.ellipse((10 + 20 * n, 9, 22 + 20 * n, 21), fill=colour)
    draw.rectangle((80, 6, 626, 24), fill=(255, 255, 255))
    # The font that is always there has no letters beyond ASCII.
    shown = host.encode("ascii", "backslashreplace").decode()[:40]
    draw.text((88, 9), shown, fill=(60, 60, 80))
    picture.paste(_scene(640, 370), (0, 30))
    return _png(picture)


def _scene(width: int, height: int, sun: float = 0.74) -> Image:
    """`sun` is its place across, from 0 to 1."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)
    for y in range(height):
        share = y / height
        colour = (int(70 + 185 * share), int(110 + 90 * share), int(190 - 60 * share))
        draw.line([(0, y), (width, y)], fill=colour)

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * width), round(y * height)

    radius = 0.11 * min(width, height)
    sun_x, sun_y = at(sun, 0.34)
    draw.ellipse(
        (sun_x - radius, sun_y - radius, sun_x + radius, sun_y + radius), fill=(255, 228, 120)
    )
    peaks = [at(0, 0.75), at(0.18, 0.36), at(0.36, 0.7), at(0.52, 0.42), at(0.8, 0.78)]
    draw.polygon([*peaks, at(1, 0.7), at(1, 1), at(0, 1)], fill=(92, 84, 130))
    draw.ellipse((*at(-0.3, 0.66), *at(0.85, 1.6)), fill=(58, 122, 74))
    draw.ellipse((*at(0.4, 0.74), *at(1.4, 1.6)), fill=(44, 98, 62))
    draw.rectangle((*at(0.22, 0.56), *at(0.38, 0.76)), fill=(236, 222, 196))
    draw.polygon([at(0.19, 0.57), at(0.3, 0.43), at(0.41, 0.57)], fill=(170, 62, 52))
    draw.rectangle((*at(0.275, 0.65), *at(0.325, 0.76)), fill=(104, 66, 44))
    draw.rectangle((*at(0.235, 0.6), *at(0.265, 0.65)), fill=(255, 214, 110))
    draw.rectangle((*at(0.335, 0.6), *at(0.365, 0.65)), fill=(255, 214, 110))
    return picture


def in_format(kind: str) -> ImageContent:
    """The same scene as png, jpeg, webp, gif, "animated gif" or bmp."""
    target = io.BytesIO()
    name = kind.removeprefix("animated ")
    picture = _scene(160, 100)
    more = {}
    if kind == "animated gif":
        frames = [_scene(160, 100, sun=0.74 - 0.06 * step) for step in range(1, 9)]
        more = {"save_all": True, "append_images": frames, "duration": 200, "loop": 0}
    picture.save(target, name, **more)
    return _content(target, f"image/{name}")


def bars(values: Mapping[str, int], title: str) -> ImageContent:
    """A bar chart of whole numbers, as PNG of 320 x 180 pixels."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (320, 180), (250, 250, 252))
    draw = ImageDraw.Draw(picture)
    draw.text((10, 6), title, fill=(40, 40, 60))
    draw.line([(10, 155), (310, 155)], fill=(120, 120, 140))
    slot = 300 / max(len(values), 1)
    highest = max([1, *values.values()])
    for n, (label, value) in enumerate(values.items()):
        left, top = 10 + n * slot, 155 - 120 * value / highest
        colour = (70, 130, 200) if n % 2 == 0 else (230, 140, 60)
        draw.rectangle((left + slot * 0.2, top, left + slot * 0.8, 155), fill=colour)
        draw.text((left + slot * 0.2, 160), label, fill=(40, 40, 60))
        draw.text((left + slot * 0.4, top - 12), str(value), fill=(40, 40, 60))
    return _png(picture)


def tone(hertz: int, seconds: float) -> bytes:
    """A fading sine as WAV: mono, 8 bit, 8 kHz."""
    frames = round(_RATE * seconds)
    samples = bytes(
        128 + round(100 * (1 - n / frames) * math.sin(2 * math.pi * hertz * n / _RATE))
        for n in range(frames)
    )
    target = io.BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(_RATE)
        sound.writeframes(samples)
    return target.getvalue()


def _png(picture: Image) -> ImageContent:
    target = io.BytesIO()
    picture.save(target, "PNG")
    return _content(target, "image/png")


def _content(file: io.BytesIO, mime_type: str) -> ImageContent:
    data = base64.b64encode(file.getvalue()).decode()
    return ImageContent(type="image", data=data, mime_type=mime_type)


_CONFIGS = {
    "settings.json": ("application/json", '{\n  "theme": "dark",\n  "confirmDeletes": true\n}\n'),
    "logging.toml": ("application/toml", '[logging]\nlevel = "info"\nfile = "demo.log"\n'),
}
_PARTS = {
    "languages": ("Languages: Python 81 %, CSS 12 %, Shell 7 %.", "the language service is busy"),
    "contributors": ("Contributors: ada (41), grace (17), alan (9).", "the token lacks read:org"),
    "activity": ("Activity: 12 commits this week, 3 open pull requests.", "timed out after 10 s"),
    "security": ("Security: no known alerts.", "alerts are switched off for this repository"),
}
_READS = hints(read_only=True, open_world=False)
_READS_OUTSIDE = hints(read_only=True, open_world=True)


class ContentTools:
    """Images, sounds, files, links, and several of them at once."""

    @tool("Summarise a repository", _READS_OUTSIDE)
    async def repo_summary(
        self,
        failParts: Annotated[
            list[Literal["languages", "contributors", "activity", "security"]],
            Field(description="Parts that should fail; none for a complete summary"),
        ] = ["contributors"],  # noqa: B006
    ) -> CallToolResult:
        """Gathers four parts, some of which may fail; the others are still returned. The result is
        not an error: its text lists the missing parts and the reasons."""
        parts = [
            text(f"{part}: FAILED, {reason}." if part in failParts else content)
            for part, (content, reason) in _PARTS.items()
        ]
        missing = [part for part in _PARTS if part in failParts]
        if len(missing) == len(_PARTS):
            return failed("No part of the summary is available.")
        whole = (
            "All parts are available."
            if not missing
            else f"Incomplete: {', '.join(missing)} failed."
        )
        return blocks(text(whole), *parts)

    show_resource_link = constant("show_resource_link")

    @tool("Play audio", _READS)
    async def play_audio(
        self,
        hertz: Annotated[int, Field(ge=100, le=2000, description="Pitch")] = 440,
        seconds: Annotated[float, Field(ge=0.1, le=2, description="Length")] = 0.5,
    ) -> CallToolResult:
        """Returns a short tone as WAV audio. The server plays nothing; the client decides what to
        do with it."""
        sound = base64.b64encode(tone(hertz, seconds)).decode()
        return blocks(AudioContent(type="audio", data=sound, mime_type="audio/wav"))

    @tool("Show binary data", _READS)
    async def show_binary(
        self,
        size: Annotated[int, Field(ge=1, le=65536, description="How many bytes")] = 256,
    ) -> CallToolResult:
        """Returns bytes as an embedded resource. A client can show little more than its size and
        type."""
        data = base64.b64encode(bytes(n % 256 for n in range(size))).decode()
        blob = BlobResourceContents(
            uri="demo://binary/ramp.bin", mime_type="application/octet-stream", blob=data
        )
        return blocks(EmbeddedResource(type="resource", resource=blob))

    show_markdown = constant("show_markdown")


def resources() -> list[Resource]:
    """The configuration files again, for clients that follow a resource link."""
    return [
        TextResource(uri=f"demo://config/{name}", name=name, mime_type=mime_type, text=content)
        for name, (mime_type, content) in _CONFIGS.items()
    ]
