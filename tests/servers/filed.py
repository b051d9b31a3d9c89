"""A stdio server whose tools stand in a file, read anew at every list: `python -S filed.py FILE`.

`python -S filed.py FILE err` lists all but the last tool, and fails at the second page; `notools`
sends a second page without tools. `gives RESULT` answers every call with that result,
and `varies` each with another text.

Calling a tool whose name begins with `die` ends the process, unless FILE.lives exists. An argument
`answer` is the whole result.
"""

from __future__ import annotations

import json
import os
import sys


def tell(message: dict[str, object]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def page(tools: list[object], cursor: object, modes: list[str]) -> dict[str, object] | None:
    """A page of the list; None for an error."""
    if not modes or modes[0] in ("gives", "varies"):
        return {"tools": tools}
    if cursor is None:
        return {"tools": tools[:-1], "nextCursor": "2"}
    return {"items": []} if modes[0] == "notools" else None


def main() -> None:
    path = sys.argv[1]
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            continue
        result: dict[str, object] | None = None
        if method == "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "filed", "version": "1"},
            }
        elif method == "tools/list":
            with open(path, encoding="utf-8") as file:
                result = page(json.load(file), params.get("cursor"), sys.argv[2:])
        elif method == "tools/call":
            if params["name"].startswith("die") and not os.path.exists(f"{path}.lives"):
                os._exit(3)
            said = (params.get("arguments") or {}).get("answer")
            result = said or {"content": [{"type": "text", "text": "called"}]}
            if sys.argv[2:3] == ["gives"]:
                result = json.loads(sys.argv[3])
            elif sys.argv[2:3] == ["varies"]:
                number = f"{os.getpid()} {message['id']}"
                result = {"content": [{"type": "text", "text": number}]}
        if result is None:
            tell({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        else:
            tell({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
