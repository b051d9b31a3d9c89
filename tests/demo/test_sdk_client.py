"""The demo as the SDK's own client sees it, negotiating each era by itself."""

from __future__ import annotations

from typing import Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.demo.peer import COMMAND, PLAIN, ROOT


@pytest.mark.parametrize(
    ("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")], ids=str
)
async def test_list_progress_and_cancel(mode: Literal["auto", "legacy"], version: str) -> None:
    parameters = StdioServerParameters(
        command=COMMAND[0], args=list(COMMAND[1:]), cwd=ROOT, env=dict(PLAIN)
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        assert client.protocol_version == version
        assert len((await client.list_tools()).tools) == 67

        halfway = anyio.Event()
        steps: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            assert total == 15
            assert message
            steps.append(progress)
            if progress >= 3:
                halfway.set()

        async with anyio.create_task_group() as group:

            async def migrate() -> None:
                await client.call_tool("migrate_database", {}, progress_callback=on_progress)

            group.start_soon(migrate)
            await halfway.wait()
            group.cancel_scope.cancel()

        shown = (await client.call_tool("show_database", {})).structured_content
        assert shown is not None
        assert shown["state"] == "half migrated"
        assert 2 <= shown["stepsApplied"] < 15
        assert steps[:3] == [1, 2, 3]
