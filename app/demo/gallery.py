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
from .answers import blocks, failed, plain, structured, text
from .constant import constant, sample
from .declare import hints, object_schema, tool

_READS = hints(read_only=True, open_world=False)
_LOG: Final = "2026-11-21T10:00:00Z  INFO  request 4711 of 8,192 served in 12 ms, all is well\n"
_ENTRY: Final = '{"id": 4711, "name": "a record", "tags": ["one", "two"], "ok": true}'

Kind = Literal["diff", "json", "yaml", "xml", "csv", "python", "html", "svg"]


class GalleryTools:
    """Texts by kind, pictures by format, parts by audience, links by where they lead."""

    @tool("Show a text", _READS)
    async def show_text(
        self, kind: Annotated[Kind, Field(description="What it is written in")] = "diff"
    ) -> CallToolResult:
        """Returns a text of the wanted kind with its MIME type, as an embedded resource. How it is
        shown is up to the client; nothing in it should ever run."""
        return sample(kind)

    @tool("Show an image", _READS)
    def show_image(
        self,
        kind: Annotated[
            Literal["png", "jpeg", "webp", "gif", "animated gif", "bmp"],
            Field(description="Which format"),
        ] = "png",
    ) -> CallToolResult:
        """Returns the same picture in the wanted format. A client should not start an animation by
        itself."""
        return blocks(pictures.in_format(kind))

    speak_to_two = constant("speak_to_two")

    @tool("Show many parts", _READS)
    async def show_many_parts(
        self, count: Annotated[int, Field(ge=1, le=500, description="How many")] = 120
    ) -> CallToolResult:
        """Returns so many short parts, each with its number. They should keep their order, and
        the screen its calm."""
        return blocks(*(text(f"Part {number} of {count}.") for number in range(1, count + 1)))

    show_links = constant("show_links")

    @tool("Return a large text", _READS)
    def large_text(
        self,
        megabytes: Annotated[int, Field(ge=1, le=200, description="How large")] = 20,
        kind: Annotated[
            Literal["lines", "one line", "json"], Field(description="What it is made of")
        ] = "lines",
    ) -> CallToolResult:
        """Returns a text of so many megabytes. A client should open it and scroll at once, and
        never use a multiple of its size; it should cut a very large one, with a notice."""
        size = megabytes * 1_000_000
        if kind == "json":
            return plain(f"[{', '.join([_ENTRY] * (size // (len(_ENTRY) + 2)))}]")
        piece = _LOG if kind == "lines" else "0123456789abcdef"
        return plain((piece * (size // len(piece) + 1))[:size])

    @tool("Read a book page by page", _READS)
    async def read_book(
        self,
        cursor: Annotated[str, Field(description="Where to go on; empty at first")] = "",
        repeat: Annotated[bool, Field(description="Give the same cursor for ever")] = False,
    ) -> CallToolResult:
        """Returns one page and the cursor of the next in its text, without structured content.
        With repeat it never ends, as a broken server may."""
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
        size: Annotated[Literal["small", "large"], Field(description="How hungry")] = "small",
        loseAnswer: Annotated[
            bool, Field(description="Order, then never answer the first time")
        ] = False,
    ) -> CallToolResult:
        """Orders an imaginary pizza. The key makes it safe to repeat: with loseAnswer the order is
        placed and the answer is lost; cancel the call, and retry it with the same key."""
        known = idempotencyKey in self._orders
        number = self._orders.setdefault(idempotencyKey, len(self._orders) + 1)
        if loseAnswer and not known:
            await asyncio.sleep(3_600)
        return structured({"order": number, "size": size, "alreadyOrdered": known})
