"""Protocol messages that Signoff writes: initialization, metadata of requests, notifications."""

from __future__ import annotations

from .. import __version__
from ..content.json.jsonio import JsonValue
from ..protocol.rpc import RpcError
from ..protocol.server_requests.capabilities import ClientCapabilities

MODERN = "2026-07-28"
DISCOVER = "server/discover"
INITIALIZE = "initialize"
INITIALIZED = "notifications/initialized"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`, oldest first."""

CLIENT_INFO: dict[str, JsonValue] = {
    "name": "signoff",
    "title": "Signoff",
    "version": __version__,
}

_WITH_BATCHES = "2025-03-26"
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
LIST_CHANGED = "notifications/tools/list_changed"
PROGRESS = "notifications/progress"
PING = "ping"
CANCELLED = "notifications/cancelled"
VISIT_DONE = "notifications/elicitation/complete"
LOG_MESSAGE = "notifications/message"
SET_LOG_LEVEL = "logging/setLevel"
LISTEN = "subscriptions/listen"
"""Since 2026-07-28: answered when the subscription ends."""
NOT_READ = "the server sends requests without reading the responses; some get none"


_META = "io.modelcontextprotocol/"


def modern_meta(capabilities: ClientCapabilities, log_level: str = "") -> dict[str, JsonValue]:
    """Build the `_meta` of every request since 2026-07-28 (basic/index, "_meta").

    `log_level`: from which one on the request wants log messages; empty if it wants none
    (server/utilities/logging).
    """
    meta: dict[str, JsonValue] = {
        f"{_META}protocolVersion": MODERN,
        f"{_META}clientInfo": CLIENT_INFO,
        f"{_META}clientCapabilities": capabilities.as_json(is_modern=True),
    }
    return meta | {f"{_META}logLevel": log_level} if log_level else meta


def has_batches(version: str) -> bool:
    """True if a revision has JSON-RPC batches: 2025-03-26 alone (basic, "Batching")."""
    return version == _WITH_BATCHES


def initialize_params(capabilities: ClientCapabilities) -> dict[str, JsonValue]:
    return {
        "protocolVersion": HANDSHAKE[-1],
        "capabilities": capabilities.as_json(is_modern=False),
        "clientInfo": CLIENT_INFO,
    }


def request(identity: str | int, method: str, params: JsonValue = None) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": identity, "method": method}
    if params is not None:
        message["params"] = params
    return message


def answer_to(identity: str | int, answer: dict[str, JsonValue] | RpcError) -> dict[str, JsonValue]:
    """A result, or an error, for what the server asked for."""
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": identity}
    if isinstance(answer, RpcError):
        error: dict[str, JsonValue] = {"code": answer.code, "message": answer.message}
        return message | {"error": error if answer.data is None else error | {"data": answer.data}}
    return message | {"result": answer}


def notification(method: str, params: JsonValue = None) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "method": method}
    return message if params is None else message | {"params": params}
