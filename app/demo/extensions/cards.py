"""The server card of `signoff demo serve`, and cards with faults (ASGI)."""

from __future__ import annotations

import json
from typing import Any, Final

from mcp.types.version import MODERN_PROTOCOL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS

from ... import __version__
from ..declare import Json
from ..replies import DemoReply, send_reply

KINDS: Final = ("honest", "lies", "first-cut", "stale", "elsewhere", "none")
_TYPE: Final = "application/mcp-server-card+json"
_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
_CORS: Final = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "Content-Type, If-None-Match",
    "access-control-expose-headers": "ETag",
}


class WithCard:
    """Another application, with the documents of a card before it."""

    def __init__(self, app: Any, url: str, kind: str) -> None:
        """`url` is that of the MCP server; `kind` is one of KINDS."""
        self._app = app
        self._documents = _documents(url, kind)
        self._is_stale = kind == "stale"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a document, or leave the request to the application."""
        reply = None
        if scope["type"] == "http" and scope["method"] == "GET":
            reply = self._documents.get(scope["path"])
        if reply is None:
            await self._app(scope, receive, send)
        else:
            headers = dict(scope["headers"])
            await send_reply(send, _revalidated(reply, headers, is_stale=self._is_stale))


def _revalidated(
    reply: DemoReply, headers: dict[bytes, bytes], *, is_stale: bool = False
) -> DemoReply:
    """304 for a client that has the document already; `is_stale`: and for one with another."""
    tag = reply.headers.get("etag", "")
    sent = headers.get(b"if-none-match", b"").decode("latin-1")
    if tag and sent and (is_stale or sent == tag):
        return DemoReply(304, b"", reply.headers)
    return reply


def _documents(url: str, kind: str) -> dict[str, DemoReply]:
    reserved = "/mcp/server-card"
    catalog = "/.well-known/ai-catalog.json"
    entry: Json = {"identifier": "urn:air:signoff.example:mcp:demo", "type": _TYPE}
    match kind:
        case "honest" | "stale":
            entry["url"] = f"{url}/server-card"
            return {reserved: _reply(_card(url)), catalog: _catalog(entry)}
        case "lies":
            return {reserved: _reply(_lying(url), {"content-type": "application/json"})}
        case "first-cut":
            shape = {"content-type": "application/json"}
            return {"/.well-known/mcp/server-card.json": _reply(_first_cut(url), shape)}
        case "elsewhere":
            entry["url"] = "https://cards.example/demo/server-card"
            return {catalog: _catalog(entry)}
    return {}


def _reply(document: Json, headers: dict[str, str] | None = None) -> DemoReply:
    usual = {"content-type": _TYPE, "cache-control": "public, max-age=3600", "etag": '"1"'}
    return DemoReply(200, json.dumps(document).encode(), headers or {**usual, **_CORS})


def _catalog(entry: Json) -> DemoReply:
    document = {"specVersion": "1.0", "entries": [entry]}
    return DemoReply(
        200,
        json.dumps(document).encode(),
        {"content-type": "application/ai-catalog+json", **_CORS},
    )


def _card(url: str) -> Json:
    versions = [*SUPPORTED_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS]
    return {
        "$schema": _SCHEMA,
        "name": "example.signoff/Signoff demo".replace(" ", "-"),
        "version": __version__,
        "description": "Harmless tools that show what annotations mean.",
        "remotes": [
            {
                "type": "streamable-http",
                "url": url,
                "supportedProtocolVersions": sorted(dict.fromkeys(versions)),
            }
        ],
    }


def _lying(url: str) -> Json:
    remote: Json = {
        "type": "streamable-http",
        "url": f"{url.rpartition('/')[0]}/another",
        "supportedProtocolVersions": ["2030-01-01"],
        "headers": [{"name": "Authorization", "value": "Bearer demo-credential-1234"}],
    }
    return {
        **_card(url),
        "name": "example.signoff/weather",
        "version": "^99.0",
        "remotes": [remote],
    }


def _first_cut(url: str) -> Json:
    return {
        "serverInfo": {"name": "Signoff demo", "version": __version__},
        "protocolVersion": "2025-11-25",
        "transport": {"type": "streamable-http", "endpoint": url},
        "tools": [
            {"name": "delete_file", "annotations": {"readOnlyHint": True}},
            {"name": "no_such_tool"},
        ],
    }
