"""How Signoff is known at an authorization server: given, by a document, or registered.

In the order of the specification (2026-07-28, basic/authorization/client-registration): a client id
that the person has, the URL of a client id document where such are supported, and dynamic
registration (RFC 7591), which is deprecated.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote_plus

from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ...storage.sign_in_files import ClientIdentity
from ..http.refusals import quoted
from .fetching import Fetched
from .tokens import PAUSE_SECONDS, SAID, TOKEN_MAX, SignInFailed, is_weather, unavailable
from .values import kind_words, shown, texts

NONE, BASIC, POST = "none", "client_secret_basic", "client_secret_post"
METHODS: Final = (NONE, BASIC, POST)
REGISTRATION: Final = "registration response"
GIVEN, DOCUMENT, REGISTERED = "given", "document", "registered"
_ID_MAX: Final = 4_000


def method_for(server: Mapping[str, JsonValue], *, has_secret: bool, issuer: str) -> str:
    """How a client with or without a secret proves who it is. Raises SignInFailed."""
    listed = texts(server.get("token_endpoint_auth_methods_supported"))
    known = METHODS[1:] if has_secret else METHODS[:1]
    usable = [one for one in known if listed is None or one in listed]
    if not usable and not has_secret:
        # Many servers list only the methods of clients that have a secret.
        return NONE
    if not usable:
        raise SignInFailed(
            f"the authorization server {shown(issuer)} lets clients sign in by "
            f"{shown(list(listed or ()))}; with a secret it is {' or '.join(known)}"
        )
    return usable[0]


def registration_of(
    server: Mapping[str, JsonValue], redirect: str, scopes: Sequence[str]
) -> dict[str, JsonValue]:
    """The metadata with which Signoff registers itself (RFC 7591, 2)."""
    listed = texts(server.get("token_endpoint_auth_methods_supported"))
    method = next((one for one in METHODS if listed is None or one in listed), NONE)
    wanted: dict[str, JsonValue] = {
        "client_name": "Signoff",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
        "application_type": "native",
    }
    return wanted | {"scope": " ".join(scopes)} if scopes else wanted


def registered(found: Fetched, redirect: str, issuer: str) -> ClientIdentity:
    """The client of a registration response (RFC 7591, 3.2). Raises SignInFailed."""
    document = found.document
    who = f"the authorization server {shown(issuer)}"
    if document is None or found.status not in (200, 201):
        raise _refused(found, who)
    response = f"the {REGISTRATION} of {shown(issuer)}"
    if found.repeated:
        raise SignInFailed(f"{response} has {', '.join(map(shown, found.repeated))} twice")
    client_id = document.get("client_id")
    if not isinstance(client_id, str) or not _is_plain(client_id, _ID_MAX):
        raise SignInFailed(f"{response} has no usable client_id")
    secret = document.get("client_secret")
    if secret is not None and not isinstance(secret, str):
        raise SignInFailed(f"{response} has {kind_words(secret)} as client_secret")
    if secret and not _is_plain(secret, TOKEN_MAX):
        raise SignInFailed(f"{response} has a client_secret that cannot be used")
    method = document.get("token_endpoint_auth_method")
    if method is None:
        method = BASIC if secret else NONE
    if not isinstance(method, str):
        raise SignInFailed(f"{response} has {kind_words(method)} as token_endpoint_auth_method")
    if method not in METHODS:
        raise SignInFailed(
            f"{who} registered Signoff with the method {quoted(shown(method))}, which Signoff does "
            "not support"
        )
    if method != NONE and not secret:
        raise SignInFailed(f"{who} registered Signoff with {method}, and gave it no secret")
    return ClientIdentity(client_id, secret or "", method, redirect, REGISTERED)


def _is_plain(text: str, longest: int) -> bool:
    """True for what can be a client id or a secret (RFC 6749, A.1 and A.2)."""
    return 0 < len(text) <= longest and all(" " <= sign <= "~" for sign in text)


def _refused(found: Fetched, who: str) -> SignInFailed:
    if found.is_refused:
        return SignInFailed(f"{found.url} was not requested: {found.problem}")
    if not found.status:
        return SignInFailed(f"no response of {found.url}: {found.problem}", PAUSE_SECONDS)
    if is_weather(found):
        return unavailable(found, who)
    document = found.document or {}
    code, said = document.get("error"), document.get("error_description")
    told = f" ({shown(code)})" if isinstance(code, str) else f": {found.outcome}"
    more = f": {quoted(shortened(said, SAID))}" if isinstance(said, str) and said else ""
    advice = "get a client id from its operator, and give it with --client-id"
    return SignInFailed(f"{who} did not register Signoff{told}{more}; {advice}")


def authenticated(client: ClientIdentity, form: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """A form for the token endpoint with the client in it, and the value of `Authorization`
    (RFC 6749, 2.3.1). The id is in the form in any case: servers of the SDK look only there.
    """
    given = {**form, "client_id": client.client_id}
    if client.method == BASIC:
        pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret)}"
        return given, f"Basic {b64encode(pair.encode()).decode('ascii')}"
    return (given | {"client_secret": client.secret} if client.method == POST else given), ""
