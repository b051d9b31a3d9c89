"""Files of the sandbox: found, read, added to, deleted."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path, PurePath
from typing import Annotated, Final
from urllib.parse import quote

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from ..declare import blocks, embedded, failed, hints, plain, tool
from ..sandbox import SUGGESTED, Sandbox, matches

MAX_FILE_BYTES: Final = 256 * 1024
_MAX_LISTED: Final = 200
_RESULTS: Final = "processed/"
"""The file of the counts, which is never counted itself: else each run would add to the next."""
_FOLDERS: Final = ("src", "reports")
_GLOB: Final = "Pattern of paths: * within a folder, ** through folders"


class LessonFiles:
    """Tools on files: the sandbox is their whole world."""

    def __init__(self, sandbox: Sandbox, *, step_seconds: float) -> None:
        """`step_seconds` is the time that one file of many takes."""
        self._sandbox = sandbox
        self._step = step_seconds

    @tool("Search Files", hints(read_only=True, open_world=False))
    async def search_files(
        self,
        pattern: Annotated[
            str,
            Field(description=_GLOB, min_length=1, max_length=200, examples=["**/*.txt", "**/*"]),
        ],
    ) -> CallToolResult:
        """Find files by a pattern of their paths. Read-only in a closed world: the safest hints
        that a tool for your files can declare."""
        found = [path for path, _ in self._sandbox.files() if matches(path, pattern)]
        if not found:
            return plain(f"No files match {pattern}.")
        left_out = len(found) - _MAX_LISTED
        more = f"\n... and {left_out} more" if left_out > 0 else ""
        return plain("\n".join(found[:_MAX_LISTED]) + more)

    @tool("Get Configuration File", hints(read_only=True))
    async def get_config_file(
        self,
        path: Annotated[
            str,
            Field(
                description="File in the sandbox",
                examples=["config/settings.json", "config/logging.conf"],
            ),
        ],
    ) -> CallToolResult:
        """Return a file as an embedded resource, as JSON or as plain text by its name.
        openWorldHint is not set, so it counts as open although it only uses its own files."""
        content = self._read(path)
        if content is None:
            return failed(f"File not found: {path}")
        mime_type = "application/json" if path.lower().endswith(".json") else "text/plain"
        uri = f"demo://files/{quote(self._inside(self._sandbox.path(path)))}"
        return blocks(embedded(uri, mime_type, content))

    @tool(
        "Append a Note",
        hints(read_only=False, destructive=False, idempotent=False, open_world=False),
    )
    async def append_note(
        self,
        path: Annotated[
            str,
            Field(description="File in the sandbox", examples=list(SUGGESTED)),
        ],
        text: Annotated[str, Field(description="The line to add", min_length=1, max_length=1000)],
    ) -> CallToolResult:
        """Append a line to a file, which is created if missing. Nothing is lost, but calling it
        twice adds two lines: additive, but not idempotent."""
        before = self._read(path)
        if before is not None and len(before) + len(text) > MAX_FILE_BYTES:
            return failed(f"{path} is full.")
        gap = "" if not before or before.endswith("\n") else "\n"
        self._sandbox.write(path, f"{before or ''}{gap}{text}\n")
        return plain(f"Appended to {path}: {text}")

    @tool(
        "Process Many Files",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
    )
    async def bulk_process_files(
        self,
        ctx: Context,
        directory: Annotated[
            str,
            Field(description="Folder in the sandbox", examples=list(_FOLDERS)),
        ],
        pattern: Annotated[str, Field(description=_GLOB, min_length=1, max_length=200)] = "**/*.ts",
    ) -> CallToolResult:
        """Count the lines of every matching file and keep each count in processed/, named after the
        content, with progress file by file. It only adds files, and a repeated call adds
        nothing."""
        root = self._sandbox.root
        place = root if PurePath(directory) == PurePath() else self._sandbox.path(directory)
        if not place.is_dir():
            return failed(f"Directory not found: {directory}")
        below = "" if place == root else self._inside(place) + "/"
        found = [
            path
            for path, _ in self._sandbox.files()
            if path.startswith(below)
            and not path.startswith(_RESULTS)
            and matches(path.removeprefix(below), pattern)
        ]
        for number, path in enumerate(found, 1):
            await ctx.report_progress(
                number, len(found), f"Processing {path} ({number}/{len(found)})"
            )
            self._process(path)
            await asyncio.sleep(self._step)
        return plain(f"Processed {len(found)} files.")

    @tool(
        "Delete File", hints(read_only=False, destructive=True, idempotent=True, open_world=False)
    )
    async def delete_file(
        self,
        path: Annotated[
            str,
            Field(description="File in the sandbox", examples=list(SUGGESTED)),
        ],
    ) -> CallToolResult:
        """Permanently delete a file from the sandbox. It is still idempotent: a second call fails,
        but does no further harm."""
        if not self._sandbox.delete(path):
            return failed(f"File not found: {path}")
        return plain(f"Deleted: {path}")

    def _process(self, path: str) -> None:
        """Keep the count of lines under a name that only this content has."""
        content = self._read(path)
        if content is None:
            return
        mark = hashlib.sha256(content.encode()).hexdigest()[:8]
        kept = f"{_RESULTS}{path}.{mark}.txt"
        if not self._sandbox.path(kept).exists():
            self._sandbox.write(kept, f"{len(content.splitlines())} lines\n")

    def _inside(self, place: Path) -> str:
        return place.relative_to(self._sandbox.root).as_posix()

    def _read(self, path: str) -> str | None:
        """The beginning of a file as text; None for binary data."""
        place = self._sandbox.path(path)
        if not place.is_file():
            return None
        with place.open("rb") as file:
            return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
