"""Tools whose answers come in pages, in order or not; and one that counts, one that knows keys."""

from __future__ import annotations

from typing import Any

from tests.servers._wire import Call, JsonObject
from tests.servers.registry import ADDITIVE, READ_ONLY, tool

_TEXT: JsonObject = {"type": "string"}
_KINDS = (
    *("order", "data", "repeat", "loop", "circle", "endless", "unmarked", "huge", "escape"),
    *("breaks",),
)


def _page(call: Call, cursor: str) -> None:
    """Three pages of two; `kind` says what is wrong with them."""
    kind = call.arguments.get("kind", "order")
    at = int(cursor.rpartition("-")[2] or 0) if cursor else 0
    if kind == "breaks" and at == 1:
        call.text("the second page is broken", isError=True)
        return
    items = [f"item {at * 2 + 1}", f"item {at * 2 + 2}"]
    if kind == "repeat" and at:
        items[0] = "item 1"
    is_last = at >= 2 and kind != "endless"
    following = f"page-{at + 1}"
    if kind == "loop":
        is_last, following = False, "page-1"
    elif kind == "circle":
        is_last, following = False, f"page-{(at + 1) % 3}"
    elif kind == "huge":
        following = "x" * 1_000_000
    elif kind == "escape":
        following = f"\x1b]0;owned\x07\u202epage-{at + 1}"
    if kind == "data":
        structured: JsonObject = {"items": items, "nextCursor": None if is_last else following}
        call.text("a page", structuredContent=structured)
        return
    lines = [f"- {one}" for one in items]
    end = "" if kind == "unmarked" else "[End of results]"
    call.text("\n".join([*lines, "", end if is_last else f"[Next page cursor: {following}]"]))


@tool(
    "Lists items in pages.",
    annotations=READ_ONLY,
    properties={
        "kind": {"type": "string", "enum": list(_KINDS)},
        "cursor": {"type": "string", "description": "Where to go on."},
    },
)
def list_pages(call: Call) -> None:
    _page(call, str(call.arguments.get("cursor", "")))


@tool(
    "Adds what it lists, so it is asked about.",
    annotations=ADDITIVE,
    properties={"kind": _TEXT, "cursor": _TEXT},
)
def add_pages(call: Call) -> None:
    _page(call, str(call.arguments.get("cursor", "")))


@tool(
    "Lists items in pages, by a parameter whose name does not say so.",
    annotations=READ_ONLY,
    properties={"kind": _TEXT, "position": {"type": "string", "description": "Where to go on."}},
)
def list_by_position(call: Call) -> None:
    _page(call, str(call.arguments.get("position", "")))


_COUNTS: dict[str, int] = {}


def _count(call: Call) -> Any:
    name = call.name
    _COUNTS[name] = _COUNTS.get(name, 0) + 1
    call.text(f"count {_COUNTS[name]}", structuredContent={"count": _COUNTS[name]})
    return None


@tool("Counts, and says that it does.", annotations={**ADDITIVE, "idempotentHint": False})
def count_up(call: Call) -> None:
    _count(call)


@tool("Counts, and says that it does not.", annotations={**ADDITIVE, "idempotentHint": True})
def count_in_secret(call: Call) -> None:
    _count(call)


_SENT: dict[str, str] = {}


@tool(
    "Sends a message; the same key sends it once.",
    annotations={**ADDITIVE, "openWorldHint": True},
    properties={"text": _TEXT, "idempotencyKey": _TEXT},
)
def send_with_key(call: Call) -> None:
    key = str(call.arguments.get("idempotencyKey", ""))
    if key and key in _SENT:
        call.text(f"Duplicate request — original message (ts: {_SENT[key]})")
        return
    stamp = f"17000000{len(_SENT):02}.0{len(_SENT):05}"
    _SENT[key or stamp] = stamp
    call.text(f"Message sent (ts: {stamp})")


@tool(
    "Sends a message; takes a key and forgets it.",
    annotations={**ADDITIVE, "openWorldHint": True},
    properties={"text": _TEXT, "idempotencyKey": _TEXT},
)
def send_forgetful(call: Call) -> None:
    _SENT[f"forgotten {len(_SENT)}"] = ""
    call.text(f"Message sent (ts: 18000000{len(_SENT):02}.0{len(_SENT):05})")
