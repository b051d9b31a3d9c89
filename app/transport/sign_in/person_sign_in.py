"""One sign-in of a person: the question, the page in a browser, and the tokens that come of it.

Nothing is registered and no page opens before the person has agreed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from ...approval.sign_in import SignInRequest
from ...content.frozen import frozen
from ...storage.sign_ins import ClientIdentity, StoredSignIn
from ..events import SignInAsked, SignInClosed, SignInEvent, SignInOpened
from .asking import VISIT_SECONDS, SignInAsking, SignInVisit
from .browser_options import BrowserOptions
from .callback import CallbackListener, why_no_callback
from .code_flow import CodeRequest, code_of, query_of
from .endpoints import SignInEndpoints
from .registration import DOCUMENT, GIVEN, REGISTERED, method_for
from .sign_in import SignInDeclined
from .tokens import GrantType, NotNow, SignInFailed, Token, read_token, refresh_token_in
from .values import shown
from .way import SignInTarget


class NobodyAsked(SignInDeclined):
    """No person could be asked."""


class _UnknownClient(SignInFailed):
    """The authorization server has forgotten a client that was registered before."""


@frozen
class PersonSignIn:
    """What one sign-in of a person is made with."""

    url: str
    """The server, without credentials."""
    options: BrowserOptions
    way: SignInTarget
    scopes: tuple[str, ...]
    """Those to request."""
    why: str
    """Why a person is asked, safe to show."""
    before: StoredSignIn | None
    """The sign-in before, by any authorization server."""
    place: str
    """Where the tokens would be kept, in words."""
    endpoints: SignInEndpoints
    emit: Callable[[SignInEvent], None]
    """Gets what a person has to see."""
    hide: Callable[[object], None]
    """Gets each value that no text may have."""
    scrub: Callable[[str], str]
    """Takes those values out of a text."""

    @property
    def _same(self) -> StoredSignIn | None:
        """The sign-in before by the same authorization server."""
        before = self.before
        return before if before is not None and before.issuer == self.way.issuer else None

    async def tokens(self) -> tuple[StoredSignIn, Token]:
        """Ask, open the page, and get the tokens. Raises SignInFailed and NobodyAsked."""
        async with contextlib.AsyncExitStack() as stack:
            listener = CallbackListener(self._redirect())
            try:
                await stack.enter_async_context(listener)
            except SignInFailed:
                if self.options.redirect:
                    raise
                # The port of the earlier sign-in is taken: another one, and another client.
                listener = await stack.enter_async_context(CallbackListener())
            client = self._client(listener.redirect)
            await self._ask(client, listener.redirect)
            try:
                return await self._closing(client, listener)
            except _UnknownClient:
                return await self._closing(None, listener)

    async def _closing(
        self, client: ClientIdentity | None, listener: CallbackListener
    ) -> tuple[StoredSignIn, Token]:
        """Sign in after the consent, and close the page in any case."""
        words = "it was given up"
        try:
            found = await self._after_consent(client, listener)
            words = ""
        except SignInFailed as failed:
            words = self.scrub(failed.words)
            raise
        finally:
            self.emit(SignInClosed(words))
        return found

    async def _after_consent(
        self, client: ClientIdentity | None, listener: CallbackListener
    ) -> tuple[StoredSignIn, Token]:
        way = self.way
        can_register = client is not None and client.kind == REGISTERED
        can_register = can_register and bool(way.endpoint("registration"))
        if client is None:
            client = await self.endpoints.register(way, listener.redirect, self.scopes)
        request = CodeRequest(
            way.endpoint("authorization"),
            client.client_id,
            listener.redirect,
            self.scopes,
            way.resource,
        )
        for one in (request.verifier, request.state):
            self.hide(one)
        query = await self._visited(request, listener, can_register=can_register)
        code = code_of(
            query,
            request,
            way.answers_as,
            is_iss_promised=way.promises_iss,
            scrub=self.scrub,
        )
        self.hide(code)
        return await self._exchanged(client, request, code)

    def _redirect(self) -> str:
        """The address to listen at: a client is registered for one."""
        if self.options.redirect:
            return self.options.redirect
        redirect = "" if self._same is None else self._same.client.redirect_uri
        return "" if why_no_callback(redirect) else redirect

    def _client(self, redirect: str) -> ClientIdentity | None:
        """The client that need not be registered; None if it must be. Raises SignInFailed."""
        given, way = self.options, self.way
        has_documents = way.server.get("client_id_metadata_document_supported") is True
        if given.client_id and (has_documents or not given.is_document):
            secret = given.client_secret
            method = method_for(way.server, has_secret=bool(secret), issuer=way.issuer)
            kind = DOCUMENT if given.is_document else GIVEN
            return ClientIdentity(given.client_id, secret, method, redirect, kind)
        same = self._same.client if self._same is not None else None
        if same is not None and same.redirect_uri == redirect and given.may_use(same):
            return same
        if not way.endpoint("registration"):
            what = "client id documents" if given.is_document else "dynamic registration"
            raise SignInFailed(
                f"the authorization server {shown(way.issuer)} does not support {what}: get a "
                "client id from its operator, and give it with --client-id"
            )
        return None

    async def _ask(self, client: ClientIdentity | None, redirect: str) -> None:
        """Ask the person. Raises SignInFailed and NobodyAsked."""
        way, before, same = self.way, self.before, self._same
        asking = SignInAsking(
            SignInRequest(
                way.demand.plain_url,
                way.issuer,
                way.endpoint("authorization"),
                way.endpoint("token"),
                way.endpoint("registration") if client is None else "",
                _client_words(client),
                redirect,
                self.scopes,
                same.scopes if same is not None else (),
                self.why,
                self.place,
                way.doubts,
                before.issuer if before is not None and same is None else "",
                client.kind if client is not None else REGISTERED,
            )
        )
        self.emit(SignInAsked(asking))
        try:
            words = await asking.refused_because()
        except asyncio.CancelledError:
            self.emit(SignInClosed("the connection was closed"))
            raise
        if not words:
            return
        self.emit(SignInClosed(words))
        if asking.is_by_nobody:
            raise NobodyAsked
        raise NotNow(f"not signed in: {words}")

    async def _visited(
        self, request: CodeRequest, listener: CallbackListener, *, can_register: bool
    ) -> str:
        """Wait for the answer of the browser: its query. Raises SignInFailed."""

        def take(text: str) -> str:
            try:
                listener.take(query_of(text, request.redirect))
            except ValueError as problem:
                return str(problem)
            return ""

        until = asyncio.get_running_loop().time() + VISIT_SECONDS
        visit = SignInVisit(request.url, until, take, can_register=can_register)
        self.emit(SignInOpened(visit))
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
        if given_up in done and visit.is_unknown:
            raise _UnknownClient("the page does not know Signoff")
        if given_up in done:
            raise NotNow("not signed in: the page was given up")
        raise SignInFailed(f"not signed in: the page did not come back within {VISIT_SECONDS:g} s")

    async def _exchanged(
        self, client: ClientIdentity, request: CodeRequest, code: str
    ) -> tuple[StoredSignIn, Token]:
        """Exchange the code for tokens. Raises SignInFailed."""
        way = self.way
        form = {
            "grant_type": GrantType.CODE.value,
            "code": code,
            "redirect_uri": request.redirect,
            "code_verifier": request.verifier,
            "resource": way.resource,
        }
        found = await self.endpoints.token(way, client, form)
        token = read_token(found, way.issuer, way.resource, request.scopes, GrantType.CODE)
        entry = StoredSignIn(
            self.url,
            way.issuer,
            client,
            token.value,
            refresh_token_in(found, way.issuer),
            token.scopes,
            token.until,
            time.time(),
            requested=request.scopes,
            token_endpoint=way.endpoint("token"),
        )
        return entry, token


def _client_words(client: ClientIdentity | None) -> str:
    if client is None:
        return "registers itself first, as “Signoff”"
    told = {GIVEN: "given by you", DOCUMENT: "by its client id document"}
    return f"client id “{shown(client.client_id)}”, {told.get(client.kind, 'registered before')}"
