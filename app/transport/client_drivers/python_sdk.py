"""Runs the client of the Python SDK (PyPI `mcp` 1.x and 2.x): see the package's docstring."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MARK = "signoff-client-report "


async def drive(given: dict[str, Any]) -> dict[str, Any]:
    """Connect, list and call; what the client raised at each."""
    seconds: float = given["seconds"]
    calls: list[str | None] = [None] * len(given["calls"])
    report: dict[str, Any] = {"connect": None, "list": None, "tools": [], "calls": calls}
    command, *words = given["command"]
    server = StdioServerParameters(command=command, args=words, env=dict(os.environ))
    with open(os.devnull, "w") as nowhere:
        async with (
            stdio_client(server, nowhere) as (incoming, outgoing),
            ClientSession(incoming, outgoing) as session,
        ):
            await follow(session, given["calls"], report, seconds)
    return report


async def follow(
    session: Any, calls: list[dict[str, Any]], report: dict[str, Any], seconds: float
) -> None:
    """Fill in the report, up to the first step that is needed for the next."""
    report["connect"] = await tried(session.initialize, seconds)
    if report["connect"]:
        return

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
