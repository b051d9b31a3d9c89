"""An MCP server whose every string is hostile: `python hostile_server.py [MODE]`.

Its messages are made from the models of the Python SDK, so that each string of the protocol has the
hostile text, and a new one has it without a change here. Names by which a client tells kinds of
messages apart, such as `type`, stay as they are. MODE is how a call ends: `result`, `error`, or
`asks` (the server requests input first). A number behind it is the length of a tool's name.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import mcp.types as protocol
from pydantic import BaseModel

HOSTILE = (
    "\x1b]0;HOSTILE\x07\x1b[2J\x9b31m\u202eX\u200b\ud800\u2028\r\n  fake line\nturn ended: ok\n"
    "::error::fake [@click=app.quit]z[/] <b>@someone</b> ![x](https://evil.example) ` "
    "@acme/team acme/a#1 #2 www.evil.example <script>evil()</script> ]]> javascript:evil() | \\["
)
LEVELS = 6
"""Models of schemas and contents lead back to themselves."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": HOSTILE,
    "description": HOSTILE,
    "properties": {
        HOSTILE: {"type": "string", "title": HOSTILE, "description": HOSTILE},
        "one": {"enum": [HOSTILE], "default": HOSTILE, "$comment": HOSTILE},
        "two": {"pattern": HOSTILE, "format": HOSTILE, "examples": [HOSTILE], HOSTILE: HOSTILE},
    },
    "x-more": HOSTILE,
}
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        HOSTILE: {"type": "string", "title": HOSTILE, "description": HOSTILE, "default": HOSTILE},
        "one": {"type": "string", "enum": [HOSTILE], "enumNames": [HOSTILE]},
        "two": {"type": "string", "oneOf": [{"const": HOSTILE, "title": HOSTILE}]},
    },
    "required": [HOSTILE],
}
SCHEMAS = {"inputSchema": SCHEMA, "outputSchema": SCHEMA, "requestedSchema": FORM}
RESULTS: Mapping[str, type[BaseModel]] = {
    "initialize": protocol.InitializeResult,
    "server/discover": protocol.DiscoverResult,
    "tools/list": protocol.ListToolsResult,
    "tools/call": protocol.CallToolResult,
    "resources/list": protocol.ListResourcesResult,
    "resources/templates/list": protocol.ListResourceTemplatesResult,
    "resources/read": protocol.ReadResourceResult,
    "prompts/list": protocol.ListPromptsResult,
    "prompts/get": protocol.GetPromptResult,
    "completion/complete": protocol.CompleteResult,
}
REQUESTS: Mapping[str, type[BaseModel]] = {
    "elicitation/create": protocol.ElicitRequestFormParams,
    "elicitation/create ": protocol.ElicitRequestURLParams,
    "sampling/createMessage": protocol.CreateMessageRequestParams,
}
"""A blank behind a name tells two of one method apart."""
NOTIFICATIONS = (
    protocol.LoggingMessageNotification,
    protocol.ResourceUpdatedNotification,
    protocol.ElicitCompleteNotification,
    protocol.TaskStatusNotification,
)


def hostile(kind: Any, level: int = 0) -> Any:
    """A value of this type with the text in each string."""
    if hasattr(kind, "__value__"):
        return hostile(kind.__value__, level)
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return model(kind, level)
    if origin is Annotated:
        return hostile(inner[0], level)
    if origin is Literal:
        return inner[0]
    if origin in (Union, types.UnionType):
        return hostile(next(one for one in inner if one is not type(None)), level)
    if origin in (list, tuple) or kind is list:
        # Each kind of entry is there once.
        of = inner[0] if inner else str
        kinds = get_args(of) if get_origin(of) in (Union, types.UnionType) else (of,)
        return [hostile(one, level + 1) for one in kinds] if level < LEVELS else []
    if origin in (dict, Mapping) or kind is dict:
        of = inner[1] if inner else str
        return {HOSTILE: hostile(of, level + 1)} if level < LEVELS else {}
    if kind in (bool, int, float):
        return kind(1)
    return HOSTILE


def model(kind: type[BaseModel], level: int) -> dict[str, Any]:
    """An object with all members of a model, as the protocol calls them."""
    made: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        called = field.serialization_alias or field.alias or name
        if called in SCHEMAS:
            made[called] = SCHEMAS[called]
        elif level < LEVELS or field.is_required():
            made[called] = hostile(field.annotation, level + 1)
    return made


def send(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps({**message, "jsonrpc": "2.0"}) + "\n")
    sys.stdout.flush()


def result_of(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a request that lets the client go on."""
    made = model(RESULTS[method], 0)
    made["resultType"] = "complete"
    made.pop("nextCursor", None)
    if method in ("initialize", "server/discover"):
        made["protocolVersion"] = params.get("protocolVersion")
        made["supportedVersions"] = ["2026-07-28"]
        (made["capabilities"]).pop("tasks", None)
    if method == "tools/list":
        if length := int(sys.argv[2]) if len(sys.argv) > 2 else 0:
            made["tools"][0]["name"] = (HOSTILE * (length // len(HOSTILE) + 1))[:length]
        plain = {"name": "plain", "description": HOSTILE, "inputSchema": {"type": "object"}}
        made["tools"] = [{**plain, "annotations": {"readOnlyHint": True}}, *made["tools"]]
    if method == "completion/complete":
        made["completion"]["values"] = [HOSTILE]
    return made


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else "result"
    sys.stderr.write(HOSTILE.encode("utf-8", "replace").decode() + "\n")
    sys.stdout.write(HOSTILE.encode("utf-8", "replace").decode() + "\n")
    for line in sys.stdin:
        message = json.loads(line)
        method, identity = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if method is None or identity is None:
            continue
        if method not in RESULTS:
            problem = {"code": -32601, "message": HOSTILE, "data": {HOSTILE: HOSTILE}}
            send({"id": identity, "error": problem})
            continue
        if method == "tools/call":
            for kind in NOTIFICATIONS:
                send(model(kind, 0))
            token = params.get("_meta", {}).get("progressToken")
            report = {"progressToken": token, "progress": 1, "message": HOSTILE}
            send({"method": "notifications/progress", "params": report})
            if mode == "asks":
                ask(identity, params)
                continue
            if mode == "error":
                problem = {"code": -32000, "message": HOSTILE, "data": {HOSTILE: HOSTILE}}
                send({"id": identity, "error": problem})
                continue
        send({"id": identity, "result": result_of(method, params)})


def ask(identity: Any, params: Mapping[str, Any]) -> None:
    """Request input as both eras have it, and end the call."""
    requests = {
        f"{HOSTILE}{number}": {"method": method.strip(), "params": model(kind, 0)}
        for number, (method, kind) in enumerate(REQUESTS.items())
    }
    if "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {}):
        if "inputResponses" not in params:
            wants = {"resultType": "input_required", "requestState": HOSTILE}
            send({"id": identity, "result": {**wants, "inputRequests": requests}})
            return
    else:
        for name, request in requests.items():
            send({**request, "id": name})
        for _ in requests:
            sys.stdin.readline()
    send({"id": identity, "result": result_of("tools/call", params)})


if __name__ == "__main__":
    main()
