"""A canned answer: what a file has for the form in which a person answers a server."""

from __future__ import annotations

from typing import Final

from ...content.json.jsonio import JsonValue
from ...protocol.server_requests.capabilities import ELICITATION, SAMPLING

KINDS: Final = (ELICITATION, SAMPLING)


def canned_answer(kind: str, given: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The fields of an answer to a request of this kind. Raises ValueError, in words that are safe.

    `given` is the fields themselves, the result that a model gave, one entry of a file for
    `--answer`, or such a file, of which the first entry counts that accepts.
    """
    if given and all(name in KINDS and isinstance(one, list) for name, one in given.items()):
        entries = given.get(kind)
        found = [_fields(kind, one) for one in entries] if isinstance(entries, list) else []
        first = next((one for one in found if one is not None), None)
        if first is None:
            raise ValueError(f"the file accepts no {kind}")
        return first
    fields = _fields(kind, given)
    if fields is None:
        raise ValueError("the file accepts nothing, or without a content")
    return fields


def _fields(kind: str, entry: JsonValue) -> dict[str, JsonValue] | None:
    if isinstance(entry, str):
        is_action = entry in ("accept", "decline", "cancel")
        return {"text": entry} if kind == SAMPLING and not is_action else None
    if not isinstance(entry, dict):
        return None
    content = entry.get("content")
    if isinstance(entry.get("action"), str) and set(entry) <= {"action", "content"}:
        return content if entry["action"] == "accept" and isinstance(content, dict) else None
    if kind == SAMPLING and isinstance(content, dict) and content.get("type") == "text":
        rest = {name: one for name, one in entry.items() if name in ("model", "stopReason")}
        return {"text": content.get("text", ""), **rest}
    return entry
