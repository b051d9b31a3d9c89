"""A raw message that a user writes: errors with their places, and the message to send.

Signoff gives the id of every request. With one in use the response would end another request, and
with one of its own choice a later call; so an id in the text only requests a response. All else is
sent as it is written.
"""

from __future__ import annotations

from typing import Any, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, parse, pretty
from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from ..rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD

WRITTEN_MAX: Final = 50_000
"""Characters of a message; more could not be read before it is approved."""
GIVEN: Final = "given by Signoff"
CALLS: Final = {
    CALL_METHOD: ("name", "arguments"),
    READ_METHOD: ("uri",),
    PROMPT_METHOD: ("name", "arguments"),
}
"""Methods that are approved and logged as calls, and the params that the person writes."""
_MEMBERS: Final = ("jsonrpc", "id", "method", "params")


class Miswritten(Exception):
    """The text is not a message that can be sent; gives the reason, safe to show."""

    def __init__(self, words: str, at: int | None = None) -> None:
        """`at` is the number of characters before the error, if known."""
        super().__init__(words)
        self.at = at


@frozen
class Composed:
    """A message without its id."""

    method: str
    params: dict[str, JsonValue] | None
    is_request: bool
    """Whether it wants an answer; a notification gets none."""
    id_words: str = ""
    """A note on an id that was written and is not sent; empty if there is nothing to explain."""

    @property
    def is_call(self) -> bool:
        """True if the message is made, approved and logged as a call."""
        return self.method in CALLS

    def message(self, identity: str) -> dict[str, JsonValue]:
        """Return the message exactly as sent."""
        made: dict[str, JsonValue] = {"jsonrpc": "2.0"}
        if self.is_request:
            made["id"] = identity
        made["method"] = self.method
        return made if self.params is None else made | {"params": self.params}


def template(body: JsonValue = None, meta: dict[str, JsonValue] | None = None) -> str:
    """The text to begin with: a request that was sent, or a ping.

    `meta` is the `_meta` that a request has to carry in this revision.
    """
    if isinstance(body, dict) and isinstance(body.get("method"), str):
        made = dict(body)
        if "id" in made:
            made["id"] = GIVEN
        params = made.get("params")
        if made["method"] in CALLS and isinstance(params, dict):
            wanted = CALLS[str(made["method"])]
            made["params"] = {name: one for name, one in params.items() if name in wanted}
        return pretty(made)
    started: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": GIVEN, "method": "ping"}
    return pretty(started | {"params": {"_meta": dict(meta)} if meta else {}})


def read_written(text: str) -> Composed:
    """Raises Miswritten."""
    if len(text) > WRITTEN_MAX:
        raise Miswritten(f"it has {len(text):,} characters; the limit is {WRITTEN_MAX:,}")
    try:
        parsed = parse(text)
    except JsonError as problem:
        raise Miswritten(problem.reason, problem.position) from None
    body = parsed.value
    if parsed.duplicates:
        raise Miswritten(f"{_name(parsed.duplicates[0])} is given twice")
    if not isinstance(body, dict):
        raise Miswritten("a message must be an object: {…}")
    if body.get("jsonrpc", "2.0") != "2.0":
        raise Miswritten('"jsonrpc" must be "2.0"')
    if "result" in body or "error" in body:
        raise Miswritten("responses cannot be sent from here")
    if strange := [name for name in body if name not in _MEMBERS]:
        hint = did_you_mean(strange[0], list(_MEMBERS))
        raise Miswritten(f"{_name(strange[0])} is not a member of a message{visible(hint)}")
    method = body.get("method")
    if not isinstance(method, str) or not method:
        raise Miswritten('"method" must be a string, such as "ping"')
    params = body.get("params")
    if "params" in body and not isinstance(params, dict):
        raise Miswritten('"params" must be an object, or left out')
    made = Composed(method, params if isinstance(params, dict) else None, "id" in body, _told(body))
    if made.is_call:
        _check_call(made)
    return made


def _told(body: dict[str, JsonValue]) -> str:
    if "id" not in body or body["id"] == GIVEN:
        return ""
    return f"the id {visible(cut(pretty(body['id']), 60).text)} is not sent: Signoff sets ids"


def _check_call(made: Composed) -> None:
    """Check that a call uses all of its params; none is left out silently."""
    wanted, params = CALLS[made.method], made.params or {}
    if not made.is_request:
        raise Miswritten(f'{made.method} needs approval as a call: add an "id"')
    if strange := [name for name in params if name not in wanted]:
        words = f"{_name(strange[0])} cannot be sent with {made.method} from here"
        raise Miswritten(f"{words}: only {' and '.join(wanted)}")
    if not isinstance(params.get(wanted[0]), str):
        raise Miswritten(f'{made.method} needs "{wanted[0]}" in its params, a string')
    if not isinstance(params.get("arguments", {}), dict):
        raise Miswritten('"arguments" must be an object, or left out')


def _name(name: Any) -> str:
    return f"“{visible(cut(str(name), 60).text)}”"
