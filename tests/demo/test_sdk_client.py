"""The demo as the SDK's own client sees it, negotiating each era by itself."""

from __future__ import annotations

from typing import Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp.types import (
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
)

from tests.approved import approved
from tests.demo.peer import COMMAND, PLAIN, ROOT

PROSE = approved("demo")


@pytest.mark.parametrize(
    ("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")], ids=str
)
async def test_list_progress_and_cancel(mode: Literal["auto", "legacy"], version: str) -> None:
    parameters = StdioServerParameters(
        command=COMMAND[0], args=list(COMMAND[1:]), cwd=ROOT, env=dict(PLAIN)
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        assert client.protocol_version == version
        assert len((await client.list_tools()).tools) == 89

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


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_in_two_rounds_is_one_call_to_the_client(
    mode: Literal["auto", "legacy"],
) -> None:
    asked: list[str] = []

    async def elicit(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        asked.append(params.message)
        fields = params.requested_schema["properties"]
        content = {name: field["default"] for name, field in fields.items()}
        return ElicitResult(action="accept", content=content)

    async def list_roots(context: ClientRequestContext) -> ListRootsResult:
        asked.append("roots")
        return ListRootsResult(roots=[Root.model_validate({"uri": "file:///srv", "name": "srv"})])

    parameters = StdioServerParameters(
        command=COMMAND[0], args=list(COMMAND[1:]), cwd=ROOT, env=dict(PLAIN)
    )
    async with Client(
        stdio_client(parameters),
        mode=mode,
        elicitation_callback=elicit,
        list_roots_callback=list_roots,
    ) as client:
        result = await client.call_tool("plan_a_trip", {})
    (block,) = result.content
    assert isinstance(block, TextContent)
    PROSE.holds("trip: with roots", block.text)
    PROSE.holds("trip: questions", "\n".join([asked[0], *sorted(asked[1:])]))
