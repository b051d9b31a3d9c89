"""A stdio server with resources, templates, prompts and completion, which come in pages.

`python -S offering.py [RECORD] [WORD...]`: RECORD takes every request but the greeting as one line
of JSON. The words say how it is: `modern`, `bare` (tools alone), `untemplated` (has no
`resources/templates/list`), `mute` (never completes), `refuses` (no subscriptions). Its tools
change what it offers: `add` and `update`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
PAGE = 2
NOTE = "shelf://notes/1"
HOSTILE = "\x1b]0;owned\x07\u202eevil"
RESOURCES: list[Any] = [
    {
        "uri": NOTE,
        "name": "note",
        "title": "The first note",
        "description": "What is in it.",
        "mimeType": "text/plain",
        "size": 4,
        "annotations": {"audience": ["user"], "priority": 0.5},
    },
    {"uri": "shelf://notes/2", "name": "second", "mimeType": "text/markdown"},
    {"uri": "shelf://odd", "name": HOSTILE, "description": "[b]not markup[/b]"},
]
TEMPLATES: list[Any] = [
    {
        "uriTemplate": "shelf://books/{author}/{title}{?page}",
        "name": "book",
        "title": "A book by its author",
        "description": "Any book of the shelf.",
        "mimeType": "text/plain",
    },
    {"uriTemplate": "shelf://broken/{", "name": "broken"},
]
PROMPTS: list[Any] = [
    {"name": "plain", "description": "Says hello."},
    {
        "name": "greet",
        "title": "Greet somebody",
        "description": "In a language.",
        "arguments": [
            {"name": "name", "description": "Whom.", "required": True},
            {"name": "language", "description": "In which language."},
        ],
    },
    {"name": "every kind", "description": "One message of each kind."},
]
TOOLS = [
    {
        "name": name,
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    for name in ("add", "update")
]
NAMES = [f"{first}{second}" for first in "abcdefghijk" for second in ("nna", "rno", "lex")]
IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


class Offering:
    """What it has, and what it answers; `tell` sends a message."""

    def __init__(
        self, words: list[str], tell: Callable[[dict[str, Any]], None] = lambda message: None
    ) -> None:
        self.is_modern = "modern" in words
        self._words = words
        self._tell = tell
        self.resources = list(RESOURCES)
        self.subscribed: set[str] = set()
        self._listening: dict[Any, dict[str, Any]] = {}

    def receive(self, message: dict[str, Any]) -> None:
        """Answer one message, where it wants an answer."""
        method, params = str(message.get("method")), message.get("params") or {}
        if method == "notifications/cancelled":
            self._listening.pop(params.get("requestId"), None)
        if "id" not in message:
            return
        if method == "subscriptions/listen" and self.is_modern and "refuses" not in self._words:
            self._listen(message["id"], params.get("notifications") or {})
            return
        if method == "completion/complete" and "mute" in self._words:
            return
        result = self.result(method, params)
        kind = "error" if "code" in result else "result"
        self._tell({"id": message["id"], kind: result})
        if method == "tools/call":
            self._after(params["name"])

    def result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result for a request, or its error."""
        result = self._result(method, params)
        if self.is_modern and "code" not in result:
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        return result

    def _about(self) -> dict[str, Any]:
        capabilities: dict[str, Any] = {"tools": {"listChanged": True}}
        if "bare" not in self._words:
            capabilities |= {
                "resources": {"listChanged": True, "subscribe": True},
                "prompts": {"listChanged": True},
                "completions": {},
            }
        return {
            "capabilities": capabilities,
            "serverInfo": {"name": "offering", "version": "1"},
            "instructions": "Take a book, and bring it back.",
        }

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        unknown = {"code": -32601, "message": f"no {method}"}
        match method:
            case "server/discover" if self.is_modern:
                return {"supportedVersions": [MODERN], **self._about()}
            case "initialize" if not self.is_modern:
                return {"protocolVersion": params["protocolVersion"], **self._about()}
            case "tools/list":
                return {"tools": [] if "toolless" in self._words else TOOLS}
            case "tools/call":
                return {"content": [{"type": "text", "text": f"called {params['name']}"}]}
            case "ping" if not self.is_modern:
                return {}
            case "resources/read":
                uri = params["uri"]
                return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": f"of {uri}"}]}
        if "bare" in self._words:
            return unknown
        match method:
            case "resources/list":
                return _page("resources", self.resources, params)
            case "resources/templates/list" if "untemplated" not in self._words:
                return _page("resourceTemplates", TEMPLATES, params)
            case "prompts/list":
                return _page("prompts", PROMPTS, params)
            case "prompts/get":
                return _prompt(params)
            case "completion/complete":
                return _completed(params)
            case "resources/subscribe" | "resources/unsubscribe" if not self.is_modern:
                if "refuses" in self._words:
                    return {"code": -32603, "message": "not this one"}
                wants = method == "resources/subscribe"
                (self.subscribed.add if wants else self.subscribed.discard)(params["uri"])
                return {}
        return unknown

    def _listen(self, identity: Any, wanted: dict[str, Any]) -> None:
        self._listening[identity] = wanted
        told = {"notifications": wanted, "_meta": {f"{META}subscriptionId": identity}}
        self._tell({"method": "notifications/subscriptions/acknowledged", "params": told})

    def _after(self, tool: str) -> None:
        if tool == "add":
            uri = f"shelf://new/{len(self.resources)}"
            self.resources.insert(0, {"uri": uri, "name": f"new {len(self.resources)}"})
            self._notify("resources/list_changed", "resourcesListChanged")
        elif NOTE in self.subscribed or self.is_modern:
            self._notify("resources/updated", "resourceSubscriptions", {"uri": NOTE})

    def _notify(self, what: str, key: str, params: dict[str, Any] | None = None) -> None:
        method, params = f"notifications/{what}", params or {}
        if not self.is_modern:
            self._tell({"method": method, "params": params})
        for identity, wanted in list(self._listening.items()):
            if wanted.get(key):
                meta = {"_meta": {f"{META}subscriptionId": identity}}
                self._tell({"method": method, "params": {**params, **meta}})


