"""A sign-in of one connection: the token in use, and how requests wait for another one.

It lives beside the requests: they only wait for it without a usable token, and then all of them for
the same one. A token goes to one origin only.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import httpx2

from ...protocol.findings.findings import Finding, warning
from ...schemas.secrets.masks import SecretScrubber
from .challenge import Demand
from .fetching import Fetched
from .guard import WebOrigin, origin_of
from .tokens import SignInFailed, Token
from .values import shown

if TYPE_CHECKING:
    import ssl

    from .signed_in import SignedIn
    from .values import Discovery

TOKENS_KEPT: Final = 40
"""Secrets that are still taken out of texts, the newest ones."""
SECRETS: Final = (
    *("access_token", "refresh_token", "id_token", "client_secret", "registration_access_token"),
)
"""The secret members of the response of an endpoint."""
UNACCEPTED_SECONDS: Final = 30.0
"""How long no other token is requested after one that the server did not accept."""
SHORTEST_HIDDEN: Final = 8
"""Characters of the shortest token that is taken out of texts: a shorter one is in any text."""


class SignInDeclined(Exception):
    """Nothing was tried, so that the response of the server counts as it is."""


class SignIn(ABC):
    """Gets tokens for one connection, and knows which one is in use."""

    def __init__(self, note: Callable[[str], None], notice: Callable[[Finding], None]) -> None:
        """`note` gets a line on each request, `notice` a finding."""
        self._note = note
        self._notice = notice
        self._verify: ssl.SSLContext | bool = True
        self._own: httpx2.AsyncBaseTransport | None = None
        self._token: Token | None = None
        self._origin: WebOrigin | None = None
        """Where the token is sent, and nowhere else."""
        self._is_accepted = False
        """Whether the server has accepted the token."""
        self._running: asyncio.Task[None] | None = None
        self._failed: SignInFailed | None = None
        self._failed_at = 0.0
        self._tokens: deque[str] = deque(maxlen=TOKENS_KEPT)
        self._renewals = 0
        """Tokens that took the place of another one without a question."""
        self.has_declined = False
        """Whether it left the responses of the server as they are."""

    def reached_by(
        self, verify: ssl.SSLContext | bool, own: httpx2.AsyncBaseTransport | None
    ) -> None:
        """Take over how certificates are checked, and the way to the server's own socket."""
        self._verify, self._own = verify, own

    async def aclose(self) -> None:
        """Stop a sign-in that is under way."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError, SignInFailed, SignInDeclined):
                await self._running
        if self._own is not None:
            await self._own.aclose()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown: secrets of the client, and the newest tokens."""
        return tuple(self._tokens)

    @property
    @abstractmethod
    def facts(self) -> SignedIn:
        """Its state, without secrets."""

    def advice(self, command: str, found: Discovery) -> str:
        """Why it has declined and what a person can do, after a discovery; `command` is the URL."""
        return ""

    @abstractmethod
    async def be_ready(self) -> None:
        """Replace a token that is about to end; a request waits for that only if it has ended."""

    @abstractmethod
    async def demanded(self, demand: Demand, authorization: str) -> None:
        """Sign in, since a request with this header was answered 401; none twice for one token.

        Raises SignInFailed, and SignInDeclined.
        """

    @abstractmethod
    async def rights_demanded(self, demand: Demand, authorization: str) -> None:
        """Get the rights that a response with 403 `insufficient_scope` names; raises likewise."""

    def authorization(self, url: str) -> str:
        """The value of `Authorization` for a request; empty without a token for its origin."""
        token = self._token
        is_ours = token is not None and origin_of(url) == self._origin
        return f"Bearer {token.value}" if token is not None and is_ours else ""

    def accepted(self, authorization: str) -> None:
        """The server has accepted a request with this header."""
        if authorization and authorization == self._header:
            self._is_accepted = True

    @property
    def _header(self) -> str:
        return f"Bearer {self._token.value}" if self._token is not None else ""

    def _unaccepted(self, token: Token) -> str:
        who = f"the server does not accept a new token of {shown(token.issuer)}"
        return f"{who}, its own authorization server; to be fixed by the server's author"

    def _hide(self, value: object) -> None:
        """Take a secret out of texts from now on."""
        if not isinstance(value, str) or len(value) < SHORTEST_HIDDEN:
            return
        with contextlib.suppress(ValueError):
            # The newest place counts.
            self._tokens.remove(value)
        self._tokens.append(value)

    def _received(self, found: Fetched) -> Fetched:
        """A response of an endpoint, whose secrets are hidden from now on.

        What a refusal repeats is taken out of it before anything is cut: a part of a secret would
        not be known as one.
        """
        document = found.document or {}
        for name in SECRETS:
            self._hide(document.get(name))
        if found.document is None or found.status in (200, 201):
            return found
        cleaned = SecretScrubber(self.secrets).value(dict(document))
        return replace(found, document=cleaned if isinstance(cleaned, dict) else None)

    def _scrubbed(self, text: str) -> str:
        """A text without the secrets of this sign-in, which a server may have repeated."""
        return SecretScrubber(self.secrets).text(text)

    def _begun(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """The sign-in that is under way. Raises SignInFailed if it is too early for another try."""
        failed = self._failed
        if failed is not None and (
            failed.pause is None or time.monotonic() - self._failed_at < failed.pause
        ):
            raise failed
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(work(), name="mcp-sign-in")
            # A failure is kept, also if each request that waited was cancelled.
            self._running.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._running

    async def _renewed(self, token: Token, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Replace a token beside the requests, or before them if it has ended."""
        with contextlib.suppress(SignInFailed):
            running = self._begun(work)
            if token.has_ended:
                await asyncio.shield(running)
        self._drop(token)

    def _drop(self, token: Token) -> None:
        """Use a token no more if it has ended and is still the newest."""
        if self._token is token and token.has_ended:
            self._token = None

    def _remember(self, failed: SignInFailed) -> SignInFailed:
        """Keep a failure, so that it is not tried again at once."""
        words = self._scrubbed(failed.words)
        self._failed, self._failed_at = SignInFailed(words, failed.pause), time.monotonic()
        self._note(f"sign-in: failed: {words}")
        return self._failed

    def _use(self, token: Token, url: str, *, is_accepted: bool = False) -> None:
        """Send a token from now on, to the origin of a URL."""
        self._failed = None
        self._token, self._is_accepted = token, is_accepted
        self._origin = origin_of(url)
        self._note(f"sign-in: {self.facts.words}")
        if token.oddity:
            self._notice(warning("sign-in-token-lifetime", token.oddity))


class TokenAuth(httpx2.Auth):
    """Adds the token of a sign-in to each request, and does nothing with the response."""

    def __init__(self, sign_in: SignIn) -> None:
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
