"""A server whose one tool runs as a task, with statuses as the first argument has them.

That is a JSON array: the task that the call creates, and the response to each poll, of which the
last one repeats. `+` stands for a task in order, with the fields that come behind it. With `modern`
behind the array it speaks the extension of 2026-07-28.
"""

import json
import sys
from typing import Any

STATES = json.loads(sys.argv[1])
IS_MODERN = "modern" in sys.argv[2:]
COMPLETE = {"resultType": "complete"} if IS_MODERN else {}
FRESH = {"ttlMs": 0, "cacheScope": "private", **COMPLETE} if IS_MODERN else {}
ANSWER = {"content": [{"type": "text", "text": "rendered"}], **COMPLETE}
TIMES = {"ttlMs": 60_000, "pollIntervalMs": 1} if IS_MODERN else {"ttl": 60_000, "pollInterval": 1}
REQUESTS: Any = {"tools": {"call": {}}}
TASKS: Any = {"extensions": {"io.modelcontextprotocol/tasks": {}}} if IS_MODERN else {}
CAPABILITIES = {"tools": {}, **(TASKS or {"tasks": {"requests": REQUESTS}})}


def state() -> Any:
    """The next state; a value that is no object comes as it is."""
    found = STATES.pop(0) if len(STATES) > 1 else STATES[0]
    if not isinstance(found, dict) or "+" not in found:
        return found
    task = {"taskId": "t-1", "status": "working", **TIMES, **found["+"]}
    if IS_MODERN and task["status"] == "completed":
        task["result"] = ANSWER
    return {key: value for key, value in task.items() if value != "LEFT OUT"}


def result_of(method: str) -> Any:
    match method:
        case "initialize":
            info = {"name": "odd tasks", "version": "1"}
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": CAPABILITIES,
                "serverInfo": info,
            }
        case "server/discover" if IS_MODERN:
            versions = ["2026-07-28"]
            return {"supportedVersions": versions, "capabilities": CAPABILITIES, **FRESH}
        case "tools/list":
            tool: dict[str, Any] = {"name": "render", "inputSchema": {"type": "object"}}
            if not IS_MODERN:
                tool["execution"] = {"taskSupport": "required"}
            return {"tools": [tool], **FRESH}
        case "tools/call":
            return {**state(), "resultType": "task"} if IS_MODERN else {"task": state()}
        case "tasks/get":
            found = state()
            return {**COMPLETE, **found} if isinstance(found, dict) else found
        case "tasks/result":
            return ANSWER
        case "tasks/cancel":
            return {"taskId": "t-1", "status": "cancelled", **TIMES, **COMPLETE}
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if (result := result_of(message["method"])) is None:
            response["error"] = {"code": -32601, "message": "no such method"}
        else:
            response["result"] = result
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
