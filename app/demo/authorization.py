"""A small authorization server for `signoff demo serve`, with the faults of `auth_faults.toml`.

It approves every sign-in without a question, for clients on this machine only. It is for tests of
clients: never let it guard anything.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from .replies import HUGE as HUGE
from .replies import DemoReply as DemoReply
from .replies import Send, client_reply, json_reply, send_reply, token_fault

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]

CLIENT, SECRET = "demo-client", "demo-secret-for-tests"
"""The one client that signs in by itself; both are public."""
LIFETIME: Final = 3_600
"""Seconds of an access token."""
BODY_MAX: Final = 100_000
SHORT: Final = 2
"""Seconds of a token, if that is the fault."""
USES: Final = 6
"""Requests after which a token is forgotten, if that is the fault."""
OAUTH: Final = "/.well-known/oauth-authorization-server"
OPENID: Final = "/.well-known/openid-configuration"
READ, CALL = "demo:read", "demo:call"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


@dataclass
class IssuedGrant:
    """What a code or a token was given for."""

    client: str
    scope: str
    redirect: str = ""
    challenge: str = ""
    until: float = 0.0
    uses: int = 0


class AuthorizationServer:
    """Clients, codes and tokens, in memory."""

    def __init__(self, issuer: str, fault: str = "", resource: str = "") -> None:
        """`resource` is the MCP server that tokens are for."""
        self.issuer = issuer
        self.resource = resource
        self.asked_by_clients = 0
        """Requests for tokens by clients that sign in by themselves."""
        self.fault = fault
        self._clients: dict[str, list[str]] = {}
        self._codes: dict[str, IssuedGrant] = {}
        self._refreshes: dict[str, IssuedGrant] = {}
        self._tokens: dict[str, IssuedGrant] = {}
        self._documents = 0

    def scope_of(self, token: str) -> str | None:
        """The scope of a valid access token; None for any other text."""
        grant = self._tokens.get(token)
        if grant is not None and self.fault == "token-forgotten":
            grant.uses += 1
            if grant.uses > USES:
                return None
        is_good = grant is not None and grant.until > time.monotonic()
        if grant is None or not is_good or self.fault == "always-401":
            return None
        return grant.scope

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request (ASGI)."""
        method, path = scope["method"], scope["path"]
        if method == "GET" and path in (OAUTH, OPENID):
            await self._send_metadata(path, send)
            return
        given = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        match method, path:
            case "GET", "/authorize":
                reply = self._authorize(given)
            case "POST", "/token":
                form = dict(parse_qsl((await _body(receive)).decode("utf-8", "replace")))
                if form.get("grant_type") == "client_credentials":
                    named = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
                    reply = self._token_of_client(form, named)
                else:
                    reply = self._token(form)
            case "POST", "/register":
                reply = self._register(await _body(receive))
            case _:
                reply = json_reply({"error": "not_found"}, 404)
        await send_reply(send, reply)

    def metadata(self) -> dict[str, Any]:
        """The metadata of the authorization server, with its fault."""
        here, fault = self.issuer, self.fault
        found: dict[str, Any] = {
            "issuer": here,
            "authorization_endpoint": f"{here}/authorize",
            "token_endpoint": f"{here}/token",
            "registration_endpoint": f"{here}/register",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "token_endpoint_auth_methods_supported": [
                *("none", "client_secret_basic", "client_secret_post")
            ],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": [READ, CALL],
            "client_id_metadata_document_supported": True,
            "authorization_response_iss_parameter_supported": True,
        }
        changes: dict[str, dict[str, Any]] = {
            "issuer-mismatch": {"issuer": "https://issuer.example"},
            "issuer-slash": {"issuer": f"{here}/"},
            "issuer-case": {"issuer": here.upper()},
            "no-pkce": {"code_challenge_methods_supported": None},
            "pkce-plain": {"code_challenge_methods_supported": ["plain"]},
            "dcr-missing": {
                "registration_endpoint": None,
                "client_id_metadata_document_supported": None,
            },
            "javascript-endpoint": {"authorization_endpoint": "javascript:alert(1)"},
            "file-endpoint": {"token_endpoint": "file:///etc/passwd"},
            "fragment-endpoint": {"authorization_endpoint": f"{here}/authorize?x=1#f"},
            # RFC 9207 is younger than this way.
            "old-way": {"authorization_response_iss_parameter_supported": None},
        }
        if fault == "issuer-changes" and self._documents > 1:
            found["issuer"] = "https://issuer.example"
        found |= changes.get(fault, {})
        return {key: value for key, value in found.items() if value is not None}

    async def _send_metadata(self, path: str, send: Send) -> None:
        self._documents += 1
        match self.fault:
            case "no-metadata":
                reply = json_reply({"error": "not_found"}, 404)
            case "openid-only" if path != OPENID:
                reply = json_reply({"error": "not_found"}, 404)
            case "not-json":
                page = b"<!doctype html><title>Sign in</title>"
                reply = DemoReply(200, page, {"content-type": "text/html"})
            case "unavailable":
                reply = json_reply({"error": "temporarily_unavailable"}, 503)
            case "redirect":
                there = f"http://127.0.0.1:9/{OAUTH.rpartition('/')[2]}"
                reply = DemoReply(302, b"", {"location": there})
            case "huge":
                reply = DemoReply(200, b'{"issuer": "' + b"x" * HUGE + b'"}')
            case "bomb":
                packed = gzip.compress(b'{"issuer": "' + b"x" * HUGE + b'"}', 1)
                reply = DemoReply(200, packed, {"content-encoding": "gzip"})
            case "slow":
                await asyncio.sleep(3_600)
                reply = json_reply({}, 504)
            case _:
                reply = json_reply(self.metadata())
        await send_reply(send, reply)

    def _register(self, body: bytes) -> DemoReply:
        """Register a client whose redirects stay on this machine (RFC 7591)."""
        try:
            wanted = json.loads(body)
            redirects = [str(one) for one in wanted["redirect_uris"]]
        except (ValueError, KeyError, TypeError):
            return json_reply({"error": "invalid_client_metadata"}, 400)
        if self.fault == "dcr-missing" or not all(map(_is_local, redirects)):
            return json_reply({"error": "invalid_redirect_uri"}, 400)
        client = secrets.token_urlsafe(12)
        self._clients[client] = redirects
        kept = {key: value for key, value in wanted.items() if key != "client_secret"}
        return json_reply({**kept, "client_id": client, "token_endpoint_auth_method": "none"}, 201)

    def _authorize(self, given: Mapping[str, str]) -> DemoReply:
        """Approve a sign-in, and lead back to the client."""
        client, redirect = given.get("client_id", ""), given.get("redirect_uri", "")
        known = self._clients.get(client)
        is_document = client.startswith("https://")
        if not _is_local(redirect) or (redirect not in (known or ()) and not is_document):
            return json_reply({"error": "invalid_request"}, 400)
        answer = {"state": given.get("state", "")}
        if self.fault == "access-denied":
            answer |= {"error": "access_denied", "error_description": "the sign-in was denied"}
        elif given.get("code_challenge_method") != "S256" or not given.get("code_challenge"):
            answer |= {"error": "invalid_request", "error_description": "PKCE with S256 is needed"}
        else:
            code = secrets.token_urlsafe(24)
            scope = given.get("scope", READ)
            self._codes[code] = IssuedGrant(client, scope, redirect, given["code_challenge"])
            answer["code"] = code
        answer["iss"] = self.issuer
        match self.fault:
            case "iss-missing" | "old-way":
                del answer["iss"]
            case "iss-wrong":
                answer["iss"] = "https://issuer.example"
            case "state-wrong":
                answer["state"] = "another"
        joint = "&" if urlsplit(redirect).query else "?"
        return DemoReply(302, b"", {"location": f"{redirect}{joint}{urlencode(answer)}"})

    def _token(self, given: Mapping[str, str]) -> DemoReply:
        """Give tokens for a code or for a refresh token, each of which counts once."""
        if given.get("grant_type") == "refresh_token":
            if self.fault == "refresh-unavailable":
                return json_reply({"error": "temporarily_unavailable"}, 503)
            grant = self._refreshes.pop(given.get("refresh_token", ""), None)
            if grant is None or self.fault == "refresh-refused":
                return json_reply({"error": "invalid_grant"}, 400)
            return self._tokens_for(grant)
        grant = self._codes.pop(given.get("code", ""), None)
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_same = grant is not None and (
            secrets.compare_digest(grant.challenge, challenge)
            and grant.redirect == given.get("redirect_uri", grant.redirect)
            and grant.client == given.get("client_id", grant.client)
        )
        if grant is None or not is_same:
            return json_reply({"error": "invalid_grant"}, 400)
        return self._tokens_for(grant)

    def _token_of_client(self, given: Mapping[str, str], authorization: str) -> DemoReply:
        """Give a token to the one client that signs in by itself."""
        self.asked_by_clients += 1
        client, secret = given.get("client_id", ""), given.get("client_secret", "")
        if authorization:
            client, secret = _basic(authorization)
        if (reply := client_reply(self.fault, secret)) is not None:
            return reply
        if client != CLIENT or not secrets.compare_digest(secret.encode(), SECRET.encode()):
            return json_reply({"error": "invalid_client"}, 401)
        if given.get("resource", self.resource) != self.resource:
            return json_reply({"error": "invalid_target"}, 400)
        scope = given.get("scope", READ)
        if not {*scope.split()} <= {READ, CALL}:
            return json_reply({"error": "invalid_scope"}, 400)
        reply = self._tokens_for(IssuedGrant(client, scope), has_refresh=False)
        return token_fault(self.fault, reply)

    def _tokens_for(self, grant: IssuedGrant, *, has_refresh: bool = True) -> DemoReply:
        token, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        lifetime = SHORT if self.fault == "token-short" else LIFETIME
        until = time.monotonic() + lifetime
        self._tokens[token] = IssuedGrant(grant.client, grant.scope, until=until)
        if has_refresh:
            self._refreshes[refresh] = IssuedGrant(grant.client, grant.scope)
        lifetimes: dict[str, Any] = {
            "expires-negative": -1,
            "expires-text": "1e9",
            # It ends on the server alone.
            "token-forgotten": LIFETIME,
        }
        return json_reply(
            {
                "access_token": token,
                "token_type": "Bearer",
                "expires_in": lifetimes.get(self.fault, lifetime),
                **({"refresh_token": refresh} if has_refresh else {}),
                "scope": grant.scope,
            }
        )


def _basic(authorization: str) -> tuple[str, str]:
    """Client and secret of a header (RFC 6749, 2.3.1)."""
    try:
        pair = base64.b64decode(authorization.partition(" ")[2]).decode()
    except ValueError:
        return "", ""
    client, _, secret = pair.partition(":")
    return unquote_plus(client), unquote_plus(secret)


def _is_local(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


async def _body(receive: Receive) -> bytes:
    found = b""
    while len(found) < BODY_MAX:
        message = await receive()
        found += message.get("body", b"")
        if not message.get("more_body"):
            break
    return found[:BODY_MAX]
