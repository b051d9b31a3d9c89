"""JSON-RPC ids: an answer belongs to the request whose id has the same type and the same value.

To Python true, 1 and 1.0 are one key, and the SDK takes "1" for 1; a server that answers one of
them for another would displace the answer that is still to come.
"""

from __future__ import annotations

import json
import re

from ..content.json.jsonio import JsonValue
from ..content.text import shortened
from ..protocol.findings import Finding, error, warning

_NUMBER = re.compile(r"-?\d{1,18}\Z", re.ASCII)


def is_same_id(given: JsonValue, asked: str | int) -> bool:
    """Whether an id is exactly the one that was asked with."""
    return type(given) is type(asked) and given == asked


def id_shown(identity: JsonValue) -> str:
    """An id as JSON, short and safe to show: `"1"` is not `1`."""
    try:
        text = json.dumps(identity, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = "too deep"
    return shortened(text, 40)


def number_in(identity: JsonValue) -> int | None:
    """The number that a string spells."""
    if isinstance(identity, str) and _NUMBER.match(identity):
        return int(identity)
    return None


def stray_answer(identity: JsonValue) -> Finding:
    """For an answer that nobody waits for."""
    if identity is None:
        words = "an error came without an id, so which request it answers is not known"
        return warning("answer-without-id", words)
    words = f"an answer has the id {id_shown(identity)}, and no request had it"
    return warning("answer-unknown", words)


def misspelt_answer(identity: JsonValue, asked: int) -> Finding:
    """For an answer with a string in place of the number that a request had."""
    words = f"the server answered the id {asked} as {id_shown(identity)}, a string"
    return error("answer-other-id", f"{words}: that is another id, and counts for no call")
