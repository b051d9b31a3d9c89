"""A small gateway in front of a stdio server, which loses some things on purpose.

    gateway.py [SWITCHES] -- COMMAND [ARG...]

Each message is passed on as one line, changed by the switches.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

EXECUTOR = {
    "name": "execute_tool",
    "description": "Runs any tool of the servers behind this one.",
    "inputSchema": {
        "type": "object",
        "properties": {"tool_name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["tool_name"],
    },
}


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--prefix", default="", help="put this before the names of tools")
    add("--no-hints", action="store_true", help="leave the annotations out")
    add("--no-output", action="store_true", help="leave outputSchema and structuredContent out")
    add("--no-progress", action="store_true", help="leave notifications of progress out")
    add("--no-questions", action="store_true", help="leave elicitation out of the capabilities")
    add("--drop", action="append", default=[], help="leave this tool out of the list")
    add("--deny", action="append", default=[], help="answer calls of this tool with an error")
    add("--executor", action="store_true", help="list one tool that runs all others by name")
    add("command", nargs="+")
    return parser


class Gateway:
    """Passes messages on in both directions."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.server = subprocess.Popen(
            given.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.methods: dict[Any, str] = {}
        self.writing = threading.Lock()

    def run(self) -> None:
        assert self.server.stdin is not None
        reading = threading.Thread(target=self.to_client, daemon=True)
        reading.start()
        for line in sys.stdin:
            message = self.of_client(json.loads(line))
            if message is not None:
                self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.close()
        self.server.wait(timeout=10)

    def to_client(self) -> None:
        assert self.server.stdout is not None
        for line in self.server.stdout:
            message = self.of_server(json.loads(line))
            if message is not None:
                self.write(message)

    def write(self, message: dict[str, Any]) -> None:
        with self.writing:
            print(json.dumps(message), flush=True)

    def of_client(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """A message for the server; None if it was answered here."""
        given = self.given
        method, params = message.get("method", ""), message.get("params", {})
        if "id" in message and method:
            self.methods[message["id"]] = method
        if given.no_questions:
            for holder in (params, params.get("_meta", {})):
                for key, value in holder.items():
                    if key.lower().endswith("capabilities") and isinstance(value, dict):
                        value.pop("elicitation", None)
        if method != "tools/call":
            return message
        name = params.get("name", "").removeprefix(given.prefix)
        if given.executor and name == EXECUTOR["name"]:
            inner = params.get("arguments", {})
            params |= {"name": inner.get("tool_name"), "arguments": inner.get("arguments", {})}
            return message
        params["name"] = name
        if name in given.deny:
            error = {"code": -32001, "message": f"{name} is denied by the policy of the gateway"}
            self.write({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return None
        return message

    def of_server(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """A message for the client; None if it is lost."""
        given = self.given
        if given.no_progress and message.get("method") == "notifications/progress":
            return None
        method = self.methods.pop(message.get("id"), "") if "method" not in message else ""
        result = message.get("result")
        change = {"tools/list": self.changed_list, "tools/call": self.changed_call}.get(method)
        if change is not None and isinstance(result, dict):
            change(result)
        return message

    def changed_list(self, result: dict[str, Any]) -> None:
        given = self.given
        tools = [one for one in result.get("tools", []) if one["name"] not in given.drop]
        for tool in tools:
            tool["name"] = given.prefix + tool["name"]
            if given.no_hints:
                tool.pop("annotations", None)
            if given.no_output:
                tool.pop("outputSchema", None)
        result["tools"] = [EXECUTOR] if given.executor else tools

    def changed_call(self, result: dict[str, Any]) -> None:
        if self.given.no_output:
            result.pop("structuredContent", None)


def main(make: Callable[[argparse.Namespace], Gateway] = Gateway) -> None:
    make(options().parse_args()).run()


if __name__ == "__main__":
    main()
