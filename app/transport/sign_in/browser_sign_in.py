"""The sign-in of a person in a browser, for one connection (OAuth 2.1, 4.1).

A server's metadata is found and checked, the person is asked, and only then Signoff registers and
the page opens. Tokens are kept between runs, and refreshed under one lock of all processes, inside
of which the store is read again: a refresh token counts once.
"""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Final

from ...approval.sign_in import SignInRequest
from ...content.text import visible
from ...protocol.findings.findings import Finding, warning
from ...storage.sign_ins import ClientIdentity, StoredSignIn
from ...storage.state_dir import StoreError
from ..events import SignInAsked, SignInClosed, SignInEvent, SignInOpened
from .asking import VISIT_SECONDS, SignInAsking, SignInVisit
from .browser_options import BrowserOptions
from .callback import CallbackListener, why_no_callback
from .challenge import Demand
from .code_flow import CodeRequest, code_of, query_of
from .explanation import SignInExplanation
from .fetching import Fetched, Fetcher
from .guard import guard_of
from .kept import KeptSignIns
from .registration import (
    DOCUMENT,
    GIVEN,
    REGISTRATION,
    authenticated,
    method_for,
    registered,
    registration_of,
)
from .resource_checks import SCOPES_MANY
from .sign_in import UNACCEPTED_SECONDS, SignIn, SignInDeclined
from .signed_in import SignedIn
from .tokens import TOKEN, Grant, SignInFailed, Token, read_token, refresh_token_in
from .values import shown, texts
from .way import Way, way_of

CLOSE_SECONDS: Final = 1.0
"""How long a refresh under way is waited for at the end."""
OFFLINE: Final = "offline_access"


