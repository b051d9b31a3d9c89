"""A scripted ACP agent: `python -m tests.servers.acp_agent BEHAVIOUR...`.

A prompt is its script: each line names a tool and has its arguments as JSON. It starts the MCP
server that it is given, lists its tools, and calls them as its behaviours have it:

    asks           names the tool, shows the arguments, and heeds the answer (the default)
    unasked        calls without asking
    late           beside `unasked`: shows the call half a second after its end
    first          calls first, and asks afterwards
    early          calls while the question is open, once the file that follows exists
    unnamed        asks with the arguments alone, as Qwen Code does
    bare           asks with the name alone; the arguments are in an earlier update, as in Kimi Code
    changes        sends other arguments than it asked about
    stubborn       calls although it was rejected
    garbage        writes bad JSON, odd messages and a flood of updates beside the rest
    demands        requests files, a terminal and unknown things of its client
    mute           never answers initialize
    quits          ends in the middle of a prompt
    signs          session/new wants a sign-in, by the method "key"
    lasting        heeds an answer that lasts: the tool is not asked for again
    no-refusal     offers no option that rejects
    child          leaves a process behind, whose number is in the file that follows
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

OPTIONS = [
    {"optionId": "always", "name": "Always allow this tool", "kind": "allow_always"},
    {"optionId": "once", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Always reject", "kind": "reject_always"},
]


class Server:
    """The MCP server that the agent was given."""

    def __init__(self, given: dict[str, Any]) -> None:
        env = {one["name"]: one["value"] for one in given["env"]}
        self.process = subprocess.Popen(
            [given["command"], *given["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env or None,
        )
        self._number = 0
        info = {"name": "acp-agent", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        self.ask("initialize", params)
        self.write({"method": "notifications/initialized"})
        self.ask("tools/list", {})

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout is not None
        self._number += 1
        self.write({"id": self._number, "method": method, "params": params})
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                return message
        raise SystemExit("the MCP server has ended")


class Agent:
    def __init__(self, behaviours: Sequence[str]) -> None:
        self.behaviours = behaviours
        self.servers: list[Server] = []
        self.calls = 0
        self.requests = 0
        self.always: set[str] = set()

    def has(self, name: str) -> bool:
        return name in self.behaviours

    def write(self, message: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def update(self, update_kind: str, **fields: Any) -> None:
        update = {"sessionUpdate": update_kind, **fields}
        self.write({"method": "session/update", "params": {"sessionId": "s1", "update": update}})

    def say(self, text: str) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def ask(
        self, method: str, params: dict[str, Any], meanwhile: Callable[[], None] = lambda: None
    ) -> dict[str, Any]:
        self.requests += 1
        identity = f"r{self.requests}"
        self.write({"id": identity, "method": method, "params": params})
        meanwhile()
        for message in messages():
            if message.get("id") == identity and "method" not in message:
                return message
            if message.get("method") == "session/cancel":
                self.was_cancelled = True
        raise SystemExit(0)

    was_cancelled = False
    is_signed_in = False

    def serve(self) -> None:
        for message in messages():
            method = message.get("method")
            if method == "initialize" and not self.has("mute"):
                self.reply(message, self.greeting())
            elif method == "authenticate":
                self.is_signed_in = message["params"]["methodId"] == "key"
                self.reply(message, {})
            elif method == "session/new" and self.has("signs") and not self.is_signed_in:
                error = {"code": -32000, "message": "Authentication required"}
                self.write({"id": message["id"], "error": error})
            elif method == "session/new":
                self.servers = [Server(one) for one in message["params"]["mcpServers"]]
                self.reply(message, {"sessionId": "s1", "modes": modes()})
            elif method == "session/set_mode":
                self.reply(message, {})
            elif method == "session/prompt":
                text = "".join(one.get("text", "") for one in message["params"]["prompt"])
                self.play(text)
                reason = "cancelled" if self.was_cancelled else "end_turn"
                self.reply(message, {"stopReason": reason})

    def greeting(self) -> dict[str, Any]:
        if self.has("child"):
            child = subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
            )
            with open(self.behaviours[-1], "w", encoding="utf-8") as file:
                file.write(str(child.pid))
        info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
        ways = [{"id": "key", "name": "A key"}]
        return {"protocolVersion": 1, "agentInfo": info, "authMethods": ways}

    def reply(self, message: dict[str, Any], result: dict[str, Any]) -> None:
        self.write({"id": message["id"], "result": result})

    def play(self, script: str) -> None:
        if self.has("quits"):
            sys.stderr.write("out of luck\n")
            raise SystemExit(3)
        if self.has("garbage"):
            self.litter()
        if self.has("demands"):
            for method in ("fs/read_text_file", "terminal/create", "no/such"):
                answer = self.ask(method, {"sessionId": "s1", "path": "/etc/passwd"})
                self.say(f"{method}: {answer.get('error', {}).get('code')}")
        for line in script.splitlines():
            name, _, rest = line.strip().partition(" ")
            if name:
                self.call(name, json.loads(rest or "{}"))
        self.say("I am done.")

    def call(self, name: str, arguments: dict[str, Any]) -> None:
        self.calls += 1
        call: dict[str, Any] = {
            "toolCallId": f"c{self.calls}",
            "status": "pending",
            "kind": "other",
        }
        shown = f"mcp__demo__{name}"
        if self.has("unasked") or name in self.always:
            if self.has("late"):
                self.send(name, arguments)
                time.sleep(0.5)
                self.update("tool_call", **call | {"status": "completed"}, title=shown)
                return
            self.update("tool_call", **call, title=shown, rawInput=arguments)
            self.run(call, name, arguments)
            return
        if self.has("first"):
            self.run(call, name, arguments)
        if self.has("unnamed"):
            call |= {"title": json.dumps(arguments), "rawInput": arguments}
        elif self.has("bare"):
            self.update("tool_call", **call, title=shown, rawInput=arguments)
            call |= {"title": f"Requesting approval to Approve {shown}"}
        else:
            call |= {"title": shown, "rawInput": arguments}
        offered = OPTIONS[: 2 if self.has("no-refusal") else None]
        params = {"sessionId": "s1", "toolCall": call, "options": offered}

        def meanwhile() -> None:
            if self.has("early"):
                while not os.path.exists(self.behaviours[-1]):
                    time.sleep(0.01)
                self.send(name, arguments)

        answer = self.ask("session/request_permission", params, meanwhile)
        outcome = answer["result"]["outcome"]
        chosen = outcome.get("optionId", outcome["outcome"])
        self.say(f"The answer is {chosen}.")
        if chosen == "always" and self.has("lasting"):
            self.always.add(name)
        if self.has("first") or self.has("early"):
            return
        if chosen in ("once", "always") or self.has("stubborn"):
            if self.has("changes"):
                arguments = {**arguments, "path": "notes/other.txt"}
            self.run(call, name, arguments)

    def run(self, call: dict[str, Any], name: str, arguments: dict[str, Any]) -> None:
        answer = self.send(name, arguments)
        failed = "error" in answer or answer["result"].get("isError", False)
        fields = {"toolCallId": call["toolCallId"], "status": "failed" if failed else "completed"}
        self.update("tool_call_update", **fields)

    def send(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.servers[0].ask("tools/call", {"name": name, "arguments": arguments})

    def litter(self) -> None:
        out = sys.stdout.buffer
        for line in (
            *(b"not json", b"{", b"\xff\xfe\x00", b"[1,2]", b"null", b'{"id": 1}', b""),
            b'{"jsonrpc":"2.0","id":true,"method":"x"}',
            b'{"jsonrpc":"2.0","id":999,"result":{}}',
            b'{"jsonrpc":"2.0","method":"session/update","params":[]}',
            b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"no","update":{}}}',
            b'{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{}}',
            b"[" * 100_000,
            b'{"jsonrpc":"2.0","method":"x","params":"' + b"a" * 20_000_000 + b'"}',
        ):
            out.write(line + b"\n")
        out.flush()
        for number in range(5_000):
            self.update("tool_call", toolCallId=f"flood{number}", title="\x1b[31m[@click=x]\u202e")


def modes() -> dict[str, Any]:
    listed = [{"id": "default", "name": "Default"}, {"id": "yolo", "name": "Yolo"}]
    return {"currentModeId": "default", "availableModes": listed}


def messages() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        message: dict[str, Any] = json.loads(line)
        yield message


if __name__ == "__main__":
    Agent(sys.argv[1:] or ["asks"]).serve()
