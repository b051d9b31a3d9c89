"""A server with one tool whose form has a choice, a nested object, an array and a union."""

from __future__ import annotations

import json
import sys
from typing import Any

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "address", "pay"],
    "properties": {
        "name": {"type": "string", "description": "Who books."},
        "nights": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        "room": {"enum": ["small", "large"]},
        "address": {
            "type": "object",
            "required": ["street"],
            "properties": {"street": {"type": "string"}, "town": {"type": ["string", "null"]}},
        },
        "guests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}},
            },
        },
        "pay": {
            "oneOf": [
                {
                    "type": "object",
                    "required": ["how"],
                    "properties": {"how": {"const": "cash"}},
                },
                {
                    "type": "object",
                    "required": ["how", "iban"],
                    "properties": {"how": {"const": "transfer"}, "iban": {"type": "string"}},
                },
            ]
        },
        "note": {"type": "string"},
    },
}
TOOL = {"name": "book", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            info = {"name": "form", "version": "1"}
            version = message["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            result = {"tools": [TOOL]}
        case "tools/call":
            got = json.dumps(message["params"].get("arguments"))
            result = {"content": [{"type": "text", "text": f"got {got}"}]}
        case _:
            return {"error": {"code": -32601, "message": "no such method"}}
    return {"result": result}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        reply = {"jsonrpc": "2.0", "id": asked["id"], **answer(asked)}
        print(json.dumps(reply), flush=True)
