"""A server of 2026-07-28 that ends each call of its tool with the members of its first argument.

They are JSON, such as `{"result": {"resultType": "input_required"}}`.
"""

import json
import sys
from typing import Any

FRESH = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
REPLIES: dict[str, Any] = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
}


def main() -> None:
    members = json.loads(sys.argv[1])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "tools/call":
            response |= members
        elif message["method"] in REPLIES:
            response["result"] = {**REPLIES[message["method"]], **FRESH}
        else:
            response["error"] = {"code": -32601, "message": "no such method"}
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
