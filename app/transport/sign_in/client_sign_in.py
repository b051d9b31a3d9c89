"""The sign-in of a client with credentials of its own, for one connection (OAuth 2.1, 4.2).

The token is in memory only.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import Finding
from .assertion import KIND
from .challenge import Demand
from .credentials import ClientCredentials
from .explaining import in_one_line
from .explanation import SignInExplanation
from .fetching import Fetcher
from .guard import UNREADABLE, guard_of
from .resource_checks import CHOOSE_SCOPES, SCOPES_MANY
from .sign_in import UNACCEPTED_SECONDS, SignIn
from .signed_in import SignedIn
from .tokens import PAUSE_SECONDS, TOKEN, GrantType, SignInFailed, Token, read_token
from .values import Discovery, shown, texts

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


class CredentialsSignIn(SignIn):
    """Signs in by client credentials, whenever the server requires it."""

    def __init__(
        self,
        credentials: ClientCredentials,
        explanation: SignInExplanation,
        note: Callable[[str], None],
        notice: Callable[[Finding], None],
        command: str,
    ) -> None:
        """`note` and `notice` are those of `SignIn`; `command` is the URL for people."""
        super().__init__(note, notice)
        self._credentials = credentials
        self._explanation = explanation
        self._command = command
        self._issuer = credentials.issuer
        """The only authorization server that gets the secret, once it is known."""
        self._way: _Way | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        return (*self._credentials.secrets, *super().secrets)

    @property
    def facts(self) -> SignedIn:
        token, failed = self._token, self._failed
        return SignedIn(
            self._credentials.client_id,
            token.issuer if token is not None else "",
            token.scopes if token is not None else (),
            token.until if token is not None else None,
            failed.words if failed is not None else "",
            refreshed=self._renewals,
        )

    async def be_ready(self) -> None:
        token, way = self._token, self._way
        if token is None or way is None or not token.is_ending:
            return
        await self._renewed(token, lambda: self._sign_in(way.demand, way))

    async def demanded(self, demand: Demand, authorization: str) -> None:
        if self._token is not None and authorization != self._header:
            # Another request has led to a new token in the meantime.
            return
        if self._token is not None and not self._is_accepted:
            raise self._remember(SignInFailed(self._unaccepted(self._token), UNACCEPTED_SECONDS))
        self._token = None
        await asyncio.shield(self._begun(lambda: self._sign_in(demand, None)))

    async def rights_demanded(self, demand: Demand, authorization: str) -> None:
        if self._token is None:
            # A request without a token has too few rights, too.
            await self.demanded(demand, authorization)
        elif authorization == self._header:
            raise SignInFailed(self._scope_words(demand))

    def _scope_words(self, demand: Demand) -> str:
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

    async def _sign_in(self, demand: Demand, way: _Way | None) -> None:
        try:
            way = way or await self._find(demand)
            token = await self._request(way)
        except SignInFailed as failed:
            raise self._remember(failed) from None
        self._renewals += self._way is not None
        self._way, self._issuer = way, way.issuer
        self._use(token, way.demand.url)

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
            grants is not None and GrantType.CLIENT.value not in grants,
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
            raise SignInFailed(f"{words}: {CHOOSE_SCOPES}")
        return tuple(scopes)

    async def _request(self, way: _Way) -> Token:
        """A token of the authorization server. Raises SignInFailed."""
        guard = guard_of(way.demand.url, way.demand.address)
        if guard is None:
            raise SignInFailed(UNREADABLE)
        credentials = self._credentials
        form = {"grant_type": GrantType.CLIENT.value, "resource": way.resource}
        if way.scopes:
            form["scope"] = " ".join(way.scopes)
        authorization = ""
        if credentials.key is not None:
            signed = await asyncio.to_thread(
                credentials.key.sign, credentials.client_id, way.issuer, way.algorithm
            )
            self._hide(signed)
            form |= {"client_id": credentials.client_id, "client_assertion_type": KIND}
            form["client_assertion"] = signed
        elif way.method == BASIC:
            authorization = credentials.basic
        else:
            form |= {"client_id": credentials.client_id, "client_secret": credentials.secret}
        fetcher = Fetcher(guard, self._note, self._verify, self._own)
        async with contextlib.aclosing(fetcher):
            found = self._received(await fetcher.post(way.endpoint, TOKEN, form, authorization))
        try:
            return read_token(found, way.issuer, way.resource, way.scopes)
        except SignInFailed as failed:
            unlisted = f"; its metadata does not list the grant {GrantType.CLIENT.value}"
            more = unlisted if way.is_grant_unlisted else ""
            raise SignInFailed(f"{failed.words}{more}", failed.pause, failed.code) from None
