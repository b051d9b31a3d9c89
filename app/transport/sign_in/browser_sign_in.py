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
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...content.text import visible
from ...protocol.findings.findings import Finding, warning
from ...storage.sign_ins import StoreBusy, StoredSignIn
from ...storage.state_dir import StoreError
from ..events import SignInEvent
from .browser_options import BrowserOptions
from .challenge import Demand
from .code_flow import is_scope
from .endpoints import SignInEndpoints
from .explaining import in_one_line
from .explanation import SignInExplanation
from .guard import origin_of
from .kept import KeptSignIns
from .person_sign_in import NobodyAsked, PersonSignIn
from .resource_checks import CHOOSE_SCOPES, SCOPES_MANY
from .sign_in import UNACCEPTED_SECONDS, SignIn, SignInDeclined
from .signed_in import SignedIn
from .tokens import (
    PAUSE_SECONDS,
    GrantType,
    NotNow,
    SignInFailed,
    Token,
    read_token,
    refresh_token_in,
)
from .values import Discovery, shown, texts
from .way import SignInTarget, lenient_words, way_of

if TYPE_CHECKING:
    import ssl

    import httpx2

CLOSE_SECONDS: Final = 1.0
"""How long a refresh under way is waited for at the end."""
OFFLINE: Final = "offline_access"
REQUIRES: Final = "the server requires a sign-in (401)"
NOBODY: Final = "no person can be asked here"
CHANGED: Final = "its metadata does not lead to a sign-in any more"


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
        self._endpoints = SignInEndpoints(note, self._received)
        self._emit = emit
        self._waiting = waiting
        self._entry: StoredSignIn | None = None
        """What the token in use is of."""
        self._way: SignInTarget | None = None
        self.is_for_nobody = False
        """Whether no person could be asked."""
        self._has_ended = False
        """Whether the refresh token in use is known not to count."""
        self._has_looked = False
        """Whether the store was read once."""
        self._is_kept = False
        self._rotating: asyncio.Task[bool] | None = None
        self._requested: tuple[str, ...] = ()
        """The scopes of the newest sign-in by a person."""
        self._tried: dict[frozenset[str], str] = {}
        """Scopes that a person was asked for because the server demanded them, with why that did
        not lead to a token; empty if it did.
        """

    def reached_by(
        self, verify: ssl.SSLContext | bool, own: httpx2.AsyncBaseTransport | None
    ) -> None:
        super().reached_by(verify, own)
        self._endpoints.verify = verify

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
            refreshed=self._renewals,
        )

    def advice(self, command: str, found: Discovery) -> str:
        told = in_one_line(found, command)
        if not self.is_for_nobody and found.resource is None and found.server is None:
            # Nothing to sign in at: a token in a header is another way.
            return ""
        if not self.is_for_nobody:
            return f"{REQUIRES}: {told.removeprefix('sign-in: ')}{lenient_words(found)}"
        more = shlex.join(("signoff", "sign-in", "--url", command))
        return f"{REQUIRES}, and {NOBODY}: do it first, with {visible(more)}; {told}"

    async def be_ready(self) -> None:
        if not self._has_looked:
            self._has_looked = True
            await self._look()
        token, way = self._token, self._way
        if token is None or not token.is_ending:
            return
        entry = self._entry
        can_renew = entry is not None and entry.refresh_token and not self._has_ended
        if way is not None and can_renew:
            await self._renewed(token, lambda: self._renew(way))
        else:
            self._drop(token)

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
            # A request without a token has too few rights, too.
            await self.demanded(demand, authorization)
            return
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
            why = self._tried.get(missing) or "another sign-in would not help"
            raise SignInFailed(f"{words}: {why}")
        # With those of before, which an authorization server may have left out (SEP-2350).
        scopes = tuple(dict.fromkeys((*self._requested, *token.scopes, *needed)))
        _check_scopes(scopes)
        self._tried[missing] = "another sign-in is under way"
        await asyncio.shield(self._begun(lambda: self._more_rights(demand, scopes, missing)))

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

    def _without_person(self, scopes: Sequence[str]) -> str:
        """What a person can do elsewhere for these scopes."""
        words = ("signoff", "sign-in", "--url", self._url, "--scope", " ".join(scopes))
        return f"{NOBODY}: do it first, with {visible(shlex.join(words))}"

    def _fits(self, entry: StoredSignIn) -> bool:
        """True if an entry is of what the person has given."""
        given = self._options
        is_client = given.may_use(entry.client)
        is_issuer = not given.issuer or entry.issuer == given.issuer
        is_scope = {*given.scope.split()} <= {*entry.scopes, *entry.requested}
        return is_client and is_issuer and is_scope

    async def _sign_in(self, demand: Demand, rejected: str) -> None:
        try:
            way = self._way = await self._find(demand)
            why = "the server requires a sign-in"
            try:
                if await self._refreshed(way, rejected):
                    return
                if self._entry is not None and self._entry.issuer == way.issuer:
                    why = "the earlier sign-in has ended"
            except SignInFailed as failed:
                if failed.pause is not None:
                    # It may pass by itself, and the sign-in is as good as before.
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

    async def _more_rights(
        self, demand: Demand, scopes: tuple[str, ...], missing: frozenset[str]
    ) -> None:
        """Sign in for more rights. The token in use is as good as before for everything else, so
        that a failure is not kept. Raises SignInFailed.
        """
        try:
            way = await self._find(demand)
            wanted = _with_offline(scopes, way)
            await self._by_person(way, wanted, "the server needs more rights for a request")
        except SignInDeclined:
            failed = SignInFailed(self._without_person(scopes) if self.is_for_nobody else CHANGED)
        except NotNow as problem:
            del self._tried[missing]
            raise SignInFailed(f"the server needs more rights: {problem.words}") from None
        except SignInFailed as problem:
            failed = SignInFailed(self._scrubbed(problem.words), problem.pause)
        else:
            self._way = way
            self._tried[missing] = ""
            return
        if failed.pause is None:
            self._tried[missing] = failed.words
        else:
            del self._tried[missing]
        self._note(f"sign-in: no more rights: {failed.words}")
        raise SignInFailed(f"the server needs more rights for this request: {failed.words}")

    async def _renew(self, way: SignInTarget) -> None:
        """Refresh a token before it ends."""
        try:
            await self._refreshed(way, self._token.value if self._token is not None else "")
        except SignInFailed as failed:
            if failed.pause is not None:
                raise self._remember(failed) from None
            # The server will demand a sign-in itself.
            self._has_ended = True
            self._note(f"sign-in: not renewed: {self._scrubbed(failed.words)}")

    async def _find(self, demand: Demand) -> SignInTarget:
        """Where to sign in; everything is requested again. Raises as `way_of`."""
        self._explanation.forget()
        found = await self._explanation.of(demand, self._verify, self._own)
        if found is None:
            raise SignInDeclined
        if _is_weather(found):
            self._explanation.forget()
            words = in_one_line(found, self._url).removeprefix("sign-in: ")
            raise SignInFailed(words, PAUSE_SECONDS)
        return way_of(found, self._url, self._options, self._notice)

    def _scopes(self, way: SignInTarget) -> tuple[str, ...]:
        """The scopes to request: those given, of the challenge, or of the metadata; with the one
        for refresh tokens where the issuer lists it (SEP-2207). Raises SignInFailed.
        """
        bearer = way.demand.bearer
        challenged = bearer.get("scope").split() if bearer is not None else []
        if given := self._options.scope.split():
            return _with_offline(given, way)
        scopes = challenged or list(way.supported)
        _check_scopes(scopes)
        return _with_offline(scopes, way)

    async def _refreshed(self, way: SignInTarget, rejected: str) -> bool:
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

    async def _rotated(self, way: SignInTarget, rejected: str) -> bool:
        try:
            async with self._kept.locked(way.issuer):
                return await self._rotated_alone(way, rejected)
        except StoreBusy as busy:
            # Without the lock a refresh token might be used twice, which revokes all of them.
            raise SignInFailed(str(busy), PAUSE_SECONDS) from None

    async def _rotated_alone(self, way: SignInTarget, rejected: str) -> bool:
        """Use a newer token, or refresh, with the lock of all processes."""
        issuer, own = way.issuer, self._entry
        if own is not None and own.issuer != issuer:
            own = None
        entry = await self._newest(issuer, own)
        if entry is None:
            return False
        known = rejected or (own.access_token if own is not None else "")
        is_good = entry.until is None or entry.until > time.time()
        if entry.access_token not in ("", known) and is_good:
            # Another process has refreshed it, or a person has signed in there.
            self._take(entry)
            self._renewals += 1
            return True
        self._entry = entry
        for one in (entry.refresh_token, entry.client.secret):
            self._hide(one)
        if not entry.refresh_token:
            return False
        _check_place(entry.token_endpoint, way.endpoint("token"))
        form = {
            "grant_type": GrantType.REFRESH.value,
            "refresh_token": entry.refresh_token,
            "resource": way.resource,
        }
        found = await self._endpoints.token(way, entry.client, form)
        token = read_token(found, issuer, way.resource, entry.scopes, GrantType.REFRESH)
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
        self._renewals += 1
        return True

    async def _newest(self, issuer: str, own: StoredSignIn | None) -> StoredSignIn | None:
        """The newer one of the store and this process: what could not be written is here alone."""
        try:
            stored = await self._kept.read(issuer)
        except StoreError as problem:
            self._note(f"sign-in: not read again: {problem}")
            return own
        if stored is None or not self._fits(stored):
            return own
        return stored if own is None or _made(stored) >= _made(own) else own

    async def _by_person(self, way: SignInTarget, scopes: tuple[str, ...], why: str) -> None:
        """Sign in with the person, and use what comes of it. Raises SignInFailed."""
        place = await self._kept.place()
        words = self._scrubbed(why)
        with self._waiting():
            try:
                entry, token = await PersonSignIn(
                    self._url,
                    self._options,
                    way,
                    scopes,
                    words,
                    self._entry,
                    place,
                    self._endpoints,
                    self._emit,
                    self._hide,
                    self._scrubbed,
                ).tokens()
            except NobodyAsked:
                self.is_for_nobody = True
                raise
            self._requested = scopes
            await self._keep(entry, token)

    async def _keep(self, entry: StoredSignIn, token: Token) -> None:
        """Keep new tokens, before they are used."""
        try:
            self._is_kept = await self._kept.write(entry)
        except StoreError as problem:
            self._is_kept = False
            words = f"the sign-in is in memory alone, and lost at the end: {problem}"
            self._notice(warning("sign-in-not-kept", words))
        self._entry, self._has_ended = entry, False
        self._hide(entry.client.secret)
        self._use(token, self._url)

    def _take(self, entry: StoredSignIn) -> None:
        """Use the tokens of an entry that another process has made."""
        self._entry, self._is_kept, self._has_ended = entry, True, False
        for one in (entry.access_token, entry.refresh_token, entry.client.secret):
            self._hide(one)
        self._use(_token_of(entry), self._url, is_accepted=True)


