"""Tools that would reach out: open world by their hints, simulated in fact."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from .declare import failed, hints, object_schema, structured, tool

_REPLAY_SECONDS = 24 * 60 * 60
_CURSOR_PREFIX = "repos-after:"
_LANGUAGES = ("Python", "Rust", "TypeScript", "Go")
_NAMES = """
anvil beacon cobalt dynamo ember falcon garnet harbor indigo juniper kestrel lantern
meadow nimbus orchid pebble quartz raven sierra tundra umber violet willow
"""
_REPOSITORIES = tuple(
    {"name": f"acme/{name}", "language": _LANGUAGES[n % 4], "stars": (n * 137 + 11) % 900}
    for n, name in enumerate(_NAMES.split())
)


@dataclass(frozen=True, slots=True)
class _SentOverNetwork:
    message_id: str
    at: float
    request: tuple[str, str]


class NetworkTools:
    """Search the web, send, delete remotely, list remotely: all without a network."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ids = count(1)
        self._sent: dict[str, _SentOverNetwork] = {}

    @tool(
        "Send a message",
        hints(read_only=False, destructive=False, idempotent=False, open_world=True),
        output_schema=object_schema(
            {
                "messageId": {"type": "string"},
                "isNew": {"type": "boolean"},
                "note": {"type": "string"},
            }
        ),
    )
    async def send_message(
        self,
        to: Annotated[str, Field(description="Who gets it", min_length=1)],
        text: Annotated[
            str, Field(description="Text of the message", min_length=1, max_length=500)
        ],
        channel: Annotated[
            Literal["email", "chat", "sms"], Field(description="Channel of the message")
        ] = "chat",
        idempotencyKey: Annotated[
            str, Field(description="Same key within 24 h: sent once only", max_length=64)
        ] = "",
    ) -> CallToolResult:
        """Pretends to send a message. Two calls send two messages, so it is not idempotent, unless
        you pass an idempotencyKey: then a repeated call returns the first result."""
        now = self._clock()
        request = (to, text)
        self._sent = {k: s for k, s in self._sent.items() if now - s.at < _REPLAY_SECONDS}
        if first := self._sent.get(idempotencyKey):
            if first.request != request:
                return failed("This idempotencyKey was used for a different message.")
            note = "Replayed: this key was sent before, nothing went out again."
            return structured({"messageId": first.message_id, "isNew": False, "note": note})
        message_id = f"{channel}-{next(self._ids):04}"
        if idempotencyKey:
            self._sent[idempotencyKey] = _SentOverNetwork(message_id, now, request)
        note = f"New: simulated {channel} message to {to}."
        return structured({"messageId": message_id, "isNew": True, "note": note})

    @tool(
        "List repositories",
        hints(read_only=True, open_world=True),
        output_schema=object_schema(
            {
                "repositories": {
                    "type": "array",
                    "items": object_schema(
                        {
                            "name": {"type": "string"},
                            "language": {"type": "string"},
                            "stars": {"type": "integer", "minimum": 0},
                        }
                    ),
                },
                "total": {"type": "integer"},
                "nextCursor": {"type": "string", "description": "Absent on the last page"},
            },
            required=("repositories", "total"),
        ),
    )
    async def list_repositories(
        self,
        cursor: Annotated[str, Field(description="nextCursor of the previous page")] = "",
        pageSize: Annotated[int, Field(ge=1, le=50, description="Repositories per page")] = 5,
    ) -> CallToolResult:
        """Lists simulated repositories page by page: pass nextCursor back as cursor. Pages in a
        result are defined by the tool; the protocol pages only its lists."""
        start = _offset(cursor)
        if start is None:
            return failed(f"Unknown cursor {cursor[:80]!r}. Start again without one.")
        end = start + pageSize
        page = {"repositories": list(_REPOSITORIES[start:end]), "total": len(_REPOSITORIES)}
        if end < len(_REPOSITORIES):
            page["nextCursor"] = _cursor(end)
        return structured(page)


def _cursor(offset: int) -> str:
    return base64.urlsafe_b64encode(f"{_CURSOR_PREFIX}{offset}".encode()).decode()


def _offset(cursor: str) -> int | None:
    """Where a page starts, or None for a cursor that this server never gave."""
    if not cursor:
        return 0
    try:
        said = base64.urlsafe_b64decode(cursor.encode()).decode()
        offset = int(said.removeprefix(_CURSOR_PREFIX))
    except (binascii.Error, ValueError):
        return None
    known = 0 < offset < len(_REPOSITORIES) and cursor == _cursor(offset)
    return offset if known else None
