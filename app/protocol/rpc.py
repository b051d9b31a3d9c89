"""Values of JSON-RPC that several rooms use: errors, and messages too large to read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

CALL_METHOD: Final = "tools/call"
READ_METHOD: Final = "resources/read"
PROMPT_METHOD: Final = "prompts/get"
RESOLVE_METHOD: Final = "tools/resolve"
"""Of the draft `tool-resolution`; it carries the arguments of a call."""
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603


@frozen
class RpcError:
    """A JSON-RPC error as the server sent it; `message` is raw text."""

    code: JsonValue
    message: str
    data: JsonValue = None


SHOWN: Final = 1_000_000
"""Bytes of its beginning that are shown."""

_TEXT: Final = re.compile(r'"text"\s*:\s*"')
_WHOLE_ESCAPES: Final = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')


@frozen(eq=False)
class Oversized:
    """One JSON-RPC message as the bytes that came.

    `kept` is less than `size` where even the disk was not to take all of it; `head` is the
    beginning, and `chunks` gives out everything that was kept, from the beginning, each time.
    """

    size: int
    kept: int
    head: bytes
    chunks: Callable[[], Iterator[bytes]]


def beginning(message: Oversized) -> str:
    """Return the readable part: the beginning of the first text in a result, else the bytes.

    Raw: the code that draws it sanitises it.
    """
    head = message.head.decode("utf-8", "replace")
    if found := _TEXT.search(head):
        escaped = _WHOLE_ESCAPES.match(head, found.end())
        if escaped is not None and escaped.group():
            text: str = json.loads(f'"{escaped.group()}"', strict=False)
            return text
    return head
