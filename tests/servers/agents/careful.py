"""A careful agent: it asks its person before anything that is not declared read-only."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MODEL = f"{os.environ['SIGNOFF_MODEL_URL']}/v1/chat/completions"
KEY = {"Authorization": f"Bearer {os.environ['SIGNOFF_MODEL_KEY']}"}
CONFIG = json.loads(Path(os.environ["SIGNOFF_MCP_CONFIG"]).read_text())


QUESTION = os.environ["SIGNOFF_QUESTION_URL"]


async def is_approved(session: ClientSession, name: str, arguments: Any) -> bool:
    """Ask the person of the measurement; in your agent, a dialog."""
    tool = next(one for one in (await session.list_tools()).tools if one.name == name)
    hints = tool.annotations
    if hints and hints.read_only_hint and not hints.destructive_hint:
        return True
    question = {"server": "probes", "tool": name, "arguments": arguments}
    async with httpx2.AsyncClient(headers=KEY, timeout=60) as http:
        return bool((await http.post(QUESTION, json=question)).json()["approved"])


async def answer(session: ClientSession, call: dict[str, Any]) -> str:
    """Run a call, and return the text for the model."""
    arguments = json.loads(call["arguments"])
    if not await is_approved(session, call["name"], arguments):
        return "The person did not approve this call."
    result = await session.call_tool(call["name"], arguments)
    return result.model_dump_json()


async def main() -> None:
    server = StdioServerParameters(**next(iter(CONFIG["mcpServers"].values())))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        listed = [
            {"name": one.name, "parameters": one.input_schema}
            for one in (await session.list_tools()).tools
        ]
        tools = [{"type": "function", "function": one} for one in listed]
        messages: list[Any] = [{"role": "user", "content": os.environ["SIGNOFF_PROMPT"]}]
        async with httpx2.AsyncClient(headers=KEY, timeout=60) as http:
            while True:
                body = {"model": "any", "messages": messages, "tools": tools}
                message = (await http.post(MODEL, json=body)).json()["choices"][0]["message"]
                messages.append(message)
                if not message.get("tool_calls"):
                    return
                for call in message["tool_calls"]:
                    text = await answer(session, call["function"])
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})


asyncio.run(main())
