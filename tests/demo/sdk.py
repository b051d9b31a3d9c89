"""The SDK's own client on the bundled server, for tests that are not asynchronous themselves."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, ContentBlock, TextContent

from tests.demo.peer import COMMAND, PLAIN, ROOT, Json

Mode = Literal["auto", "legacy"]


@dataclass
class Answer:
    """One result, and the progress that came before it."""

    result: CallToolResult
    progress: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    @property
    def content(self) -> list[ContentBlock]:
        return list(self.result.content)

    @property
    def text(self) -> str:
        """The text of the parts that are text, line by line."""
        return "\n".join(part.text for part in self.content if isinstance(part, TextContent))

    @property
    def is_error(self) -> bool:
        return bool(self.result.is_error)


@dataclass
class Lessons:
    """A client whose calls wait for their answer."""

    client: Client
    folder: Path
    _portal: BlockingPortal
    _stderr: IO[str]

    def tools(self) -> dict[str, Json]:
        """The definitions by name, as they stand on the wire."""

        async def listed() -> list[Json]:
            tools = (await self.client.list_tools()).tools
            return [tool.model_dump(by_alias=True, exclude_unset=True) for tool in tools]

        return {tool["name"]: tool for tool in self._portal.call(listed)}

    def call(self, name: str, /, **arguments: Any) -> Answer:
        """Call a tool; progress is asked for."""
        seen: list[tuple[float, float | None, str | None]] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append((progress, total, message))

        async def called() -> CallToolResult:
            return await self.client.call_tool(name, arguments, progress_callback=on_progress)

        return Answer(self._portal.call(called), seen)

    def cancel_after(self, steps: int, name: str, /, **arguments: Any) -> None:
        """Call a tool, and cancel the call after so many messages of progress."""

        async def cancelled() -> None:
            async with anyio.create_task_group() as group:
                seen = 0

                async def on_progress(
                    progress: float, total: float | None, message: str | None
                ) -> None:
                    nonlocal seen
                    seen += 1
                    if seen == steps:
                        group.cancel_scope.cancel()

                await self.client.call_tool(name, arguments, progress_callback=on_progress)

        self._portal.call(cancelled)

    def stderr(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read()


@contextmanager
def lessons(mode: Mode, folder: Path) -> Iterator[Lessons]:
    """A server of its own whose sandbox is `folder`."""
    if sys.platform == "win32":
        raise NotImplementedError
    parameters = StdioServerParameters(
        command=COMMAND[0],
        args=list(COMMAND[1:]),
        cwd=ROOT,
        env={**PLAIN, "SIGNOFF_DEMO_DIR": str(folder)},
    )
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as stderr,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            Client(stdio_client(parameters, errlog=stderr), mode=mode)
        ) as client,
    ):
        yield Lessons(client, folder, portal, stderr)
