"""One tool for each way in which text can be shown, for whom a part is, and how much there can be.

Answers of several megabytes are made when they are asked for.

A tool whose answer can be lost, and whose key makes it harmless to ask again.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Final, Literal

from mcp.types import (
    Annotations,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import Field

from . import content as pictures
from .answers import blocks, failed, plain, structured, text
from .declare import hints, object_schema, tool

_READS = hints(read_only=True, open_world=False)
_TEXTS: Final = {
    "diff": (
        "text/x-diff",
        "--- a/menu.toml\n+++ b/menu.toml\n"
        '@@ -1,7 +1,8 @@\n [tonight]\n tables = 12\n-starter = "soup"\n-main = "stew"\n'
        '+starter = "salad"\n+main = "stew, or salad with bread"\n+dessert = "figs"\n'
        ' drinks = ["tea", "water"]\n \n [kitchen]\n'
        '@@ -21,4 +22,3 @@ [kitchen]\n closes = "22:00"\n-salad = false\n cooks = 2\n'
        " # ask before you change the salad\n",
    ),
    "json": (
        "application/json",
        '[{"tool": "search_files", "asks": false, "calls": 12},\n'
        ' {"tool": "delete_file", "asks": true, "calls": 1}]\n',
    ),
    "yaml": ("application/yaml", "server: demo\ntools:\n  - name: search_files\n    asks: no\n"),
    "xml": ("application/xml", '<tools>\n  <tool name="delete_file" asks="yes"/>\n</tools>\n'),
    "csv": (
        "text/csv",
        "tool,claims,asks,calls,seconds\nsearch_files,read-only,no,12,0.8\n"
        "create_record,additive,yes,3,0.1\ndelete_file,destructive,yes,1,0.02\n"
        'migrate_database,destructive,yes,2,61.5\nundeclared_tool,nothing,yes,0,\n"a, b",,no,0,\n',
    ),
    "python": (
        "text/x-python",
        'def asks(tool: str) -> bool:\n    """Whether to ask."""\n'
        '    return not tool.startswith("search")\n',
    ),
    "html": ("text/html", "<h1>Not rendered</h1>\n<script>alert('never run')</script>\n"),
    "svg": (
        "image/svg+xml",
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">\n'
        '  <circle cx="10" cy="10" r="8" fill="tomato"/>\n</svg>\n',
    ),
}
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
        mime_type, content = _TEXTS[kind]
        resource = TextResourceContents(
            uri=f"demo://texts/sample.{kind}", mime_type=mime_type, text=content
        )
        return blocks(EmbeddedResource(type="resource", resource=resource))

    @tool("Show a picture", _READS)
    def show_picture(
        self,
        kind: Annotated[
            Literal["png", "jpeg", "webp", "gif", "animated gif", "bmp"],
            Field(description="Which format"),
        ] = "png",
    ) -> CallToolResult:
        """Returns the same picture in the wanted format. An animation should stand still until
        somebody asks for it to move."""
        return blocks(pictures.in_format(kind))

    @tool("Speak to two audiences", _READS)
    async def speak_to_two(self) -> CallToolResult:
        """Returns parts for the user, for the assistant and for both, by their annotations. A
        client may show some and feed others to the model; that is for it to decide."""
        return blocks(
            _for("The table is booked for eight o'clock.", ["user"], 1.0),
            _for('{"booking": 17, "confirm_before": "18:00"}', ["assistant"], 0.4),
            _for("The kitchen closes at ten.", ["user", "assistant"], 0.2),
            text("This part does not say for whom it is."),
        )

    @tool("Show many parts", _READS)
    async def show_many_parts(
        self, count: Annotated[int, Field(ge=1, le=500, description="How many")] = 120
    ) -> CallToolResult:
        """Returns so many short parts, each with its number. They should keep their order, and
        the screen its calm."""
        return blocks(*(text(f"Part {number} of {count}.") for number in range(1, count + 1)))

    @tool("Show links", hints(read_only=True))
    async def show_links(self) -> CallToolResult:
        """Returns links that lead into the server, out to the web and to places where no link
        should lead. None of them should be followed unasked."""
        return blocks(
            _link("demo://config/settings.json", "settings.json", 48),
            _link("https://example.org/menu?for=tonight", "The menu", 1_048_576),
            _link("https://xn--pypal-4ve.example/login", "A name that looks like another"),
            _link("https://bank.example@203.0.113.7:8443/", "A host behind a name"),
            _link("file:///etc/passwd", "A file of yours"),
            _link("javascript:alert(1)", "A script"),
            _link("demo://nowhere", "A link that leads nowhere"),
        )

    @tool("Return a large text", _READS)
    def large_text(
        self,
        megabytes: Annotated[int, Field(ge=1, le=200, description="How large")] = 20,
        kind: Annotated[
            Literal["lines", "one line", "json"], Field(description="What it is made of")
        ] = "lines",
    ) -> CallToolResult:
        """Returns a text of so many megabytes. It should open at once, scroll at once, and never
        cost a multiple of its size; a very large one should be cut, and say so."""
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
            return failed(f"There is no page {page}.")
        following = str(page if repeat else page + 1) if page < 4 or repeat else ""
        said = f"\nnextCursor: {following}" if following else "\nThe end."
        return plain(f"Page {page} of 4. Nothing happens on this page.{said}")


def _for(words: str, audience: list[Literal["user", "assistant"]], priority: float) -> TextContent:
    annotations = Annotations(
        audience=audience, priority=priority, last_modified="2026-11-20T18:30:00Z"
    )
    return TextContent(type="text", text=words, annotations=annotations)


def _link(uri: str, title: str, size: int | None = None) -> ResourceLink:
    return ResourceLink(type="resource_link", uri=uri, name=uri, title=title, size=size)


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
