"""Signoff greets a server itself, in plain JSON, before the SDK is imported.

Spec 2026-07-28, basic/transports/stdio "Backward Compatibility": ask `server/discover` first; a
DiscoverResult means the modern era, any other answer or none means `initialize`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from app.core.findings import Finding, error, warning
from app.core.jsonio import JsonValue
from app.core.rpc import RpcError
from app.core.text import cut, visible
from app.link.events import Greeting, Listing
from app.link.exchange import Answered, Exchange, Gone, Silent
from app.link.protocol import (
    HANDSHAKE,
    METHOD_NOT_FOUND,
    MODERN,
    initialize_params,
    modern_meta,
    notification,
)

PROBE_SECONDS = 4.0
"""How long a server may stay silent on `server/discover` before it is greeted the old way."""
LIST_SECONDS = 30.0
PAGE_LIMIT = 100
TOOL_LIMIT = 5_000
CURSOR_LIMIT = 4_096

Era = Literal["modern", "legacy"]


class GreetingFailed(Exception):
    """The server answered, but not so that one can go on; `words` are safe to show."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class ServerGone(Exception):
    """The server ended while it was being greeted; `asked` names what it was asked last."""

    def __init__(self, asked: str) -> None:
        super().__init__(asked)
        self.asked = asked


def discover(exchange: Exchange) -> Greeting | None:
    """Ask for the modern era. None where the server does not speak it or stays silent."""
    answer = exchange.ask("server/discover", {"_meta": modern_meta()}, PROBE_SECONDS)
    if isinstance(answer, Gone):
        raise ServerGone("server/discover")
    if not isinstance(answer, dict):
        return None
    versions = answer.get("supportedVersions")
    if not isinstance(versions, list) or MODERN not in versions:
        return None
    meta = _object(answer.get("_meta"))
    info = _object(answer.get("serverInfo")) or _object(
        meta.get("io.modelcontextprotocol/serverInfo")
    )
    return _greeting("modern", MODERN, info, answer)


def initialize(exchange: Exchange, seconds: float | None) -> Greeting:
    """The handshake of the revisions up to 2025-11-25."""
    answer = exchange.ask("initialize", initialize_params(), seconds)
    match answer:
        case Gone():
            raise ServerGone("initialize")
        case Silent():
            raise GreetingFailed(f"the server did not answer initialize within {seconds:g} s")
        case RpcError():
            raise GreetingFailed(f"the server refused initialize: {describe(answer)}")
    version = answer.get("protocolVersion")
    if version not in HANDSHAKE:
        shown = visible(cut(str(version), 40).text)
        raise GreetingFailed(
            f"the server speaks protocol version “{shown}”; Signoff knows {', '.join(HANDSHAKE)}"
        )
    exchange.tell(notification("notifications/initialized"))
    return _greeting("legacy", str(version), _object(answer.get("serverInfo")), answer)


def list_tools(
    exchange: Exchange, era: Era, on_page: Callable[[int, int], None] = lambda page, count: None
) -> Listing:
    """All pages of tools/list, with a finding wherever they had to be cut short.

    `on_page(page, count)` is told of each further page and of the entries so far. Raises
    GreetingFailed where the first page fails, ServerGone.
    """
    deadline = time.monotonic() + LIST_SECONDS

    def fetch(cursor: str | None) -> Answered:
        params: dict[str, JsonValue] = {"_meta": modern_meta()} if era == "modern" else {}
        if cursor is not None:
            params["cursor"] = cursor
        return exchange.ask("tools/list", params, max(0.1, deadline - time.monotonic()))

    pages = Pages()
    while True:
        answer = fetch(pages.cursor)
        if isinstance(answer, Gone):
            raise ServerGone("tools/list")
        if not pages.add(answer):
            return pages.listing()
        on_page(pages.count + 1, len(pages.entries))


class Pages:
    """Collects the pages of tools/list under the limits, whoever fetches them."""

    def __init__(self) -> None:
        self.entries: list[JsonValue] = []
        self.findings: list[Finding] = []
        self.cursor: str | None = None
        self.count = 0
        self._seen: set[str] = set()

    def add(self, answer: dict[str, JsonValue] | RpcError | Silent) -> bool:
        """Take a page in; True where another one has to be fetched with `cursor`.

        Spec, server/utilities/pagination: cursors are opaque, "" is one, none is the end.
        """
        self.count += 1
        if isinstance(answer, RpcError) and answer.code == METHOD_NOT_FOUND and self.count == 1:
            self._cut("no-tools", "the server has no tools/list")
            return False
        if not isinstance(answer, dict):
            words = describe(answer)
            if self.count == 1:
                raise GreetingFailed(f"the tools could not be listed: {words}")
            self._cut("list-cut-short", f"page {self.count} of the tools failed: {words}")
            return False
        self._add_entries(answer.get("tools"))
        cursor = answer.get("nextCursor")
        if len(self.entries) > TOOL_LIMIT:
            words = f"{len(self.entries):,} tools are more than the limit of {TOOL_LIMIT:,}"
            self._cut("list-cut-short", words)
            del self.entries[TOOL_LIMIT:]
            return False
        return cursor is not None and self._follow(cursor)

    def listing(self) -> Listing:
        return Listing(tuple(self.entries), tuple(self.findings))

    def _add_entries(self, entries: JsonValue) -> None:
        if isinstance(entries, list):
            self.entries += entries
        else:
            self._cut("malformed-list", "tools/list answered without an array of tools")

    def _follow(self, cursor: JsonValue) -> bool:
        if not isinstance(cursor, str):
            self._cut("malformed-cursor", "nextCursor is not a string")
        elif len(cursor) > CURSOR_LIMIT:
            self._cut("malformed-cursor", f"nextCursor has {len(cursor):,} characters")
        elif cursor in self._seen:
            self._cut("cursor-loop", "nextCursor repeats: the pages of the tools go in a circle")
        elif self.count >= PAGE_LIMIT or len(self.entries) >= TOOL_LIMIT:
            self._cut(
                "list-cut-short",
                f"more tools follow after {len(self.entries):,} tools on {self.count} pages",
            )
        else:
            self._seen.add(cursor)
            self.cursor = cursor
            return True
        return False

    def _cut(self, code: str, words: str) -> None:
        make = warning if code == "no-tools" else error
        self.findings.append(make(code, words))


def describe(answer: RpcError | Silent) -> str:
    """An error answer, or silence, in words that are safe to show."""
    if isinstance(answer, Silent):
        return "no answer came in time"
    message = visible(cut(answer.message, 300).text)
    if answer.code is None:
        return message
    return f"{message} (code {visible(cut(str(answer.code), 40).text)})"


def _greeting(
    era: Era, version: str, info: dict[str, JsonValue], raw: dict[str, JsonValue]
) -> Greeting:
    instructions = raw.get("instructions")
    return Greeting(
        era=era,
        version=version,
        info=info,
        capabilities=_object(raw.get("capabilities")),
        instructions=instructions if isinstance(instructions, str) else "",
        raw=raw,
    )


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
