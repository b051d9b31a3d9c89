"""Fetches a server's lists: all pages of each, under limits, with findings for cuts.

Also builds the filter that subscribes to their changes.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from ..content.json.jsonio import JsonValue, same
from ..content.text import cut, visible
from ..protocol.findings.findings import Finding, error, warning
from ..protocol.rpc import METHOD_NOT_FOUND, RpcError
from .events import Answered, ConnectionClosed, Listing, NoResponse
from .greeting import GreetingFailed, ServerGone, describe
from .peer import Peer

if TYPE_CHECKING:
    from ..protocol.resources.offers import OfferKind

Ask = Callable[[str, dict[str, JsonValue], float | None], Awaitable[Answered]]
"""Method, params, and seconds to wait for an answer."""

TOOLS = "tools"
"""Under which tools/list has its entries."""
LIST_SECONDS = 30.0
UNDECLARED_SECONDS = 5.0
"""How long a server may take that declares other capabilities and not this one."""
PAGE_LIMIT = 100
TOOL_LIMIT = 5_000
CURSOR_LIMIT = 4_096


def list_tools(
    peer: Peer,
    served: dict[str, JsonValue],
    on_page: Callable[[int, int], None] = lambda page, count: None,
) -> Listing:
    """All pages of tools/list, with a finding on each cut. For a thread.

    `served` are the capabilities that the server declares. `on_page` is called for each further
    page with its number and the count of entries so far. Raises GreetingFailed if the first page
    fails, ServerGone.
    """
    pages = ListPages(served=served)
    deadline = time.monotonic() + pages.seconds
    while True:
        rest = max(0.1, deadline - time.monotonic())
        answer = peer.wait("tools/list", pages.params, rest)
        if isinstance(answer, ConnectionClosed):
            raise ServerGone("tools/list")
        if not pages.add(answer):
            return pages.listing()
        on_page(pages.count + 1, len(pages.entries))


async def list_tools_again(
    ask: Ask,
    served: dict[str, JsonValue],
    on_page: Callable[[int, int], None] = lambda page, count: None,
    now: Callable[[], float] = time.monotonic,
) -> Listing | None:
    """The same on the event loop; `ask` is that of a link, `now` the clock of its limits. None if
    the connection ended.
    """
    return await _collected(ask, "tools/list", ListPages(served=served), on_page, now)


async def list_offers(ask: Ask, kind: OfferKind) -> Listing | None:
    """All pages of what a server offers beside its tools, like `list_all`."""
    return await list_all(ask, kind.method, kind.key, kind.plural)


async def list_all(ask: Ask, method: str, key: str, words: str) -> Listing | None:
    """Fetch all pages of a list, which has its entries under `key`; `words` names the entries.

    `ask` is that of a link. None if the connection ended; a list that is missing or incomplete has
    findings on that.
    """
    try:
        return await _collected(ask, method, ListPages(key, words))
    except GreetingFailed as problem:
        return Listing((), (error("list-failed", problem.words),), problem.words)


async def _collected(
    ask: Ask,
    method: str,
    pages: ListPages,
    on_page: Callable[[int, int], None] = lambda page, count: None,
    now: Callable[[], float] = time.monotonic,
) -> Listing | None:
    """None if the connection ended. Raises GreetingFailed if the first page fails."""
    deadline = now() + pages.seconds
    while True:
        answer = await ask(method, pages.params, max(0.1, deadline - now()))
        if isinstance(answer, ConnectionClosed):
            return None
        if not pages.add(answer):
            return pages.listing()
        on_page(pages.count + 1, len(pages.entries))


class ListPages:
    """Collects the pages of a list under the limits; the caller fetches them."""

    def __init__(
        self,
        key: str = TOOLS,
        words: str = "tools",
        served: dict[str, JsonValue] | None = None,
    ) -> None:
        """`key`: name of the entries in a result; `words`: their name for people. `served`: the
        capabilities that the server declares; a list that it does not declare beside others may be
        missing. None: this one is declared.
        """
        self._is_declared = not served or key in served
        self.seconds = LIST_SECONDS if self._is_declared else UNDECLARED_SECONDS
        """How long all of its pages may take."""
        self._key = key
        self._words = words
        self.entries: list[JsonValue] = []
        self.findings: list[Finding] = []
        self.cursor: str | None = None
        self.count = 0
        self._missing = ""
        """Why there may be more entries; the first reason counts."""
        self._seen: set[str] = set()
        self._pages: list[list[JsonValue]] = []

    def add(self, answer: dict[str, JsonValue] | RpcError | NoResponse) -> bool:
        """Take a page in; True if another one has to be fetched with `cursor`.

        Spec, server/utilities/pagination: cursors are opaque, "" is one, none is the end.
        """
        self.count += 1
        if not self._is_declared and not isinstance(answer, dict) and self.count == 1:
            return False
        if isinstance(answer, RpcError) and answer.code == METHOD_NOT_FOUND and self.count == 1:
            # What has resources need not have templates of them.
            if self._key == TOOLS:
                self.findings.append(warning("no-tools", "the server has no tools/list"))
            return False
        if not isinstance(answer, dict):
            words = describe(answer)
            if self.count == 1:
                raise GreetingFailed(f"the {self._words} could not be listed: {words}")
            self._cut_short(f"page {self.count} of the {self._words} failed: {words}")
            return False
        entries, cursor = answer.get(self._key), answer.get("nextCursor")
        if self._key == TOOLS:
            # With the rules of all client libraries: not before the first paint.
            from ..protocol.clients.findings import page_findings

            self.findings += page_findings(answer)
        if isinstance(entries, list) and self._is_repeated(entries):
            return False
        self._add_entries(entries)
        if len(self.entries) > TOOL_LIMIT:
            count = f"{len(self.entries):,} {self._words}"
            self._cut_short(f"{count} are more than the limit of {TOOL_LIMIT:,}")
            del self.entries[TOOL_LIMIT:]
            return False
        return cursor is not None and self._follow(cursor)

    @property
    def params(self) -> dict[str, JsonValue]:
        """Params of the request for the next page."""
        return {} if self.cursor is None else {"cursor": self.cursor}

    def listing(self) -> Listing:
        first_page = len(self._pages[0]) if len(self._pages) > 1 else 0
        return Listing(tuple(self.entries), tuple(self.findings), self._missing, first_page)

    def _is_repeated(self, entries: list[JsonValue]) -> bool:
        """True if a page has the same entries as an earlier one; they are not added again."""
        page = next(
            (at for at, one in enumerate(self._pages, 1) if entries and same(one, entries)), 0
        )
        if page:
            cause = "the server ignores the cursor"
            if self.cursor == "":
                cause = 'nextCursor is "" on the last page; leave it out there'
            words = f"page {self.count} of the {self._words} repeats page {page}: {cause}"
            if self.cursor == "":
                # A server that ends its list so has sent all of it.
                self.findings.append(error("cursor-ignored", words))
            else:
                self._cut("cursor-ignored", words)
        return bool(page)

    def _add_entries(self, entries: JsonValue) -> None:
        if isinstance(entries, list):
            self._pages.append(entries)
            self.entries += entries
        else:
            words = f"the list has no array of {self._words}"
            self._cut("malformed-list", words)

    def _follow(self, cursor: JsonValue) -> bool:
        if not isinstance(cursor, str):
            self._cut("malformed-cursor", "nextCursor is not a string")
        elif len(cursor) > CURSOR_LIMIT:
            words = f"nextCursor has {len(cursor):,} characters"
            self._cut("malformed-cursor", words)
        elif cursor in self._seen:
            words = f"nextCursor repeats: the pages of the {self._words} go in a circle"
            self._cut("list-cursor-loops", words)
        elif self.count >= PAGE_LIMIT or len(self.entries) >= TOOL_LIMIT:
            self._cut_short(
                f"more {self._words} follow after {len(self.entries):,} on {self.count} pages"
            )
        else:
            self._seen.add(cursor)
            self.cursor = cursor
            return True
        return False

    def _cut_short(self, words: str) -> None:
        self._cut("list-cut-short", words)

    def _cut(self, code: str, words: str) -> None:
        """Note a finding that leaves the list without its end."""
        self.findings.append(error(code, words))
        self._missing = self._missing or words


_FILTERS = {
    "tools": "toolsListChanged",
    "resources": "resourcesListChanged",
    "prompts": "promptsListChanged",
}


ACKNOWLEDGED_SECONDS = 10.0
"""How long a server may take to acknowledge a subscription."""
NOT_ACKNOWLEDGED: Final = "the subscription was not acknowledged"


def subscription_lost(why: str) -> Finding:
    """The finding on a subscription to changes that is not there; `why` is safe to show."""
    words = f"the server sends no list changes: {why}"
    return error("subscription-lost", visible(cut(words, 400).text))


def wanted_changes(capabilities: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a filter for all lists whose changes the server notifies."""
    wanted: dict[str, JsonValue] = {}
    for capability, name in _FILTERS.items():
        about = capabilities.get(capability)
        if isinstance(about, dict) and about.get("listChanged"):
            wanted[name] = True
    return wanted


WAITING_FOR_TOOLS: Final = "waiting for the list of tools"


def page_words(page: int, count: int) -> str:
    """The stage of a start that waits for a further page; `count`: tools listed so far."""
    return f"waiting for page {page} of the tools; {count} so far"
