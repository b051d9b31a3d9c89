"""What can be read from the server: one resource of each kind, and notices that come and go.

Notes behind URI templates, and what their variables can be.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Annotations, CallToolResult, Resource
from pydantic import Field

from .. import content as pictures
from ..constant import JSON
from ..declare import hints, plain, tool
from ..extensions.labels import RECORDS
from .revisions import is_modern

CLOCK: Final = "clock://now"
_LINE: Final = "{:05d}  2026-11-21T10:00:00Z  INFO  request served in 12 ms, all is well\n"
_LINES: Final = 4_000
_BELL_BYTES: Final = 44 + 8_000
"""The header of a WAV, and a second of samples."""
_MENU: Final = """\
# Menu of the day

- **Soup** of lentils, with lemon
- *Stew* with bread, or salad without

| dish | for | price |
|------|-----|------:|
| soup | all | 4.50 |
| stew | the hungry | 9.00 |

> Ask before you change the salad.
"""


@dataclass(frozen=True, slots=True)
class DemoResource:
    """One resource; its content is made when it is read."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    content: Callable[[], str | bytes]
    size: int | None = None
    audience: tuple[Literal["user", "assistant"], ...] = ("user", "assistant")
    priority: float = 0.5

    def as_listed(self) -> Resource:
        """The resource as `resources/list` has it."""
        return Resource(
            uri=self.uri,
            name=self.name,
            title=self.title,
            description=self.description,
            mime_type=self.mime_type,
            size=self.size,
            annotations=Annotations(audience=list(self.audience), priority=self.priority),
        )


class Catalogue:
    """All resources of the conversation, by URI, in the order of the list."""

    def __init__(self) -> None:
        self._items = {item.uri: item for item in _items()}
        self._unlisted = {uri: json.dumps(record) for uri, record in RECORDS.items()}

    def __contains__(self, uri: str) -> bool:
        return uri in self._items

    def listed(self) -> list[Resource]:
        """The entries of `resources/list`."""
        return [item.as_listed() for item in self._items.values()]

    async def read(self, uri: str) -> ReadResourceContents | None:
        """The content of a resource; None for an unknown one."""
        if (record := self._unlisted.get(uri)) is not None:
            return ReadResourceContents(content=record, mime_type="application/json")
        if (item := self._items.get(uri)) is None:
            return None
        content = await asyncio.to_thread(item.content)
        return ReadResourceContents(content=content, mime_type=item.mime_type)

    def put(self, item: DemoResource) -> bool:
        """Add a resource; False if it was there."""
        is_new = item.uri not in self._items
        self._items[item.uri] = item
        return is_new

    def take(self, uri: str) -> bool:
        """Remove a resource; False if it was not there."""
        return self._items.pop(uri, None) is not None


