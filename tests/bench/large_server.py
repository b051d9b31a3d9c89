"""A stdio server whose answers are as large as asked for: `python -S large_server.py`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

LINE = "2026-11-21T10:00:00Z  INFO  request 4711 of 8,192 served in 12 ms, all is well\n"
_NUMBER = {"type": "integer", "minimum": 0}
_SCHEMA = {"type": "object", "properties": {"megabytes": _NUMBER}, "required": ["megabytes"]}


def _lines(size: int) -> str:
    return (LINE * (size // len(LINE) + 1))[:size]


def _one_line(size: int) -> str:
    return ("0123456789abcdef" * (size // 16 + 1))[:size]


def _json(size: int) -> str:
    entry = '{"id": 4711, "name": "a record", "tags": ["one", "two"], "ok": true}'
    return f"[{', '.join([entry] * (size // (len(entry) + 2)))}]"


TEXTS: dict[str, Callable[[int], str]] = {"lines": _lines, "one_line": _one_line, "json": _json}


def tell(message: dict[str, object]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    hints = {"readOnlyHint": True}
    tools = [{"name": name, "inputSchema": _SCHEMA, "annotations": hints} for name in TEXTS]
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            continue
        result: dict[str, object] | None = None
        if method == "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "large", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": tools}
        elif method == "tools/call":
            size = params["arguments"]["megabytes"] * 1_000_000
            result = {"content": [{"type": "text", "text": TEXTS[params["name"]](size)}]}
        if result is None:
            tell({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        else:
            tell({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
