"""Responses of a token endpoint: a token, or in words why there is none (RFC 6749, 5).

Everything in them comes from another machine: types and sizes are checked, texts are made safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from time import monotonic, time
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ..http.refusals import quoted, retry_words, status_words
from .fetching import Fetched
from .values import kind_words, shown

TOKEN: Final = "token response"
TOKEN_MAX: Final = 64_000
"""Characters of a token; servers and proxies refuse longer headers."""
LIFETIME_MAX: Final = 10 * 366 * 24 * 3_600
"""Seconds; longer ones are taken for a mistake."""
EARLY_SECONDS: Final = 30.0
"""How long before its end a token is replaced; of a short life, a tenth of it."""
PAUSE_SECONDS: Final = 5.0
PAUSE_MAX: Final = 300.0
"""Pauses after a failure that may pass by itself."""
SAID: Final = 300
_WEATHER: Final = frozenset((408, 425, 429))
_ERRORS: Final = {
    "invalid_client": "does not know the client, or its secret is wrong",
    "invalid_grant": "does not accept the client's credentials",
    "invalid_request": "found the request invalid",
    "invalid_scope": "does not grant these scopes",
    "invalid_target": "does not know this server as a resource (RFC 8707)",
    "unauthorized_client": "does not let this client sign in with its credentials",
    "unsupported_grant_type": "does not support client credentials",
    "temporarily_unavailable": "is not available now",
    "server_error": "failed",
}
_OF_CODES: Final = {
    "invalid_grant": "does not accept the code: it was used before, has ended, or is of another "
    "client",
    "unauthorized_client": "does not let this client sign in by a browser",
    "unsupported_grant_type": "does not support authorization codes",
}
_OF_REFRESHES: Final = {
    "invalid_grant": "does not accept the refresh token: it was used before, was revoked, or has "
    "ended",
    "unauthorized_client": "does not let this client use refresh tokens",
    "unsupported_grant_type": "does not support refresh tokens",
}


class GrantType(Enum):
    """What a token is requested for; the value is its name in a request."""

    CLIENT = "client_credentials"
    CODE = "authorization_code"
    REFRESH = "refresh_token"

    def error_words(self, code: str) -> str:
        """What an error code of a token endpoint means; empty for one that no standard has."""
        own = {GrantType.CODE: _OF_CODES, GrantType.REFRESH: _OF_REFRESHES}.get(self, {})
        return own.get(code, _ERRORS.get(code, ""))


class SignInFailed(Exception):
    """No token could be had; `words` are safe to show, and have no secret."""

    def __init__(self, words: str, pause: float | None = None, code: str = "") -> None:
        """`pause`: seconds after which another try makes sense; None for never. `code` is the
        error of a token endpoint, raw; empty for any other reason.
        """
        super().__init__(words)
        self.words = words
        self.pause = pause
        self.code = code


class NotNow(SignInFailed):
    """A person did not sign in; another request may ask again."""


@frozen
class Token:
    """An access token for one resource, by one issuer."""

    value: str = field(repr=False)
    issuer: str
    resource: str
    scopes: tuple[str, ...]
    """Those that were granted."""
    lifetime: float | None = None
    """Seconds; None if its end is not known."""
    oddity: str = ""
    """A mistake in the response, with which the token can be used; safe to show."""
    since: float = field(default_factory=lambda: monotonic())
    until: float | None = None
    """Its end in seconds since 1970; None if that is not known."""

    @property
    def is_ending(self) -> bool:
        """True if it should be replaced before the next request."""
        if self.lifetime is None:
            return False
        return self._left <= min(EARLY_SECONDS, self.lifetime / 10)

    @property
    def has_ended(self) -> bool:
        return self.lifetime is not None and self._left <= 0

    @property
    def _left(self) -> float:
        return (self.lifetime or 0.0) - (monotonic() - self.since)


def read_token(
    found: Fetched,
    issuer: str,
    resource: str,
    asked: tuple[str, ...],
    grant: GrantType = GrantType.CLIENT,
) -> Token:
    """The token of a response; `asked` are the scopes that were requested. Raises SignInFailed."""
    document = found.document
    if document is None or found.status != 200:
        raise _refusal(found, issuer, asked, grant)
    if found.repeated:
        raise _useless(issuer, f"has {', '.join(map(shown, found.repeated))} twice")
    value = _token_in(document, "access_token", issuer)
    if not value:
        raise _useless(issuer, "has no access_token")
    kind = document.get("token_type")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        state = "no token_type" if kind is None else f"the token_type {quoted(shown(kind))}"
        raise _useless(issuer, f"has {state}, and MCP has only Bearer tokens")
    lifetime, oddity = _lifetime(document)
    granted = document.get("scope")
    scopes = tuple(granted.split()) if isinstance(granted, str) and granted.strip() else asked
    until = None if lifetime is None else time() + lifetime
    return Token(value, issuer, resource, scopes, lifetime, oddity, until=until)


def refresh_token_in(found: Fetched, issuer: str) -> str:
    """The refresh token of a response; empty without one. Raises SignInFailed."""
    return _token_in(found.document or {}, "refresh_token", issuer)


def _token_in(document: Mapping[str, JsonValue], name: str, issuer: str) -> str:
    value = document.get(name)
    if value in (None, ""):
        return ""
    if not isinstance(value, str):
        raise _useless(issuer, f"has {kind_words(value)} as {name}")
    if len(value) > TOKEN_MAX:
        raise _useless(issuer, f"has a token of {len(value):,} characters, over {TOKEN_MAX:,}")
    if not all("!" <= sign <= "~" for sign in value):
        raise _useless(issuer, "has a token with characters that no header can have")
    return value


def _lifetime(document: Mapping[str, JsonValue]) -> tuple[float | None, str]:
    """The seconds of a token's life, and the mistake in them."""
    value = document.get("expires_in")
    if value is None:
        return None, ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        told = f"{kind_words(value)}, {quoted(shown(value))}"
    elif not 0 < value <= LIFETIME_MAX:
        told = shown(value)
    else:
        return float(value), ""
    words = f"expires_in of the token is {told}, not a plausible number of seconds"
    return None, f"{words}: its end is not known"


