"""A server whose one tool asks for the data of a form, whose schema is the one argument given.

The answer of the tool is what was answered to that. With `modern` behind the schema it speaks
2026-07-28, in which a server must not ask: it does so, asks for a ping, too, and each call is
answered with all responses that came until then.
"""

import json
import sys
from typing import Any

SCHEMA = json.loads(sys.argv[1])
IS_MODERN = "modern" in sys.argv[2:]
FRESH = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if IS_MODERN else {}


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    waiting = None
    responses: list[Any] = []
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                info = {"name": "asks for", "version": "1"}
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                send(id=message["id"], result=result | {"serverInfo": info})
            case "server/discover" if IS_MODERN:
                result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
                send(id=message["id"], result=result | FRESH)
            case "tools/list":
                tool = {"name": "ask", "inputSchema": {"type": "object"}}
                send(id=message["id"], result={"tools": [tool]} | FRESH)
            case "tools/call" if IS_MODERN:
                send(id="asked", method="elicitation/create", params={"requestedSchema": SCHEMA})
                send(id="pinged", method="ping")
                content = [{"type": "text", "text": json.dumps(responses)}]
                send(id=message["id"], result={"content": content} | FRESH)
            case "tools/call":
                waiting = message["id"]
                params = {"message": "please", "requestedSchema": SCHEMA}
                send(id="asked", method="elicitation/create", params=params)
            case None if IS_MODERN:
                responses.append(message)
            case None if message.get("id") == "asked":
                text = json.dumps(message.get("result"))
                send(id=waiting, result={"content": [{"type": "text", "text": text}]})
            case str() if "id" in message:
                send(id=message["id"], error={"code": -32601, "message": "no such method"})


if __name__ == "__main__":
    main()
