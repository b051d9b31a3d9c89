"""An agent that asks in its terminal, before anything that is not declared read-only.

`[y/N]` by default, numbered choices with `--choices`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MODEL = f"{os.environ['SIGNOFF_MODEL_URL']}/v1/chat/completions"
KEY = {"Authorization": f"Bearer {os.environ['SIGNOFF_MODEL_KEY']}"}
CONFIG = json.loads(Path(os.environ["SIGNOFF_MCP_CONFIG"]).read_text())


async def is_approved(session: ClientSession, name: str, arguments: Any) -> bool:
    """Ask on the terminal."""
    tool = next(one for one in (await session.list_tools()).tools if one.name == name)
    hints = tool.annotations
    if hints and hints.read_only_hint and not hints.destructive_hint:
        return True
    call = f"{name} {json.dumps(arguments)}"
    if "--choices" in sys.argv:
        print(f"Allow {call}?\n  1. Yes\n  2. No")
        return input("> ").strip() == "1"
    return input(f"Allow {call}? [y/N] ").strip().lower() == "y"


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
