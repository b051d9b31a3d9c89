"""Finds the server card of a URL: at the reserved place, where the field has it, in the catalog.

No token, header or cookie of the person is sent, and no other origin is requested because a
document names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ...engine.session_config import Target
from ...protocol.extensions.server_cards import (
    CARD_TYPE,
    CATALOG_PLACE,
    CATALOG_TYPE,
    FIELD_PLACE,
    SUFFIX,
    ServerCard,
    header_findings,
    read_card,
)
from ...protocol.findings.findings import Finding, error, warning
from ...transport.http.reach import NoCertificates, Reach
from ...transport.sign_in.fetching import Fetched, Fetcher, shown_url
from ...transport.sign_in.guard import UNREADABLE, Zone, guard_of, origin_of, zone_of_host
from .revalidating import revalidated, unasked_findings

RESERVED: Final = "the place that the draft reserves"
FIELD: Final = "the place that the field uses"
CATALOG: Final = "the catalog of the domain"
NAMED: Final = "named by the catalog"
_ENTRIES: Final = 5
"""Cards of a catalog that are fetched."""
_JSON: Final = f"{CARD_TYPE}, application/json;q=0.5"


@frozen
class FoundCard:
    """A card, and how it was found."""

    card: ServerCard | None
    url: str
    """Its address, safe to show; empty without one."""
    place: str
    """Which place that is, in words."""
    fetched: tuple[Fetched, ...]
    findings: tuple[Finding, ...]


def plain_url(url: str) -> str:
    """A URL without its query, fragment, user name and password. Raises ValueError."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


async def find_card(target: Target) -> FoundCard:
    """Look at the places in their order; the first card counts."""
    guard = guard_of(target.url, "")
    if guard is None:
        return FoundCard(None, "", "", (), (error("card-missing", UNREADABLE),))
    try:
        verify = Reach(target.ca, target.is_insecure).context()
    except (NoCertificates, OSError) as problem:
        return FoundCard(None, "", "", (), (error("card-missing", str(problem)),))
    fetcher = Fetcher(guard, verify=verify)
    try:
        return await _CardSearch(fetcher, plain_url(target.url), guard.zone).found()
    finally:
        await fetcher.aclose()


class _CardSearch:
    """One search; all that it requests is noted."""

    def __init__(self, fetcher: Fetcher, url: str, zone: Zone) -> None:
        self._fetcher = fetcher
        self._url = url
        self._zone = zone
        parts = urlsplit(url)
        self._root = f"{parts.scheme}://{parts.netloc}"
        self._fetched: list[Fetched] = []
        self._findings: list[Finding] = []

    async def found(self) -> FoundCard:
        places = (
            (f"{self._url.rstrip('/')}{SUFFIX}", RESERVED),
            (f"{self._root}{FIELD_PLACE}", FIELD),
        )
        for url, place in places:
            one = await self._get(url, place, _JSON)
            if one.document is not None:
                return await self._with_card(one.document, url, place, one)
        url = f"{self._root}{CATALOG_PLACE}"
        catalog = await self._get(url, CATALOG, f"{CATALOG_TYPE}, application/json;q=0.5")
        if catalog.document is not None:
            self._findings += header_findings(catalog.headers, CATALOG_TYPE)
            if (found := await self._of_catalog(catalog.document, url)) is not None:
                return found
        looked_at = ", ".join(f"{one.url} ({one.outcome})" for one in self._fetched)
        self._findings.append(error("card-missing", f"none at {looked_at}"))
        return FoundCard(None, "", "", tuple(self._fetched), tuple(self._findings))

    async def _get(self, url: str, place: str, accept: str) -> Fetched:
        one = await self._fetcher.fetch(url, "server card", place, accept)
        self._fetched.append(one)
        self._findings += unasked_findings(one)
        if one.leads_to:
            target = shown_url(one.leads_to)
            words = f"{one.url} redirects to {target}, which was not followed"
            self._findings.append(warning("card-elsewhere", words))
        return one

    async def _with_card(
        self,
        document: Mapping[str, JsonValue],
        url: str,
        place: str,
        fetched: Fetched | None,
    ) -> FoundCard:
        card = read_card(document, () if fetched is None else fetched.repeated)
        found = [*self._findings, *card.findings]
        if fetched is not None:
            found += header_findings(fetched.headers)
            found += await revalidated(fetched, partial(self._again, url))
        if place == FIELD:
            words = f"the card is at {FIELD_PLACE}; the draft has the URL of the server, then "
            found.append(warning("card-place", f"{words}{SUFFIX}"))
        if urlsplit(url).scheme == "http" and self._zone is not Zone.LOOPBACK:
            found.append(warning("card-place", "the card is served without TLS"))
        found += self._inner(card)
        return FoundCard(card, shown_url(url), place, tuple(self._fetched), tuple(found))

    async def _again(self, url: str, place: str, tag: str) -> Fetched:
        """Request a card that was found again, by an entity tag."""
        one = await self._fetcher.fetch(url, "server card", place, _JSON, tag)
        self._fetched.append(one)
        return one

    def _inner(self, card: ServerCard) -> Iterator[Finding]:
        """Addresses of an inner network in a public card ("Information Disclosure")."""
        for remote in card.remotes if self._zone is Zone.PUBLIC else ():
            origin = origin_of(remote.url)
            zone = None if origin is None else zone_of_host(origin.host)
            if zone is not None and zone is not Zone.PUBLIC:
                words = f"a public card names {zone.value}: {shortened(remote.url, 100)}"
                yield error("card-secret", words, "$.remotes")

    async def _of_catalog(self, catalog: Mapping[str, JsonValue], where: str) -> FoundCard | None:
        """The card of the catalog that is about this server, or else its first one."""
        entries = catalog.get("entries")
        listed = (
            [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
        )
        cards = [one for one in listed if one.get("type") == CARD_TYPE]
        found: list[FoundCard] = []
        for entry in cards[:_ENTRIES]:
            data, url = entry.get("data"), entry.get("url")
            if isinstance(data, dict):
                found.append(await self._with_card(data, where, "in the catalog itself", None))
            elif isinstance(url, str) and origin_of(url) != origin_of(where):
                words = f"the catalog names {shown_url(url)}, which is at another origin: "
                self._findings.append(warning("card-elsewhere", f"{words}not requested"))
            elif isinstance(url, str):
                one = await self._get(url, NAMED, CARD_TYPE)
                if one.document is not None:
                    found.append(await self._with_card(one.document, url, NAMED, one))
        return next((one for one in found if _is_about(one.card, self._url)), None) or next(
            iter(found), None
        )


def _is_about(card: ServerCard | None, url: str) -> bool:
    return card is not None and any(one.url.rstrip("/") == url.rstrip("/") for one in card.remotes)


def requests_words(fetched: Sequence[Fetched]) -> Iterator[str]:
    """A line for each request, safe to show."""
    for one in fetched:
        yield f"{one.url}  {one.why}: {one.outcome}"
