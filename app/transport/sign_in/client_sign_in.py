"""The sign-in of a client with credentials of its own, for one connection (OAuth 2.1, 4.2).

It lives beside the requests: they only wait for it without a usable token, and then all of them for
the same one. The token is in memory only, and goes to one origin only.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import httpx2

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import Finding, warning
from ...schemas.secrets.masks import SecretScrubber
from .assertion import KIND
from .challenge import Demand
from .credentials import ClientCredentials
from .explaining import in_one_line
from .explanation import SignInExplanation
from .fetching import Fetcher
from .guard import WebOrigin, guard_of, origin_of
from .resource_checks import SCOPES_MANY
from .signed_in import SignedIn
from .tokens import PAUSE_SECONDS, TOKEN, SignInFailed, Token, read_token
from .values import Discovery, shown, texts

if TYPE_CHECKING:
    import ssl

TOKENS_KEPT: Final = 20
"""Earlier tokens that are still taken out of texts."""
UNACCEPTED_SECONDS: Final = 30.0
"""How long no other token is requested after one that the server did not accept."""
SHORTEST_HIDDEN: Final = 8
"""Characters of the shortest token that is taken out of texts: a shorter one is in any text."""
GRANT: Final = "client_credentials"
BASIC, POST = "client_secret_basic", "client_secret_post"
PRIVATE_KEY: Final = "private_key_jwt"
_OFFLINE: Final = "offline_access"
NOT_FOR_CLIENTS: Final = frozenset(
    (
        *("authorization_endpoint", "registration_endpoint", "registration", "pkce", "iss"),
        *("response-types", "grant-types", "token-auth"),
    )
)
"""Checks about browsers and registration, of which this sign-in has none."""


@frozen
class _Way:
    """Where a token is requested, and for what."""

    issuer: str
    endpoint: str
    method: str
    resource: str
    scopes: tuple[str, ...]
    demand: Demand
    algorithm: str = ""
    """What the client's key signs with; empty for a secret."""
    is_grant_unlisted: bool = False
    """Whether the metadata lists its grants, and this one is not among them."""


