"""A plain stdio server with one habit from a public report: `reported.py HABIT`.

It needs nothing but Python's standard library. `python reported.py` lists the habits.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

ECHO: dict[str, Any] = {
    "name": "echo",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}
ANSWERS: dict[str, Any] = {
    "content-null": {"content": None},
    "content-object": {"content": {"type": "text", "text": "hello"}},
    "content-string": {"content": "hello"},
    "data-url": {
        "content": [
            {"type": "image", "data": "data:image/png;base64,AAAA", "mimeType": "image/png"}
        ]
    },
    "no-mime-type": {"content": [{"type": "image", "data": "AAAA", "mime_type": "image/png"}]},
    "no-uri": {"content": [{"type": "resource", "resource": {"text": "hello"}}]},
    "size-text": {
        "content": [{"type": "resource_link", "uri": "file:///a", "name": "a", "size": "12 kB"}]
    },
    "no-name": {"content": [{"type": "resource_link", "uri": "file:///a"}]},
    "surrogate": {"content": [{"type": "text", "text": "half \ud83d"}]},
    "surrogate-structured": {"content": [], "structuredContent": {"a": ["\ud83d"]}},
}
"""Results of a call, by the habit."""
TEXT: dict[str, Any] = {"content": [{"type": "text", "text": "hello"}]}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
HABITS = (
    *("plain", "announces-before", "announces-after", "buffered", "slow-list", "batch"),
    *("batch-2025", "prompts-only", "prompts-refuses", "prompts-mute", "empty-cursor"),
    *("ignored-cursor", "log-prefix", "log-suffix", "one-line", "nul", "float-id"),
    *("error-code-string", "error-without-message", "ends", "utf-16"),
    *ANSWERS,
)
_held: list[str] = []


def write(text: str) -> None:
    if HABIT == "buffered":
        _held.append(text)
    else:
        os.write(1, text.encode("utf-16-le" if HABIT == "utf-16" else "utf-8"))


def send(*messages: dict[str, Any]) -> None:
    lines = [json.dumps(message) for message in messages]
    match HABIT:
        case "batch" | "batch-2025" if not {*seen} & {"initialize", "server/discover"}:
            write(f"[{','.join(lines)}]\n")
        case "log-prefix":
            write("".join(f"2026-01-01 INFO it's ready {line}\n" for line in lines))
        case "log-suffix":
            write("".join(f"{line} (sent)\n" for line in lines))
        case "one-line":
            log = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": LOG})
            write("".join(f"{log}{line}\n" for line in lines))
        case "nul":
            write("".join(f"{line}\0\n" for line in lines))
        case "float-id":
            whole = [line.replace(f'"id": {asked_id}', f'"id": {asked_id}.0') for line in lines]
            write("".join(f"{line}\n" for line in whole))
        case _:
            write("".join(f"{line}\n" for line in lines))


LOG = {"level": "info", "data": "a line"}
seen: list[str] = []
asked_id: Any = None


def result(value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked_id, "result": value}


def error(code: Any, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked_id, "error": {"code": code, **more}}


def listed(params: dict[str, Any]) -> dict[str, Any]:
    match HABIT:
        case "empty-cursor":
            return {"tools": [ECHO], "nextCursor": ""}
        case "ignored-cursor":
            return {"tools": [ECHO], "nextCursor": "page-2"}
    return {"tools": [ECHO]}


def answer(method: str, params: dict[str, Any]) -> None:
    has_tools = not HABIT.startswith("prompts")
    match method:
        case "initialize":
            about = {"tools": {"listChanged": True}} if has_tools else {"prompts": {}}
            version = "2025-03-26" if HABIT == "batch-2025" else "2025-11-25"
            info = {"name": "reported", "version": "1"}
            send(result({"protocolVersion": version, "capabilities": about, "serverInfo": info}))
        case "tools/list" if HABIT == "prompts-refuses":
            send(error(-32000, message="not a server of tools"))
        case "tools/list" if HABIT == "prompts-mute":
            """It does not answer what it does not know."""
        case "tools/list" if has_tools:
            if HABIT == "announces-before":
                send(CHANGED, result(listed(params)))
            elif HABIT == "announces-after":
                send(result(listed(params)), CHANGED)
            else:
                send(result(listed(params)))
        case "tools/call" if HABIT == "error-code-string":
            send(error("E_FAILED", message="it failed"))
        case "tools/call" if HABIT == "error-without-message":
            send(error(-32000))
        case "tools/call" if has_tools:
            send(
                {"jsonrpc": "2.0", "method": "notifications/message", "params": LOG},
                result(ANSWERS.get(HABIT, TEXT)),
            )
        case "prompts/list" if not has_tools:
            send(result({"prompts": [{"name": "greet"}]}))
        case "ping":
            send(result({}))
        case _:
            send(error(-32601, message="Method not found"))


def main() -> None:
    global asked_id
    if HABIT == "ends":
        sys.exit("no configuration")
    for line in sys.stdin:
        asked = json.loads(line)
        seen[:] = [asked.get("method", "")]
        if "id" in asked and "method" in asked:
            asked_id = asked["id"]
            answer(asked["method"], asked.get("params", {}))
    os.write(1, "".join(_held).encode())


HABIT = sys.argv[1] if len(sys.argv) > 1 else ""
if __name__ == "__main__":
    if HABIT not in HABITS:
        sys.exit(f"one of: {' '.join(HABITS)}")
    main()
