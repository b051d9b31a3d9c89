"""A stdio server whose answers get lost or differ, in plain Python for a quick start.

`python -S unsteady.py FILE`: a tool that loses its answer ends the process, unless FILE exists,
which it makes first. `lose_repeatable` claims to be idempotent, `lose_plain` no hints set.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

READS = {"readOnlyHint": True}
TOOLS: dict[str, dict[str, object]] = {
    "look_outside": {**READS, "openWorldHint": True},
    "look_inside": {**READS, "openWorldHint": False},
    "same": {**READS, "openWorldHint": False},
    "count": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    "lose_repeatable": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    "lose_plain": {},
}


def tell(message: dict[str, object]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    mark, count = Path(sys.argv[1]), 0
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
                "serverInfo": {"name": "unsteady", "version": "1"},
            }
        elif method == "tools/list":
            schema = {"type": "object"}
            listed = [
                {"name": name, "inputSchema": schema, "annotations": hints}
                for name, hints in TOOLS.items()
            ]
            result = {"tools": listed}
        elif method == "tools/call":
            count += 1
            if params["name"].startswith("lose") and not mark.exists():
                mark.touch()
                os._exit(3)
            said = count if params["name"] == "count" else "secret words from outside"
            result = {
                "content": [{"type": "text", "text": str(said)}],
                "structuredContent": {"said": said},
            }
        if result is None:
            tell({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        else:
            tell({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
