"""Finds out which era a stdio server speaks: the requests, their order and time limits.

Servers stay silent on `server/discover`, end of it, or end of the next message; they need half a
minute for their first start; and they are updated. So a silence is never taken for an answer: the
other era is requested, too, and the first to be answered counts. A server that wakes up only then
answers both in turn, and many are of the older era from `initialize` on: that one counts.

The era of a server is remembered, so that no probe has to be waited for twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, digest
from ..platforms.files import NO_LINK, open_file
from ..protocol.findings.findings import Finding, note
from ..protocol.rpc import RpcError
from ..protocol.server import VersionSource
from ..protocol.server_requests.capabilities import ALL_CAPABILITIES, ClientCapabilities
from . import greeting as rules
from .events import Answered, ConnectionClosed, Era, Greeting
from .greeting import (
    WITHOUT_MODERN,
    GreetingFailed,
    ServerGone,
    read_discovery,
    read_handshake,
    speaks_legacy,
    wants_modern_again,
    why_neither,
    without_legacy,
    without_modern,
)
from .peer import Peer
from .protocol import (
    DISCOVER,
    INITIALIZE,
    INITIALIZED,
    MODERN,
    initialize_params,
    modern_meta,
    notification,
)

ERAS_KEPT = 500
_ABOUT_KEPT = 16


def recall_era(identity: str) -> Era | None:
    """The era that the server itself once named; None if it is not known."""
    era, colon, _ = _read().get(_key(identity), "").partition(":")
    # Without the mark it comes from a version of Signoff that kept guesses, too.
    if not colon:
        return None
    return "modern" if era == "modern" else "legacy" if era == "legacy" else None


def is_same_server(identity: str, about: str) -> bool:
    """True if the remembered era belongs to the server that `about` describes."""
    return _read().get(_key(identity), "").partition(":")[2] == about[:_ABOUT_KEPT]


def remember_era(identity: str, era: Era, about: str = "") -> None:
    """Remember the era of a server. `about` is a digest of its name and version.

    A cache that cannot be written is left alone: the probe only costs time.
    """
    eras = _read()
    key, value = _key(identity), f"{era}:{about[:_ABOUT_KEPT]}"
    if eras.get(key) == value:
        return
    eras.pop(key, None)
    eras[key] = value
    _write(dict(list(eras.items())[-ERAS_KEPT:]))


def forget_era(identity: str) -> None:
    """Forget the era of a server."""
    eras = _read()
    if eras.pop(_key(identity), None) is not None:
        _write(eras)


def _write(eras: dict[str, str]) -> None:
    path = _path()
    # Beside the file and named by process and time, so that two Signoffs never share one.
    fresh = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
        with open(open_file(fresh, flags, 0o600), "w", encoding="ascii") as file:
            json.dump(eras, file)
        os.replace(fresh, path)


def _path() -> str:
    import platformdirs

    return os.path.join(platformdirs.user_cache_dir("signoff", appauthor=False), "eras.json")


def _key(identity: str) -> str:
    return hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _read() -> dict[str, str]:
    try:
        with open(_path(), encoding="utf-8") as file:
            eras = json.load(file)
    except (OSError, ValueError):
        return {}
    if not isinstance(eras, dict):
        return {}
    return {key: era for key, era in eras.items() if isinstance(era, str)}


AUTO: Final = "auto"
LEGACY: Final = "legacy"
"""To find out; `initialize` alone. `server/discover` alone is MODERN."""
KNOWN_SECONDS: dict[Era, float] = {"modern": 20.0, "legacy": 60.0}
"""How long a server may be silent on what it is known to speak, before it is asked otherwise."""
BOTH_SECONDS = 2.0
"""How long `initialize` may be silent once `server/discover` was answered after it was sent."""
DOWNLOADERS = frozenset(
    ("npx", "uvx", "uv", "bunx", "bun", "pnpm", "yarn", "npm", "pipx", "deno", "docker", "podman")
)
"""Programs that download missing packages before they start them."""

Inbox: TypeAlias = "queue.SimpleQueue[tuple[str, Answered]]"
_PARAMS: dict[str, Callable[[ClientCapabilities], dict[str, JsonValue]]] = {
    DISCOVER: lambda capabilities: {"_meta": modern_meta(capabilities)},
    INITIALIZE: initialize_params,
}


@frozen
class NegotiationContext:
    """Interface of the link that a negotiation needs."""

    identity: str
    argv: Sequence[str]
    start: Callable[[], Peer | None]
    """Start the server again; None after a failure, which is reported."""
    stage: Callable[[str], None]
    finding: Callable[[Finding], None]
    end: Callable[[], tuple[str, str]] = lambda: ("", "")
    """The exit of the last process in words, and the end of its stderr."""
    capabilities: ClientCapabilities = ALL_CAPABILITIES
    """The capabilities that are declared to the server."""


class Negotiation:
    """Agrees with one server on an era. Runs in a thread."""

    def __init__(self, around: NegotiationContext, protocol: str = AUTO) -> None:
        self._around = around
        self._protocol = protocol
        self._answers: dict[str, Answered] = {}
        self._discovered: Answered | None = None
        """The result of `server/discover` that came while `initialize` had no response."""
        self._inbox: Inbox = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_over = False

    def agree(self, peer: Peer) -> tuple[Peer, Greeting]:
        """The result of the handshake, and the peer of its process, which may be a new one.

        Raises GreetingFailed, ServerGone.
        """
        if self._protocol != AUTO:
            return peer, replace(self._chosen(peer), basis=VersionSource.CHOSEN)
        remembered = recall_era(self._around.identity)
        order: tuple[str, ...] = (
            (INITIALIZE, DISCOVER) if remembered == "legacy" else (DISCOVER, INITIALIZE)
        )
        patience = rules.PROBE_SECONDS if remembered is None else KNOWN_SECONDS[remembered]
        try:
            found = self._ask_in_turn(peer, order, patience)
        except ServerGone as gone:
            # Some end of a method that they do not know, or of whatever comes after it.
            self._answers.clear()
            self._around.stage(f"the server exited during {gone.asked}; starting it again")
            exited = self._around.end()
            fresh = self._around.start()
            if fresh is None:
                raise
            peer = fresh
            was_discovered = DISCOVER in (order[0], gone.asked)
            order = (DISCOVER, INITIALIZE) if remembered == "legacy" else (INITIALIZE,)
            if self._discovered is not None:
                order, self._discovered = (DISCOVER,), None
            found = self._ask_in_turn(peer, order, rules.PROBE_SECONDS)
            if was_discovered and DISCOVER not in order:
                from ..protocol.clients.findings import exit_finding

                self._around.finding(exit_finding(*exited))
        if found.era == "modern" or speaks_legacy(self._answers.get(DISCOVER)):
            basis = VersionSource.SAID
        else:
            as_said = remembered == "legacy" and order[0] == INITIALIZE
            basis = VersionSource.REMEMBERED if as_said else VersionSource.GUESSED
        greeting = replace(found, basis=basis)
        self._remember(greeting, remembered)
        if self._discovered is not None and greeting.era == "legacy":
            self._take_late(DISCOVER, self._discovered)
        self._hear_what_is_late()
        return peer, greeting

    def _chosen(self, peer: Peer) -> Greeting:
        method = INITIALIZE if self._protocol == LEGACY else DISCOVER
        try:
            return self._ask_in_turn(peer, (method,), None)
        except GreetingFailed as failed:
            if self._protocol == LEGACY:
                raise without_legacy(failed) from None
            raise without_modern(self._answers[DISCOVER]) from None

    def _ask_in_turn(self, peer: Peer, methods: Sequence[str], patience: float | None) -> Greeting:
        """Ask one after the other, the next one once the first is refused or late.

        The first valid result counts, by either method.
        """
        inbox = self._inbox = queue.SimpleQueue()
        failed = GreetingFailed("the server sent no response that Signoff understands")
        has_asked_again = False
        for number, method in enumerate(methods, 1):
            self._tell(method, is_second=number > 1)
            peer.begin(
                method, _PARAMS[method](self._around.capabilities), self._listener(method, inbox)
            )
            while len(self._answers) < number:
                limit = patience if number < len(methods) else self._last_seconds()
                try:
                    asked, answer = inbox.get(timeout=limit)
                except queue.Empty:
                    break
                if isinstance(answer, ConnectionClosed):
                    raise ServerGone(method)
                if asked == DISCOVER and not has_asked_again and wants_modern_again(answer):
                    has_asked_again = True
                    peer.begin(
                        DISCOVER,
                        _PARAMS[DISCOVER](self._around.capabilities),
                        self._listener(DISCOVER, inbox),
                    )
                    continue
                if self._is_before_handshake(asked, answer, methods[:number]):
                    self._discovered = answer
                    continue
                self._answers[asked] = answer
                try:
                    return _greeted(peer, asked, answer)
                except GreetingFailed as problem:
                    failed = problem if asked == INITIALIZE else failed
                if self._discovered is not None:
                    break
        if self._discovered is not None:
            return _greeted(peer, DISCOVER, self._discovered)
        raise why_neither(self._answers.get(DISCOVER), failed)

    def _last_seconds(self) -> float | None:
        """How long to wait once all was asked; None for the limit of the connection."""
        if self._discovered is not None:
            return BOTH_SECONDS
        # After a refused handshake only a server that is known to be there can go on.
        return rules.PROBE_SECONDS if INITIALIZE in self._answers else None

    def _is_before_handshake(self, asked: str, answer: Answered, sent: Sequence[str]) -> bool:
        """True for a valid discovery while the response to `initialize`, sent later, is due."""
        is_due = sent[-1] == INITIALIZE and INITIALIZE not in self._answers
        return asked == DISCOVER and is_due and read_discovery(answer) is not None

    def _listener(self, method: str, inbox: Inbox) -> Callable[[Answered], None]:
        def on_answer(answer: Answered) -> None:
            with self._lock:
                if not self._is_over:
                    inbox.put((method, answer))
                    return
            self._take_late(method, answer)

        return on_answer

    def _hear_what_is_late(self) -> None:
        """From now on answers are late; those that came after the one that counted are, too."""
        with self._lock:
            self._is_over = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._take_late(*self._inbox.get_nowait())

    def _take_late(self, method: str, answer: Answered) -> None:
        if method == DISCOVER and read_discovery(answer) is not None:
            remember_era(self._around.identity, "modern")
            words = f"the server responded to {DISCOVER} late: it supports {MODERN}, too"
            self._around.finding(note("late-discovery", f"{words}, which is used the next time"))

    def _tell(self, method: str, *, is_second: bool) -> None:
        words = f"waiting for a response to {method}"
        if is_second and not self._answers:
            first = DISCOVER if method == INITIALIZE else INITIALIZE
            words = f"waiting for a response to {first} or {method}"
        program = os.path.basename(self._around.argv[0])
        if not self._answers and program in DOWNLOADERS:
            words = f"{words}; {program} may have to download the server first"
        self._around.stage(words)

    def _remember(self, greeting: Greeting, before: Era | None) -> None:
        """Remember the era that the server confirmed; forget one that it dropped."""
        identity, about = self._around.identity, digest(dict(greeting.info))
        if greeting.basis is VersionSource.SAID:
            remember_era(identity, greeting.era, about)
        elif before is not None and (greeting.era != before or not is_same_server(identity, about)):
            forget_era(identity)


def _greeted(peer: Peer, asked: str, answer: Answered) -> Greeting:
    """The result of the handshake in an answer. Raises GreetingFailed if it has none."""
    if asked == INITIALIZE:
        assert isinstance(answer, dict | RpcError)
        found = read_handshake(answer)
        peer.tell(notification(INITIALIZED))
        return found
    discovered = read_discovery(answer)
    if discovered is None:
        raise GreetingFailed(WITHOUT_MODERN)
    return discovered
