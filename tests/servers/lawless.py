"""A server that is sound but for one thing: `lawless.py ERA FAULT`, ERA being legacy or modern."""

from __future__ import annotations

import json
import sys
from typing import Any

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
FAULTS = {
    "legacy": {
        "nothing": (),
        "no-server-info": ("missing-field", "clients-cannot-connect"),
        "odd-capability": ("wrong-type", "clients-cannot-connect"),
        "older": ("other-version",),
        "unheard-of": ("unknown-version",),
        "logs": ("notice-undeclared",),
        "odd-log": ("unknown-log-level",),
        "updates": ("update-not-subscribed",),
        "changes": ("notice-undeclared",),
        "undeclared-tools": ("served-not-declared",),
        "no-prompts": ("declared-not-served",),
        "no-ping": ("method-missing",),
        "dies-of-ping": ("ping-unanswered",),
        "tasks": ("task-undeclared",),
        "meta": ("malformed-meta-key", "reserved-meta-key"),
        "notice-with-id": ("notification-with-id",),
        "id-again": ("request-id-reused",),
        "no-message": ("missing-field",),
        "bare-uri": ("uri-without-scheme",),
        "asks": ("deprecated-feature",),
    },
    "modern": {
        "nothing": (),
        "no-result-type": ("missing-field",),
        "bad-cache": ("wrong-type",),
        "unheard-of": ("unknown-version",),
        "logs": ("notice-undeclared", "deprecated-feature"),
        "changes": ("missing-field",),
        "odd-stream": ("subscription-unknown",),
        "undeclared-tools": ("served-not-declared",),
        "no-prompts": ("declared-not-served",),
        "tasks": ("capability-of-other-version",),
        "logging": ("deprecated-feature",),
        "meta": ("malformed-meta-key", "reserved-meta-key"),
        "asks": ("request-of-server",),
        "input": ("input-not-allowed", "malformed-list"),
        "old-code": ("reserved-error-code",),
        "headers": ("header-mismatch",),
        "refuses": ("version-refused",),
        "extension": ("malformed-meta-key",),
    },
}
"""By era and fault, the codes that it has to be found by."""


class Lawless:
    """Answers one line after the other."""

    def __init__(self, era: str, fault: str) -> None:
        self.is_modern = era == "modern"
        self.fault = fault
        self._refused = False
        self._has_spoken = False

    def receive(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == ("tools/list" if self.is_modern else "notifications/initialized"):
            self._speak()
        if method == "subscriptions/listen":
            stream = {f"{META}subscriptionId": message["id"]}
            told = {"notifications": {"toolsListChanged": True}, "_meta": stream}
            self._tell({"method": "notifications/subscriptions/acknowledged", "params": told})
        elif "id" in message and method is not None:
            result = self._result(str(method), message.get("params") or {})
            kind = "error" if "code" in result else "result"
            self._tell({"id": message["id"], kind: result})

    def _speak(self) -> None:
        """What it says unasked: once, as soon as it may."""
        if self._has_spoken:
            return
        self._has_spoken = True
        data = {"level": "info", "data": "hello"}
        changed = "notifications/tools/list_changed"
        match self.fault:
            case "logs":
                self._tell({"method": "notifications/message", "params": data})
            case "odd-log":
                params = {"level": "loud", "data": 1}
                self._tell({"method": "notifications/message", "params": params})
            case "updates":
                params = {"uri": "shelf://1"}
                self._tell({"method": "notifications/resources/updated", "params": params})
            case "changes":
                self._tell({"method": changed, "params": {}})
            case "odd-stream":
                self._tell({"method": changed, "params": {"_meta": {f"{META}subscriptionId": 9}}})
            case "notice-with-id":
                self._tell({"id": 7, "method": changed})
            case "id-again":
                self._tell({"id": 7, "method": "ping"})
            case "asks":
                params = {"messages": [], "maxTokens": 1, "includeContext": "thisServer"}
                self._tell({"id": 7, "method": "sampling/createMessage", "params": params})

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        result = self._plain(method, params)
        if self.is_modern and "code" not in result:
            fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            result = fresh | result
            if self.fault == "no-result-type":
                del result["resultType"]
            elif self.fault == "bad-cache":
                result["ttlMs"] = "soon"
        return result

    def _plain(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        unknown = {"code": -32601, "message": f"no {method}"}
        match method:
            case "server/discover" if self.is_modern:
                return self._discovered()
            case "initialize" if not self.is_modern:
                return self._greeted(params)
            case "initialize":
                return {"code": -32602, "message": "not any more"}
            case "tools/list":
                return {"tools": [self._tool()]}
            case "resources/list":
                if self.fault == "input":
                    return {"resultType": "input_required", "requestState": "later"}
                if self.fault == "old-code":
                    return {"code": -32002, "message": "nothing there"}
                if self.fault == "headers":
                    return {"code": -32020, "message": "they differ"}
                uri = "one" if self.fault == "bare-uri" else "shelf://1"
                return {"resources": [{"uri": uri, "name": "one"}]}
            case "prompts/list" if self.fault != "no-prompts":
                if self.fault == "no-message":
                    return {"code": -32603}
                return {"prompts": []}
            case "ping" if self.fault == "dies-of-ping":
                sys.exit(0)
            case "ping" if not self.is_modern and self.fault != "no-ping":
                if self.fault == "id-again":
                    self._tell({"id": 7, "method": "ping"})
                return {}
        return unknown

    def _capabilities(self) -> Any:
        found: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}
        match self.fault:
            case "undeclared-tools":
                del found["tools"]
            case "odd-capability":
                found["prompts"] = True
            case "updates":
                found["resources"] = {"subscribe": True}
            case "odd-log" | "logging":
                found["logging"] = {}
            case "tasks" if self.is_modern:
                found["tasks"] = {}
            case "extension":
                found["extensions"] = {"unnamed": {}}
        if self.is_modern and self.fault in ("logs", "changes", "odd-stream", "asks"):
            found["tools"] = {"listChanged": True}
        return found

    def _greeted(self, params: dict[str, Any]) -> dict[str, Any]:
        versions = {"older": "2025-03-26", "unheard-of": "2099-01-01"}
        result = {
            "protocolVersion": versions.get(self.fault, params["protocolVersion"]),
            "capabilities": self._capabilities(),
            "serverInfo": {"name": "lawless", "version": "1"},
        }
        if self.fault == "no-server-info":
            del result["serverInfo"]
        return result

    def _discovered(self) -> dict[str, Any]:
        if self.fault == "refuses" and not self._refused:
            self._refused = True
            data = {"supported": [MODERN], "requested": MODERN}
            return {"code": -32022, "message": "not that one", "data": data}
        version = "2099-01-01" if self.fault == "unheard-of" else MODERN
        return {"supportedVersions": [version], "capabilities": self._capabilities()}

    def _tool(self) -> dict[str, Any]:
        tool: dict[str, Any] = {"name": "look", "inputSchema": {"type": "object"}}
        tool["annotations"] = {"readOnlyHint": True}
        if self.fault == "tasks" and not self.is_modern:
            tool["execution"] = {"taskSupport": "optional"}
        if self.fault == "meta":
            tool["_meta"] = {"-odd-": 1, "com.mcp.tools/x": 1, f"{META}x": 1, "org.example/x": 1}
        return tool

    def _tell(self, message: dict[str, Any]) -> None:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    server = Lawless(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        server.receive(json.loads(line))


if __name__ == "__main__":
    main()
