"""Requests to the registration and token endpoints of an authorization server."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ...storage.sign_in_files import ClientIdentity
from .fetching import Fetched, Fetcher
from .guard import guard_of
from .registration import REGISTRATION, authenticated, registered, registration_of
from .tokens import TOKEN, SignInFailed
from .way import Way

if TYPE_CHECKING:
    import ssl

_SECRET: Final = ("access_token", "refresh_token", "id_token")


class SignInEndpoints:
    """Sends to the endpoints of a way; what is secret in a response is hidden at once."""

    def __init__(self, note: Callable[[str], None], hide: Callable[[object], None]) -> None:
        """`note` gets a line on each request; `hide` a value that no text may have."""
        self._note = note
        self._hide = hide
        self.verify: ssl.SSLContext | bool = True
        """How certificates are checked."""

    async def register(self, way: Way, redirect: str, scopes: Sequence[str]) -> ClientIdentity:
        """Register, once a person has agreed. Raises SignInFailed."""
        wanted = registration_of(way.server, redirect, scopes)
        async with self._fetcher(way) as fetcher:
            found = await fetcher.post_json(way.endpoint("registration"), REGISTRATION, wanted)
        for name in ("client_secret", "registration_access_token"):
            self._hide((found.document or {}).get(name))
        return registered(found, redirect, way.issuer)

    async def token(self, way: Way, client: ClientIdentity, form: Mapping[str, str]) -> Fetched:
        """The response of the token endpoint. Raises SignInFailed."""
        given, authorization = authenticated(client, form)
        async with self._fetcher(way) as fetcher:
            found = await fetcher.post(way.endpoint("token"), TOKEN, given, authorization)
        for name in _SECRET:
            self._hide((found.document or {}).get(name))
        return found

    @contextlib.asynccontextmanager
    async def _fetcher(self, way: Way) -> AsyncIterator[Fetcher]:
        """Raises SignInFailed."""
        guard = guard_of(way.demand.url, way.demand.address)
        if guard is None:
            raise SignInFailed("the URL of the server cannot be read")
        fetcher = Fetcher(guard, self._note, self.verify)
        async with contextlib.aclosing(fetcher):
            yield fetcher
