"""Runs the client of the Python SDK (PyPI `mcp` 1.x and 2.x): see the package's docstring."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MARK = "signoff-client-report "
DISCOVER_SECONDS = 10.0
"""How long the client of 2.x waits for the response to `server/discover`."""


async def drive(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list and call; what the client raised at each."""
    seconds: float = given["seconds"]
    calls: list[str | None] = [None] * len(given["calls"])
    report: dict[str, Any] = {"connect": None, "list": None, "tools": [], "calls": calls}
    command, *words = given["command"]
    server = StdioServerParameters(command=command, args=words, env=dict(os.environ))
    with open(os.devnull, "w") as nowhere:
        transport = stdio_client(server, nowhere)
        # Only 2.x has it.
        if (client := getattr(mcp, "Client", None)) is not None:
            await follow_client(client(transport), given["calls"], report, seconds)
        else:
            async with transport as streams, ClientSession(*streams) as session:
                report["connect"] = await tried(session.initialize, seconds)
                if not report["connect"]:
                    await follow(session, given["calls"], report, seconds)
    return report


async def follow_client(
    client: Any, calls: list[dict[str, Any]], report: dict[str, Any], seconds: float
) -> None:
    """Do the same with the client of 2.x, which connects by being entered.

    Its tasks outlive the step, so that a time limit has to be around all of them.
    """
    with anyio.CancelScope() as limit:
        limit.deadline = anyio.current_time() + seconds + DISCOVER_SECONDS
        try:
            async with client:
                limit.deadline = float("inf")
                report["connect"] = ""
                await follow(client, calls, report, seconds)
        except Exception as problem:
            if report["connect"] is None:
                report["connect"] = f"{type(problem).__name__}: {problem}"[:2_000]
    if report["connect"] is None:
        report["connect"] = "timeout"


async def follow(
    session: Any, calls: list[dict[str, Any]], report: dict[str, Any], seconds: float
) -> None:
    """Fill in the report after the connection, up to the first step that is needed for the next."""

    async def listed() -> None:
        page = await session.list_tools()
        report["tools"] = [tool.name for tool in page.tools]

    report["list"] = await tried(listed, seconds)
    for index, call in enumerate(calls):

        async def called(call: dict[str, Any] = call) -> None:
            await session.call_tool(call["name"], call["arguments"])

        report["calls"][index] = await tried(called, seconds)


async def tried(step: Any, seconds: float) -> str:
    """Run a step; returns its error, or an empty string."""
    try:
        with anyio.fail_after(seconds):
            await step()
    except TimeoutError:
        return "timeout"
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"[:2_000]
    return ""


if __name__ == "__main__":
    for one in json.loads(sys.stdin.readline()):
        print(MARK + json.dumps(anyio.run(drive, one)), flush=True)