class NoticeTools:
    """Resources that come and go."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @tool(
        "Pin a notice",
        hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    )
    async def pin_notice(
        self,
        ctx: Context,
        number: Annotated[int, Field(ge=1, le=99, description="Which notice")] = 1,
        action: Annotated[
            Literal["pin", "take down"], Field(description="Add the resource, or remove it")
        ] = "pin",
    ) -> CallToolResult:
        """Adds a resource to the server or removes it, and notifies the client of the changed list.
        A removed notice is gone."""
        notice = _notice(number)
        if action == "pin":
            is_changed = self._catalogue.put(notice)
            done = f"{notice.uri} is pinned"
        else:
            is_changed = self._catalogue.take(notice.uri)
            done = f"{notice.uri} is not pinned"
        if not is_changed:
            return plain(f"{done}, as it was before; nothing has changed.")
        if is_modern(ctx):
            await ctx.notify_resources_changed()
        else:
            await ctx.session.send_resource_list_changed()
        return plain(f"{done} now. The list of resources has changed.")


def _notice(number: int) -> DemoResource:
    words = f"Notice {number}: the kitchen closes at ten.\n"
    return DemoResource(
        f"demo://board/notice-{number}.txt",
        f"notice-{number}.txt",
        f"Notice {number}",
        "A notice on the board",
        "text/plain",
        lambda: words,
        len(words),
        ("user",),
    )


def _items() -> list[DemoResource]:
    tables = json.dumps(JSON["tables"], indent=2) + "\n"
    log_size = _LINES * len(_LINE.format(0))
    return [
        DemoResource(
            "demo://kitchen/menu.md",
            "menu.md",
            "Menu",
            "The dishes of the day, as Markdown",
            "text/markdown",
            lambda: _MENU,
            len(_MENU),
            ("user",),
            1.0,
        ),
        DemoResource(
            "demo://kitchen/tables.json",
            "tables.json",
            "Tables",
            "Which tables are taken, as JSON",
            "application/json",
            lambda: tables,
            len(tables),
            ("assistant",),
            0.8,
        ),
        # The size of the image that Pillow writes is not known before.
        DemoResource(
            "demo://kitchen/view.png",
            "view.png",
            "The view",
            "The view from the terrace; its size is not set",
            "image/png",
            lambda: base64.b64decode(pictures.scene(320, 200).data),
            audience=("user",),
            priority=0.3,
        ),
        DemoResource(
            "demo://kitchen/bell.wav",
            "bell.wav",
            "The bell",
            "The bell that is rung when a dish is ready",
            "audio/wav",
            lambda: pictures.tone(880, 1.0),
            _BELL_BYTES,
            ("user",),
            0.2,
        ),
        DemoResource(
            "demo://kitchen/service.log",
            "service.log",
            "Log of the service",
            f"A long text: {_LINES:,} lines",
            "text/plain",
            lambda: "".join(_LINE.format(number) for number in range(1, _LINES + 1)),
            log_size,
            ("assistant",),
            0.0,
        ),
        DemoResource(
            CLOCK,
            "clock",
            "Clock",
            "The time; subscribe to get an update each second",
            "text/plain",
            lambda: datetime.now(UTC).isoformat(timespec="milliseconds") + "\n",
            priority=0.1,
        ),
        DemoResource(
            "demo://kitchen/empty.txt",
            "empty.txt",
            "Nothing",
            "A resource without content",
            "text/plain",
            lambda: "",
            0,
        ),
    ]


NOTE: Final = "notes://{folder}/{name}"
SEARCH: Final = "notes-search://all{?query,limit}"
_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "home": ("shopping", "garden", "neighbours"),
    "work": ("agenda", "approvals", "garden-party"),
    "diary": tuple(f"day-{number:03d}" for number in range(1, 151)),
}
_WORDS: Final = ("approval", "garden", "kitchen", "lamp", "notice", "soup")


def add_templates(server: MCPServer[Any]) -> None:
    """Two templates: one with variables in its path, one with a query."""
    server.resource(
        NOTE,
        name="note",
        title="A note",
        description="One note of a folder: home, work or diary",
        mime_type="text/markdown",
        annotations=Annotations(audience=["user"], priority=0.6),
    )(_note)
    server.resource(
        SEARCH,
        name="search",
        title="Search the notes",
        description="The notes with the query in their name, at most ten by default",
        mime_type="application/json",
        annotations=Annotations(audience=["assistant"], priority=0.4),
    )(_search)


def values(template: str, variable: str, others: Mapping[str, str]) -> Sequence[str]:
    """All that a variable of a template can be, given what the others are."""
    match template, variable:
        case (t, "folder") if t == NOTE:
            name = others.get("name")
            return [folder for folder, names in _NOTES.items() if not name or name in names]
        case (t, "name") if t == NOTE:
            folder = others.get("folder")
            if folder:
                return _NOTES.get(folder, ())
            return sorted({name for names in _NOTES.values() for name in names})
        case (t, "query") if t == SEARCH:
            return _WORDS
        case (t, "limit") if t == SEARCH:
            return ("5", "10", "50", "100")
    return ()


async def _note(folder: str, name: str) -> str:
    if name not in _NOTES.get(folder, ()):
        raise ResourceNotFoundError(f"No note {name!r} in {folder!r}.")
    return f"# {name}\n\nA note in *{folder}*. It has no other text.\n"


async def _search(query: str = "", limit: str = "10") -> str:
    if not limit.isdecimal():
        raise ResourceError("limit must be a whole number.")
    found = [
        f"notes://{folder}/{name}"
        for folder, names in _NOTES.items()
        for name in names
        if query.casefold() in name
    ]
    return json.dumps({"query": query, "found": len(found), "first": found[: int(limit)]})