def _token_of(entry: StoredSignIn) -> Token:
    left = None if entry.until is None else max(entry.until - time.time(), 0.0)
    return Token(
        entry.access_token, entry.issuer, entry.resource, entry.scopes, left, until=entry.until
    )


def _check_place(agreed: str, now: str) -> None:
    """Raise SignInFailed if a refresh token would go to another machine than a person has seen."""
    if agreed and origin_of(agreed) != origin_of(now):
        raise SignInFailed(f"its token endpoint was {shown(agreed)}, and is {shown(now)} now")


def _made(entry: StoredSignIn) -> float:
    return max(entry.signed_in_at, entry.refreshed_at)


def _is_weather(found: Discovery) -> bool:
    """True if a discovery has failed for a reason that may pass by itself."""
    missing = [one for one in found.fetched if one.document is None]
    if found.server is not None or any(one.is_refused for one in missing):
        return False
    return any(one.status in (0, 429) or one.status >= 500 for one in missing)


def _check_scopes(scopes: Sequence[str]) -> None:
    """Raise SignInFailed for scopes of a server that a person could not read, or that are none."""
    if len(scopes) > SCOPES_MANY:
        words = f"the server names {len(scopes):,} scopes"
        raise SignInFailed(f"{words}: {CHOOSE_SCOPES}")
    for one in scopes:
        if not is_scope(one):
            raise SignInFailed(
                f"the server names the scope “{shown(one)}”, which has characters that no scope "
                f"has (RFC 6749 3.3): {CHOOSE_SCOPES}"
            )


def _with_offline(scopes: Sequence[str], way: SignInTarget) -> tuple[str, ...]:
    listed = texts(way.server.get("scopes_supported")) or ()
    more = (OFFLINE,) if scopes and OFFLINE in listed else ()
    return tuple(dict.fromkeys((*scopes, *more)))
