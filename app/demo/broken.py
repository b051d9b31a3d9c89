"""Content that is not what it says: pictures, sounds and values that are broken on purpose."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Annotated, Any, Literal

from mcp.types import AudioContent, CallToolResult, ImageContent
from pydantic import Field

from . import pictures
from .answers import blocks, text
from .declare import hints, object_schema, tool

_READS = hints(read_only=True, open_world=False)
_STOCK = object_schema(
    {
        "warehouse": {"type": "string"},
        "shelves": {
            "type": "array",
            "items": object_schema(
                {
                    "shelf": {"type": "integer", "minimum": 1},
                    "articles": {
                        "type": "array",
                        "items": object_schema(
                            {
                                "name": {"type": "string"},
                                "count": {"type": "integer", "minimum": 0},
                                "price": {"type": "number", "exclusiveMinimum": 0},
                            }
                        ),
                    },
                }
            ),
        },
        "counted": {"type": "string", "format": "date"},
    }
)


class BrokenTools:
    """Each breaks in the way that it is asked to."""

    @tool("Show a broken picture", _READS)
    def show_broken_picture(
        self,
        how: Annotated[
            Literal["not an image", "truncated", "bomb", "another type", "empty"],
            Field(description="What is wrong with it"),
        ] = "truncated",
    ) -> CallToolResult:
        """Returns something that claims to be a picture. The bomb is a few kilobytes that claim
        900 million pixels; a client should refuse it before it has unfolded."""
        good = base64.b64decode(pictures.in_format("png").data)
        data, claimed = {
            "not an image": (b"These bytes are a sentence.", "image/png"),
            "truncated": (good[: len(good) // 3], "image/png"),
            "bomb": (_bomb(30_000), "image/png"),
            "another type": (good, "image/jpeg"),
            "empty": (b"", "image/png"),
        }[how]
        encoded = base64.b64encode(data).decode()
        return blocks(
            text(f"A broken picture: {how}."),
            ImageContent(type="image", data=encoded, mime_type=claimed),
        )

    @tool("Show a broken sound", _READS)
    async def show_broken_sound(
        self,
        how: Annotated[
            Literal["not a sound", "damaged header", "truncated", "another type"],
            Field(description="What is wrong with it"),
        ] = "damaged header",
    ) -> CallToolResult:
        """Returns something that claims to be a sound."""
        good = pictures.tone(440, 0.5)
        data, claimed = {
            "not a sound": (b"These bytes are a sentence.", "audio/wav"),
            "damaged header": (good[:20] + b"\xff" * 8 + good[28:], "audio/wav"),
            "truncated": (good[: len(good) // 3], "audio/wav"),
            "another type": (good, "audio/mpeg"),
        }[how]
        encoded = base64.b64encode(data).decode()
        return blocks(AudioContent(type="audio", data=encoded, mime_type=claimed))

    @tool("Count the stock", _READS, output_schema=_STOCK)
    async def count_stock(
        self,
        shelves: Annotated[int, Field(ge=1, le=2_000, description="How many shelves")] = 4,
        mistakes: Annotated[int, Field(ge=0, le=50, description="Broken promises")] = 3,
    ) -> CallToolResult:
        """Returns a nested value that keeps its output schema but for the wanted number of
        mistakes, deep inside: a client should lead to each of them."""
        stock: dict[str, Any] = {
            "warehouse": "north",
            "shelves": [_shelf(number) for number in range(1, shelves + 1)],
            "counted": "2026-11-21",
        }
        copy = text(json.dumps(stock))
        for number in range(mistakes):
            article = stock["shelves"][number % shelves]["articles"][(number // shelves) % 3]
            if number % 3 == 0:
                article.pop("price", None)
            else:
                article["count"] = "many" if number % 3 == 1 else -1
        return CallToolResult(content=[copy], structured_content=stock)


def _shelf(number: int) -> dict[str, Any]:
    names = ("lamp", "rope", "kettle")
    articles = [{"name": name, "count": number + 2, "price": 9.5} for name in names]
    return {"shelf": number, "articles": articles}


def _bomb(side: int) -> bytes:
    """A PNG of side x side black pixels of one bit, whose data ends early."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        checked = kind + body
        return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(side // 8 + 1) * 200)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )
