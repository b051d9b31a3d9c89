"""The messages in what came as one: in a JSON-RPC batch, or on a line with other text.

What was received stays one frame; the messages in it are read from it where they are needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from ...content.json.jsonio import JsonError, JsonValue, parse
from .frames import SERVER, Frame, Kind
from .reading import read

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
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_MESSAGES = (Kind.REQUEST, Kind.NOTIFICATION, Kind.ANSWER, Kind.ERROR)


def whole_messages(text: bytes, take: Callable[[bytes], bool]) -> list[tuple[int, int]]:
    """Where whole messages are on a line that has other text; `take` says what is a message.

    What is inside another object is a part of what a log quotes.
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
    """The messages of what a server sent, each as a frame with the same number.

    The frame alone if it is one message, or has none.
    """
    if (
        frame.sender != SERVER
        or frame.is_cut
        or b'"jsonrpc"' not in frame.raw
        or read(frame).kind not in (Kind.NOISE, Kind.MALFORMED)
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
    """Where the object that begins at `start` ends; 0 if it does not."""
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
