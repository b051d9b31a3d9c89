"""A server that floods: `asks` asks a thousand times at once, the others tell 20,000 things."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

ASKED, TOLD = 1_000, 20_000
TOOLS = ("asks", "updates", "logs")
FORM = {"type": "object", "properties": {"a": {"type": "string"}}}


def _flood(tool: str) -> Iterator[dict[str, Any]]:
    for at in range(ASKED if tool == "asks" else TOLD):
        match tool:
            case "asks":
                params = {"message": f"question {at}", "requestedSchema": FORM}
                yield {"id": f"q{at}", "method": "elicitation/create", "params": params}
            case "updates":
                method = "notifications/resources/updated"
                yield {"method": method, "params": {"uri": f"a://{at}"}}
            case _:
                params = {"level": "info", "data": f"message {at}"}
                yield {"method": "notifications/message", "params": params}


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            capabilities = {"tools": {}, "resources": {"subscribe": True}, "logging": {}}
            server = {"name": "flooding", "version": "1"}
            version = {"protocolVersion": "2025-11-25", "serverInfo": server}
            return {"result": {**version, "capabilities": capabilities}}
        case "tools/list":
            hints = {"readOnlyHint": True}
            tools = [
                {"name": name, "inputSchema": {"type": "object"}, "annotations": hints}
                for name in TOOLS
            ]
            return {"result": {"tools": tools}}
        case "resources/list":
            return {"result": {"resources": [{"uri": "a://0", "name": "one"}]}}
        case "tools/call":
            for message in _flood(params["name"]):
                _write(message)
            return {"result": {"content": [{"type": "text", "text": "all of it was said"}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def _write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "method" in request and "id" in request:
            answer = _answer(request["method"], request.get("params") or {})
            _write({"id": request["id"], **answer})
            sys.stdout.flush()


if __name__ == "__main__":
    main()