class CredentialsSignIn:
    """Gets tokens for one connection, and knows which one is in use."""

    def __init__(
        self,
        credentials: ClientCredentials,
        explanation: SignInExplanation,
        note: Callable[[str], None],
        notice: Callable[[Finding], None],
        command: str,
    ) -> None:
        """`note` gets a line on each request, `notice` a finding; `command` is the URL for
        people.
        """
        self._credentials = credentials
        self._explanation = explanation
        self._note = note
        self._notice = notice
        self._command = command
        self._verify: ssl.SSLContext | bool = True
        self._own: httpx2.AsyncBaseTransport | None = None
        self._token: Token | None = None
        self._origin: WebOrigin | None = None
        """Where the token is sent, and nowhere else."""
        self._is_accepted = False
        """Whether the server has accepted the token."""
        self._issuer = credentials.issuer
        """The only authorization server that gets the secret, once it is known."""
        self._way: _Way | None = None
        self._running: asyncio.Task[None] | None = None
        self._failed: SignInFailed | None = None
        self._failed_at = 0.0
        self._tokens: deque[str] = deque(maxlen=TOKENS_KEPT)

    def reached_by(
        self, verify: ssl.SSLContext | bool, own: httpx2.AsyncBaseTransport | None
    ) -> None:
        """Take over how certificates are checked, and the way to the server's own socket."""
        self._verify, self._own = verify, own

    async def aclose(self) -> None:
        """Stop a sign-in that is under way."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError, SignInFailed):
                await self._running
        if self._own is not None:
            await self._own.aclose()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown: the secret, and the newest tokens."""
        return (*self._credentials.secrets, *self._tokens)

    @property
    def facts(self) -> SignedIn:
        """Its state, without secrets."""
        token, failed = self._token, self._failed
        return SignedIn(
            self._credentials.client_id,
            token.issuer if token is not None else "",
            token.scopes if token is not None else (),
            token.until if token is not None else None,
            failed.words if failed is not None else "",
        )

    def authorization(self, url: str) -> str:
        """The value of `Authorization` for a request; empty without a token for its origin."""
        token = self._token
        is_ours = token is not None and origin_of(url) == self._origin
        return f"Bearer {token.value}" if token is not None and is_ours else ""

    async def be_ready(self) -> None:
        """Replace a token that is about to end; a request waits for that only if it has ended."""
        token, way = self._token, self._way
        if token is None or way is None or not token.is_ending:
            return
        with contextlib.suppress(SignInFailed):
            running = self._started(way.demand, way)
            if token.has_ended:
                await asyncio.shield(running)
        if self._token is token and token.has_ended:
            self._token = None

    def accepted(self, authorization: str) -> None:
        """The server has accepted a request with this header."""
        if authorization and authorization == self._header:
            self._is_accepted = True

    async def demanded(self, demand: Demand, authorization: str) -> None:
        """Sign in, since a request with this header was answered 401; none twice for one token.

        Raises SignInFailed.
        """
        if self._token is not None and authorization != self._header:
            # Another request has led to a new token in the meantime.
            return
        if self._token is not None and not self._is_accepted:
            raise self._remember(SignInFailed(self._unaccepted(self._token), UNACCEPTED_SECONDS))
        self._token = None
        await self._once(demand, None)

    def scope_words(self, demand: Demand) -> str:
        """Describe a response with 403 `insufficient_scope`."""
        bearer = demand.bearer
        wanted = bearer.get("scope") if bearer is not None else ""
        has = " ".join(self._token.scopes) if self._token is not None else ""
        told = f"signed in as {shown(self._credentials.client_id)}, but with too few rights"
        scopes = f"the token has {f'the scopes “{shown(has)}”' if has else 'no scope'}"
        if not wanted:
            return f"{told} (insufficient_scope): {scopes}; the server names none that it needs"
        advice = f"the server needs “{shown(wanted)}”: give those to --scope"
        return f"{told} (insufficient_scope): {scopes}, {advice}"

    @property
    def _header(self) -> str:
        return f"Bearer {self._token.value}" if self._token is not None else ""

    def _unaccepted(self, token: Token) -> str:
        who = f"the server does not accept a new token of {shown(token.issuer)}"
        return f"{who}, its own authorization server; to be fixed by the server's author"

    async def _once(self, demand: Demand, way: _Way | None) -> None:
        """Sign in, or wait for the sign-in that is under way. Raises SignInFailed."""
        await asyncio.shield(self._started(demand, way))

    def _started(self, demand: Demand, way: _Way | None) -> asyncio.Task[None]:
        """The sign-in that is under way. Raises SignInFailed if it is too early for another try."""
        failed = self._failed
        if failed is not None and (
            failed.pause is None or time.monotonic() - self._failed_at < failed.pause
        ):
            raise failed
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._sign_in(demand, way), name="mcp-sign-in")
            # A failure is kept, also if each request that waited was cancelled.
            self._running.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._running

    def _remember(self, failed: SignInFailed) -> SignInFailed:
        """Keep a failure, so that it is not tried again at once."""
        words = SecretScrubber(self.secrets).text(failed.words)
        self._failed, self._failed_at = SignInFailed(words, failed.pause), time.monotonic()
        self._note(f"sign-in: failed: {words}")
        return self._failed

    async def _sign_in(self, demand: Demand, way: _Way | None) -> None:
        try:
            way = way or await self._find(demand)
            token = await self._request(way)
        except SignInFailed as failed:
            raise self._remember(failed) from None
        self._failed, self._way, self._issuer = None, way, way.issuer
        self._token, self._is_accepted = token, False
        self._origin = origin_of(way.demand.url)
        self._note(f"sign-in: {self.facts.words}")
        if token.oddity:
            self._notice(warning("sign-in-token-lifetime", token.oddity))

    async def _find(self, demand: Demand) -> _Way:
        """Where to sign in, by the metadata of the server. Raises SignInFailed."""
        found = await self._explanation.of(demand, self._verify, self._own)
        if found is None:
            raise SignInFailed("the metadata of the sign-in could not be requested")
        kept = tuple(one for one in found.checks if one.name not in NOT_FOR_CLIENTS)
        counted = replace(found, checks=kept)
        server = found.server
        if counted.has_error or server is None:
            is_weather = any(one.status in (0, 429) or one.status >= 500 for one in found.fetched)
            is_refused = any(one.is_refused for one in found.fetched)
            self._explanation.forget()
            pause = PAUSE_SECONDS if is_weather and not is_refused else None
            raise SignInFailed(in_one_line(counted, self._command), pause)
        if self._issuer and found.issuer != self._issuer:
            why = "by --issuer" if self._credentials.issuer else "which the server named before"
            raise SignInFailed(
                f"the server names the authorization server {shown(found.issuer)}, and the secret "
                f"is only for {shown(self._issuer)}, {why}"
            )
        method, algorithm = self._method(server, found.issuer)
        grants = texts(server.get("grant_types_supported"))
        return _Way(
            found.issuer,
            str(server.get("token_endpoint")),
            method,
            str((found.resource or {}).get("resource")),
            self._scopes(found),
            demand,
            algorithm,
            grants is not None and GRANT not in grants,
        )

    def _method(self, server: Mapping[str, JsonValue], issuer: str) -> tuple[str, str]:
        """How the client proves who it is, and the algorithm of its key. Raises SignInFailed."""
        key = self._credentials.key
        known = (BASIC, POST) if key is None else (PRIVATE_KEY,)
        methods = texts(server.get("token_endpoint_auth_methods_supported"))
        usable = [one for one in known if methods is None or one in methods]
        who = f"the authorization server {shown(issuer)}"
        if not usable:
            listed = shown(list(methods or ()))
            own = "a secret" if key is None else "a key"
            raise SignInFailed(
                f"{who} lets clients sign in by {listed}; with {own} it is {' or '.join(known)}"
            )
        if key is None:
            return usable[0], ""
        supported = texts(server.get("token_endpoint_auth_signing_alg_values_supported"))
        algorithm = key.algorithm(supported)
        if not algorithm:
            listed = shown(list(supported or ()))
            able = " or ".join(key.algorithms)
            raise SignInFailed(f"{who} accepts signatures by {listed}; the key signs by {able}")
        return usable[0], algorithm

    def _scopes(self, found: Discovery) -> tuple[str, ...]:
        """The scopes to request: those given, of the challenge, or of the metadata."""
        if self._credentials.scope:
            return tuple(self._credentials.scope.split())
        bearer = found.demand.bearer
        named = bearer.get("scope").split() if bearer is not None else []
        supported = texts((found.resource or {}).get("scopes_supported"))
        scopes = [one for one in named or supported or () if one != _OFFLINE]
        if len(scopes) > SCOPES_MANY:
            words = f"the server names {len(scopes):,} scopes"
            raise SignInFailed(f"{words}: choose those that are needed with --scope")
        return tuple(scopes)

    async def _request(self, way: _Way) -> Token:
        """A token of the authorization server. Raises SignInFailed."""
        guard = guard_of(way.demand.url, way.demand.address)
        if guard is None:
            raise SignInFailed("the URL of the server cannot be read")
        credentials = self._credentials
        form = {"grant_type": GRANT, "resource": way.resource}
        if way.scopes:
            form["scope"] = " ".join(way.scopes)
        authorization = ""
        if credentials.key is not None:
            signed = await asyncio.to_thread(
                credentials.key.sign, credentials.client_id, way.issuer, way.algorithm
            )
            self._tokens.append(signed)
            form |= {"client_id": credentials.client_id, "client_assertion_type": KIND}
            form["client_assertion"] = signed
        elif way.method == BASIC:
            authorization = credentials.basic
        else:
            form |= {"client_id": credentials.client_id, "client_secret": credentials.secret}
        fetcher = Fetcher(guard, self._note, self._verify, self._own)
        async with contextlib.aclosing(fetcher):
            found = await fetcher.post(way.endpoint, TOKEN, form, authorization)
        value = (found.document or {}).get("access_token")
        if isinstance(value, str) and len(value) >= SHORTEST_HIDDEN:
            self._tokens.append(value)
        try:
            return read_token(found, way.issuer, way.resource, way.scopes)
        except SignInFailed as failed:
            more = (
                f"; its metadata does not list the grant {GRANT}" if way.is_grant_unlisted else ""
            )
            raise SignInFailed(f"{failed.words}{more}", failed.pause) from None


class TokenAuth(httpx2.Auth):
    """Adds the token of a sign-in to each request, and does nothing with the response."""

    def __init__(self, sign_in: CredentialsSignIn) -> None:
        self._sign_in = sign_in

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Give the request its header, once."""
        await self._sign_in.be_ready()
        if value := self._sign_in.authorization(str(request.url)):
            request.headers["Authorization"] = value
        else:
            request.headers.pop("Authorization", None)
        yield request
