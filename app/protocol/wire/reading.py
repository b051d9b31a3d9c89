"""Parses a frame from its bytes: kind, method, id. For display only.

A frame may hold several messages: a JSON-RPC batch, or a line with other text. It stays one frame;
its messages are parsed when needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ...content.json.jsonio import JsonError, JsonValue, parse
from .frames import SERVER, SIGNOFF, Frame, FrameKind

READ_WHOLE = 64_000
"""Bytes up to which a message is parsed to describe it; of a longer one the ends are read."""
_END = 4_096
_SUBJECT = 300
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_ID = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.){1,200}"|-?\d{1,18})\s*[,}]')
_NAME = re.compile(rb'\s*:\s*"((?:[^"\\]|\\.){0,200})"')
_ID_AT_END = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.){1,200}"|-?\d{1,18})\s*\}\s*\Z')
_METHOD_AT_END = re.compile(rb'"method"\s*:\s*"([^"\\]{1,200})"')
_IS_ERROR = re.compile(rb'"isError"\s*:\s*true')

Id = str | int


class FrameReading(NamedTuple):
    """A parsed frame."""

    kind: FrameKind
    method: str = ""
    id: Id | None = None
    is_error: bool = False
    """True if something went wrong: an error, `isError`, a refusal, an invalid message."""
    about: Id | None = None
    """The request that a notification is about: its progress, its cancellation, its stream."""
    subject: str = ""
    """What a request is for: the name of a tool, or a URI; raw."""


def read(frame: Frame) -> FrameReading:
    """Parse a frame, once."""
    if not isinstance(frame.reading, FrameReading):
        frame.reading = _read(frame)
    return frame.reading


def key_of(identity: Id) -> tuple[bool, Id]:
    """An id by its type and its value: 1 and "1" are two ids."""
    return isinstance(identity, str), identity


def body_of(frame: Frame) -> JsonValue:
    """The JSON value of a message. Raises JsonError if it is none, or was cut."""
    if frame.is_cut:
        raise JsonError("only its beginning was kept")
    return parse(frame.raw).value


def _read(frame: Frame) -> FrameReading:
    if frame.sender == SIGNOFF:
        return FrameReading(FrameKind.NOTE)
    http = frame.http
    if http is not None and not frame.raw:
        return FrameReading(FrameKind.HTTP, "", http.request, is_error=http.status >= 400)
    raw = frame.raw
    if frame.is_cut or len(raw) > READ_WHOLE:
        return _from_ends(raw)
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        is_meant = raw.lstrip()[:1] in (b"{", b"[") or b'"jsonrpc"' in raw
        return FrameReading(FrameKind.MALFORMED if is_meant else FrameKind.NOISE, is_error=True)
    return _from_body(body, raw)


def _from_body(body: Any, raw: bytes) -> FrameReading:
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return FrameReading(FrameKind.NOISE, is_error=True)
    identity, method = body.get("id"), body.get("method")
    known = identity if _is_id(identity) else None
    if isinstance(method, str):
        if "id" in body:
            return FrameReading(
                FrameKind.REQUEST, method, known, subject=_subject(body.get("params"))
            )
        return FrameReading(FrameKind.NOTIFICATION, method, about=_about(body.get("params")))
    if isinstance(body.get("error"), dict):
        return FrameReading(FrameKind.ERROR, "", known, is_error=True)
    if "result" in body:
        result = body["result"]
        is_error = isinstance(result, dict) and result.get("isError") is True
        return FrameReading(FrameKind.ANSWER, "", known, is_error=is_error)
    return FrameReading(FrameKind.MALFORMED, "", known, is_error=True)


def _subject(params: Any) -> str:
    found = params.get("name", params.get("uri")) if isinstance(params, dict) else None
    return found[:_SUBJECT] if isinstance(found, str) else ""


def _about(params: Any) -> Id | None:
    """Signoff's requests have their id as the token of their progress."""
    if not isinstance(params, dict):
        return None
    meta = params.get("_meta")
    subscription = meta.get(_SUBSCRIPTION) if isinstance(meta, dict) else None
    found = params.get("progressToken", params.get("requestId", subscription))
    return found if _is_id(found) else None


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _from_ends(raw: bytes) -> FrameReading:
    """A message that is too long to be parsed for a row: by the outermost names at its ends."""
    head, tail = raw[:_END], raw[-_END:]
    if not head.lstrip().startswith(b"{"):
        return FrameReading(FrameKind.NOISE, is_error=True)
    method, kind, depth, identities = "", None, 0, list[re.Match[bytes]]()
    for token in _TOKEN.finditer(head):
        match token.group():
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
            case b'"method"' if depth == 1 and (found := _NAME.match(head, token.end())):
                method = found.group(1).decode("utf-8", "replace")
            case b'"id"' if depth == 1 and (found := _ID.match(head, token.end())):
                identities.append(found)
            case b'"result"' if depth == 1:
                kind = kind or FrameKind.ANSWER
            case b'"error"' if depth == 1:
                kind = kind or FrameKind.ERROR
    if at_end := _ID_AT_END.search(tail):
        identities.append(at_end)
    ids = {one.group(1) for one in identities}
    if kind is None and not method and (named := _METHOD_AT_END.search(tail)):
        method = named.group(1).decode("utf-8", "replace")
    # A message with two ids has none that all readers agree on.
    known = _value(ids.pop()) if len(ids) == 1 else None
    if method:
        return FrameReading(
            FrameKind.NOTIFICATION if known is None else FrameKind.REQUEST, method, known
        )
    if kind is None:
        return FrameReading(FrameKind.MALFORMED, is_error=True)
    is_error = kind is FrameKind.ERROR or _IS_ERROR.search(tail) is not None
    return FrameReading(kind, "", known, is_error=is_error)


