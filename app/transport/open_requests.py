"""The requests of a host that have no response yet, by id and by progress token."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ..content.json.jsonio import JsonValue
from ..protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from .events import Reply

HELD: Final = frozenset({CALL_METHOD, READ_METHOD, PROMPT_METHOD})
"""What a policy decides on."""
_OPEN_MAX: Final = 5_000
"""Requests of the host without a response that are kept."""
USED_AGAIN: Final = "the host used its id for another request"

Key = tuple[str, str | int]


@dataclass(slots=True, eq=False)
class OpenRequest:
    """A request of the host without a response yet."""

    message: dict[str, JsonValue]
    is_held: bool = False
    """True until it is sent; what the server answers before that is invented."""
    is_answered: bool = False
    """True once its response is about to be given to the host."""
    preface: str = ""
    """Words to put before the content of its result, since it was sent with other arguments."""
    settle: Callable[[Reply], None] | None = None
    """Takes the response to a call; runs on the event loop."""
    progress: Callable[[JsonValue], None] | None = None
    reply: Reply | None = None
    """A response that came before anyone waited for it."""
    token: Key | None = field(default=None)
    """Its progress token."""

    @property
    def is_call(self) -> bool:
        return self.message.get("method") in HELD

    def hand_over(self, reply: Reply) -> None:
        """Give the response to the call that waits for it, or keep the first one."""
        if self.settle is not None:
            self.settle(reply)
        elif self.reply is None:
            self.reply = reply


class OpenRequests:
    """May be used from any thread."""

    def __init__(self) -> None:
        self._by_id: dict[Key, OpenRequest] = {}
        self._by_token: dict[Key, OpenRequest] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._by_id)

    def all(self) -> list[OpenRequest]:
        """The requests, the oldest first."""
        with self._lock:
            return list(self._by_id.values())

    def add(self, opened: OpenRequest, token: JsonValue = None) -> OpenRequest | None:
        """Add a request; returns the one that had its id until now, which gets no response."""
        key = key_of(opened.message.get("id"))
        assert key is not None
        opened.token = key_of(token)
        with self._lock:
            before = self._by_id.pop(key, None)
            if before is not None:
                self._drop_token(before)
            self._by_id[key] = opened
            if opened.token is not None:
                self._by_token[opened.token] = opened
            if len(self._by_id) > _OPEN_MAX:
                self._drop_oldest()
        return before

    def find(self, identity: JsonValue) -> OpenRequest | None:
        """The request with an id."""
        key = key_of(identity)
        return None if key is None else self._by_id.get(key)

    def note_answered(self, identity: JsonValue) -> None:
        """Its response is about to be given to the host."""
        if (found := self.find(identity)) is not None:
            found.is_answered = True

    def of_token(self, token: JsonValue) -> OpenRequest | None:
        """The request whose progress is reported with a token."""
        key = key_of(token)
        return None if key is None else self._by_token.get(key)

    def has(self, opened: OpenRequest) -> bool:
        """True while the host waits for its response."""
        return self.find(opened.message.get("id")) is opened

    def forget(self, opened: OpenRequest) -> bool:
        """Forget a request; False if it was forgotten before."""
        with self._lock:
            if not self.has(opened):
                return False
            key = key_of(opened.message.get("id"))
            assert key is not None
            del self._by_id[key]
            self._drop_token(opened)
        return True

    def _drop_token(self, opened: OpenRequest) -> None:
        if opened.token is not None and self._by_token.get(opened.token) is opened:
            del self._by_token[opened.token]

    def _drop_oldest(self) -> None:
        """Forget the oldest request other than a call: the server has not answered it for long."""
        oldest = next((key for key, one in self._by_id.items() if not one.is_call), None)
        if oldest is not None:
            self._drop_token(self._by_id.pop(oldest))


def key_of(identity: JsonValue) -> Key | None:
    """What an id or a progress token is known by: 1 and "1" are two; None if it is neither."""
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return None
    return key_of_id(identity)


def key_of_id(identity: str | int) -> Key:
    """What an id that is one is known by."""
    return type(identity).__name__, identity
