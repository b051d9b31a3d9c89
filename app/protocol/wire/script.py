"""A captured session as a script: what is answered to which request, and what is said besides.

Ids are the capture's own here; whoever plays it puts in those of now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ...content.json.jsonio import JsonError, JsonValue, canonical
from .frames import BEGAN, CLIENT, ENDED, SIGNOFF, Frame, Kind
from .reading import Id, body_of, key_of, read

BY_METHOD: Final = ("initialize", "server/discover", "subscriptions/listen", "ping")
"""Methods whose params tell of the client: any of them fit."""
LISTEN: Final = "subscriptions/listen"
"""Its answer ends the subscription, so that it is never given again."""
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
CANCELLED: Final = "notifications/cancelled"

Key = tuple[str, str]


@dataclass(slots=True)
class Said:
    """Something that the server said beside its answers: a message, or a line that is none."""

    raw: bytes
    asks: Id | None = None
    """The id of a request of the server that the client answered."""


@dataclass(slots=True)
class Recorded:
    """A request of the client, and what came for it."""

    key: Key
    id: Id
    token: Id | None
    """What its progress is told under."""
    answer: bytes | None = None
    """None where none came."""
    ends: int | None = None
    """The exit code with which the server ended instead of answering."""
    before: list[Said] = field(default_factory=list)
    """What the server said until it answered."""
    after: list[Said] = field(default_factory=list)
    """What it said then, while it was asked nothing."""


@dataclass(slots=True)
class Script:
    """All that a captured session has."""

    opening: list[Said] = field(default_factory=list)
    """What the server said before it was asked anything."""
    requests: dict[Key, list[Recorded]] = field(default_factory=lambda: defaultdict(list))

    @property
    def methods(self) -> set[str]:
        return {method for method, _ in self.requests}


def key_for(method: str, params: JsonValue) -> Key:
    """By what a request is known: its method and its params, without what is about the client."""
    if method in BY_METHOD:
        return method, ""
    plain = {}
    if isinstance(params, dict):
        plain = {name: value for name, value in params.items() if name != "_meta"}
    return method, canonical(plain)


def token_of(params: JsonValue) -> Id | None:
    """The token under which a request wants to be told of its progress."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def script_of(frames: Iterable[Frame]) -> Script:
    """The script of a session, in the order of its wire."""
    writer = _Writer()
    for frame in frames:
        if not frame.is_http_only:
            writer.take(frame)
    writer.finish()
    return writer.script


class _Writer:
    def __init__(self) -> None:
        self.script = Script()
        self._pending: dict[tuple[bool, Id], Recorded] = {}
        self._theirs: dict[tuple[bool, Id], Said] = {}
        self._loose: list[Said] = []
        """What the server said while it was asked something, since its last answer."""
        self._last: Recorded | None = None

    def take(self, frame: Frame) -> None:
        if frame.sender == SIGNOFF:
            self._take_note(frame.raw.decode("utf-8", "replace"))
        elif frame.sender == CLIENT:
            self._take_from_client(frame)
        else:
            self._take_from_server(frame)

    def finish(self) -> None:
        waiting = next(iter(self._waiting()), None)
        if self._loose and waiting is not None:
            waiting.before += self._loose
        elif self._loose and self._last is not None:
            self._last.after += self._loose
        self._loose = []

    def _waiting(self) -> list[Recorded]:
        return [one for one in self._pending.values() if one.key[0] != LISTEN]

    def _take_note(self, words: str) -> None:
        if words.startswith(ENDED):
            code = words.rpartition(" ")[2]
            for one in self._waiting():
                one.ends = int(code) if code.isdigit() else 1
        if words.startswith((BEGAN, ENDED)):
            self.finish()
            self._pending.clear()
            self._theirs.clear()

    def _take_from_client(self, frame: Frame) -> None:
        found = read(frame)
        if found.kind is Kind.REQUEST and found.id is not None:
            params = _params(frame)
            one = Recorded(key_for(found.method, params), found.id, token_of(params))
            self.script.requests[one.key].append(one)
            self._pending[key_of(found.id)] = one
        elif found.method == CANCELLED and found.about is not None:
            self._pending.pop(key_of(found.about), None)
        elif found.kind in (Kind.ANSWER, Kind.ERROR) and found.id is not None:
            asked = self._theirs.pop(key_of(found.id), None)
            if asked is not None:
                asked.asks = found.id

    def _take_from_server(self, frame: Frame) -> None:
        found = read(frame)
        if found.kind in (Kind.ANSWER, Kind.ERROR) and found.id is not None:
            one = self._pending.pop(key_of(found.id), None)
            if one is not None:
                if one.key[0] != LISTEN:
                    one.answer, one.before, self._loose = frame.raw, self._loose, []
                    self._last = one
                return
        said = Said(frame.raw)
        if found.kind is Kind.REQUEST and found.id is not None:
            self._theirs[key_of(found.id)] = said
        listening = [one for one in self._pending.values() if one.key[0] == LISTEN]
        if found.method == ACKNOWLEDGED and listening:
            listening[-1].before.append(said)
        elif self._waiting():
            self._loose.append(said)
        elif self._last is not None:
            self._last.after.append(said)
        else:
            self.script.opening.append(said)


def _params(frame: Frame) -> JsonValue:
    try:
        body = body_of(frame)
    except JsonError:
        return None
    return body.get("params") if isinstance(body, dict) else None
