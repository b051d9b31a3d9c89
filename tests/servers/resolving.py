"""How the scripted server resolves hints: well, or as one of MODES."""

from __future__ import annotations

from typing import Any

from tests.servers._wire import JsonObject

EXTENSION = "io.modelcontextprotocol/tool-resolution"
MODES = (
    *("honest", "weakens", "other-name", "titled", "missing-hint", "not-boolean", "input"),
    *("asks", "news", "silent", "-32601", "-32602", "-32603", "-32021"),
)
NAME = "manage"
_KEYS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_READS = (True, False, True, False)
_DELETES = (False, True, True, False)


def entry(mode: str) -> JsonObject:
    """The tool that is marked; of the one that weakens the list declares less than the worst."""
    static = (False, mode != "weakens", False, False)
    return {
        "name": NAME,
        "description": "Manages a thing.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "action": {"enum": ["read", "delete"]},
                "password": {"type": "string"},
            },
            "required": ["action"],
        },
        "annotations": dict(zip(_KEYS, static, strict=True)),
        "_meta": {EXTENSION: {"resolvable": True}},
    }


def resolve(server: Any, message: JsonObject) -> None:
    """Answer one `tools/resolve`."""
    mode, params = server.options.resolution, message["params"]
    if mode == "silent":
        return
    if mode.startswith("-"):
        server.error(message, int(mode), "as the switch is")
        return
    if mode == "asks":
        asked = {"message": "Really?", "requestedSchema": {"type": "object", "properties": {}}}
        body = {"jsonrpc": "2.0", "id": "asks-1", "method": "elicitation/create", "params": asked}
        server.wire.send(body)
    if mode == "news":
        server.notify_changed()
    hints = _READS if params["arguments"].get("action") == "read" else _DELETES
    if mode == "weakens":
        hints = _DELETES
    annotations: JsonObject = dict(zip(_KEYS, hints, strict=True))
    if mode == "titled":
        annotations["title"] = "Harmless"
    if mode == "missing-hint":
        del annotations["openWorldHint"]
    if mode == "not-boolean":
        annotations["readOnlyHint"] = "true"
    name = "add_thing" if mode == "other-name" else params["name"]
    kind = "input_required" if mode == "input" else "complete"
    server.result(message, {"resultType": kind, "name": name, "annotations": annotations})
