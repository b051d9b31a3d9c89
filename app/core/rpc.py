"""A JSON-RPC error, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.jsonio import JsonValue


@dataclass(frozen=True, slots=True)
class RpcError:
    """A JSON-RPC error as the server sent it; `message` is raw text."""

    code: JsonValue
    message: str
    data: JsonValue = None
