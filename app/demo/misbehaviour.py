"""Tools that break rules on request, to test a client.

Content with a wrong type: pictures, sounds and values that are broken on purpose.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import struct
import sys
import zlib
from collections.abc import Callable
from typing import Annotated, Any, Literal, NoReturn

from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import AudioContent, CallToolResult, ImageContent
from pydantic import Field

from . import content
from .constant import JSON, SCHEMAS, constant
from .declare import Json, blocks, failed, hints, plain, text, tool

CRASH_STATUS = 42
"""Exit status of the process that `crash_server` ends."""

STRANGE_TOOL = "strange_content"
STRANGE_BLOCKS: tuple[Json, ...] = tuple(JSON["strange_blocks"])
"""What `strange_content` adds to its answer past the SDK, which would refuse to send it."""


class MisbehaviourTools:
    """Broken promises, missing and contradicting hints, failures of every kind."""

    def __init__(self, write_stdout: Callable[[bytes], None], clean_up: Callable[[], None]) -> None:
        """`write_stdout` reaches the real standard output; `clean_up` runs before a crash."""
        self._write_stdout = write_stdout
        self._clean_up = clean_up

    @tool("Undeclared tool", None)
    async def undeclared_tool(
        self, wish: Annotated[str, Field(description="Anything")] = "nothing"
    ) -> CallToolResult:
        """Declares no hints, so a careful client assumes the worst: it writes, destroys and acts
        outside. In fact it only repeats your wish."""
        return plain(f"You wished for {wish}. Nothing happened.")

    @tool("Fail politely", hints(read_only=True, open_world=False))
    async def fail_politely(
        self,
        reason: Annotated[
            Literal["not found", "no permission", "quota used up"], Field(description="Why")
        ] = "not found",
    ) -> CallToolResult:
        """Returns a result with isError: the call worked, the tool failed. The text is for the
        model, so that it can do better next time."""
        return failed(f"The demo failed as asked: {reason}. Every other reason fails, too.")

    @tool("Fail in the protocol", hints(read_only=True, open_world=False))
    async def fail_in_protocol(
        self,
        code: Annotated[int, Field(ge=-32099, le=-32000, description="JSON-RPC code")] = -32050,
    ) -> CallToolResult:
        """Returns a JSON-RPC error instead of a result. The request fails, not the tool, so it has
        no content to show."""
        raise MCPError(code, "The demo refuses this request, as asked.", {"demo": True})

    @tool("Crash the server", hints(read_only=False, destructive=True, open_world=False))
    async def crash_server(
        self,
        ctx: Context,
        afterSeconds: Annotated[
            float, Field(ge=0, le=30, description="Time until the crash")
        ] = 0.5,
    ) -> CallToolResult:
        """Ends the server process in the middle of the call, with a last line on stderr and exit
        status 42. The call never gets a response."""
        await ctx.report_progress(1, 2, "about to crash")
        await asyncio.sleep(afterSeconds)
        self._crash()

    @tool("Print noise", hints(read_only=True))
    async def print_noise(
        self,
        lines: Annotated[int, Field(ge=1, le=50, description="How many lines")] = 2,
    ) -> CallToolResult:
        """Prints lines of text between the protocol messages, then responds as usual. Logging to
        standard output is the most common mistake of servers."""
        for number in range(1, lines + 1):
            self._write_stdout(f"DEBUG demo: noise, line {number} of {lines}\n".encode())
        return plain(f"Printed {lines} lines of noise before this response.")

    @tool("Strange content", hints(read_only=True, open_world=False))
    async def strange_content(self) -> CallToolResult:
        """Returns a good block followed by an unknown type, a priority out of range, an invalid
        image, and a block without a type. One bad block should not hide the rest."""
        return plain("This block is valid; the next four are not.")

    hidden_characters = constant("hidden_characters")

    def _crash(self) -> NoReturn:
        self._clean_up()
        print("demo: crashing on request, goodbye", file=sys.stderr, flush=True)
        os._exit(CRASH_STATUS)


_READS = hints(read_only=True, open_world=False)


class BrokenTools:
    """Each breaks in the way that it is asked to."""

    @tool("Show a broken image", _READS)
    def show_broken_image(
        self,
        how: Annotated[
            Literal["not an image", "truncated", "bomb", "another type", "empty"],
            Field(description="What is wrong with it"),
        ] = "truncated",
    ) -> CallToolResult:
        """Returns an invalid image that is declared as an image. The bomb is a few kilobytes that
        declare 900 million pixels; a client should reject it before decoding it."""
        good = base64.b64decode(content.in_format("png").data)
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

    @tool("Show broken audio", _READS)
    async def show_broken_audio(
        self,
        how: Annotated[
            Literal["not a sound", "damaged header", "truncated", "another type"],
            Field(description="What is wrong with it"),
        ] = "damaged header",
    ) -> CallToolResult:
        """Returns invalid audio that is declared as audio."""
        good = content.tone(440, 0.5)
        data, claimed = {
            "not a sound": (b"These bytes are a sentence.", "audio/wav"),
            "damaged header": (good[:20] + b"\xff" * 8 + good[28:], "audio/wav"),
            "truncated": (good[: len(good) // 3], "audio/wav"),
            "another type": (good, "audio/mpeg"),
        }[how]
        encoded = base64.b64encode(data).decode()
        return blocks(AudioContent(type="audio", data=encoded, mime_type=claimed))

    @tool("Count the stock", _READS, output_schema=SCHEMAS["stock"])
    async def count_stock(
        self,
        shelves: Annotated[int, Field(ge=1, le=2_000, description="How many shelves")] = 4,
        mistakes: Annotated[int, Field(ge=0, le=50, description="Schema errors")] = 3,
    ) -> CallToolResult:
        """Returns a nested value with the requested number of schema errors, deep inside: a client
        should lead to each of them."""
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
