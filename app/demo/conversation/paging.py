"""Lists in pages, with cursors that only this server can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from mcp.shared.exceptions import MCPError
from mcp.types.jsonrpc import INVALID_PARAMS

from ..lessons import cursors

_T = TypeVar("_T")


def page_of(
    items: Sequence[_T], cursor: str | None, *, of: str, size: int
) -> tuple[Sequence[_T], str | None]:
    """The page that begins at the cursor, and the cursor of the next one, if there is one.

    `of` names the list: a cursor of another list is refused. Raises MCPError.
    """
    start = 0
    if cursor is not None:
        try:
            said = cursors.read(cursor)
        except cursors.NotACursor as error:
            raise MCPError(INVALID_PARAMS, f"Invalid cursor: {error}.") from error
        if said.sort != of or not 0 <= said.offset < max(len(items), 1):
            raise MCPError(INVALID_PARAMS, f"Invalid cursor: not of this list of {of}.")
        start = said.offset
    end = start + size
    following = cursors.written(cursors.Cursor(end, {}, of)) if end < len(items) else None
    return items[start:end], following
