"""The words of the protocol that Signoff writes itself: the greeting and the listing of tools."""

from __future__ import annotations

from signoff.app import __version__
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.rpc import RpcError

MODERN = "2026-07-28"
DISCOVER = "server/discover"
INITIALIZE = "initialize"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`, oldest first."""

CLIENT_INFO: dict[str, JsonValue] = {
    "name": "signoff",
    "title": "Signoff",
    "version": __version__,
}

INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
LIST_CHANGED = "notifications/tools/list_changed"
PROGRESS = "notifications/progress"
PING = "ping"
CANCELLED = "notifications/cancelled"
NOT_READ = "the server asks without reading the answers; some get none"


def modern_meta() -> dict[str, JsonValue]:
    """What every request carries since 2026-07-28 (basic/index, "_meta")."""
    prefix = "io.modelcontextprotocol/"
    return {
        f"{prefix}protocolVersion": MODERN,
        f"{prefix}clientInfo": CLIENT_INFO,
        f"{prefix}clientCapabilities": {},
    }


def initialize_params() -> dict[str, JsonValue]:
    return {
        "protocolVersion": HANDSHAKE[-1],
        "capabilities": {},
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


def notification(method: str) -> dict[str, JsonValue]:
    return {"jsonrpc": "2.0", "method": method}
