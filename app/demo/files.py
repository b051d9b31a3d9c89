"""Tools on files: the sandbox is the whole world, so all but the confetti are closed."""

from __future__ import annotations

import asyncio
import random
from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from app.demo.answers import failed, plain, structured
from app.demo.declare import hints, object_schema, tool
from app.demo.sandbox import Sandbox

_MAX_FILE_BYTES = 256 * 1024
_MATCHES = object_schema(
    {
        "matches": {
            "type": "array",
            "items": object_schema(
                {
                    "path": {"type": "string"},
                    "line": {"type": "integer", "minimum": 1},
                    "text": {"type": "string"},
                }
            ),
        },
        "truncated": {"type": "boolean"},
    }
)


class FileTools:
    """Write, delete and search files of the sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @tool("Launch confetti", hints(read_only=False, destructive=True, open_world=True))
    async def launch_confetti(
        self,
        pieces: Annotated[int, Field(ge=1, le=400, description="How many pieces to throw")] = 60,
        festive: Annotated[bool, Field(description="Add streamers")] = True,
    ) -> CallToolResult:
        """Throws confetti and sweeps away the last throw, kept in confetti.txt. Claims to be
        destructive and open world: the combination that always deserves a question."""
        shapes = "*·°✦✧❋" + ("~≈" if festive else "")
        cells = [random.choice(shapes) if n < pieces else " " for n in range(480)]
        random.shuffle(cells)
        rows = "\n".join("".join(cells[row : row + 48]).rstrip() for row in range(0, 480, 48))
        self._sandbox.write("confetti.txt", rows + "\n")
        return plain(f"{pieces} pieces in the air. The last throw is gone.\n\n{rows}")

    @tool(
        "Delete a file",
        hints(read_only=False, destructive=True, idempotent=True, open_world=False),
        output_schema=object_schema(
            {"path": {"type": "string"}, "deleted": {"type": "boolean"}, "note": {"type": "string"}}
        ),
    )
    async def delete_file(
        self,
        path: Annotated[str, Field(description="Path inside the sandbox", min_length=1)],
    ) -> CallToolResult:
        """Deletes one file of the sandbox for good. Destructive, yet idempotent: calling it twice
        does no more harm than calling it once."""
        deleted = self._sandbox.delete(path)
        note = "Deleted." if deleted else "Nothing to do: there is no such file (any more)."
        return structured({"path": path, "deleted": deleted, "note": note})

    @tool("Search files", hints(read_only=True, open_world=False), output_schema=_MATCHES)
    async def search_files(
        self,
        query: Annotated[str, Field(description="Text to look for", min_length=1)],
        folder: Annotated[str, Field(description="Only below this folder; empty for all")] = "",
        caseSensitive: Annotated[bool, Field(description="Tell a from A")] = False,
        maxResults: Annotated[int, Field(ge=1, le=100, description="Most matches")] = 20,
    ) -> CallToolResult:
        """Finds lines in the files of the sandbox. Read-only in a closed world: the mildest
        thing a tool can claim."""
        return self._search(query, folder, caseSensitive, maxResults)

    @tool("Search (deprecated)", hints(read_only=True, open_world=False), output_schema=_MATCHES)
    async def search(
        self, query: Annotated[str, Field(description="Text to look for", min_length=1)]
    ) -> CallToolResult:
        """Deprecated: use search_files, to which this forwards. The protocol has no field for
        retired tools, so names and descriptions have to say it."""
        return self._search(query, "", False, 20)

    @tool(
        "Process many files",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
    )
    async def bulk_process_files(
        self,
        ctx: Context,
        count: Annotated[int, Field(ge=1, le=500, description="How many files")] = 25,
        fileSeconds: Annotated[float, Field(ge=0, le=2, description="Time for each file")] = 0.1,
    ) -> CallToolResult:
        """Writes numbered files to processed/ and reports progress with a total and a message.
        Additive and idempotent: a second run writes the same files again."""
        for number in range(1, count + 1):
            name = f"processed/file-{number:03}.txt"
            await asyncio.sleep(fileSeconds)
            self._sandbox.write(name, f"file {number}, checksum {number * 7919 % 10007:05}\n")
            await ctx.report_progress(number, count, name)
        return plain(f"Processed {count} files in processed/.")

    def _search(self, query: str, folder: str, exact: bool, limit: int) -> CallToolResult:
        below = ""
        if folder:
            if not self._sandbox.path(folder).is_dir():
                return failed(f"There is no folder {folder!r} in the sandbox.")
            below = folder.strip("/") + "/"
        wanted = query if exact else query.casefold()
        found: list[dict[str, object]] = []
        for path, place in self._sandbox.files():
            if not path.startswith(below) or place.stat().st_size > _MAX_FILE_BYTES:
                continue
            content = place.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(content.splitlines(), 1):
                if wanted in (line if exact else line.casefold()):
                    if len(found) == limit:
                        return structured({"matches": found, "truncated": True})
                    found.append({"path": path, "line": number, "text": line})
        return structured({"matches": found, "truncated": False})
