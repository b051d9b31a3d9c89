"""One tool for each way in which text can be shown, for whom a part is, and how much there can be.

Answers of several megabytes are made when they are asked for.

A tool whose answer can be lost, and whose key makes it harmless to ask again.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from . import content as pictures
from .constant import constant, sample
from .declare import blocks, failed, hints, object_schema, plain, structured, text, tool

_READS = hints(read_only=True, open_world=False)
_LOG: Final = "2026-11-21T10:00:00Z  INFO  request 4711 of 8,192 served in 12 ms, all is well\n"
_ENTRY: Final = '{"id": 4711, "name": "a record", "tags": ["one", "two"], "ok": true}'

Kind = Literal["diff", "json", "yaml", "xml", "csv", "python", "html", "svg"]


class GalleryTools:
    """Texts by kind, pictures by format, parts by audience, links by where they lead."""

    @tool("Show a text", _READS)
    async def show_text(
        self, kind: Annotated[Kind, Field(description="Kind of text")] = "diff"
    ) -> CallToolResult:
        """Returns a text of the requested kind with its MIME type, as an embedded resource. The
        client decides how to show it; nothing in it should ever run."""
        return sample(kind)

    @tool("Show an image", _READS)
    def show_image(
        self,
        kind: Annotated[
            Literal["png", "jpeg", "webp", "gif", "animated gif", "bmp"],
            Field(description="Which format"),
        ] = "png",
    ) -> CallToolResult:
        """Returns the same picture in the requested format. A client should not start an animation
        by itself."""
        return blocks(pictures.in_format(kind))

    speak_to_two = constant("speak_to_two")

    @tool("Show many parts", _READS)
    async def show_many_parts(
        self, count: Annotated[int, Field(ge=1, le=500, description="How many")] = 120
    ) -> CallToolResult:
        """Returns the requested number of short, numbered parts. Parts should stay in order, and
        the screen should not flicker."""
        return blocks(*(text(f"Part {number} of {count}.") for number in range(1, count + 1)))

    show_links = constant("show_links")

    @tool("Return a large text", _READS)
    def large_text(
        self,
        megabytes: Annotated[int, Field(ge=1, le=200, description="How large")] = 20,
        kind: Annotated[
            Literal["lines", "one line", "json"], Field(description="Kind of content")
        ] = "lines",
    ) -> CallToolResult:
        """Returns a text of the requested size. A client should open and scroll it at once, without
        using a multiple of its size; it should cut a very large one, with a notice."""
        size = megabytes * 1_000_000
        if kind == "json":
            return plain(f"[{', '.join([_ENTRY] * (size // (len(_ENTRY) + 2)))}]")
        piece = _LOG if kind == "lines" else "0123456789abcdef"
        return plain((piece * (size // len(piece) + 1))[:size])

    @tool("Read a book page by page", _READS)
    async def read_book(
        self,
        cursor: Annotated[str, Field(description="Where to continue; empty at first")] = "",
        repeat: Annotated[bool, Field(description="Always return the same cursor")] = False,
    ) -> CallToolResult:
        """Returns one page and the cursor of the next in its text, without structured content. With
        repeat it never ends, as with a broken server."""
        page = int(cursor) if cursor.isdecimal() else 1
        if not 1 <= page <= 4:
            return failed(f"No page {page}.")
        following = str(page if repeat else page + 1) if page < 4 or repeat else ""
        said = f"\nnextCursor: {following}" if following else "\nThe end."
        return plain(f"Page {page} of 4. Nothing happens on this page.{said}")


class RecordTools:
    """Orders in memory."""

    def __init__(self) -> None:
        self._orders: dict[str, int] = {}

    @tool(
        "Order a pizza",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
        output_schema=object_schema(
            {
                "order": {"type": "integer"},
                "size": {"type": "string"},
                "alreadyOrdered": {"type": "boolean"},
            }
        ),
    )
    async def order_pizza(
        self,
        idempotencyKey: Annotated[
            str, Field(description="Idempotency key: the same key is never ordered twice")
        ],
        size: Annotated[
            Literal["small", "large"], Field(description="Size of the pizza")
        ] = "small",
        loseAnswer: Annotated[
            bool, Field(description="Place the order, but do not respond the first time")
        ] = False,
    ) -> CallToolResult:
        """Orders an imaginary pizza. The key makes a retry safe: with loseAnswer the order is
        placed and the response is lost; cancel the call, and retry it with the same key."""
        known = idempotencyKey in self._orders
        number = self._orders.setdefault(idempotencyKey, len(self._orders) + 1)
        if loseAnswer and not known:
            await asyncio.sleep(3_600)
        return structured({"order": number, "size": size, "alreadyOrdered": known})
