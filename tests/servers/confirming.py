"""A server whose tools ask before they act, each in its own right or wrong way; `modern` as the
first word: by input-required results of 2026-07-28; `tasks`: by tasks of its extension that wait;
otherwise by elicitations of 2025-11-25.

To act is to append a line to `done.txt` in the folder that the server was started in.
"""

import json
import sys
from typing import Any

HAS_TASKS = "tasks" in sys.argv[1:]
IS_MODERN = HAS_TASKS or "modern" in sys.argv[1:]
FRESH = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if IS_MODERN else {}
TOOLS = {
    "keeps": "asks and does what was accepted, once",
    "acts_first": "acts, then asks",
    "acts_on_any_answer": "acts after decline and cancel, too",
    "takes_any_values": "acts on accept, whatever the values",
    "acts_again": "acts on each answer",
    "takes_old_state": "acts on any requestState",
    "asks_anyway": "asks clients that cannot be asked",
    "hangs": "does not end after decline",
    "gives_up": "fails without a word if it cannot ask",
    "never_asks": "acts without a question",
    "asks_vaguely": "asks without a name or a value",
    "cannot": "fails after accept",
    "remembers": "asks once, and takes the yes for later calls",
    "fails": "fails before it can ask",
    "ignores": "answers the same after any answer, and does nothing",
}
SCHEMA = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean"}, "how": {"enum": ["yes", "no"]}},
    "required": ["confirm", "how"],
}
INPUT = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
    "required": ["path"],
}
declared = False
open_questions: dict[str, tuple[str, Any, dict[str, Any]]] = {}
consumed: set[str] = set()
remembered: set[str] = set()
"""Tools that were once confirmed and do not ask any more."""
jobs: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {}
"""Task id -> the tool, its arguments and the state of the task."""


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def act(tool: str, arguments: dict[str, Any]) -> None:
    with open("done.txt", "a", encoding="utf-8") as file:
        file.write(f"{tool} {arguments.get('path')}\n")


def end(identity: Any, text: str, *, is_error: bool = False) -> None:
    result = {"content": [{"type": "text", "text": text}], "isError": is_error}
    if identity in jobs:
        task = jobs[identity][2]
        task.pop("inputRequests", None)
        task.update(status="completed", result=result)
    else:
        send(id=identity, result=result | FRESH)


def called(identity: Any, params: dict[str, Any]) -> None:
    tool, arguments = params["name"], params.get("arguments", {})
    state = params.get("requestState")
    if IS_MODERN and state is not None:
        retried(identity, tool, arguments, state, params.get("inputResponses", {}))
        return
    if tool == "never_asks" or tool in remembered:
        act(tool, arguments)
        end(identity, "done")
        return
    if not declared and tool != "asks_anyway":
        refuse(identity, tool)
        return
    if tool == "fails":
        end(identity, "out of order", is_error=True)
        return
    if tool == "acts_first":
        act(tool, arguments)
    message = f"May {tool} change {arguments.get('path')}?"
    if tool == "asks_vaguely":
        message = "Sure?"
    question = {"mode": "form", "message": message, "requestedSchema": SCHEMA}
    if IS_MODERN:
        asked = {"sure": {"method": "elicitation/create", "params": question}}
        if HAS_TASKS:
            begin_task(identity, tool, arguments, asked)
            return
        state = json.dumps([tool, arguments, identity])
        result = {"inputRequests": asked, "requestState": state}
        send(id=identity, result=FRESH | {"resultType": "input_required"} | result)
        return
    asked_id = f"asked-{identity}"
    open_questions[asked_id] = (tool, identity, arguments)
    send(id=asked_id, method="elicitation/create", params=question)


def begin_task(identity: Any, tool: str, arguments: dict[str, Any], asked: dict[str, Any]) -> None:
    task_id, now = f"task-{identity}", "2026-07-28T12:00:00Z"
    task: dict[str, Any] = {"taskId": task_id, "status": "input_required", "inputRequests": asked}
    task |= {"createdAt": now, "lastUpdatedAt": now, "ttlMs": None, "pollIntervalMs": 20}
    jobs[task_id] = (tool, arguments, task)
    send(id=identity, result={"resultType": "task"} | task)


