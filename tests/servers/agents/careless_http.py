"""A careless agent that reaches its server by Streamable HTTP."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

MODEL = f"{os.environ['SIGNOFF_MODEL_URL']}/v1/chat/completions"
KEY = {"Authorization": f"Bearer {os.environ['SIGNOFF_MODEL_KEY']}"}
CONFIG = json.loads(Path(os.environ["SIGNOFF_MCP_CONFIG"]).read_text())


async def answer(session: ClientSession, call: dict[str, Any]) -> str:
    """Run a call, and return the text for the model."""
    arguments = json.loads(call["arguments"])
    result = await session.call_tool(call["name"], arguments)
    return result.model_dump_json()


async def main() -> None:
    url = next(iter(CONFIG["mcpServers"].values()))["url"]
    async with (
        streamable_http_client(url) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
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