class BrowserSignIn(SignIn):
    """Signs in with a person, whenever the server requires it and no kept token counts."""

    def __init__(
        self,
        url: str,
        options: BrowserOptions,
        explanation: SignInExplanation,
        note: Callable[[str], None],
        notice: Callable[[Finding], None],
        emit: Callable[[SignInEvent], None],
        waiting: Callable[[], contextlib.AbstractContextManager[None]],
    ) -> None:
        """`url` is the server's, without credentials; `emit` gets what a person has to see;
        `waiting` pauses time limits while a person is asked.
        """
        super().__init__(note, notice)
        self._url = url
        self._options = options
        self._explanation = explanation
        self._kept = KeptSignIns(options.store, url, note)
        self._emit = emit
        self._waiting = waiting
        self._entry: StoredSignIn | None = None
        """What the token in use is of."""
        self._way: Way | None = None
        self.is_for_nobody = False
        """Whether no person could be asked."""
        self._has_looked = False
        """Whether the store was read once."""
        self._is_kept = False
        self._rotating: asyncio.Task[bool] | None = None
        self._tried: set[frozenset[str]] = set()
        """Scopes that a person was asked for because the server demanded them."""

    @property
    def secrets(self) -> tuple[str, ...]:
        own = self._options.client_secret
        return (*((own,) if own else ()), *super().secrets)

    @property
    def facts(self) -> SignedIn:
        token, failed, entry = self._token, self._failed, self._entry
        return SignedIn(
            entry.client.client_id if entry is not None else self._options.client_id,
            token.issuer if token is not None else "",
            token.scopes if token is not None else (),
            token.until if token is not None else None,
            failed.words if failed is not None else "",
            is_by_person=True,
            is_kept=self._is_kept,
            doubts=self._way.doubts if self._way is not None else (),
        )

    def advice(self, command: str) -> str:
        if not self.is_for_nobody:
            return ""
        more = shlex.join(("signoff", "sign-in", "--url", command))
        who = "the server requires a sign-in (401), and no person can be asked here"
        return f"{who}: do it first, with {visible(more)}"

    async def be_ready(self) -> None:
        if not self._has_looked:
            self._has_looked = True
            await self._look()
        token, way = self._token, self._way
        if token is None or not token.is_ending:
            return
        entry = self._entry
        if way is not None and entry is not None and entry.refresh_token:
            with contextlib.suppress(SignInFailed):
                running = self._begun(lambda: self._renew(way))
                if token.has_ended:
                    await asyncio.shield(running)
        if self._token is token and token.has_ended:
            self._token = None

    async def demanded(self, demand: Demand, authorization: str) -> None:
        if self._token is not None and authorization != self._header:
            # Another request has led to a new token in the meantime.
            return
        if self.has_declined:
            raise SignInDeclined
        if self._token is not None and not self._is_accepted:
            raise self._remember(SignInFailed(self._unaccepted(self._token), UNACCEPTED_SECONDS))
        rejected = self._token.value if self._token is not None else ""
        self._token = None
        await asyncio.shield(self._begun(lambda: self._sign_in(demand, rejected)))

    async def rights_demanded(self, demand: Demand, authorization: str) -> None:
        if self._running is not None and not self._running.done():
            # Another request has demanded them, or the token is being replaced.
            await asyncio.shield(self._running)
            return
        token = self._token
        if token is None:
            raise SignInDeclined
        if authorization != self._header:
            return
        bearer = demand.bearer
        needed = bearer.get("scope").split() if bearer is not None else []
        missing = frozenset(needed) - frozenset(token.scopes)
        own = shown(" ".join(token.scopes))
        has = f"the token has “{own}”" if own else "the token has none"
        told = "signed in, but with too few rights (insufficient_scope)"
        if not needed:
            raise SignInFailed(f"{told}: the server does not name the scopes that it needs; {has}")
        if not missing or missing in self._tried:
            words = f"{told}: the server needs the scopes “{shown(' '.join(needed))}”, and {has}"
            raise SignInFailed(f"{words}: another sign-in would not help")
        self._tried.add(missing)
        scopes = tuple(dict.fromkeys((*token.scopes, *needed)))
        await asyncio.shield(self._begun(lambda: self._more_rights(demand, scopes)))

    async def _look(self) -> None:
        """Use a token that was kept."""
        try:
            entry = await self._kept.read()
        except StoreError as problem:
            self._notice(warning("sign-in-not-kept", f"an earlier sign-in is not used: {problem}"))
            return
        if entry is None or not self._fits(entry):
            return
        self._entry = entry
        self._hide(entry.client.secret)
        self._hide(entry.refresh_token)
        if entry.access_token and (entry.until is None or entry.until > time.time()):
            self._is_kept = True
            self._use(_token_of(entry), self._url, is_accepted=True)

    def _fits(self, entry: StoredSignIn) -> bool:
        """True if an entry is of what the person has given."""
        given = self._options
        is_client = not given.client_id or entry.client.client_id == given.client_id
        is_issuer = not given.issuer or entry.issuer == given.issuer
        is_scope = {*given.scope.split()} <= {*entry.scopes}
        return is_client and is_issuer and is_scope

    async def _sign_in(self, demand: Demand, rejected: str) -> None:
        try:
            way = self._way = await self._find(demand)
            why = "the server requires a sign-in"
            entry = self._entry
            if entry is not None and entry.issuer == way.issuer:
                try:
                    if await self._refreshed(way, rejected):
                        return
                    why = "the earlier sign-in has ended"
                except SignInFailed as failed:
                    if failed.code not in ("invalid_grant", "invalid_client"):
                        raise
                    why = f"the earlier sign-in has ended: {failed.words}"
                    if failed.code == "invalid_client":
                        # This client is not known there: another one is registered.
                        self._entry = None
            await self._by_person(way, self._scopes(way), why)
        except SignInDeclined:
            self.has_declined = True
            raise
        except SignInFailed as failed:
            raise self._remember(failed) from None

    async def _more_rights(self, demand: Demand, scopes: tuple[str, ...]) -> None:
        try:
            way = self._way = await self._find(demand)
            await self._by_person(way, scopes, "the server needs more rights for a request")
        except SignInDeclined:
            raise self._remember(SignInFailed("its sign-in has changed in the meantime")) from None
        except SignInFailed as failed:
            # The token in use is as good as before for everything else.
            self._note(f"sign-in: no more rights: {failed.words}")
            raise

    async def _renew(self, way: Way) -> None:
        """Refresh a token before it ends."""
        try:
            await self._refreshed(way, self._token.value if self._token is not None else "")
        except SignInFailed as failed:
            if failed.code:
                # The server will demand a sign-in itself.
                self._note(f"sign-in: not renewed: {failed.words}")
                if self._entry is not None:
                    self._entry = replace(self._entry, refresh_token="")
                return
            raise self._remember(failed) from None

    async def _find(self, demand: Demand) -> Way:
        """Where to sign in; everything is requested again. Raises as `way_of`."""
        self._explanation.forget()
        found = await self._explanation.of(demand, self._verify, self._own)
        if found is None:
            raise SignInDeclined
        return way_of(found, self._url, self._options, self._notice)

    def _scopes(self, way: Way) -> tuple[str, ...]:
        """The scopes to request: those given, of the challenge, or of the metadata; with the one
        for refresh tokens where the issuer lists it (SEP-2207). Raises SignInFailed.
        """
        bearer = way.demand.bearer
        challenged = bearer.get("scope").split() if bearer is not None else []
        scopes = self._options.scope.split() or challenged or list(way.supported)
        if len(scopes) > SCOPES_MANY:
            words = f"the server names {len(scopes):,} scopes"
            raise SignInFailed(f"{words}: choose those that are needed with --scope")
        if OFFLINE in (texts(way.server.get("scopes_supported")) or ()):
            scopes.append(OFFLINE)
        return tuple(dict.fromkeys(scopes))

    async def _refreshed(self, way: Way, rejected: str) -> bool:
        """Use a newer token of the store, or refresh; False without a refresh token.

        Not interrupted: the old refresh token counts no more once the new one is on its way.
        Raises SignInFailed.
        """
        self._rotating = asyncio.create_task(self._rotated(way, rejected), name="mcp-refresh")
        self._rotating.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(self._rotating)

    async def aclose(self) -> None:
        await super().aclose()
        if self._rotating is not None and not self._rotating.done():
            await asyncio.wait({self._rotating}, timeout=CLOSE_SECONDS)

    async def _rotated(self, way: Way, rejected: str) -> bool:
        issuer = way.issuer
        async with self._kept.locked(issuer):
            try:
                entry = await self._kept.read(issuer)
            except StoreError:
                entry = None
            # Without a store the newest is in memory alone.
            entry = entry if entry is not None and self._fits(entry) else self._entry
            if entry is None:
                return False
            is_other = entry.access_token != rejected
            if is_other and rejected and (entry.until is None or entry.until > time.time()):
                # Another process has refreshed it, or a person has signed in there.
                self._take(entry)
                return True
            if not entry.refresh_token:
                return False
            form = {
                "grant_type": Grant.REFRESH.value,
                "refresh_token": entry.refresh_token,
                "resource": way.resource,
            }
            found = await self._token_response(way, entry.client, form)
            token = read_token(found, issuer, way.resource, entry.scopes, Grant.REFRESH)
            rotated = refresh_token_in(found, issuer) or entry.refresh_token
            await self._keep(
                replace(
                    entry,
                    access_token=token.value,
                    refresh_token=rotated,
                    scopes=token.scopes,
                    until=token.until,
                    refreshed_at=time.time(),
                ),
                token,
            )
        return True

    async def _by_person(self, way: Way, scopes: tuple[str, ...], why: str) -> None:
        """Ask, open the page, and use what comes of it. Raises SignInFailed."""
        with self._waiting():
            listener = CallbackListener(self._redirect_of(way))
            async with contextlib.AsyncExitStack() as stack:
                try:
                    await stack.enter_async_context(listener)
                except SignInFailed:
                    if self._options.redirect:
                        raise
                    # The port of the earlier sign-in is taken: another one, and another client.
                    listener = await stack.enter_async_context(CallbackListener())
                client = self._known(way, listener.redirect)
                refused = await self._asked(way, scopes, why, client, listener.redirect)
                if refused:
                    raise refused
                words = "it was given up"
                try:
                    if client is None:
                        client = await self._registered(way, listener.redirect, scopes)
                    request = CodeRequest(
                        way.endpoint("authorization"),
                        client.client_id,
                        listener.redirect,
                        scopes,
                        way.resource,
                    )
                    for one in (request.verifier, request.state):
                        self._hide(one)
                    query = await self._visited(request, listener)
                    code = code_of(query, request, way.answers_as, is_iss_promised=way.promises_iss)
                    self._hide(code)
                    await self._exchanged(way, client, request, code)
                    words = ""
                except SignInFailed as failed:
                    words = failed.words
                    raise
                finally:
                    self._emit(SignInClosed(words))

    def _redirect_of(self, way: Way) -> str:
        """The address to listen at: a client is registered for one."""
        if self._options.redirect:
            return self._options.redirect
        entry = self._entry
        if entry is None or entry.issuer != way.issuer:
            return ""
        redirect = entry.client.redirect_uri
        return "" if why_no_callback(redirect) else redirect

    def _known(self, way: Way, redirect: str) -> ClientIdentity | None:
        """The client that need not be registered; None if it must be. Raises SignInFailed."""
        given, server = self._options, way.server
        has_documents = server.get("client_id_metadata_document_supported") is True
        if given.client_id and (has_documents or not given.is_document):
            secret = given.client_secret
            method = method_for(server, has_secret=bool(secret), issuer=way.issuer)
            kind = DOCUMENT if given.is_document else GIVEN
            return ClientIdentity(given.client_id, secret, method, redirect, kind)
        entry = self._entry
        if entry is not None and entry.issuer == way.issuer and not given.client_id:
            is_same = entry.client.redirect_uri == redirect
            return entry.client if is_same else None
        if not way.endpoint("registration"):
            what = "client id documents" if given.is_document else "dynamic registration"
            raise SignInFailed(
                f"the authorization server {shown(way.issuer)} does not support {what}: get a "
                "client id from its operator, and give it with --client-id"
            )
        return None

    async def _asked(
        self,
        way: Way,
        scopes: tuple[str, ...],
        why: str,
        client: ClientIdentity | None,
        redirect: str,
    ) -> Exception | None:
        """Ask the person; returns why not."""
        entry = self._entry
        place = await self._kept.place()
        registration = way.endpoint("registration") if client is None else ""
        asking = SignInAsking(
            SignInRequest(
                way.demand.plain_url,
                way.issuer,
                way.endpoint("authorization"),
                way.endpoint("token"),
                registration,
                _client_words(client),
                redirect,
                scopes,
                entry.scopes if entry is not None and entry.issuer == way.issuer else (),
                why,
                place,
                way.doubts,
                entry.issuer if entry is not None and entry.issuer != way.issuer else "",
            )
        )
        self._emit(SignInAsked(asking))
        try:
            words = await asking.refused_because()
        except asyncio.CancelledError:
            self._emit(SignInClosed("the connection was closed"))
            raise
        if not words:
            return None
        self._emit(SignInClosed(words))
        if asking.is_by_nobody:
            self.is_for_nobody = True
            return SignInDeclined()
        return SignInFailed(f"not signed in: {words}")

    async def _registered(self, way: Way, redirect: str, scopes: tuple[str, ...]) -> ClientIdentity:
        """Register, once a person has agreed. Raises SignInFailed."""
        wanted = registration_of(way.server, redirect, scopes)
        async with self._fetcher(way) as fetcher:
            found = await fetcher.post_json(way.endpoint("registration"), REGISTRATION, wanted)
        self._hide((found.document or {}).get("client_secret"))
        return registered(found, redirect, way.issuer)

    async def _visited(self, request: CodeRequest, listener: CallbackListener) -> str:
        """Wait for the answer of the browser: its query. Raises SignInFailed."""

        def take(text: str) -> str:
            try:
                listener.take(query_of(text, request.redirect))
            except ValueError as problem:
                return str(problem)
            return ""

        until = asyncio.get_running_loop().time() + VISIT_SECONDS
        visit = SignInVisit(request.url, until, take)
        self._emit(SignInOpened(visit))
        answered = asyncio.ensure_future(listener.query())
        given_up = asyncio.ensure_future(visit.cancelled())
        try:
            done, _ = await asyncio.wait(
                {answered, given_up}, timeout=VISIT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if answered in done:
                return answered.result()
        finally:
            answered.cancel()
            given_up.cancel()
        if given_up in done:
            raise SignInFailed("not signed in: the page was given up")
        raise SignInFailed(f"not signed in: the page did not come back within {VISIT_SECONDS:g} s")

    async def _exchanged(
        self, way: Way, client: ClientIdentity, request: CodeRequest, code: str
    ) -> None:
        """Exchange the code for tokens, and keep them. Raises SignInFailed."""
        form = {
            "grant_type": Grant.CODE.value,
            "code": code,
            "redirect_uri": request.redirect,
            "code_verifier": request.verifier,
            "resource": way.resource,
        }
        found = await self._token_response(way, client, form)
        token = read_token(found, way.issuer, way.resource, request.scopes, Grant.CODE)
        entry = StoredSignIn(
            self._url,
            way.issuer,
            client,
            token.value,
            refresh_token_in(found, way.issuer),
            token.scopes,
            token.until,
            time.time(),
        )
        await self._keep(entry, token)

    async def _token_response(
        self, way: Way, client: ClientIdentity, form: dict[str, str]
    ) -> Fetched:
        given, authorization = authenticated(client, form)
        async with self._fetcher(way) as fetcher:
            found = await fetcher.post(way.endpoint("token"), TOKEN, given, authorization)
        for name in ("access_token", "refresh_token"):
            self._hide((found.document or {}).get(name))
        return found

    @contextlib.asynccontextmanager
    async def _fetcher(self, way: Way) -> AsyncIterator[Fetcher]:
        """Raises SignInFailed."""
        guard = guard_of(way.demand.url, way.demand.address)
        if guard is None:
            raise SignInFailed("the URL of the server cannot be read")
        fetcher = Fetcher(guard, self._note, self._verify, self._own)
        async with contextlib.aclosing(fetcher):
            yield fetcher

    async def _keep(self, entry: StoredSignIn, token: Token) -> None:
        """Keep new tokens, before they are used."""
        try:
            self._is_kept = await self._kept.write(entry)
        except StoreError as problem:
            self._is_kept = False
            words = f"the sign-in is in memory alone, and lost at the end: {problem}"
            self._notice(warning("sign-in-not-kept", words))
        self._entry = entry
        self._hide(entry.client.secret)
        self._use(token, self._url)

    def _take(self, entry: StoredSignIn) -> None:
        """Use the tokens of an entry that another process has made."""
        self._entry, self._is_kept = entry, True
        for one in (entry.access_token, entry.refresh_token, entry.client.secret):
            self._hide(one)
        self._use(_token_of(entry), self._url, is_accepted=True)


def _token_of(entry: StoredSignIn) -> Token:
    left = None if entry.until is None else max(entry.until - time.time(), 0.0)
    return Token(
        entry.access_token, entry.issuer, entry.resource, entry.scopes, left, until=entry.until
    )


def _client_words(client: ClientIdentity | None) -> str:
    if client is None:
        return "registers itself first, as “Signoff”"
    told = {GIVEN: "given by you", DOCUMENT: "by its client id document"}
    return f"client id “{shown(client.client_id)}”, {told.get(client.kind, 'registered before')}"
