"""Checks of the authorization server metadata (RFC 8414, OpenID Connect), without requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import error, note, warning
from .fetching import Fetched
from .guard import Guard, Zone, origin_of, zone_of_host
from .values import Fixer, SignInCheck, absence, kind_words, shown, texts

S256: Final = "S256"
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "registration_endpoint")
_USABLE_AUTH: Final = frozenset(("none", "client_secret_basic", "client_secret_post"))
_PKCE: Final = "code_challenge_methods_supported"
_PORTS: Final = {"http": ":80", "https": ":443"}


def absence_checks(fetched: Sequence[Fetched], issuer: str) -> Iterator[SignInCheck]:
    """The metadata of the authorization server could not be had."""
    tried = "; ".join(f"{one.url}: {one.outcome}" for one in fetched) or "no place to look"
    is_refused = bool(fetched) and all(one.is_refused for one in fetched)
    why = next((f": {one.outcome}" for one in fetched if not one.is_absent), "")
    yield SignInCheck(
        "server-metadata",
        "RFC 8414 3, OpenID Connect Discovery 4",
        f"not found ({tried})",
        error(
            "sign-in-no-server-metadata",
            f"the authorization server {shown(issuer)} has no metadata that can be read{why}",
        ),
        fixer=Fixer.AUTHOR if is_refused else Fixer.OPERATOR,
        fix="list an authorization server that clients can reach"
        if is_refused
        else "serve RFC 8414 or OpenID metadata at one of the places above",
        variant=absence(fetched),
    )


def server_checks(
    document: Mapping[str, JsonValue], issuer: str, guard: Guard
) -> Iterator[SignInCheck]:
    """The document of the authorization server `issuer`, as the resource metadata names it."""
    yield _issuer(document.get("issuer"), issuer)
    for name in _ENDPOINTS:
        yield from _endpoint(name, document.get(name), guard)
    yield _pkce(document)
    yield from _code_flow(document)
    yield _registration(document)
    yield from _token_auth(document)
    yield _iss(document)


def _issuer(found: JsonValue, expected: str) -> SignInCheck:
    clause = "RFC 8414 3.3"
    compared = (("issuer in the metadata", shown(found)), ("issuer in use", shown(expected)))
    if found == expected:
        return SignInCheck("issuer", clause, f"the same in both: {shown(expected)}", None, compared)
    fix = f"set issuer to {shown(expected)}, or list the other one in authorization_servers"
    if not isinstance(found, str) or not found:
        is_missing = found in (None, "")
        state = "missing" if is_missing else f"{kind_words(found)}, not a string"
        return SignInCheck(
            "issuer",
            clause,
            f"issuer is {state}",
            error("sign-in-issuer-mismatch", f"issuer of the authorization server is {state}"),
            compared,
            Fixer.OPERATOR,
            f"set issuer to {shown(expected)}",
        )
    variant, why = difference(found, expected)
    both = f"“{shown(found)}” in the metadata, “{shown(expected)}” in use ({why})"
    return SignInCheck(
        "issuer",
        clause,
        f"the issuers differ: {why}",
        error("sign-in-issuer-mismatch", f"the issuers differ: {both}"),
        compared,
        # A slash or a case is a mistake of the list; another host may be an attack.
        Fixer.AUTHOR if variant != "other" else Fixer.OPERATOR,
        f"list {shown(found)} in authorization_servers, exactly as the metadata has it"
        if variant != "other"
        else fix,
        variant=variant,
    )


def difference(found: str, expected: str) -> tuple[str, str]:
    """How two issuers differ: a stable word for it, and one for people."""
    if found == f"{expected}/":
        return f"{_root(expected)}slash-added", "only by a slash at the end"
    if expected == f"{found}/":
        return f"{_root(found)}slash-missing", "only by a slash at the end"
    if found.casefold() == expected.casefold():
        return "case", "only by upper and lower case"
    if _plain(found) == _plain(expected):
        return "normalized", "only by writing: case, port or slash"
    if (here := origin_of(found)) and (there := origin_of(expected)):
        if here == there:
            return "other", "another path"
        if here.host == there.host and here.scheme != there.scheme:
            return "other", "another scheme"
        if here.host == there.host:
            return "other", "another port"
        if zone_of_host(here.host) is zone_of_host(there.host) is Zone.LOOPBACK:
            return "other", "another name of this machine"
    return "other", "another host"


def _root(url: str) -> str:
    """The beginning of the word for a URL without a path: some clients allow its slash."""
    origin = origin_of(url)
    return "root-" if origin is not None and url == origin.text else ""


def _plain(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    netloc = parts.netloc.lower().removesuffix(_PORTS.get(scheme, " "))
    return f"{scheme}://{netloc}{parts.path.rstrip('/')}"


def _endpoint(name: str, value: JsonValue, guard: Guard) -> Iterator[SignInCheck]:
    if value is None and name == "registration_endpoint":
        return
    clause = "RFC 8414 2, RFC 6749 3.1"
    if value is None:
        yield SignInCheck(
            name,
            clause,
            "missing",
            error("sign-in-endpoint-missing", f"{name} of the authorization server is missing"),
            fixer=Fixer.OPERATOR,
            fix=f"set {name}",
        )
        return
    if why := why_unsafe(value, guard):
        yield SignInCheck(
            name,
            clause,
            why,
            error("sign-in-endpoint-unsafe", f"{name} is “{shown(value)}”: {why}"),
            ((name, shown(value)),),
            Fixer.OPERATOR,
            "use an https URL without a fragment",
        )
        return
    yield SignInCheck(name, clause, shown(value))


def why_unsafe(value: JsonValue, guard: Guard) -> str:
    """Why an endpoint must not be used; empty if it may be."""
    if not isinstance(value, str):
        return f"it is {kind_words(value)}, not a URL"
    scheme = value.partition(":")[0].lower() if ":" in value[:40] else ""
    origin = origin_of(value)
    if origin is None:
        is_other = scheme not in ("", "http", "https")
        return f"the scheme {shown(scheme)} is not https" if is_other else "it is not a valid URL"
    if "#" in value:
        return "it has a fragment, which RFC 6749 3.1 does not allow"
    if origin.scheme == "http" and zone_of_host(origin.host) is not Zone.LOOPBACK:
        return "it is http: endpoints must be https"
    return guard.why_not(value)


def _pkce(document: Mapping[str, JsonValue]) -> SignInCheck:
    clause = "OAuth 2.1 7.5.2, RFC 8414 2"
    value = document.get(_PKCE)
    methods = texts(value)
    fix = f'set {_PKCE} to ["{S256}"]'
    if methods is None:
        state = "missing" if value is None else f"{kind_words(value)}, not a list of strings"
        return SignInCheck(
            "pkce",
            clause,
            f"{state}: clients must refuse this authorization server",
            error(
                "sign-in-no-pkce",
                f"{_PKCE} is {state}: clients must refuse this authorization server",
            ),
            ((_PKCE, "(not set)" if value is None else shown(value)),),
            Fixer.OPERATOR,
            fix,
            since="2025-11-25",
        )
    listed = shown(list(methods))
    if S256 not in methods:
        return SignInCheck(
            "pkce",
            clause,
            f"without {S256}",
            error("sign-in-no-s256", f"{_PKCE} is {listed}, without {S256}"),
            ((_PKCE, listed),),
            Fixer.OPERATOR,
            fix,
            since="2025-11-25",
        )
    return SignInCheck("pkce", clause, f"{_PKCE}: {listed}")


def _code_flow(document: Mapping[str, JsonValue]) -> Iterator[SignInCheck]:
    for key, needed in (
        ("response_types_supported", "code"),
        ("grant_types_supported", "authorization_code"),
    ):
        values = texts(document.get(key))
        if values is not None and needed not in values:
            listed = shown(list(values))
            yield SignInCheck(
                key.replace("_supported", "").replace("_", "-"),
                "RFC 8414 2, OAuth 2.1 4.1",
                f"{key} is {listed}",
                error("sign-in-no-code-flow", f"{key} is {listed}, without {needed}"),
                ((key, listed),),
                Fixer.OPERATOR,
                f"support {needed}, and list it",
            )


def _registration(document: Mapping[str, JsonValue]) -> SignInCheck:
    clause = "RFC 7591 3, OAuth Client ID Metadata Document 5"
    has_documents = document.get("client_id_metadata_document_supported") is True
    has_registration = document.get("registration_endpoint") is not None
    if has_documents:
        more = ", and dynamic registration" if has_registration else ""
        return SignInCheck("registration", clause, f"client ID metadata documents{more}")
    if has_registration:
        return SignInCheck(
            "registration",
            clause,
            "dynamic registration only",
            note(
                "sign-in-registration-deprecated",
                "clients get an id by dynamic registration only, deprecated since 2026-07-28",
            ),
            fixer=Fixer.OPERATOR,
            fix="support client ID metadata documents, too",
            since="2026-07-28",
        )
    return SignInCheck(
        "registration",
        clause,
        "only clients that were registered before",
        warning(
            "sign-in-no-registration",
            "registration_endpoint is missing, and client ID metadata documents are not supported:"
            " each client needs an id from the authorization server's operator",
        ),
        fixer=Fixer.OPERATOR,
        fix="support client ID metadata documents; or give each user a client id",
    )


def _token_auth(document: Mapping[str, JsonValue]) -> Iterator[SignInCheck]:
    methods = texts(document.get("token_endpoint_auth_methods_supported"))
    if methods is None or _USABLE_AUTH.intersection(methods):
        return
    listed = shown(list(methods))
    yield SignInCheck(
        "token-auth",
        "RFC 8414 2",
        f"token_endpoint_auth_methods_supported is {listed}",
        warning(
            "sign-in-token-auth",
            f"token_endpoint_auth_methods_supported is {listed}: a client without a key of its "
            "own cannot get a token",
        ),
        (("token_endpoint_auth_methods_supported", listed),),
        Fixer.OPERATOR,
        "support none (public clients), client_secret_basic or client_secret_post",
    )


def _iss(document: Mapping[str, JsonValue]) -> SignInCheck:
    clause = "RFC 9207 2.3"
    key = "authorization_response_iss_parameter_supported"
    if document.get(key) is True:
        return SignInCheck("iss", clause, "the answer of the browser names its issuer")
    return SignInCheck(
        "iss",
        clause,
        f"{key} is not true",
        note(
            "sign-in-no-iss",
            "the authorization server does not promise iss in its answers, so a mix-up of servers "
            "is harder to see",
        ),
        fixer=Fixer.OPERATOR,
        fix=f"send iss with each answer, and set {key} to true",
        since="2026-07-28",
    )
