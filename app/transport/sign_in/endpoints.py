"""Requests to the registration and token endpoints of an authorization server."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...storage.sign_in_files import ClientIdentity
from .fetching import Fetched, Fetcher
from .guard import UNREADABLE, guard_of
from .registration import REGISTRATION, authenticated, registered, registration_of
from .tokens import TOKEN, SignInFailed
from .way import SignInTarget

if TYPE_CHECKING:
    import ssl


class SignInEndpoints:
    """Sends to the endpoints of a way."""

    def __init__(self, note: Callable[[str], None], received: Callable[[Fetched], Fetched]) -> None:
        """`note` gets a line on each request, `received` each response before it is read."""
        self._note = note
        self._received = received
        self.verify: ssl.SSLContext | bool = True
        """How certificates are checked."""

    async def register(
        self, way: SignInTarget, redirect: str, scopes: Sequence[str]
    ) -> ClientIdentity:
        """Register, once a person has agreed. Raises SignInFailed."""
        wanted = registration_of(way.server, redirect, scopes)
        async with self._fetcher(way) as fetcher:
            found = await fetcher.post_json(way.endpoint("registration"), REGISTRATION, wanted)
        return registered(self._received(found), redirect, way.issuer)

    async def token(
        self, way: SignInTarget, client: ClientIdentity, form: Mapping[str, str]
    ) -> Fetched:
        """The response of the token endpoint. Raises SignInFailed."""
        given, authorization = authenticated(client, form)
        async with self._fetcher(way) as fetcher:
            found = await fetcher.post(way.endpoint("token"), TOKEN, given, authorization)
        return self._received(found)

    @contextlib.asynccontextmanager
    async def _fetcher(self, way: SignInTarget) -> AsyncIterator[Fetcher]:
        """Raises SignInFailed."""
        guard = guard_of(way.demand.url, way.demand.address)
        if guard is None:
            raise SignInFailed(UNREADABLE)
        fetcher = Fetcher(guard, self._note, self.verify)
        async with contextlib.aclosing(fetcher):
            yield fetcher
