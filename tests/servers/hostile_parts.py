"""A stdio server whose answers are hostile: `python -S hostile_parts.py FILE [RECEIVED]`.

FILE holds an object of tools by name: `{"name": {"result": ..., "schema": ...}}`. A resource is
whatever `resources/read` is asked for; its answer is that of the tool `read:URI`, else that of
`read`. `times` is how often each answer is sent, 0 for never. RECEIVED gets every line that the
client sent.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

JsonObject = dict[str, Any]


def tell(message: JsonObject, times: int = 1) -> None:
    line = json.dumps({"jsonrpc": "2.0", **message})
    for _ in range(times):
        print(line, flush=True)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        tools: dict[str, JsonObject] = json.load(file)
    listed = [
        {
            "name": name,
            "inputSchema": tool.get("schema", {"type": "object"}),
            **tool.get("more", {}),
        }
        for name, tool in tools.items()
        if not name.startswith("read")
    ]
    for line in sys.stdin:
        if len(sys.argv) > 2:
            with open(sys.argv[2], "a", encoding="utf-8") as received:
                received.write(line)
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            continue
        tool: JsonObject = {}
        if method == "initialize":
            tool["result"] = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            }
        elif method == "tools/list":
            tool["result"] = {"tools": listed}
        elif method == "tools/call":
            tool = tools[params["name"]]
        elif method == "resources/read":
            tool = tools.get(f"read:{params['uri']}") or tools["read"]
        if "die" in tool:
            os._exit(3)
        if "result" in tool:
            tell({"id": message["id"], "result": tool["result"]}, tool.get("times", 1))
        else:
            tell({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})


if __name__ == "__main__":
    main()
