"""A host that waits for a second: `python impatient_host.py BEHAVIOUR`.

Behaviours: `cancels` (the call, and says why), `goes-on` (without a word to the server), `renews`
(cancels after a second without progress), `restarts` (starts the server again, and calls once
more), `ends` (itself), `waits` (for ever).
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
import urllib.request
from typing import Any

BEHAVIOUR = sys.argv[1]
SECONDS = 1.0


class Server:
    """An MCP server on stdio, with a thread that reads."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._came: queue.Queue[dict[str, Any]] = queue.Queue()
        self._numbers = itertools.count(1)
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("method") == "ping":
                self._send({"id": message["id"], "result": {}})
            else:
                self._came.put(message)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        print(json.dumps({"jsonrpc": "2.0", **message}), file=self._process.stdin, flush=True)

    def ask(
        self, method: str, params: dict[str, Any], seconds: float = 3600.0
    ) -> dict[str, Any] | None:
        """The result of a request; None if it did not come in time."""
        number = next(self._numbers)
        if BEHAVIOUR == "renews":
            params = {**params, "_meta": {"progressToken": number}}
        self._send({"id": number, "method": method, "params": params})
        until = time.monotonic() + seconds
        while True:
            try:
                message = self._came.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if message.get("id") == number:
                result: dict[str, Any] = message["result"]
                return result
            if BEHAVIOUR == "renews" and message.get("method") == "notifications/progress":
                until = time.monotonic() + seconds
        if BEHAVIOUR in ("cancels", "renews"):
            about = {"requestId": number, "reason": "tired \u202e of it"}
            self._send({"method": "notifications/cancelled", "params": about})
        return None

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def post(body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        os.environ["SIGNOFF_MODEL_URL"] + "/v1/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": "Bearer " + os.environ["SIGNOFF_MODEL_KEY"]},
    )
    with urllib.request.urlopen(request) as response:
        message: dict[str, Any] = json.load(response)["choices"][0]["message"]
        return message


def main() -> None:
    with open(os.environ["SIGNOFF_MCP_CONFIG"], encoding="utf-8") as file:
        given = next(iter(json.load(file)["mcpServers"].values()))
    command = [given["command"], *given["args"]]
    server = Server(command)
    listed = server.ask("tools/list", {}) or {}
    tools = [
        {"type": "function", "function": {"name": one["name"], "parameters": one["inputSchema"]}}
        for one in listed["tools"]
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": os.environ["SIGNOFF_PROMPT"]}]
    while True:
        message = post({"model": "m", "messages": messages, "tools": tools})
        messages.append(message)
        if not message.get("tool_calls"):
            break
        call = message["tool_calls"][0]
        name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
        sent = {"name": name, "arguments": arguments}
        seconds = 3600.0 if BEHAVIOUR == "waits" else SECONDS
        result = server.ask("tools/call", sent, seconds)
        if result is None and BEHAVIOUR == "ends":
            server.close()
            return
        if result is None and BEHAVIOUR == "restarts":
            server.close()
            server = Server(command)
            result = server.ask("tools/call", sent, seconds)
        told = "it took too long" if result is None else json.dumps(result)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": told})
    server.close()


if __name__ == "__main__":
    main()