def _page(key: str, entries: list[Any], params: dict[str, Any]) -> dict[str, Any]:
    start = int(params.get("cursor") or 0)
    page: dict[str, Any] = {key: entries[start : start + PAGE]}
    return page | ({"nextCursor": str(start + PAGE)} if start + PAGE < len(entries) else {})


def _prompt(params: dict[str, Any]) -> dict[str, Any]:
    def said(role: Any, content: Any) -> dict[str, Any]:
        return {"role": role, "content": content}

    given = params.get("arguments") or {}
    match params.get("name"):
        case "plain":
            return {"messages": [said("user", {"type": "text", "text": "hello"})]}
        case "greet" if "name" in given:
            text = f"greet {given['name']} in {given.get('language', 'any language')}"
            return {
                "description": "A greeting.",
                "messages": [
                    said("user", {"type": "text", "text": text}),
                    said("assistant", {"type": "text", "text": "gladly"}),
                ],
            }
        case "every kind":
            contents = {"uri": NOTE, "mimeType": "text/plain", "text": "inside"}
            return {
                "messages": [
                    said("user", {"type": "image", "data": IMAGE, "mimeType": "image/png"}),
                    said("assistant", {"type": "resource", "resource": contents}),
                    said("user", {"type": "resource_link", "uri": NOTE, "name": "note"}),
                    said("system", {"type": "text", "text": "of no role"}),
                    said("user", {"type": "hologram"}),
                    "no message",
                ]
            }
    return {"code": -32602, "message": "no such prompt, or an argument is missing"}


def _completed(params: dict[str, Any]) -> dict[str, Any]:
    begun = str(params["argument"]["value"])
    if params["argument"]["name"] in ("language", "title"):
        author = ((params.get("context") or {}).get("arguments") or {}).get("author", "anybody")
        values = [f"{word} of {author}" for word in ("first", "second") if word.startswith(begun)]
        return {"completion": {"values": values, "total": len(values), "hasMore": False}}
    values = [name for name in NAMES if name.startswith(begun)]
    more = {"total": len(values), "hasMore": len(values) > 10}
    return {"completion": {"values": values[:10], **more}}


def main() -> None:
    record = sys.argv[1] if len(sys.argv) > 1 else ""

    def tell(message: dict[str, Any]) -> None:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    offering = Offering(sys.argv[2:], tell)
    for line in sys.stdin:
        message = json.loads(line)
        if record and message.get("method") not in ("initialize", "server/discover", "tools/list"):
            given = message.get("params") or {}
            kept = {key: value for key, value in given.items() if key != "_meta"}
            with open(record, "a", encoding="utf-8") as file:
                file.write(json.dumps({"method": message.get("method"), "params": kept}) + "\n")
        offering.receive(message)


if __name__ == "__main__":
    main()