def _value(text: bytes) -> Id | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if _is_id(value) else None


BATCH_MAX: Final = 1_000
"""Messages that are taken from one batch."""
CLIENT_METHODS: Final = frozenset(
    {
        *("initialize", "server/discover", "notifications/initialized", "subscriptions/listen"),
        *("tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"),
        *("resources/list", "resources/templates/list", "resources/read", "logging/setLevel"),
        *("resources/subscribe", "resources/unsubscribe", "notifications/roots/list_changed"),
    }
)
"""Methods that no server sends: on its stdout they are the log of what it was sent."""
_FAILED = 20
"""Beginnings on one line that may turn out not to be a message."""
_BEGINS = re.compile(rb'\{\s*"(?:jsonrpc|id|method|result|error|params)"\s*:')
_MESSAGES = (FrameKind.REQUEST, FrameKind.NOTIFICATION, FrameKind.ANSWER, FrameKind.ERROR)


def whole_messages(text: bytes, take: Callable[[bytes], bool]) -> list[tuple[int, int]]:
    """Find whole messages on a line that has other text; `take` accepts a message.

    Objects inside another object belong to the text that a log quotes.
    """
    found: list[tuple[int, int]] = []
    at = search = failed = 0
    while failed < _FAILED and (begins := _BEGINS.search(text, search)):
        start, before = begins.start(), text[at : begins.start()]
        end = _end_of_value(text, start)
        if end and before.count(b"{") <= before.count(b"}") and take(text[start:end]):
            found.append((start, end))
            at = search = end
        else:
            failed, search = failed + 1, start + 1
    return found


def messages_of(frame: Frame) -> list[Frame]:
    """The messages of a server's frame, each as a frame with the same number.

    The frame alone if it is one message, or has none.
    """
    if (
        frame.sender != SERVER
        or frame.is_cut
        or b'"jsonrpc"' not in frame.raw
        or read(frame).kind not in (FrameKind.NOISE, FrameKind.MALFORMED)
    ):
        return [frame]
    try:
        body = parse(frame.raw).value
    except JsonError:
        parts: list[Frame] = []

        def take(text: bytes) -> bool:
            part = _part(frame, text)
            if is_message := _is_of_server(part):
                parts.append(part)
            return is_message

        whole_messages(frame.raw, take)
    else:
        bodies: list[JsonValue] = body if isinstance(body, list) else []
        # An escaped half of a surrogate stays one.
        parts = [_part(frame, json.dumps(one).encode()) for one in bodies[:BATCH_MAX]]
        parts = [part for part in parts if read(part).kind in _MESSAGES]
    return parts or [frame]


def _part(frame: Frame, text: bytes) -> Frame:
    return Frame(
        frame.number, frame.at, frame.tick, frame.sender, text, len(text), frame.call, frame.http
    )


def _is_of_server(frame: Frame) -> bool:
    found = read(frame)
    return found.kind in _MESSAGES and found.method not in CLIENT_METHODS


def _end_of_value(text: bytes, start: int) -> int:
    """Return the end of the object that begins at `start`; 0 if there is none."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        match token.group():
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
                if depth == 0:
                    return token.end()
    return 0