def asked_of_task(identity: Any, method: str, params: dict[str, Any]) -> None:
    tool, arguments, task = jobs[params["taskId"]]
    if method == "tasks/get":
        send(id=identity, result={"resultType": "complete"} | task)
        return
    send(id=identity, result={"resultType": "complete"})
    if method == "tasks/cancel":
        task["status"] = "cancelled"
    elif task["status"] == "input_required" or tool == "acts_again":
        task["status"] = "working"
        task.pop("inputRequests", None)
        answered(task["taskId"], tool, arguments, params["inputResponses"].get("sure"))


def refuse(identity: Any, tool: str) -> None:
    if tool == "gives_up":
        end(identity, "no", is_error=True)
    elif IS_MODERN:
        needed: dict[str, Any] = {"requiredCapabilities": {"elicitation": {}}}
        send(id=identity, error={"code": -32021, "message": "missing", "data": needed})
    else:
        end(identity, "the client does not declare elicitation", is_error=True)


def retried(
    identity: Any, tool: str, arguments: Any, state: str, responses: dict[str, Any]
) -> None:
    known = json.loads(state)
    if tool != "takes_old_state" and known[:2] != [tool, arguments]:
        send(id=identity, error={"code": -32602, "message": "invalid requestState"})
    elif tool not in ("takes_old_state", "acts_again") and state in consumed:
        send(id=identity, error={"code": -32602, "message": "requestState was used"})
    else:
        consumed.add(state)
        answered(identity, tool, arguments, responses.get("sure", {}))


def answered(identity: Any, tool: str, arguments: Any, result: dict[str, Any] | None) -> None:
    result = result or {}
    content = result.get("content") or {}
    is_accepted = result.get("action") == "accept"
    fits = content.get("confirm") is True and content.get("how") == "yes"
    if tool == "ignores":
        end(identity, "thank you")
    elif tool == "cannot" and is_accepted:
        end(identity, "out of order", is_error=True)
    elif tool == "hangs" and not is_accepted:
        return
    elif tool == "acts_first":
        end(identity, "done" if is_accepted else "not done")
    elif (is_accepted and (fits or tool == "takes_any_values")) or tool == "acts_on_any_answer":
        act(tool, arguments)
        if tool == "remembers":
            remembered.add(tool)
        end(identity, "done")
    else:
        end(identity, f"not done: {result.get('action', 'no answer')}", is_error=True)


def tools() -> list[dict[str, Any]]:
    return [
        {"name": name, "description": words, "inputSchema": INPUT} for name, words in TOOLS.items()
    ]


def main() -> None:
    global declared
    for line in sys.stdin:
        message = json.loads(line)
        params = message.get("params") or {}
        meta = params.get("_meta") or {}
        capabilities = meta.get("io.modelcontextprotocol/clientCapabilities")
        if isinstance(capabilities, dict):
            declared = "elicitation" in capabilities
        match message.get("method"):
            case "initialize" if not IS_MODERN:
                declared = "elicitation" in params["capabilities"]
                info = {"name": "confirming", "version": "1"}
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                send(id=message["id"], result=result | {"serverInfo": info})
            case "server/discover" if IS_MODERN:
                offered: dict[str, Any] = {"tools": {}}
                if HAS_TASKS:
                    offered["extensions"] = {"io.modelcontextprotocol/tasks": {}}
                result = {"supportedVersions": ["2026-07-28"], "capabilities": offered}
                send(id=message["id"], result=result | FRESH)
            case "tools/list":
                send(id=message["id"], result={"tools": tools()} | FRESH)
            case "tools/call":
                called(message["id"], params)
            case "tasks/get" | "tasks/update" | "tasks/cancel" as method if HAS_TASKS:
                asked_of_task(message["id"], method, params)
            case None if message.get("id") in open_questions:
                tool, identity, arguments = open_questions[message["id"]]
                if tool != "acts_again":
                    del open_questions[message["id"]]
                answered(identity, tool, arguments, message.get("result"))
            case str() if "id" in message:
                send(id=message["id"], error={"code": -32601, "message": "no such method"})


if __name__ == "__main__":
    main()
