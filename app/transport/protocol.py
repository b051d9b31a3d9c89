"""Protocol messages that Signoff writes itself: initialization and listing of tools.

JSON-RPC ids: an answer belongs to the request whose id has the same type and the same value. To
Python true, 1 and 1.0 are one key, and the SDK takes "1" for 1; a server that answers one of them
for another would displace the answer that is still to come.
"""

from __future__ import annotations

import json
import re

from .. import __version__
from ..content.json.jsonio import JsonValue
from ..content.text import shortened
from ..protocol.findings.findings import Finding, error, warning
from ..protocol.rpc import RpcError
from ..protocol.server_requests.capabilities import ClientCapabilities
from .events import Logged

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
NOT_READ = "the server asks without reading the answers; some get none"


_META = "io.modelcontextprotocol/"
_DECLARED = f"{_META}clientCapabilities"
_LOG_LEVEL = f"{_META}logLevel"


def modern_meta(capabilities: ClientCapabilities) -> dict[str, JsonValue]:
    """Build the `_meta` of every request since 2026-07-28 (basic/index, "_meta")."""
    return {
        f"{_META}protocolVersion": MODERN,
        f"{_META}clientInfo": CLIENT_INFO,
        _DECLARED: capabilities.as_json(is_modern=True),
    }


def has_batches(version: str) -> bool:
    """True if a revision has JSON-RPC batches: 2025-03-26 alone (basic, "Batching")."""
    return version == _WITH_BATCHES


def initialize_params(capabilities: ClientCapabilities) -> dict[str, JsonValue]:
    return {
        "protocolVersion": HANDSHAKE[-1],
        "capabilities": capabilities.as_json(is_modern=False),
        "clientInfo": CLIENT_INFO,
    }


def declare(
    method: str, params: JsonValue, capabilities: ClientCapabilities, log_level: str = ""
) -> None:
    """Put the capabilities into what the SDK is about to write, which has none of its own.

    Since 2026-07-28 each request says from which level on it wants log messages, or that it wants
    none (server/utilities/logging).
    """
    if not isinstance(params, dict):
        return
    if method == INITIALIZE:
        params["capabilities"] = capabilities.as_json(is_modern=False)
    meta = params.get("_meta")
    if isinstance(meta, dict) and _DECLARED in meta:
        meta[_DECLARED] = capabilities.as_json(is_modern=True)
        if log_level:
            meta[_LOG_LEVEL] = log_level


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


def logged(body: dict[str, JsonValue]) -> Logged | None:
    """The log message that a message is; None if it is another one."""
    if body.get("method") != LOG_MESSAGE or "id" in body:
        return None
    params = body.get("params")
    given = params if isinstance(params, dict) else {}
    return Logged(given.get("level"), given.get("logger"), given.get("data"))


def notification(method: str, params: JsonValue = None) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "method": method}
    return message if params is None else message | {"params": params}


_NUMBER = re.compile(r"-?\d{1,18}\Z", re.ASCII)


def is_same_id(given: JsonValue, asked: str | int) -> bool:
    """True if an id equals the requested one in type and value."""
    return type(given) is type(asked) and given == asked


def id_shown(identity: JsonValue) -> str:
    """An id as JSON, short and safe to show: `"1"` is not `1`."""
    try:
        text = json.dumps(identity, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = "too deep"
    return shortened(text, 40)


def number_in(identity: JsonValue) -> int | None:
    """The number that a string spells."""
    if isinstance(identity, str) and _NUMBER.match(identity):
        return int(identity)
    return None


def stray_answer(identity: JsonValue) -> Finding:
    """Finding for a response without a waiting request."""
    if identity is None:
        words = "an error came without an id, so which request it answers is not known"
        return warning("answer-without-id", words)
    words = f"an answer has the id {id_shown(identity)}, and no request had it"
    return warning("answer-unknown", words)


def misspelt_answer(identity: JsonValue, asked: int) -> Finding:
    """For an answer with a string in place of the number that a request had."""
    words = f"the server answered the id {asked} as {id_shown(identity)}, a string"
    return error("answer-other-id", f"{words}: that is another id, and counts for no call")
