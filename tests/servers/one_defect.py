"""A plain stdio server with one defect, given as JSON: `one_defect.py CASE`; see `client_cases`.

It needs nothing but Python's standard library.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def responses(case: dict[str, Any]) -> dict[str, Any]:
    """The result of each method."""
    greeting = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "one-defect", "version": "1"},
        **case.get("greeting", {}),
    }
    tool: Any = {"name": "defect", "inputSchema": {"type": "object"}, **case.get("tool", {})}
    for key in case.get("without", ()):
        del tool[key]
    plain = {"name": "plain", "inputSchema": {"type": "object"}}
    answer = case.get("answer", {"content": [{"type": "text", "text": "hello"}]})
    return {
        "initialize": greeting,
        "tools/list": {"tools": [tool, plain], **case.get("page", {})},
        "tools/call": answer,
        "ping": {},
    }


def main() -> None:
    case = json.loads(sys.argv[1])
    results = responses(case)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] in results:
            answer |= {"result": results[request["method"]], **case.get("beside", {})}
        else:
            answer["error"] = {"code": -32601, "message": "no such method"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
