"""Notes behind URI templates, and what their variables can be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Annotations

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
        description="The notes whose name has the query in it, the first ten unless told otherwise",
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
        raise ResourceNotFoundError(f"There is no note {name!r} in {folder!r}.")
    return f"# {name}\n\nA note in *{folder}*. It says nothing else.\n"


async def _search(query: str = "", limit: str = "10") -> str:
    if not limit.isdecimal():
        raise ResourceError("limit is to be a whole number.")
    found = [
        f"notes://{folder}/{name}"
        for folder, names in _NOTES.items()
        for name in names
        if query.casefold() in name
    ]
    return json.dumps({"query": query, "found": len(found), "first": found[: int(limit)]})
