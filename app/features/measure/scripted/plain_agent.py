"""A small agent that asks about every call (`python -m ...measure.scripted.plain_agent`).

It speaks the Agent Client Protocol on its standard input and output, and Chat Completions with the
model of `SIGNOFF_MODEL_URL` and `SIGNOFF_MODEL_KEY`. It starts the MCP server that it is given, and
keeps an answer that lasts until the session ends or the definition of the tool changes. It imports
nothing of Signoff.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, Final

NAME: Final = "signoff-plain-agent"
REVISION: Final = "2025-11-25"
LINE_MAX: Final = 64 * 1024 * 1024
"""Bytes of a line that is read."""
PAGES_MOST: Final = 1_000
"""Pages of a list of tools that are read."""
MODEL_SECONDS: Final = 120.0
OPTIONS: Final = (
    {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Allow always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Reject always", "kind": "reject_always"},
)
NOT_APPROVED: Final = "The person did not approve this call."
CANCELLED: Final = "The turn was cancelled."
_METHOD_NOT_FOUND: Final = -32601


class StdioServer:
    """An MCP server on stdio, with one request after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process: asyncio.subprocess.Process | None = None
        self._numbers = itertools.count(1)
        self._lock = asyncio.Lock()

    async def start(self, given: Mapping[str, Any]) -> None:
        """Start it as `session/new` describes it. Raises OSError."""
        extra = {one["name"]: one["value"] for one in given.get("env", ())}
        self._process = await asyncio.create_subprocess_exec(
            given["command"],
            *given.get("args", ()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **extra},
            limit=LINE_MAX,
        )
        client = {"name": NAME, "version": "1"}
        params = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client}
        await self.ask("initialize", params)
        await self._send({"method": "notifications/initialized"})

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The response to a request. Raises ConnectionError if the server has ended."""
        assert self._process is not None
        assert self._process.stdout is not None
        async with self._lock:
            number = next(self._numbers)
            await self._send({"id": number, "method": method, "params": params})
            while line := await self._process.stdout.readline():
                message = _read(line)
                if message.get("id") == number and "method" not in message:
                    return message
                if "method" in message and "id" in message:
                    error = {"code": _METHOD_NOT_FOUND, "message": "method not found"}
                    await self._send({"id": message["id"], "error": error})
        raise ConnectionError("the MCP server has ended")

    async def tools(self) -> dict[str, dict[str, Any]]:
        """Every listed tool by its name."""
        found: dict[str, dict[str, Any]] = {}
        params: dict[str, Any] = {}
        for _ in range(PAGES_MOST):
            result = _object((await self.ask("tools/list", params)).get("result"))
            listed = result.get("tools")
            for tool in listed if isinstance(listed, list) else ():
                if isinstance(tool, dict):
                    found.setdefault(str(tool.get("name")), tool)
            if not result.get("nextCursor"):
                break
            params = {"cursor": result["nextCursor"]}
        return found

    async def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.drain()

    async def close(self) -> None:
        """Close its input, and end it if it stays."""
        if self._process is None or self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 2.0)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class PlainAgent:
    """One session after the other; all questions of a turn of the model are open at once."""

    def __init__(self) -> None:
        self._servers: list[StdioServer] = []
        self._offered: dict[str, tuple[StdioServer, str]] = {}
        """Server and tool by the name for the model."""
        self._listed: list[dict[str, Any]] = []
        self._messages: list[dict[str, Any]] = []
        self._lasting: dict[str, bool] = {}
        """The answers that last, by tool and definition."""
        self._requests = itertools.count(1)
        self._calls = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._sessions = itertools.count(1)
        self._session = ""
        self._turn: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Answer the client until it closes its end."""
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
            message = _read(line)
            if "method" not in message:
                waiting = self._waiting.pop(message.get("id", 0), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
            elif message["method"] == "session/prompt":
                self._turn = asyncio.ensure_future(self._prompt(message))
            elif message["method"] == "session/cancel":
                if self._turn is not None:
                    self._turn.cancel()
            elif "id" in message:
                await self._answer(message)
        if self._turn is not None:
            self._turn.cancel()
        await self._close_servers()

    async def _answer(self, message: Mapping[str, Any]) -> None:
        params = message.get("params") or {}
        match message["method"]:
            case "initialize":
                info = {"name": NAME, "title": "Signoff's plain agent", "version": "1"}
                greeting = {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": info}
                _reply(message, greeting)
            case "session/new":
                try:
                    await self._begin(params.get("mcpServers", ()))
                except Exception as problem:  # whatever the server does, the client gets an answer
                    error = {"code": -32603, "message": f"the MCP server: {problem!r}"}
                    _send({"id": message["id"], "error": error})
                    return
                _reply(message, {"sessionId": self._session})
            case other:
                error = {"code": _METHOD_NOT_FOUND, "message": f"no method {other}"}
                _send({"id": message["id"], "error": error})

    async def _begin(self, given: Sequence[Mapping[str, Any]]) -> None:
        await self._close_servers()
        self._session = f"session-{next(self._sessions)}"
        self._messages, self._offered, self._listed = [], {}, []
        self._lasting = {}
        for one in given:
            server = StdioServer(str(one["name"]))
            self._servers.append(server)
            await server.start(one)
            for name, tool in (await server.tools()).items():
                full = f"mcp__{server.name}__{name}"
                self._offered[full] = server, name
                schema = tool.get("inputSchema")
                function = {"name": full, "parameters": schema}
                self._listed.append({"type": "function", "function": function})

    async def _prompt(self, message: Mapping[str, Any]) -> None:
        parts = message["params"]["prompt"]
        text = "\n".join(one["text"] for one in parts if one.get("type") == "text")
        self._messages.append({"role": "user", "content": text})
        reason = "end_turn"
        try:
            await self._converse()
        except asyncio.CancelledError:
            reason = "cancelled"
        except Exception as problem:  # the client waits for the end of the turn
            self._say(f"The turn failed: {problem!r}")
        _reply(message, {"stopReason": reason})

    async def _converse(self) -> None:
        """Ask the model, and make its calls, until it makes none."""
        while True:
            answer = await asyncio.to_thread(self._ask_model)
            self._messages.append(answer)
            calls = answer.get("tool_calls") or []
            if not calls:
                self._say(str(answer.get("content") or ""))
                return
            results = await asyncio.gather(*(self._call(one["function"]) for one in calls))
            for call, result in zip(calls, results, strict=True):
                told = {"role": "tool", "tool_call_id": call["id"], "content": result}
                self._messages.append(told)

    def _ask_model(self) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{os.environ['SIGNOFF_MODEL_URL']}/v1/chat/completions",
            json.dumps(
                {"model": "any", "messages": self._messages, "tools": self._listed}
            ).encode(),
            {
                "Authorization": f"Bearer {os.environ['SIGNOFF_MODEL_KEY']}",
                "Content-Type": "application/json",
            },
        )
        # The model is on 127.0.0.1: no proxy.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=MODEL_SECONDS) as response:
            message: dict[str, Any] = json.load(response)["choices"][0]["message"]
        return message

    async def _call(self, function: Mapping[str, Any]) -> str:
        """Make one call of the model if it is approved; returns the text for the model."""
        name, arguments = function["name"], json.loads(function["arguments"])
        if name not in self._offered:
            self._say(f"The tool {name} does not exist.\n")
            return f"The tool {name} does not exist."
        server, tool = self._offered[name]
        identity = f"call-{next(self._calls)}"
        shown = {"toolCallId": identity, "title": name, "kind": "other", "rawInput": arguments}
        self._update("tool_call", **shown, status="pending")
        # The list of this moment: an answer that lasts is for the tool as it was then.
        key = json.dumps([name, (await server.tools()).get(tool)], sort_keys=True)
        is_approved = self._lasting.get(key)
        if is_approved is None:
            is_approved = await self._is_approved(key, shown)
        if not is_approved:
            self._update("tool_call_update", toolCallId=identity, status="failed")
            return NOT_APPROVED
        try:
            response = await server.ask("tools/call", {"name": tool, "arguments": arguments})
        except ConnectionError as problem:
            response = {"error": str(problem)}
            self._say(f"The call of {name} failed: {problem}.\n")
        failed = "error" in response or bool(_object(response.get("result")).get("isError"))
        status = "failed" if failed else "completed"
        self._update("tool_call_update", toolCallId=identity, status=status)
        return json.dumps(response.get("result", response.get("error")))

    async def _is_approved(self, key: str, shown: Mapping[str, Any]) -> bool:
        params = {"sessionId": self._session, "toolCall": shown, "options": OPTIONS}
        response = await self._ask_client("session/request_permission", params)
        outcome = _object(_object(response.get("result")).get("outcome"))
        chosen = outcome.get("optionId")
        if chosen in ("always", "never"):
            self._lasting[key] = chosen == "always"
        return chosen in ("once", "always")

    async def _ask_client(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._requests)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        _send({"id": number, "method": method, "params": params})
        return await future

    def _say(self, text: str) -> None:
        self._update("agent_message_chunk", content={"type": "text", "text": text})

    def _update(self, update_kind: str, **fields: Any) -> None:
        update = {"sessionUpdate": update_kind, **fields}
        _send(
            {"method": "session/update", "params": {"sessionId": self._session, "update": update}}
        )

    async def _close_servers(self) -> None:
        for server in self._servers:
            await server.close()
        self._servers = []


def _read(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _send(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def _reply(message: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    _send({"id": message["id"], "result": result})


if __name__ == "__main__":
    # The client closes the input at its end, and may be gone before.
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        asyncio.run(PlainAgent().serve())
