"""Offers of a server beside tools: lists, subscriptions, completion, ping.

Nothing is requested before `begin`, and only features that the server declared when initialized.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from ..transport.events import (
    ConnectionClosed,
    NoResponse,
    OfferListChanged,
    ResourceUpdated,
    Subscribed,
)
from ..transport.greeting import describe
from ..transport.protocol import DISCOVER, LISTEN, MODERN, PING
from .events import OffersChanged, ResourceChanged

if TYPE_CHECKING:
    from ..calls.call import Call
    from ..content.json.jsonio import JsonValue
    from ..protocol.findings.findings import Finding
    from ..protocol.resources.offers import Completion, Offer, OfferKind, Prompt, ResourceTemplate
    from ..protocol.server import Server
    from ..transport import Link
    from ..transport.events import Answered
    from .events import EngineEvent
    from .timing import Background

ASK_SECONDS: Final = 10.0
COMPLETE_SECONDS: Final = 5.0
RELIST_SECONDS: Final = 1.0
"""Least seconds between two fetches of a list, however often the server announces changes."""
SUBSCRIPTIONS_MAX: Final = 100
UPDATED_MAX: Final = 200
"""Marks of resources that were not subscribed to by their own address; more are not kept."""


class Offers:
    """Current lists of one engine. Lives on the event loop."""

    def __init__(
        self,
        link: Callable[[], Link],
        server: Callable[[], Server],
        background: Background,
        publish: Callable[[EngineEvent], None],
    ) -> None:
        self.updated: set[str] = set()
        """URIs of resources that the server reported as updated, until they are read again."""
        self._lists: dict[OfferKind, tuple[Offer, ...]] = {}
        self._findings: dict[OfferKind, tuple[Finding, ...]] = {}
        self.missing: dict[OfferKind, str] = {}
        """Kinds whose newest list may lack some, and why."""
        self._link = link
        self._server = server
        self._background = background
        self._publish = publish
        self._may_ask = False
        self._asked: Link | None = None
        """The link whose lists were asked for."""
        self._due: set[OfferKind] = set()
        self._fetching: dict[OfferKind, asyncio.Task[None]] = {}
        self._subscribed: dict[str, asyncio.Task[Answered] | None] = {}
        """By URI, the open request behind the subscription; None before 2026-07-28."""
        self._acknowledged: dict[str, asyncio.Event] = {}
        self._reads_noted: set[int] = set()

    def of(self, kind: OfferKind) -> tuple[Offer, ...]:
        """In the order of the server; empty if it has none, or they were not listed yet."""
        return self._lists.get(kind, ())

    @property
    def kinds(self) -> tuple[OfferKind, ...]:
        """Kinds that the server has entries of, in display order."""
        from ..protocol.resources.offers import OfferKind

        return tuple(kind for kind in OfferKind if self._lists.get(kind))

    @property
    def has_any(self) -> bool:
        return any(self._lists.values())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings on the lists themselves."""
        return tuple(finding for found in self._findings.values() for finding in found)

    def is_subscribed(self, uri: str) -> bool:
        return uri in self._subscribed

    @property
    def can_subscribe(self) -> bool:
        """True if the server declares `resources.subscribe`."""
        about = self._server().capabilities.get("resources")
        return isinstance(about, dict) and about.get("subscribe") is True

    @property
    def can_complete(self) -> bool:
        return "completions" in self._server().capabilities

    def begin(self) -> None:
        """Ask for the lists as soon as the server is there, and follow them from then on."""
        self._may_ask = True
        self.connected()

    def connected(self) -> None:
        """The tools of a connection were listed."""
        link = self._link()
        if not self._may_ask or self._asked is link or not self._server().is_open:
            return
        self._asked = link
        for kind in self._declared():
            self._fetch_soon(kind)

    def disconnected(self) -> None:
        """Drop all subscriptions; the lists stay, to be looked at."""
        for task in self._subscribed.values():
            if task is not None:
                task.cancel()
        if self._subscribed:
            self._subscribed.clear()
            self._publish(OffersChanged())

    async def listed(self) -> None:
        """Wait until every list that the server declares was fetched."""
        self.begin()
        while tasks := [task for task in self._fetching.values() if not task.done()]:
            await asyncio.wait(tasks)

    def take(self, event: OfferListChanged | ResourceUpdated | Subscribed) -> None:
        """Take in a notification about lists and resources."""
        match event:
            case OfferListChanged(capability):
                for kind in self._declared():
                    if kind.capability == capability and self._asked is self._link():
                        self._fetch_soon(kind)
            case ResourceUpdated(uri):
                self._mark_updated(uri)
            case Subscribed(uris):
                for uri in uris:
                    if uri in self._acknowledged:
                        self._acknowledged[uri].set()

    def _mark_updated(self, uri: str) -> None:
        """Mark a resource once, and a limited number: a server cannot make news without end."""
        is_own = uri in self._subscribed
        if uri in self.updated or (not is_own and len(self.updated) >= UPDATED_MAX):
            return
        self.updated.add(uri)
        # A subscription also covers the parts of its resource (server/resources).
        if is_own or uri.startswith(tuple(self._subscribed)):
            self._publish(ResourceChanged(uri))
        self._publish(OffersChanged())

    def note_read(self, call: Call) -> None:
        """Clear the mark of a resource when a read of it is sent: its result is newer."""
        if call.tool is not None or not call.sent:
            return
        from ..protocol.requests import ResourceRead

        if not isinstance(call.request, ResourceRead):
            return
        if call.id not in self._reads_noted:
            self._reads_noted.add(call.id)
            if call.request.uri in self.updated:
                self.updated.discard(call.request.uri)
                self._publish(OffersChanged())

    async def subscribe(self, uri: str) -> str:
        """Subscribe to updates of a resource; returns the problem in words, empty on success."""
        if uri in self._subscribed:
            return ""
        if len(self._subscribed) >= SUBSCRIPTIONS_MAX:
            return f"the limit of {SUBSCRIPTIONS_MAX} subscriptions is reached"
        if self._server().version != MODERN:
            words = _problem(await self._ask("resources/subscribe", {"uri": uri}))
            if not words:
                self._subscribed[uri] = None
        else:
            words = await self._listen(uri)
        self._publish(OffersChanged())
        return words

    async def unsubscribe(self, uri: str) -> str:
        """Unsubscribe from them, likewise."""
        task = self._subscribed.pop(uri, None)
        words = ""
        if task is not None:
            task.cancel()
        else:
            words = _problem(await self._ask("resources/unsubscribe", {"uri": uri}))
        self._publish(OffersChanged())
        return words

    async def complete(
        self,
        offer: Prompt | ResourceTemplate,
        argument: str,
        begun: str,
        others: Mapping[str, str],
    ) -> Completion | None:
        """Return the server's suggestions for a value; None if there are none to be had."""
        from ..protocol.resources.offers import COMPLETE, completion_params, read_completion

        if not self.can_complete or not self._server().is_open:
            return None
        params = completion_params(offer, argument, begun, others, self._server().version)
        answer = await self._ask(COMPLETE, params, COMPLETE_SECONDS)
        return read_completion(answer) if isinstance(answer, dict) else None

    async def ping(self) -> tuple[float, str]:
        """Return the latency in seconds, and the problem in words."""
        is_modern = self._server().version == MODERN
        begun = time.monotonic()
        # Ping was removed: any response will do.
        answer = await self._ask(DISCOVER if is_modern else PING, {})
        took = time.monotonic() - begun
        if isinstance(answer, ConnectionClosed | NoResponse):
            return took, _problem(answer)
        return took, ""

    def _declared(self) -> tuple[OfferKind, ...]:
        declared = self._server().capabilities
        if "resources" not in declared and "prompts" not in declared:
            return ()
        from ..protocol.resources.offers import OfferKind

        return tuple(kind for kind in OfferKind if kind.capability in declared)

    def _fetch_soon(self, kind: OfferKind) -> None:
        self._due.add(kind)
        task = self._fetching.get(kind)
        if task is None or task.done():
            self._fetching[kind] = self._background.begin(self._fetch(kind))

    async def _fetch(self, kind: OfferKind) -> None:
        """Fetch until nothing is due any more: changes that arrive during it are taken together."""
        from ..protocol.resources.offers import read_offers
        from ..transport.listing import list_offers

        while kind in self._due:
            self._due.discard(kind)
            listing = await list_offers(self._link().ask, kind)
            if listing is not None:
                self.missing.pop(kind, None)
                if listing.missing:
                    self.missing[kind] = listing.missing
                offers = await asyncio.to_thread(read_offers, kind, listing.entries)
                if offers != self.of(kind) or listing.findings != self._findings.get(kind, ()):
                    self._lists[kind], self._findings[kind] = offers, listing.findings
                    self._publish(OffersChanged())
            if kind in self._due:
                await asyncio.sleep(RELIST_SECONDS)

    async def _listen(self, uri: str) -> str:
        """Since 2026-07-28 a subscription is a request that is answered when it ends."""
        uris: list[JsonValue] = [uri]
        params: dict[str, JsonValue] = {"notifications": {"resourceSubscriptions": uris}}
        acknowledged = self._acknowledged[uri] = asyncio.Event()
        asking = self._background.begin(self._ask(LISTEN, params, None))
        waiting = self._background.begin(acknowledged.wait())
        try:
            done, _ = await asyncio.wait(
                {asking, waiting}, timeout=ASK_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            # The caller has given up: a subscription that no caller can end must not go on.
            asking.cancel()
            raise
        finally:
            waiting.cancel()
            if self._acknowledged.get(uri) is acknowledged:
                del self._acknowledged[uri]
        if asking in done:
            return _problem(asking.result()) or "the server ended the subscription immediately"
        if not done:
            asking.cancel()
            return "the server did not acknowledge it in time"
        self._subscribed[uri] = asking
        asking.add_done_callback(lambda _: self._subscription_ended(uri, asking))
        return ""

    def _subscription_ended(self, uri: str, asking: asyncio.Task[Answered]) -> None:
        if self._subscribed.get(uri) is asking:
            del self._subscribed[uri]
            self._publish(OffersChanged())

    async def _ask(
        self, method: str, params: dict[str, JsonValue], seconds: float | None = ASK_SECONDS
    ) -> Answered:
        return await self._link().ask(method, params, seconds)


def _problem(answer: Answered) -> str:
    if isinstance(answer, dict):
        return ""
    return "the connection was lost" if isinstance(answer, ConnectionClosed) else describe(answer)
