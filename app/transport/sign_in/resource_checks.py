"""Checks of the challenge and of the protected resource metadata (RFC 9728), without requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import error, note, warning
from .challenge import Demand
from .fetching import Fetched
from .guard import origin_of
from .values import Fixer, SignInCheck, absence, kind_words, shown, texts

SCOPES_MANY: Final = 50
CHOOSE_SCOPES: Final = "choose those that are needed with --scope"
_OFFLINE: Final = "offline_access"
_AUTHORIZATION: Final = "RFC 9110 11.6.1"


def challenge_checks(demand: Demand) -> Iterator[SignInCheck]:
    """The response that requires the sign-in."""
    bearer = demand.bearer
    schemes = ", ".join(shown(one.scheme) for one in demand.challenges)
    if bearer is None:
        has = f"the challenge is {schemes}" if schemes else "WWW-Authenticate is missing"
        yield SignInCheck(
            "challenge",
            "RFC 9110 15.5.2, RFC 6750 3",
            has,
            warning(
                "sign-in-no-challenge",
                f"{demand.status} without a Bearer challenge: {has}",
            ),
            fixer=Fixer.AUTHOR,
            fix='add WWW-Authenticate: Bearer resource_metadata="URL" to each response with 401',
        )
    else:
        yield SignInCheck(
            "challenge", "RFC 6750 3", f"{demand.status} with the challenge {schemes}"
        )
        yield from _repeated(demand)
        yield from _scope(bearer.get("scope"))
    if any(one.scheme.lower() == "dpop" for one in demand.challenges):
        yield _dpop("the challenge has the scheme DPoP", Fixer.AUTHOR)


def _repeated(demand: Demand) -> Iterator[SignInCheck]:
    bearers = [one for one in demand.challenges if one.is_bearer]
    repeated = sorted({name for one in bearers for name in one.repeated})
    if len(bearers) < 2 and not repeated:
        return
    what = (
        f"{len(bearers)} Bearer challenges"
        if len(bearers) > 1
        else f"a Bearer challenge with {', '.join(map(shown, repeated))} twice"
    )
    yield SignInCheck(
        "one-challenge",
        _AUTHORIZATION,
        what,
        warning("sign-in-several-challenges", f"{what}: clients read different ones"),
        fixer=Fixer.AUTHOR,
        fix="send one Bearer challenge, and each of its parameters once",
    )


def _scope(scope: str) -> Iterator[SignInCheck]:
    names = scope.split()
    if len(names) > SCOPES_MANY:
        yield SignInCheck(
            "challenge-scope",
            "RFC 6750 3",
            f"{len(names):,} scopes",
            warning(
                "sign-in-many-scopes",
                f"the challenge names {len(names):,} scopes; a person has to agree to all of them",
            ),
            fixer=Fixer.AUTHOR,
            fix="name the scopes that this request needs",
        )
    elif names:
        yield SignInCheck("challenge-scope", "RFC 6750 3", f"scope: {shown(scope)}")
    yield from _offline(names, "scope of the challenge")


def _dpop(words: str, fixer: Fixer) -> SignInCheck:
    return SignInCheck(
        "dpop",
        "RFC 9449",
        words,
        warning("sign-in-dpop", f"DPoP: {words}, which the revisions of MCP do not have"),
        fixer=fixer,
        fix="accept Bearer tokens, too: most clients of MCP do not support DPoP",
    )


def absence_checks(fetched: Sequence[Fetched], *, is_old_way: bool) -> Iterator[SignInCheck]:
    """The resource metadata could not be had."""
    tried = "; ".join(f"{one.url}: {one.outcome}" for one in fetched) or "no place to look"
    more = "; clients use the way of 2025-03-26, the server's own origin" if is_old_way else ""
    yield SignInCheck(
        "resource-metadata",
        "RFC 9728 3",
        f"not found ({tried})",
        error(
            "sign-in-no-resource-metadata",
            f"the server has no protected resource metadata{more}",
        ),
        fixer=Fixer.AUTHOR,
        fix="serve it at the well-known place, and name it in the challenge as resource_metadata",
        since="2025-06-18",
        variant=absence(fetched),
    )


def place_checks(demand: Demand, *, is_named: bool) -> Iterator[SignInCheck]:
    """Where the metadata was found: only a place in the challenge is known to all revisions.

    `is_named`: whether it is that one.
    """
    bearer = demand.bearer
    if bearer is None:
        return
    named = bearer.get("resource_metadata")
    if not named:
        yield SignInCheck(
            "metadata-place",
            "RFC 9728 5.1",
            "found at a well-known place, the challenge does not name it",
            note(
                "sign-in-metadata-not-named",
                "resource_metadata is not in the challenge: clients of 2025-06-18 look only there",
            ),
            fixer=Fixer.AUTHOR,
            fix="add resource_metadata to the challenge",
            since="2025-06-18",
        )
    elif is_named and origin_of(named) != origin_of(demand.url):
        yield SignInCheck(
            "metadata-place",
            "RFC 9728 3.3",
            "at another origin than the server",
            note(
                "sign-in-metadata-elsewhere",
                "the resource metadata is at another origin than the server; some clients refuse",
            ),
            (("resource_metadata", shown(named)), ("URL of the server", shown(demand.plain_url))),
            Fixer.AUTHOR,
            "serve the metadata at the origin of the server",
        )


def resource_checks(
    document: Mapping[str, JsonValue], url: str, demand: Demand
) -> Iterator[SignInCheck]:
    """The document of the server at `url`, a URL without credentials."""
    yield _about_this_server(document.get("resource"), url, demand)
    yield from _servers(document)
    yield from _scopes_supported(document, demand)
    methods = texts(document.get("bearer_methods_supported"))
    if methods is not None and "header" not in methods:
        yield SignInCheck(
            "bearer-methods",
            "RFC 9728 2, RFC 6750 2.1",
            shown(list(methods)),
            error(
                "sign-in-no-header-tokens",
                "bearer_methods_supported has no “header”, where MCP clients send their token",
            ),
            (("bearer_methods_supported", shown(list(methods))),),
            Fixer.AUTHOR,
            "accept the token in the Authorization header, and list “header”",
        )
    if document.get("dpop_bound_access_tokens_required") is True:
        yield _dpop("dpop_bound_access_tokens_required is true", Fixer.AUTHOR)


def _about_this_server(resource: JsonValue, url: str, demand: Demand) -> SignInCheck:
    clause = "RFC 9728 3.3"
    if not isinstance(resource, str) or not resource:
        is_missing = resource in (None, "")
        state = "missing" if is_missing else f"{kind_words(resource)}, not a string"
        return SignInCheck(
            "resource",
            clause,
            f"resource is {state}",
            error("sign-in-resource-mismatch", f"resource of the metadata is {state}"),
            fixer=Fixer.AUTHOR,
            fix=f"set resource to {shown(url)}",
            since="2025-06-18",
        )
    compared = (("resource in the metadata", shown(resource)), ("URL of the server", shown(url)))
    if resource in (url, demand.url):
        return SignInCheck(
            "resource", clause, f"the metadata is about {shown(url)}", None, compared
        )
    both = f"“{shown(resource)}” in the metadata, “{shown(url)}” is the server"
    if is_parent(resource, url):
        return SignInCheck(
            "resource",
            clause,
            "a parent of the server's URL, or a slash more or less",
            warning(
                "sign-in-resource-differs",
                f"resource differs from the server's URL: {both}; some clients accept a parent",
            ),
            compared,
            Fixer.AUTHOR,
            f"set resource to {shown(url)}",
            since="2025-06-18",
            variant="slash-added" if resource == f"{url}/" else "parent",
        )
    return SignInCheck(
        "resource",
        clause,
        "the metadata is about another server",
        error("sign-in-resource-mismatch", f"the metadata is about another server: {both}"),
        compared,
        Fixer.AUTHOR,
        f"set resource to the URL that clients use, {shown(url)}",
        since="2025-06-18",
    )


def is_parent(resource: str, url: str) -> bool:
    """True if a resource has the origin of a URL, and a path above its path or the same one."""
    if origin_of(resource) is None or origin_of(resource) != origin_of(url):
        return False
    above, path = (urlsplit(one).path.rstrip("/") + "/" for one in (resource, url))
    return path.startswith(above)


def _servers(document: Mapping[str, JsonValue]) -> Iterator[SignInCheck]:
    value = document.get("authorization_servers")
    names = texts(value)
    if not names:
        state = "missing" if value is None else "empty" if value == [] else "not a list of strings"
        yield SignInCheck(
            "authorization-servers",
            "RFC 9728 2",
            f"authorization_servers is {state}",
            error(
                "sign-in-no-authorization-server",
                f"authorization_servers of the resource metadata is {state}",
            ),
            fixer=Fixer.AUTHOR,
            fix="list the issuer of the authorization server",
            since="2025-06-18",
        )
        return
    several = f", the first of {len(names):,}: clients use the first" if names[1:] else ""
    words = f"{shown(names[0])}{several}"
    yield SignInCheck("authorization-servers", "RFC 9728 2", words)


def _offline(names: Sequence[str], where: str) -> Iterator[SignInCheck]:
    if _OFFLINE in names:
        yield SignInCheck(
            "offline-access",
            "OpenID Connect Core 11",
            f"{where} has {_OFFLINE}",
            note(
                "sign-in-offline-scope",
                f"{where} has {_OFFLINE}: refresh tokens are not a matter of the server",
            ),
            fixer=Fixer.AUTHOR,
            fix=f"leave {_OFFLINE} to the authorization server",
            since="2026-07-28",
        )


def _scopes_supported(document: Mapping[str, JsonValue], demand: Demand) -> Iterator[SignInCheck]:
    yield from _offline(texts(document.get("scopes_supported")) or (), "scopes_supported")
    bearer = demand.bearer
    if bearer is not None and bearer.get("scope"):
        return
    scopes = texts(document.get("scopes_supported"))
    if scopes:
        words = f"all of scopes_supported are requested: {shown(list(scopes))}"
        yield SignInCheck("scopes", "RFC 9728 2", words)
        return
    yield SignInCheck(
        "scopes",
        "RFC 6750 3",
        "neither the challenge nor scopes_supported names a scope",
        note(
            "sign-in-no-scope",
            "no scope is named: clients send no scope, and the authorization server chooses",
        ),
        fixer=Fixer.AUTHOR,
        fix="add scope to the challenge",
        since="2025-11-25",
    )
