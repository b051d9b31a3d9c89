"""A server that lists tools of any name: `named.py NAME=HINTS ...`, with letters for hints.

`r` read-only, `d` destructive, `a` not destructive, none for nothing. A call echoes the name.
"""

from __future__ import annotations

import json
import sys

HINTS = {
    "r": {"readOnlyHint": True},
    "d": {"destructiveHint": True},
    "a": {"destructiveHint": False},
}


def definition(word: str) -> dict[str, object]:
    name, _, letters = word.partition("=")
    hints: dict[str, bool] = {}
    for letter in letters:
        hints |= HINTS[letter]
    return {"name": name, "inputSchema": {"type": "object"}, "annotations": hints}


def main() -> None:
    tools = [definition(word) for word in sys.argv[1:]]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method, params = message.get("method"), message.get("params") or {}
        results: dict[str, dict[str, object]] = {
            "initialize": {
                "protocolVersion": params.get("protocolVersion", "2025-11-25"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "named", "version": "1"},
            },
            "tools/list": {"tools": tools},
            "tools/call": {"content": [{"type": "text", "text": str(params.get("name"))}]},
        }
        answer: dict[str, object] = {"jsonrpc": "2.0", "id": message["id"]}
        if method in results:
            answer["result"] = results[method]
        else:
            answer["error"] = {"code": -32601, "message": "no such method"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
