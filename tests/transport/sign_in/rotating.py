"""An authorization server with rotating refresh tokens, which revokes all of them where one comes
twice (OAuth 2.1, 4.3.1), and more faults of its answers than the demo has.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from signoff.app.demo.authorization import AuthorizationServer, IssuedGrant
from signoff.app.demo.replies import HUGE, DemoReply, json_reply

TokenFault = Callable[[DemoReply], DemoReply]


class Rotating(AuthorizationServer):
    """Counts what is requested, and whether a refresh token came twice."""

    lifetime: float | None = None
    """Seconds of an access token; None for the usual ones."""

    def __init__(self, issuer: str, fault: str = "", resource: str = "") -> None:
        super().__init__(issuer, fault, resource)
        self.codes = self.refreshes = self.reused = 0
        self.of_refresh: TokenFault | None = None
        """What becomes of the response to a refresh."""
        self.of_code: TokenFault | None = None
        self.of_registration: TokenFault | None = None
        self.registered = 0
        self.secrets: set[str] = set()
        """Everything that no text of a client may have."""
        self._spent: set[str] = set()
        self._one_at_a_time = threading.Lock()

    def forget(self) -> None:
        """Let all access tokens end."""
        self._tokens.clear()

    def _register(self, body: bytes) -> DemoReply:
        self.registered += 1
        reply = super()._register(body)
        return self.of_registration(reply) if self.of_registration else reply

    def _authorize(self, given: Mapping[str, str]) -> DemoReply:
        reply = super()._authorize(given)
        self.secrets |= {given.get("state", ""), *self._codes}
        return reply

    def _token(self, given: Mapping[str, str]) -> DemoReply:
        with self._one_at_a_time:
            self.secrets |= {given.get("code_verifier", ""), given.get("code", "")}
            if given.get("grant_type") != "refresh_token":
                self.codes += 1
                reply = super()._token(given)
                return self.of_code(reply) if self.of_code else reply
            self.refreshes += 1
            token = given.get("refresh_token", "")
            if token in self._spent:
                self.reused += 1
                self._refreshes.clear()
                self._tokens.clear()
            self._spent.add(token)
            reply = super()._token(given)
            return self.of_refresh(reply) if self.of_refresh else reply

    def _tokens_for(self, grant: IssuedGrant, *, has_refresh: bool = True) -> DemoReply:
        before = {*self._tokens}
        reply = super()._tokens_for(grant, has_refresh=has_refresh)
        self.secrets |= {*self._tokens, *self._refreshes}
        if self.lifetime is not None:
            for token in {*self._tokens} - before:
                self._tokens[token].until = time.monotonic() + self.lifetime
            reply = changed(reply, expires_in=self.lifetime)
        return reply


def changed(reply: DemoReply, **changes: Any) -> DemoReply:
    """A response with other values; None leaves one out."""

    found = {**json.loads(reply.body), **changes}
    kept = {name: value for name, value in found.items() if value is not None}
    return json_reply(kept, reply.status)


def refusing(code: str, status: int = 400, **more: Any) -> TokenFault:
    """Refuse with an error."""
    return lambda reply: json_reply({"error": code, **more}, status)


def page(status: int) -> TokenFault:
    """Answer with HTML."""
    return lambda reply: DemoReply(status, b"<!doctype html>", {"content-type": "text/html"})


def huge(reply: DemoReply) -> DemoReply:
    """Answer with 60 MB."""
    return DemoReply(200, b'{"access_token": "' + b"x" * HUGE + b'"}', reply.headers)
