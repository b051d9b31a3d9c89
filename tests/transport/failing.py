"""An HTTP server with a tool for each way of failing: the call of a tool fails as its name says.

`python -m tests.transport.failing [TOOL...]` serves it until its stdin ends.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from tests.transport.webbed import Asked, Reset, answer, events, greets, result, web

JSON: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
PAGE: Final = (
    b"<!doctype html><html><head><title>Sign in \xe2\x80\x93 Example</title></head></html>"
)
DISABLED: Final = b'{"detail":"Tool access is off for this workspace\\u202e \\u001b[31m"}'
BLOCK: Final = 1_000_000
_EVENTS: Final = "text/event-stream"


@cache
def bomb(unit: bytes = b" ") -> bytes:
    """1 GB of one unit over and over, compressed: one block of deflate, again and again."""
    maker = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    once = unit * (BLOCK // len(unit))
    block = maker.compress(once) + maker.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(b"")[:10] + block * (1_000_000_000 // len(once))


def _empty_blocks() -> bytes:
    """30 MB of gzip from which nothing comes out."""
    return gzip.compress(b"")[:10] + b"\0\0\0\xff\xff" * 6_000_000


def packed(
    body: bytes, coding: str, kind: str = "application/json", status: str = "200 OK"
) -> bytes:
    return answer(status, body, kind, f"Content-Encoding: {coding}\r\n")


_RPC: Final = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no such project"}}'
_HTML: Final = "text/html; charset=utf-8"
_TEXT: Final = "text/plain"
_CHUNKED: Final = b"Transfer-Encoding: chunked\r\n\r\n"

FAILURES: Final[dict[str, bytes | Callable[[], bytes]]] = {
    "bad_request": answer("400 Bad Request", b"Missing header X-Team", _TEXT),
    "sign_in": answer(
        "401 Unauthorized",
        b'{"error":"invalid_token","error_description":"The token expired"}',
        more='WWW-Authenticate: Bearer realm="x", scope="tools:read"\r\n',
    ),
    "forbidden": answer("403 Forbidden", DISABLED),
    "forbidden_rpc": answer("403 Forbidden", _RPC),
    "forbidden_page": answer("403 Forbidden", PAGE, _HTML),
    "forbidden_silently": answer("403 Forbidden"),
    "not_found": answer("404 Not Found", b'{"detail":"Not Found"}'),
    "not_allowed": answer("405 Method Not Allowed", more="Allow: GET, HEAD\r\n"),
    "not_acceptable": answer("406 Not Acceptable"),
    "unsupported": answer("415 Unsupported Media Type"),
    "too_many": answer("429 Too Many Requests", more="Retry-After: 30\r\n"),
    "too_many_rpc": answer("429 Too Many Requests", _RPC, more="Retry-After: 7\r\n"),
    "broken": answer("500 Internal Server Error", b"Traceback: KeyError 'x'", _TEXT),
    "bad_gateway": answer("502 Bad Gateway", PAGE.replace(b"Sign in", b"502"), _HTML),
    "unavailable": answer(
        "503 Service Unavailable", more="Retry-After: Fri, 31 Dec 2027 23:59:59 GMT\r\n"
    ),
    "gateway_time": answer("504 Gateway Timeout"),
    "elsewhere": answer("307 Temporary Redirect", more="Location: http://127.0.0.2:1/x\r\n"),
    "found": answer("302 Found", more="Location: /elsewhere?secret=1\r\n"),
    "circle": answer("308 Permanent Redirect", more="Location: /mcp\r\n"),
    "page": answer("200 OK", PAGE, _HTML),
    "plain_text": answer("200 OK", b"it works", _TEXT),
    "empty": answer("200 OK"),
    "no_kind": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    "no_content": answer("204 No Content"),
    "accepted": answer("202 Accepted"),
    "closed": b"",
    "head_cut": b"HTTP/1.1 200 OK\r\nContent-Ty",
    "body_cut": JSON + b'Content-Length: 99\r\n\r\n{"jsonrpc"',
    "body_too_long": JSON + b'Content-Length: 5\r\n\r\n{"jsonrpc":"2.0"}',
    "odd_length": JSON + b"Content-Length: some\r\n\r\n{}",
    "chunk_cut": JSON + _CHUNKED + b'9\r\n{"js',
    "bad_chunk": JSON + _CHUNKED + b"zz\r\n{}",
    "stream_cut": events() + b'data: {"jsonrpc":"2.0","id":',
    "stream_chunk_cut": events()[:-2] + _CHUNKED + b"40\r\ndata: {",
    "headers_flood": lambda: b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
    "long_header": lambda: b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000 + b"\r\n\r\n",
    "switching": answer("101 Switching Protocols", more="Upgrade: websocket\r\n"),
    "ssh": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "tls_alert": b"\x15\x03\x01\x00\x02\x02\x46",
    "brotli": packed(b"\x0b\x02\x80{}\x03", "br"),
    "zstd": packed(b"(\xb5/\xfd", "zstd"),
    "bad_gzip": packed(b"this is no gzip", "gzip"),
    "gzip_cut": packed(gzip.compress(b'{"jsonrpc":"2.0"}' * 9)[:-9], "gzip"),
    "layers": packed(b"x", "gzip, gzip, gzip, gzip"),
    "bomb": lambda: packed(bomb(), "gzip"),
    "stacked_bomb": lambda: packed(gzip.compress(bomb()), "gzip, gzip"),
    "deflate_bomb": lambda: packed(bomb()[10:], "deflate"),
    "bomb_in_error": lambda: packed(bomb(), "gzip", status="403 Forbidden"),
    "bomb_in_events": lambda: packed(bomb(), "gzip", _EVENTS),
    "comment_bomb": lambda: packed(bomb(b": " + b"x" * 997 + b"\n"), "gzip", _EVENTS),
    "idle_layers": lambda: packed(gzip.compress(_empty_blocks()), "gzip, gzip"),
}
"""What comes for a call, by the name of the tool."""


def tool(name: str) -> dict[str, Any]:
    about: dict[str, Any] = {"name": name, "description": f"Fails: {name}."}
    return about | {"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


TOOLS: Final = ("fine", "reset", "forgotten", "forgotten_400", "waits", "dripping_error")


class Failing:
    """Answers as `failures` says; with `names` only those."""

    def __init__(self, names: list[str] | None = None) -> None:
        self.tools = [
            tool(name)
            for name in (
                *TOOLS,
                *(one for one in (FAILURES if names is None else names) if one not in TOOLS),
            )
        ]

    async def __call__(self, asked: Asked) -> bytes:
        if asked.method != "tools/call":
            return greets(asked, session=True, tools=self.tools)
        match asked.message["params"]["name"]:
            case "fine":
                return result(asked, {"content": [{"type": "text", "text": "fine"}]})
            case "reset":
                raise Reset
            case "forgotten":
                return answer("404 Not Found", _rpc_error("Session not found"))
            case "forgotten_400":
                return answer("400 Bad Request", _rpc_error("Bad Request: No valid session ID"))
            case "waits":
                await asyncio.sleep(3600)
                return b""
            case "dripping_error":
                return answer("403 Forbidden", b"so far", _TEXT).replace(b": 6", b": 600")
            case name:
                what = FAILURES[name]
                return what if isinstance(what, bytes) else what()


def _rpc_error(message: str) -> bytes:
    error = {"code": -32001, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


async def _main() -> None:
    names = sys.argv[1:]
    async with web(Failing(names or None)) as served:
        print(served.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main())
