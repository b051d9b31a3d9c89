"""`python -m signoff.app.demo.serve PORT open|signed-in FAULT CARD`: the demo over Streamable HTTP
on this machine, behind a sign-in of its own, with a server card.

The first line of standard output is its address. It ends with its standard input.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any, Final

import uvicorn

from .authorization import (
    CALL,
    CLIENT,
    OAUTH,
    READ,
    SECRET,
    AuthorizationServer,
    Receive,
    Scope,
)
from .extensions.cards import WithCard
from .replies import DemoReply, Send, json_reply, send_reply
from .sandbox import Sandbox
from .server import STEP_SECONDS, build_server

HOST: Final = "127.0.0.1"
MCP: Final = "/mcp"
PROTECTED: Final = "/.well-known/oauth-protected-resource"
FAULTS: Final = Path(__file__).with_name("auth_faults.toml")
_MANY: Final = 10_000
_PEEKED: Final = 1_000_000


class Protected:
    """The MCP server behind its sign-in, and the authorization server on another port (ASGI)."""

    def __init__(
        self, app: Any, origin: str, server: AuthorizationServer | None, port: int
    ) -> None:
        """`server` is None for a server without a sign-in; `port` is that of `server`."""
        self._app = app
        self._origin = origin
        self._server = server
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan of the MCP server."""
        if scope["type"] != "http" or self._server is None:
            await self._app(scope, receive, send)
        elif scope["server"][1] == self._port:
            await self._server(scope, receive, send)
        elif (reply := self._document(scope["path"], self._server)) is not None:
            await send_reply(send, reply)
        else:
            await self._guarded(scope, receive, send, self._server)

    def _document(self, path: str, server: AuthorizationServer) -> DemoReply | None:
        """A metadata document of the MCP server itself; None for any other path."""
        fault = server.fault
        if path == OAUTH and fault == "old-way":
            return json_reply({**server.metadata(), "issuer": self._origin})
        if path != f"{PROTECTED}{MCP}":
            return None
        if fault in ("no-resource-metadata", "old-way"):
            return json_reply({"error": "not_found"}, 404)
        resource = {
            "resource-mismatch": "https://another.example/mcp",
            "resource-parent": self._origin,
            "resource-slash": f"{self._origin}{MCP}/",
        }.get(fault, f"{self._origin}{MCP}")
        server.resource = resource
        servers = [] if fault == "no-authorization-server" else [server.issuer]
        return json_reply(
            {
                "resource": resource,
                "authorization_servers": servers,
                "scopes_supported": [READ, CALL],
                "bearer_methods_supported": ["header"],
            }
        )

    async def _guarded(
        self, scope: Scope, receive: Receive, send: Send, server: AuthorizationServer
    ) -> None:
        headers = {name.lower(): value for name, value in scope["headers"]}
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        granted = server.scope_of(token.strip()) if scheme.lower() == "bearer" else None
        if granted is None:
            error = ', error="invalid_token"' if token else ""
            reply = json_reply({"error": "invalid_token"}, 401)
            reply.headers |= self._challenge(error, server.fault)
            await send_reply(send, reply)
            return
        if server.fault == "step-up" and CALL not in granted.split():
            body, receive = await _peeked(receive)
            if b'"tools/call"' in body:
                reply = json_reply({"error": "insufficient_scope"}, 403)
                named = f'error="insufficient_scope", scope="{READ} {CALL}", '
                reply.headers["www-authenticate"] = f"Bearer {named}{self._metadata}"
                await send_reply(send, reply)
                return
        await self._app(scope, receive, send)

    @property
    def _metadata(self) -> str:
        return f'resource_metadata="{self._origin}{PROTECTED}{MCP}"'

    def _challenge(self, error: str, fault: str) -> dict[str, str]:
        """The header of a 401, with its fault."""
        name, scope = "www-authenticate", f'scope="{READ}"'
        whole = f"Bearer {self._metadata}, {scope}{error}"
        match fault:
            case "no-challenge":
                return {}
            case "no-resource-metadata" | "old-way":
                return {name: f"Bearer {scope}{error}"}
            case "two-challenges":
                return {name: f'Bearer realm="demo", {whole}'}
            case "many-scopes":
                many = " ".join(f"s{number}" for number in range(_MANY))
                return {name: f'Bearer {self._metadata}, scope="{many}"'}
            case "points-inside":
                inside = "http://169.254.169.254/latest/meta-data"
                return {name: f'Bearer resource_metadata="{inside}", {scope}{error}'}
        return {name: whole}


async def _peeked(receive: Receive) -> tuple[bytes, Receive]:
    """The body of a request, and what gives it again."""
    messages, body = [], b""
    while len(body) < _PEEKED:
        message = await receive()
        messages.append(message)
        body += message.get("body", b"")
        if not message.get("more_body"):
            break

    async def again() -> Any:
        return messages.pop(0) if messages else await receive()

    return body, again


def main() -> None:
    """Serve until standard input ends."""
    wanted, kind, fault = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    try:
        listening = socket.create_server((HOST, wanted))
        second = socket.create_server((HOST, wanted + 1 if wanted else 0))
    except OSError as problem:
        sys.exit(
            f"signoff demo serve: port {wanted} cannot be used: {os.strerror(problem.errno or 0)}"
        )
    origin, port = f"http://{HOST}:{listening.getsockname()[1]}", second.getsockname()[1]
    issuer = f"http://{HOST}:{port}"
    resource = f"{origin}{MCP}"
    server = None if kind == "open" else AuthorizationServer(issuer, fault, resource)
    sandbox = Sandbox(os.environ.get("SIGNOFF_DEMO_DIR"))
    mcp = build_server(sandbox, lambda noise: None, step_seconds=STEP_SECONDS)
    protected = Protected(mcp.streamable_http_app(), origin, server, port)
    # A card needs no sign-in.
    app = WithCard(protected, resource, sys.argv[4] if len(sys.argv) > 4 else "honest")

    def end() -> None:
        sys.stdin.read()
        sandbox.close()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
    print(f"{origin}{MCP}", flush=True)
    if server is None:
        print("no sign-in is required", file=sys.stderr)
    else:
        print(f"sign-in by {issuer}, which approves everyone", file=sys.stderr)
        print(f"for --client-id {CLIENT}, the secret is {SECRET}", file=sys.stderr)
    if fault:
        known = tomllib.loads(FAULTS.read_text(encoding="utf-8"))
        print(f"fault: {fault}: {known[fault]}", file=sys.stderr)
    print("Ctrl+C ends it", file=sys.stderr, flush=True)
    try:
        uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listening, second])
    finally:
        sandbox.close()


if __name__ == "__main__":
    # Ctrl+C reaches this process, too, and is an ordinary end.
    with contextlib.suppress(KeyboardInterrupt):
        main()
    # Another Ctrl+C must not interrupt the end of the interpreter.
    sys.stderr.flush()
    os._exit(0)
