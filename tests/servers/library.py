"""A stdio server with resources, links to them, and a tool that is named like the method.

`python -S library.py [RECORD] [modern]`: RECORD takes every request but the greeting as one line of
JSON. It imports nothing heavy, so that a test can start it often.
"""

from __future__ import annotations

import json
import sys

MODERN = "2026-07-28"
ODD = "library://odd/\u202e\u200b?q=%zz#\u00e4"
HALF = "library://half/\ud83d"
LINKS = [
    {
        "type": "resource_link",
        "uri": "library://notes/1",
        "name": "note",
        "title": "The first note",
        "description": "What is in it.",
        "mimeType": "text/plain",
        "size": 4404019,
        "annotations": {"audience": ["user"], "priority": 0.5},
    },
    {"type": "resource_link", "uri": "https://xn--pple-43d.com:8443/a?b=1", "name": "web"},
    {"type": "resource_link", "uri": ODD, "name": "odd", "size": -1},
    {"type": "resource_link", "uri": "file:///etc/hostname", "name": "file"},
    {"type": "resource_link", "uri": "javascript:alert(1)", "name": "script"},
]
TOOLS = [
    {
        "name": "links",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
    {
        "name": "resources/read",
        "inputSchema": {
            "type": "object",
            "properties": {"uri": {"type": "string"}},
            "required": ["uri"],
            "additionalProperties": False,
        },
    },
]
CONTENTS = {
    "library://notes/1": [{"uri": "library://notes/1", "mimeType": "text/plain", "text": "read"}],
    "library://folder": [
        {"uri": "library://folder/a", "text": "a"},
        {"uri": "library://elsewhere", "blob": "AAE="},
    ],
    ODD: [{"uri": ODD, "text": "odd"}],
    HALF: [{"uri": HALF, "text": "half"}],
}


class Library:
    def __init__(self, record: str, is_modern: bool) -> None:
        self._record = record
        self._is_modern = is_modern

    def answer(self, message: dict[str, object]) -> None:
        method, params = str(message.get("method")), message.get("params") or {}
        assert isinstance(params, dict)
        if self._record and method not in ("initialize", "server/discover", "tools/list"):
            with open(self._record, "a", encoding="utf-8") as file:
                kept = {key: value for key, value in params.items() if key != "_meta"}
                file.write(json.dumps({"method": method, "params": kept}) + "\n")
        if "id" not in message:
            return
        if method == "resources/read" and params.get("uri") == "library://slow":
            self._progress(params)
            return
        result = self._result(method, params)
        if "code" in result:
            tell({"id": message["id"], "error": result})
            return
        if self._is_modern:
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        tell({"id": message["id"], "result": result})

    def _result(self, method: str, params: dict[str, object]) -> dict[str, object]:
        about: dict[str, object] = {
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "library", "version": "1"},
        }
        if method == "server/discover" and self._is_modern:
            return {"supportedVersions": [MODERN], **about}
        if method == "initialize" and not self._is_modern:
            return {"protocolVersion": params["protocolVersion"], **about}
        if method == "tools/list":
            return {"tools": TOOLS}
        if method == "tools/call":
            text = {"type": "text", "text": f"called {params['name']}"}
            return {"content": LINKS if params["name"] == "links" else [text]}
        if method == "resources/read":
            uri = str(params["uri"])
            if uri in CONTENTS:
                return {"contents": CONTENTS[uri]}
            return {"code": -32002, "message": "Resource not found", "data": {"uri": uri}}
        if method == "ping":
            return {}
        return {"code": -32601, "message": "no such method"}

    def _progress(self, params: dict[str, object]) -> None:
        """Never answers, but tells that it is at it."""
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        told = {"progressToken": token, "progress": 1, "message": "looking for it"}
        tell({"method": "notifications/progress", "params": told})


def tell(message: dict[str, object]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    record = sys.argv[1] if len(sys.argv) > 1 else ""
    library = Library(record, "modern" in sys.argv[2:])
    for line in sys.stdin:
        library.answer(json.loads(line))


if __name__ == "__main__":
    main()
