"""A server whose one tool asks for the data of a form, whose schema is the one argument given.

The answer of the tool is what was answered to that.
"""

import json
import sys
from typing import Any

SCHEMA = json.loads(sys.argv[1])


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    waiting = None
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                info = {"name": "asks for", "version": "1"}
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                send(id=message["id"], result=result | {"serverInfo": info})
            case "tools/list":
                tool = {"name": "ask", "inputSchema": {"type": "object"}}
                send(id=message["id"], result={"tools": [tool]})
            case "tools/call":
                waiting = message["id"]
                params = {"message": "please", "requestedSchema": SCHEMA}
                send(id="asked", method="elicitation/create", params=params)
            case None if message.get("id") == "asked":
                text = json.dumps(message.get("result"))
                send(id=waiting, result={"content": [{"type": "text", "text": text}]})
            case str() if "id" in message:
                send(id=message["id"], error={"code": -32601, "message": "no such method"})


if __name__ == "__main__":
    main()
