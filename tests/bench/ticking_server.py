"""A stdio server that costs little itself: `quick` answers at once, `ticks` reports as it waits.

It stands on the standard library alone, and takes the version that it is asked for.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

REPORTS_A_SECOND = 100
TOOLS = ("quick", "ticks")
_SCHEMA = {"type": "object", "properties": {"seconds": {"type": "number"}}}
_ANSWER = {"content": [{"type": "text", "text": "done"}]}


class _Server:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[Any, tuple[Any, float, float]] = {}
        """By request id: the token of its progress, when it began, how long it takes."""

    def serve(self) -> None:
        threading.Thread(target=self._tick, daemon=True).start()
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "id" in message:
                self._take(message["id"], message.get("method"), message.get("params") or {})

    def _take(self, identity: Any, method: str, params: dict[str, Any]) -> None:
        reply: dict[str, Any]
        if method == "initialize":
            about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
            reply = {"result": {"protocolVersion": params["protocolVersion"], **about}}
        elif method == "tools/list":
            notes = {"inputSchema": _SCHEMA, "annotations": {"readOnlyHint": True}}
            reply = {"result": {"tools": [{"name": name, **notes} for name in TOOLS]}}
        elif method == "tools/call" and params["name"] == "ticks":
            token = (params.get("_meta") or {}).get("progressToken")
            wanted = float((params.get("arguments") or {}).get("seconds", 1))
            self._running[identity] = (token, time.monotonic(), wanted)
            return
        elif method == "tools/call":
            reply = {"result": _ANSWER}
        else:
            reply = {"error": {"code": -32601, "message": "unknown method"}}
        self._send([{"id": identity, **reply}])

    def _tick(self) -> None:
        count = 0
        while True:
            time.sleep(1 / REPORTS_A_SECOND)
            count += 1
            now = time.monotonic()
            messages: list[dict[str, Any]] = []
            for identity, (token, began, wanted) in list(self._running.items()):
                waited = now - began
                if waited >= wanted:
                    del self._running[identity]
                    messages.append({"id": identity, "result": _ANSWER})
                elif token is not None:
                    told = {"progress": waited, "total": wanted, "message": f"tick {count}"}
                    params = {"progressToken": token, **told}
                    messages.append({"method": "notifications/progress", "params": params})
            self._send(messages)

    def _send(self, messages: list[dict[str, Any]]) -> None:
        lines = [json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages]
        with self._lock:
            sys.stdout.write("".join(lines))
            sys.stdout.flush()


if __name__ == "__main__":
    _Server().serve()
