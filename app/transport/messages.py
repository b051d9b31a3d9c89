"""Classifies the messages of a server, once, where they are read.

JSON-RPC ids: an answer belongs to the request whose id has the same type and the same value. To
Python true, 1 and 1.0 are one key; a server that answers one of them for another would displace the
answer that is still to come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import TypeGuard

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.text import shortened
from ..protocol.findings.findings import Finding, error, note, warning
from .events import (
    ElicitationComplete,
    ListChanged,
    Logged,
    OfferListChanged,
    Requested,
    ResourceUpdated,
    Subscribed,
)
from .protocol import CANCELLED, LIST_CHANGED, LOG_MESSAGE, PROGRESS, VISIT_DONE

_OFFERS_CHANGED = {
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}
_UPDATED = "notifications/resources/updated"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


@frozen
class Response:
    """A result or an error. `id` is raw: it need not be that of any request."""

    id: JsonValue
    body: dict[str, JsonValue]


@frozen
class ProgressMessage:
    """`notifications/progress`. Both members are raw."""

    token: JsonValue
    params: JsonValue


@frozen
class Cancelled:
    """`notifications/cancelled`. `id` is raw."""

    id: JsonValue


@frozen
class Unused:
    """A notification without a meaning here, or a request that cannot be answered."""


ServerEvent = (
    ListChanged | OfferListChanged | ResourceUpdated | Subscribed | Logged | ElicitationComplete
)
"""Notifications that are passed on as they are."""
Incoming = Response | ProgressMessage | Cancelled | Requested | ServerEvent | Unused


def classify(body: dict[str, JsonValue]) -> Incoming:
    """Return what kind of message a JSON-RPC object is.

    A notification of the specification that comes with an id is still that notification.
    """
    if "method" not in body:
        return Response(body.get("id"), body)
    method, given = body["method"], body.get("params")
    if not isinstance(method, str):
        return Unused()
    params = given if isinstance(given, dict) else {}
    if method == PROGRESS:
        return ProgressMessage(params.get("progressToken"), given)
    if method == CANCELLED:
        return Cancelled(params.get("requestId"))
    if (event := _event(method, params)) is not None:
        return event
    if "id" in body:
        identity = body["id"]
        return Requested(identity, method, given) if is_id(identity) else Unused()
    if method == LOG_MESSAGE:
        return Logged(params.get("level"), params.get("logger"), params.get("data"))
    return Unused()


def _event(method: str, params: dict[str, JsonValue]) -> ServerEvent | None:
    if method == LIST_CHANGED:
        return ListChanged()
    if capability := _OFFERS_CHANGED.get(method):
        return OfferListChanged(capability)
    if method == _UPDATED and isinstance(uri := params.get("uri"), str):
        return ResourceUpdated(uri)
    if method == _ACKNOWLEDGED:
        honoured = params.get("notifications")
        uris = honoured.get("resourceSubscriptions") if isinstance(honoured, dict) else None
        listed = uris if isinstance(uris, list) else []
        return Subscribed(tuple(one for one in listed if isinstance(one, str)))
    if method == VISIT_DONE:
        identity = params.get("elicitationId")
        return ElicitationComplete(identity if isinstance(identity, str) else "")
    return None


_NUMBER = re.compile(r"-?\d{1,18}\Z", re.ASCII)


def is_id(given: JsonValue) -> TypeGuard[str | int]:
    """True if a request can have this id."""
    return isinstance(given, str | int) and not isinstance(given, bool)


def is_same_id(given: JsonValue, asked: str | int) -> bool:
    """True if an id equals the requested one in type and value."""
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


_MESSAGE_SHOWN = 300


def stray_answer(identity: JsonValue, problem: JsonValue = None) -> Finding:
    """Finding for a response without a waiting request; `problem` is its error."""
    if identity is None:
        words = "an error came without an id, so its request is not known"
        message = problem.get("message") if isinstance(problem, dict) else None
        if isinstance(message, str) and message:
            words += f": “{shortened(message, _MESSAGE_SHOWN)}”"
        return warning("answer-without-id", words)
    words = f"a response has the unknown id {id_shown(identity)}"
    return warning("answer-unknown", words)


def misspelt_answer(identity: JsonValue, asked: int) -> Finding:
    """For an answer with a string in place of the number that a request had."""
    words = f"the response to the id {asked} has the id {id_shown(identity)}, a string"
    return error("answer-other-id", f"{words}: that is another id, so it belongs to no call")


def stray_progress(token: JsonValue, requests: Container[str | int]) -> Finding:
    """Finding for progress that belongs to no call."""
    number, shown = number_in(token), id_shown(token)
    if number is not None and number in requests:
        words = f"the progress token of the call {number} came back as {shown}, a string"
        return warning("progress-unknown", f"{words}: that is another token, so it has no call")
    return warning("progress-unknown", f"progress with the token {shown}, which no call has")


def repeated_answer(identity: str | int) -> Finding:
    """Finding for a response to a request that has one already."""
    words = f"the request {identity} got more than one response; the first one counts"
    return warning("answered-twice", words)


def late_answer(identity: str | int) -> Finding:
    """Finding on a response that came after Signoff had stopped waiting for it."""
    words = f"the response to request {identity} came after Signoff had stopped waiting"
    return note("response-late", words)
