"""The authorization code flow with PKCE (OAuth 2.1, 4.1): the page, and the address it ends at.

Nothing here sends anything. Addresses come from other machines: sizes and repetitions are checked,
and their texts are quoted.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ...content.frozen import frozen
from ...content.text import shortened
from ..http.refusals import quoted
from .server_checks import difference
from .tokens import SAID, SignInFailed
from .values import shown

ANSWER_MAX: Final = 16_000
"""Characters of the address that the browser ends at."""
CODE_MAX: Final = 8_000
_SINGLE: Final = ("code", "state", "iss", "error", "error_description")
_REQUEST: Final = frozenset(
    (
        *("response_type", "client_id", "redirect_uri", "state", "code_challenge"),
        *("code_challenge_method", "resource", "scope", "prompt"),
    )
)
_DENIED: Final = {
    "access_denied": "the sign-in was denied, by you or by the authorization server",
    "invalid_request": "the authorization server found the request invalid",
    "invalid_scope": "the authorization server does not grant these scopes",
    "invalid_target": "the authorization server does not know this server as a resource (RFC 8707)",
    "unauthorized_client": "the authorization server does not let this client sign in by a browser",
    "unsupported_response_type": "the authorization server does not support the code flow",
    "server_error": "the authorization server failed",
    "temporarily_unavailable": "the authorization server is not available now: try again later",
    "login_required": "the authorization server wants another sign-in of yours first",
    "consent_required": "the authorization server needs your consent, and did not get it",
}


_SCOPE: Final = re.compile(r"[!#-\[\]-~]+")
"""RFC 6749, 3.3."""


def is_scope(text: str) -> bool:
    """True for one scope that a request can have."""
    return _SCOPE.fullmatch(text) is not None


@frozen
class CodeRequest:
    """One request for a code; each has a verifier and a state of its own."""

    endpoint: str
    client_id: str
    redirect: str
    scopes: tuple[str, ...]
    resource: str
    verifier: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(48))
    state: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def url(self) -> str:
        """The page: the endpoint with its own query kept, and the parameters (RFC 6749, 3.1)."""
        digest = hashlib.sha256(self.verifier.encode("ascii")).digest()
        given = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "state": self.state,
            "code_challenge": urlsafe_b64encode(digest).decode("ascii").rstrip("="),
            "code_challenge_method": "S256",
            "resource": self.resource,
        }
        if self.scopes:
            given["scope"] = " ".join(self.scopes)
        if "offline_access" in self.scopes:
            # OpenID Connect Core, 11: without it no refresh token is given.
            given["prompt"] = "consent"
        parts = urlsplit(self.endpoint)
        query = "&".join(one for one in (parts.query, urlencode(given)) if one)
        return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def clashing(endpoint: object) -> list[str]:
    """The parameters of a request that an endpoint has in its own query."""
    query = urlsplit(endpoint).query if isinstance(endpoint, str) else ""
    return [name for name, _ in parse_qsl(query, keep_blank_values=True) if name in _REQUEST]


def code_of(
    query: str,
    request: CodeRequest,
    issuer: str,
    *,
    is_iss_promised: bool,
    scrub: Callable[[str], str] = str,
) -> str:
    """The code in the query of the address that the browser ended at.

    `issuer` is the one of the metadata, compared as it is (RFC 9207, 2.4); `scrub` takes secrets
    out of a text before it is cut. Raises SignInFailed.
    """
    if len(query) > ANSWER_MAX:
        raise SignInFailed(f"the answer of the browser has {len(query):,} characters")
    given = _parameters(query)
    found = given.get("state", "").encode("utf-8", "surrogatepass")
    if not secrets.compare_digest(found, request.state.encode()):
        raise SignInFailed(
            "the answer of the browser has another state than the request: it may be of another "
            "sign-in, or an attack, and is not used (RFC 6749 10.12)"
        )
    _check_iss(given, issuer, is_iss_promised=is_iss_promised)
    if "error" in given:
        raise SignInFailed(_refusal(given, scrub))
    code = given.get("code", "")
    if not code:
        raise SignInFailed("the answer of the browser has neither a code nor an error")
    if len(code) > CODE_MAX:
        words = f"the code of the answer has {len(code):,} characters"
        raise SignInFailed(f"{words}, over {CODE_MAX:,}")
    return code


def query_of(pasted: str, redirect: str) -> str:
    """The query of an address that a person pasted. Raises ValueError, in words."""
    text = "".join(pasted.split())
    if len(text) > ANSWER_MAX:
        raise ValueError(f"that has {len(text):,} characters, more than any such address")
    try:
        parts = urlsplit(text)
        path = parts.path or "/"
        here = urlunsplit((parts.scheme, parts.netloc.lower(), path, "", ""))
        is_there = here == (redirect if urlsplit(redirect).path else f"{redirect}/")
    except ValueError:
        is_there = False
        parts = urlsplit("")
    if not is_there:
        raise ValueError(f"that is another address: it begins with {redirect}?")
    if "state" not in dict(parse_qsl(parts.query)):
        raise ValueError("that address is not whole: copy all of it, also what comes after the ?")
    return parts.query


def _parameters(query: str) -> Mapping[str, str]:
    """The parameters; one that counts must not come twice (RFC 6749, 3.1). Raises SignInFailed."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise SignInFailed("the answer of the browser has too many parameters") from None
    names = [name for name, _ in pairs]
    if twice := [one for one in _SINGLE if names.count(one) > 1]:
        raise SignInFailed(f"the answer of the browser has {', '.join(twice)} twice")
    return dict(pairs)


def _check_iss(given: Mapping[str, str], issuer: str, *, is_iss_promised: bool) -> None:
    """Compare who answers with who was asked (RFC 9207, 2.4). Raises SignInFailed."""
    found = given.get("iss")
    if found is None:
        if not is_iss_promised:
            return
        raise SignInFailed(
            f"the answer of the browser has no iss, which {shown(issuer)} promises in its "
            "metadata: it is not used (RFC 9207 2.4); to be fixed by the authorization server's "
            "operator"
        )
    if found != issuer:
        why = f"they differ: {difference(found, issuer)[1]}" if found else "it is empty"
        raise SignInFailed(
            f"the answer of the browser is of “{shown(found)}” (iss), and “{shown(issuer)}” was "
            f"asked ({why}): it is not used (RFC 9207 2.4); to be fixed by the authorization "
            "server's operator, unless it is an attack"
        )


def _refusal(given: Mapping[str, str], scrub: Callable[[str], str]) -> str:
    code, said = (scrub(given.get(name, "")) for name in ("error", "error_description"))
    words = _DENIED.get(code, f"the authorization server answered with {quoted(shown(code))}")
    more = f" ({code})" if code in _DENIED else ""
    return f"{words}{more}{f': {quoted(shortened(said, SAID))}' if said else ''}"