def _useless(issuer: str, state: str) -> SignInFailed:
    return SignInFailed(f"the {TOKEN} of {shown(issuer)} {state}")


def is_weather(found: Fetched) -> bool:
    """True for a refusal that may pass by itself, so that nothing is known to be wrong."""
    is_later = found.status in _WEATHER or found.status >= 500
    return is_later or _error(found)[0] == "temporarily_unavailable"


def unavailable(found: Fetched, who: str) -> SignInFailed:
    """What such a refusal comes to."""
    words = f"{who} is not available now ({status_words(found.status)})"
    advice = retry_words(found.retry_after) or "try again later"
    return SignInFailed(f"{words}; the client was not refused: {advice}", _pause(found))


def _refusal(found: Fetched, issuer: str, asked: tuple[str, ...], grant: GrantType) -> SignInFailed:
    """Why a response has no token: refused, or only not now."""
    who = f"the authorization server {shown(issuer)}"
    code, said = _error(found)
    if is_weather(found):
        return unavailable(found, who)
    if found.is_refused:
        return SignInFailed(f"{found.url} was not requested: {found.problem}")
    if not found.status:
        return SignInFailed(f"no response of {found.url}: {found.problem}", PAUSE_SECONDS)
    if not code:
        return SignInFailed(f"the {TOKEN} of {shown(issuer)} cannot be used: {found.outcome}")
    known = grant.error_words(code)
    meaning = known or f"answered with the error {quoted(shown(code))}"
    more = f" ({code})" if known else ""
    if code == "invalid_scope" and asked:
        more += f": {shown(' '.join(asked))}"
    return SignInFailed(f"{who} {meaning}{more}{f': {said}' if said else ''}", code=code)


def _error(found: Fetched) -> tuple[str, str]:
    document = found.document or {}
    code, said = document.get("error"), document.get("error_description")
    told = quoted(shortened(said, SAID)) if isinstance(said, str) and said else ""
    return (code if isinstance(code, str) else ""), told


def _pause(found: Fetched) -> float:
    """How long no other request makes sense."""
    text = found.retry_after.strip()
    wanted = float(text) if text.isascii() and text.isdigit() and len(text) < 10 else PAUSE_SECONDS
    return min(max(wanted, PAUSE_SECONDS), PAUSE_MAX)
