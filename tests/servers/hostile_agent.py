"""An ACP agent whose every string is hostile: `python hostile_agent.py`.

All that the protocol leaves to the agent has the same text, in every message, on stderr, and beside
the messages. It asks once, and calls the server's tool whatever the answer is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

HOSTILE = (
    "\x1b]0;HOSTILE\x07\x1b[2J\x9b31m\u202eX\u200b\ud800\u2028\r\n  fake line\nturn ended: ok "
    "[@click=app.quit]z[/] <b>@someone</b> ![x](https://evil.example) ::error::"
)


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**fields: Any) -> None:
    send({"method": "session/update", "params": {"sessionId": HOSTILE, "update": fields}})


class Server:
    """The MCP server that the agent was given."""

    def __init__(self, given: dict[str, Any]) -> None:
        env = {**os.environ, **{one["name"]: one["value"] for one in given["env"]}}
        command = [given["command"], *given["args"]]
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        info = {"name": HOSTILE, "version": HOSTILE}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
        self.write({"method": "notifications/initialized"})
        self.ask("tools/list")

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> None:
        assert self.process.stdout is not None
        self.write({"id": method, "method": method, "params": params})
        while (line := self.process.stdout.readline()) and method.encode() not in line:
            pass


def main() -> None:
    sys.stderr.write(HOSTILE.encode("utf-8", "replace").decode() + "\n")
    server, asked = None, 0
    for line in sys.stdin:
        message = json.loads(line)
        method, identity = message.get("method"), message.get("id")
        if method == "initialize":
            info = {"name": HOSTILE, "version": HOSTILE, "title": HOSTILE}
            ways = [{"id": HOSTILE, "name": HOSTILE, "description": HOSTILE}]
            result = {"protocolVersion": 1, "agentInfo": info, "authMethods": ways}
            send({"id": identity, "result": result})
        elif method == "session/new":
            server = Server(message["params"]["mcpServers"][0])
            modes = {"currentModeId": HOSTILE, "availableModes": [{"id": HOSTILE, "name": HOSTILE}]}
            send({"id": identity, "result": {"sessionId": HOSTILE, "modes": modes}})
        elif method == "session/prompt":
            asked = identity
            text = {"type": "text", "text": HOSTILE}
            update(sessionUpdate=HOSTILE)
            update(sessionUpdate="agent_message_chunk", content=text)
            update(sessionUpdate="agent_thought_chunk", content=text)
            call = {"toolCallId": HOSTILE, "title": HOSTILE, "status": HOSTILE, "kind": HOSTILE}
            update(sessionUpdate="tool_call", **call)
            update(sessionUpdate="current_mode_update", currentModeId=HOSTILE)
            send({"id": HOSTILE, "method": f"fs/{HOSTILE}", "params": {}})
            sys.stdout.write(f"{HOSTILE.encode('utf-8', 'replace').decode()}\n")
            content = [{"type": "content", "content": text}]
            options = [
                {"optionId": HOSTILE, "name": HOSTILE, "kind": "reject_once"},
                {"optionId": "a", "name": HOSTILE, "kind": "allow_once"},
                {"optionId": "b", "name": HOSTILE, "kind": HOSTILE},
            ]
            shown = {**call, "rawInput": {HOSTILE: HOSTILE}, "content": content}
            params = {"sessionId": HOSTILE, "toolCall": shown, "options": options}
            send({"id": 900, "method": "session/request_permission", "params": params})
        elif identity == 900 and server is not None:
            server.ask("tools/call", name=HOSTILE, arguments={HOSTILE: HOSTILE})
            server.write({"method": HOSTILE, "params": [HOSTILE], "method2": float("nan")})
            if "fails" in sys.argv:
                send({"id": asked, "error": {"code": -32000, "message": HOSTILE, "data": HOSTILE}})
            else:
                send({"id": asked, "result": {"stopReason": HOSTILE}})


if __name__ == "__main__":
    main()
