"""Discovery of a server's sign-in, in the order of the specification, and all checks on it.

The challenge or the well-known places lead to the protected resource metadata (RFC 9728), and its
first authorization server to the metadata of that (RFC 8414, or OpenID Connect Discovery). Without
resource metadata the way of 2025-03-26 remains: the server's own origin. Nothing is registered, no
browser is opened, and no token is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from ...protocol.findings.findings import error, warning
from . import resource_checks, server_checks
from .challenge import Demand
from .fetching import Fetched, FetchMetadata
from .guard import Guard
from .values import RESOURCE, SERVER, Discovery, Fixer, SignInCheck, texts

_WELL_KNOWN: Final = "/.well-known/"
_PROTECTED: Final = f"{_WELL_KNOWN}oauth-protected-resource"
_OAUTH: Final = f"{_WELL_KNOWN}oauth-authorization-server"
_OPENID: Final = f"{_WELL_KNOWN}openid-configuration"
NAMED: Final = "named by the challenge"
Place = tuple[str, str]
"""A URL, and why a document is looked for there."""


async def discover(demand: Demand, guard: Guard, fetch: FetchMetadata) -> Discovery:
    """Fetch what the response of a server leads to, and check all of it."""
    url = demand.plain_url
    checks = list(resource_checks.challenge_checks(demand))
    fetched: list[Fetched] = []
    found = await _first(resource_places(demand), RESOURCE, fetch, fetched)
    is_old_way = found is None and all(one.is_absent for one in fetched)
    resource = None if found is None else found.document
    issuer = guard.origin.text if is_old_way else ""
    if found is None or resource is None:
        checks += resource_checks.absence_checks(fetched, is_old_way=is_old_way)
    else:
        checks += resource_checks.place_checks(demand, is_named=found.why == NAMED)
        checks += resource_checks.resource_checks(resource, url, demand)
        issuer = next(iter(texts(resource.get("authorization_servers")) or ()), "")
    server = None
    if issuer:
        before = len(fetched)
        places = old_places(issuer) if is_old_way else server_places(issuer)
        document = await _first(places, SERVER, fetch, fetched)
        server = None if document is None else document.document
        if server is not None:
            checks += server_checks.server_checks(server, issuer, guard)
        else:
            checks += server_checks.absence_checks(fetched[before:], issuer)
    checks += document_checks(fetched)
    return Discovery(
        url, demand, tuple(fetched), tuple(checks), issuer, resource, server, is_old_way
    )


async def _first(
    places: Sequence[Place], what: str, fetch: FetchMetadata, fetched: list[Fetched]
) -> Fetched | None:
    """The first document of some places; all that was requested is added to `fetched`."""
    for url, why in places:
        found = await fetch(url, what, why)
        fetched.append(found)
        if found.document is not None:
            return found
    return None


def resource_places(demand: Demand) -> list[Place]:
    """Where the resource metadata may be, in the order of the specification (2025-11-25 and
    2026-07-28: the challenge, the well-known place with the path, the one at the root).
    """
    parts = urlsplit(demand.plain_url)
    root = f"{parts.scheme}://{parts.netloc}"
    bearer = demand.bearer
    places: list[Place] = []
    if bearer is not None and (named := bearer.get("resource_metadata")):
        places.append((named, NAMED))
    if parts.path not in ("", "/"):
        places.append((f"{root}{_PROTECTED}{parts.path}", "well-known place of the server's path"))
    places.append((f"{root}{_PROTECTED}", "well-known place of the server's origin"))
    return [one for at, one in enumerate(places) if one[0] not in [two[0] for two in places[:at]]]


def server_places(issuer: str) -> list[Place]:
    """Where the metadata of an authorization server may be, likewise."""
    try:
        parts = urlsplit(issuer)
    except ValueError:
        return [(issuer, "named by the resource metadata")]
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    if not path:
        return [
            (f"{root}{_OAUTH}", "well-known place of the issuer (RFC 8414)"),
            (f"{root}{_OPENID}", "well-known place of the issuer (OpenID)"),
        ]
    return [
        (f"{root}{_OAUTH}{path}", "the issuer's path inserted (RFC 8414)"),
        (f"{root}{_OPENID}{path}", "the issuer's path inserted (OpenID)"),
        (f"{root}{path}{_OPENID}", "behind the issuer's path (OpenID)"),
    ]


def old_places(origin: str) -> list[Place]:
    """Where 2025-03-26 has the metadata: at the server's own origin."""
    return [(f"{origin}{_OAUTH}", "the server's own origin (2025-03-26)")]


def document_checks(fetched: Sequence[Fetched]) -> Iterator[SignInCheck]:
    """Documents that were not requested, could not be read, or can be read in two ways."""
    seen: set[tuple[str, str]] = set()
    for one in fetched:
        # The places of one server often fail alike: the first is enough.
        if one.document is None and (one.what, one.outcome) in seen:
            continue
        seen.add((one.what, one.outcome))
        if one.is_refused:
            yield SignInCheck(
                "address",
                "OAuth 2.1 1.5",
                f"{one.url}: {one.problem}",
                error(
                    "sign-in-not-requested",
                    f"{one.url} ({one.what}, {one.why}) was not requested: {one.problem}",
                ),
                fixer=Fixer.AUTHOR,
                fix="name a whole https URL that every client can reach",
            )
        elif one.document is None and (one.problem or not one.is_absent):
            yield SignInCheck(
                "document",
                "RFC 9728 3.2, RFC 8414 3.2",
                f"{one.url}: {one.outcome}",
                error(
                    "sign-in-unreadable", f"{one.url} ({one.what}) cannot be read: {one.outcome}"
                ),
                fixer=Fixer.AUTHOR if one.what == RESOURCE else Fixer.OPERATOR,
                fix="serve it as a JSON object with status 200"
                if one.status
                else "let the address answer in time, or name another one",
            )
        elif one.repeated:
            twice = ", ".join(one.repeated)
            yield SignInCheck(
                "document",
                "RFC 8259 4",
                f"{one.url}: {twice} twice",
                warning(
                    "sign-in-repeated-key",
                    f"{one.url} ({one.what}) has {twice} twice: clients read different values",
                ),
                fixer=Fixer.AUTHOR if one.what == RESOURCE else Fixer.OPERATOR,
                fix="write each key once",
            )
