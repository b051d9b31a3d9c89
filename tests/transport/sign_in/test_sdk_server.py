"""One whole sign-in at a server of the SDK, which is its own authorization server."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

from tests.transport.linked import call
from tests.transport.sign_in.browsing import kept_in, signed_in

HOST = "127.0.0.1"
SCOPES = ["tools"]


class InMemory(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Approves everyone; each code and each refresh token counts once."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.tokens: dict[str, AccessToken] = {}
        self.refreshes: dict[str, RefreshToken] = {}
        self.resources: dict[str, str | None] = {}
        """What each refresh token is for."""
        self.refreshed = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id is not None
        self.clients[client_info.client_id] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        assert client.client_id is not None
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            client_id=client.client_id,
            expires_at=time.time() + 60,
            **params.model_dump(exclude={"state", "scopes"}),
            scopes=params.scopes or [],
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        code = self.codes.pop(authorization_code.code)
        return self._tokens_for(code.client_id, code.scopes, code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refreshes.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        self.refreshed += 1
        del self.refreshes[refresh_token.token]
        resource = self.resources.pop(refresh_token.token)
        return self._tokens_for(refresh_token.client_id, scopes, resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)

    def _tokens_for(self, client: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.tokens[access] = AccessToken(
            token=access, client_id=client, scopes=scopes, resource=resource
        )
        self.refreshes[refresh] = RefreshToken(token=refresh, client_id=client, scopes=scopes)
        self.resources[refresh] = resource
        return OAuthToken(access_token=access, refresh_token=refresh, scope=" ".join(scopes))


@contextlib.contextmanager
def of_the_sdk() -> Iterator[tuple[str, InMemory]]:
    """A server of the SDK on a port, and its tokens."""
    provider = InMemory()
    with socket.create_server((HOST, 0)) as listening:
        origin = f"http://{HOST}:{listening.getsockname()[1]}"
        options = ClientRegistrationOptions(
            enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES
        )
        settings = AuthSettings(
            issuer_url=AnyHttpUrl(origin),
            resource_server_url=AnyHttpUrl(f"{origin}/mcp"),
            client_registration_options=options,
            required_scopes=SCOPES,
            validate_token_resource=True,
        )
        server = MCPServer("signed in", auth=settings, auth_server_provider=provider)

        @server.tool()
        def echo() -> str:
            """Says something."""
            return "said"

        config = uvicorn.Config(
            server.streamable_http_app(), log_level="critical", timeout_graceful_shutdown=0
        )
        web = uvicorn.Server(config)
        thread = threading.Thread(target=web.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"{origin}/mcp", provider
        finally:
            web.should_exit = True
            thread.join(10)


async def test_the_sdk_signs_a_person_in_and_refreshes(tmp_path: Path) -> None:
    with of_the_sdk() as (url, provider):
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            assert not (await call(link, "echo")).problem
            assert [one.scopes for one in person.asked] == [tuple(SCOPES)]
            (client,) = provider.clients.values()
            assert (client.client_name, client.application_type) == ("Signoff", "native")
            provider.tokens.clear()
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            reply = await call(link, "echo")
            assert person.asked == []
    assert not reply.problem, reply.problem
    assert provider.refreshed == 1
