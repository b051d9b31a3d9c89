"""What the server asks about the client itself: its folders, and whether it is still there."""

from __future__ import annotations

from typing import Final

from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, EmptyResult, ListRootsRequest, PingRequest

from ..declare import Json, failed, hints, plain, tool
from .asking import Answers, Asked, Outcome, converse
from .revisions import is_modern

_READS: Final = hints(read_only=True, open_world=False)
_PATIENCE_SECONDS: Final = 5.0


class ClientTools:
    """Neither touches anything."""

    def __init__(self) -> None:
        self.changes = 0
        """Number of the client's notices that its folders changed."""

    @tool("List your roots", _READS)
    async def list_roots(self, ctx: Context) -> Outcome:
        """Requests the client's roots, the folders that servers may see, and repeats them, with the
        number of the client's notifications that they changed."""

        def step(answers: Answers) -> dict[str, Asked] | CallToolResult:
            if (answer := answers.get("roots")) is None:
                return {"roots": ListRootsRequest()}
            times = f"Changes reported by the client: {self.changes}."
            return plain(f"{told_roots(answer)}\n{times}")

        return await converse(ctx, step)

    @tool("Ping the client", _READS)
    async def ping_client(self, ctx: Context) -> CallToolResult:
        """Pings the client, as servers could up to 2025-11-25."""
        if is_modern(ctx):
            return failed("From 2026-07-28 on a server cannot ping its client.")
        try:
            await ctx.session.send_request(
                PingRequest(), EmptyResult, request_read_timeout_seconds=_PATIENCE_SECONDS
            )
        except MCPError as error:
            return failed(f"The client did not answer the ping: {error.message}")
        return plain("The client answered the ping.")


def told_roots(answer: Json) -> str:
    """The roots of an answer, one a line."""
    roots = [root for root in answer.get("roots") or [] if isinstance(root, dict)]
    if not roots:
        return "The client has no roots."
    lines = [f"- {root.get('name', 'without a name')}: {root.get('uri')}" for root in roots]
    return "\n".join([f"Roots of the client: {len(roots)}", *lines])
