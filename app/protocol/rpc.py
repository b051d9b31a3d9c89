"""The words and values of JSON-RPC that more than one layer knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

CALL_METHOD: Final = "tools/call"
READ_METHOD: Final = "resources/read"
PROMPT_METHOD: Final = "prompts/get"
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603


@dataclass(frozen=True, slots=True)
class RpcError:
    """A JSON-RPC error as the server sent it; `message` is raw text."""

    code: JsonValue
    message: str
    data: JsonValue = None
