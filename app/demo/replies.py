"""HTTP responses of `signoff demo serve`, and those with a fault of the token endpoint."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

Send = Callable[[dict[str, Any]], Awaitable[None]]

HUGE: Final = 60_000_000


@dataclass
class DemoReply:
    """One HTTP response."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def json_reply(value: Any, status: int = 200) -> DemoReply:
    """A response with JSON, without caching."""
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    return DemoReply(status, json.dumps(value).encode(), headers)


async def send_reply(send: Send, reply: DemoReply) -> None:
    """Write a response."""
    headers = {**reply.headers, "content-length": str(len(reply.body))}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": raw})
    await send({"type": "http.response.body", "body": reply.body})


def client_reply(fault: str, secret: str) -> DemoReply | None:
    """The response to a client that signs in by itself, with a fault; None without one."""
    match fault:
        case "client-refused":
            said = f"the secret {secret} is wrong\x1b[31m"
            return json_reply({"error": "invalid_client", "error_description": said}, 401)
        case "scope-refused":
            return json_reply({"error": "invalid_scope"}, 400)
        case "client-not-allowed":
            return json_reply({"error": "unauthorized_client"}, 400)
        case "token-unavailable":
            return _later(503, "120")
        case "token-too-many":
            return _later(429, "7")
        case "token-html":
            page = b"<!doctype html><title>Sign in</title>"
            return DemoReply(500, page, {"content-type": "text/html"})
        case "token-redirect":
            return DemoReply(307, b"", {"location": "https://token.example/token"})
    return None


def _later(status: int, seconds: str) -> DemoReply:
    reply = json_reply({"error": "temporarily_unavailable"}, status)
    reply.headers["retry-after"] = seconds
    return reply


def token_fault(fault: str, reply: DemoReply) -> DemoReply:
    """A response with a token, with a fault."""
    match fault:
        case "token-huge":
            return DemoReply(200, b'{"access_token": "' + b"x" * HUGE + b'"}', reply.headers)
        case "token-broken":
            return DemoReply(200, reply.body[:-1], reply.headers)
    changes: dict[str, dict[str, Any]] = {
        "token-type": {"token_type": "mac"},
        "token-missing": {"access_token": None},
        "token-unsendable": {"access_token": "one\r\nX-Two: 2"},
    }
    if fault in changes:
        return json_reply(json.loads(reply.body) | changes[fault])
    return reply
