"""A client of the Agent Client Protocol (ACP): an agent as a process, JSON-RPC lines on its pipes.

Own code instead of the package `agent-client-protocol`: that one rejects what its models do not
have, where this client needs each message as it came, and it neither bounds what an agent may send
nor ends the agent's children.

Spec: https://agentclientprotocol.com, protocol version 1.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, NamedTuple

from .. import __version__
from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse
from ..content.json.limits import Limits
from ..content.text import cut, visible
from ..protocol.acp import (
    PERMISSION,
    UPDATE,
    Fields,
    PermissionRequest,
    merged,
    read_permission,
    text_of,
)
from ..storage.fault_log import note_fault
from .stdio.lines import Line, LineReader, Overlong
from .stdio.process import Exit, ServerProcess
from .stdio.stdio import LoopBridge

PROTOCOL_VERSION: Final = 1
START_SECONDS: Final = 60.0
"""For `initialize`: some agents look for updates first."""
SESSION_SECONDS: Final = 120.0
"""For `session/new`, in which an agent may start its MCP servers."""
LINE_LIMIT: Final = 16_000_000
BACKLOG: Final = 2_000
"""Messages that wait for the event loop; a faster agent has to wait itself."""
BACKLOG_SECONDS: Final = 5.0
UNSENT_MOST: Final = 1_000
"""Lines that wait for the agent to read, before its requests are no longer answered."""
OPEN_MOST: Final = 64
"""Permission requests that are open at once; further ones are cancelled."""
CALLS_MOST: Final = 2_000
"""Tool calls whose updates are kept, the newest."""
PROBLEMS_MOST: Final = 200
SHOWN: Final = 200
NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
AUTHENTICATION: Final = -32000
CAPABILITIES: Final[dict[str, JsonValue]] = {
    "fs": {"readTextFile": False, "writeTextFile": False},
    "terminal": False,
}
"""No files and no terminals: an agent has to use its own means, or the MCP server."""


class AcpError(Exception):
    """An agent refused a request, or cannot go on; the message is safe to show.

    `code` is that of the agent's error, 0 if Signoff ended the request.
    """

    def __init__(self, words: str, code: int = 0) -> None:
        super().__init__(words)
        self.code = code


class AgentEnded(AcpError):
    """The process of the agent has ended."""


class AgentTimeout(AcpError):
    """The agent did not answer in time."""


class McpServer(NamedTuple):
    """A stdio server that an agent is to start."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


@frozen
class AgentInfo:
    """What `initialize` returned: name and version as the agent gives them, and sign-in methods."""

    name: str
    version: str
    sign_ins: tuple[str, ...]
    raw: Fields


@frozen
class AcpSession:
    """A session: its id, its mode, and the modes that it can be set to."""

    session_id: str
    mode: str
    modes: tuple[str, ...]
    raw: Fields


class AcpAgent:
    """A running agent, as an async context manager that ends it and all that it started.

    `on_permission` gets each permission request and returns the id of an option, or None for
    `cancelled`; an id that was not offered counts as None. `on_update` gets each `session/update`
    as it came. Both are called on the event loop. `env` is the whole environment of the agent.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        on_permission: Callable[[PermissionRequest], Awaitable[str | None]],
        on_update: Callable[[Fields], None] = lambda update: None,
        start_seconds: float = START_SECONDS,
        session_seconds: float = SESSION_SECONDS,
    ) -> None:
        self.command = tuple(command)
        self._cwd = cwd
        self._env = dict(env)
        self._on_permission = on_permission
        self._on_update = on_update
        self._start_seconds = start_seconds
        self._session_seconds = session_seconds
        self.problems: deque[str] = deque(maxlen=PROBLEMS_MOST)
        """Breaches of the protocol by the agent, in words that are safe to show."""
        self.session: AcpSession | None = None
        self._process: ServerProcess | None = None
        self._exit: Exit | None = None
        self._is_closed = False
        self._next = 0
        self._pending: dict[int, asyncio.Future[JsonValue]] = {}
        self._given_up: set[JsonValue] = set()
        """The numbers of requests that were cancelled here, and whose responses may still come."""
        self._calls: dict[str, Fields] = {}
        self._requests = 0
        self._open: set[asyncio.Task[None]] = set()
        self._context = contextvars.copy_context()
        """The context in which it was started: the messages come from a thread, which has none."""

    async def __aenter__(self) -> AcpAgent:
        self._context = contextvars.copy_context()
        bridge = LoopBridge(asyncio.get_running_loop(), BACKLOG, BACKLOG_SECONDS)

        def on_line(line: Line) -> None:
            # Parsed in the thread: a large message would hold up the loop.
            message = _read(line)
            bridge.put(lambda: self._take(message))

        try:
            self._process = ServerProcess(
                self.command,
                env=self._env,
                inherits=False,
                folder=self._cwd,
                make_reader=lambda: LineReader(LINE_LIMIT),
                on_line=on_line,
                on_stderr=lambda lines: None,
                on_exit=lambda ended: bridge.put(lambda: self._end(ended)),
                together=bridge.together,
            )
        except (OSError, ValueError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else str(problem)
            name = visible(cut(self.command[0] if self.command else "", SHOWN).text)
            raise AcpError(f"“{name}” could not be started: {why}") from None
        self._process.attend()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the agent and every process that it started; open permission requests are void."""
        self._is_closed = True
        await self._cancel_open(answers=False)
        if self._process is not None:
            await asyncio.to_thread(self._process.stop)
        self._fail_pending(AgentEnded("the agent was closed"))

    def kill(self) -> None:
        """End everything at once, from any thread."""
        if self._process is not None:
            self._process.kill()

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines that the agent wrote on stderr, as they came."""
        return () if self._process is None else self._process.last_words

    @property
    def ended(self) -> str:
        """How the process ended, in words; empty while it runs."""
        return "" if self._exit is None else self._exit.words

    def call_fields(self, call_id: str) -> Fields:
        """All that the updates of a tool call had so far."""
        return self._calls.get(call_id, {})

    async def initialize(self) -> AgentInfo:
        """Agree on the protocol. Raises AcpError."""
        params: dict[str, JsonValue] = {
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": CAPABILITIES,
            "clientInfo": {"name": "signoff", "title": "Signoff", "version": __version__},
        }
        result = await self._ask("initialize", params, self._start_seconds)
        version = result.get("protocolVersion")
        if version != PROTOCOL_VERSION or isinstance(version, bool):
            shown = visible(cut(json.dumps(version), SHOWN).text)
            raise AcpError(f"the agent has version {shown} of the protocol, not {PROTOCOL_VERSION}")
        info = result.get("agentInfo")
        named = info if isinstance(info, dict) else {}
        ways = result.get("authMethods")
        listed = ways if isinstance(ways, list) else []
        sign_ins = tuple(text_of(one, "id") for one in listed if isinstance(one, dict))
        return AgentInfo(text_of(named, "name"), text_of(named, "version"), sign_ins, result)

    async def authenticate(self, method: str) -> None:
        """Sign in by one of the agent's methods. Raises AcpError."""
        await self._ask("authenticate", {"methodId": method}, self._session_seconds)

    async def new_session(self, cwd: str, mcp_servers: Sequence[McpServer]) -> AcpSession:
        """Begin a session with these MCP servers. Raises AcpError."""
        servers: list[JsonValue] = [_server(one) for one in mcp_servers]
        params: dict[str, JsonValue] = {"cwd": cwd, "mcpServers": servers}
        result = await self._ask("session/new", params, self._session_seconds)
        session_id = result.get("sessionId")
        if not isinstance(session_id, str) or not session_id:
            raise AcpError("the response to session/new has no sessionId")
        modes = result.get("modes")
        state = modes if isinstance(modes, dict) else {}
        listed = state.get("availableModes")
        found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        names = tuple(text_of(one, "id") for one in found)
        self.session = AcpSession(session_id, text_of(state, "currentModeId"), names, result)
        return self.session

    async def set_mode(self, mode: str) -> None:
        """Set the mode of the session, such as one that asks for less. Raises AcpError."""
        params: dict[str, JsonValue] = {"sessionId": self._session_id(), "modeId": mode}
        await self._ask("session/set_mode", params, self._start_seconds)

    async def prompt(self, text: str, seconds: float | None = None) -> str:
        """Send a prompt; returns the reason for which the turn ended. Raises AcpError."""
        params: dict[str, JsonValue] = {
            "sessionId": self._session_id(),
            "prompt": [{"type": "text", "text": text}],
        }
        result = await self._ask("session/prompt", params, seconds)
        return text_of(result, "stopReason")

    async def cancel(self) -> None:
        """Cancel the turn; open permission requests are answered `cancelled`.

        Spec, "Prompt Turn", "Cancellation": the client MUST answer all of them so.
        """
        if self.session is not None:
            self._send({"method": "session/cancel", "params": {"sessionId": self._session_id()}})
        await self._cancel_open(answers=True)

    def _session_id(self) -> str:
        if self.session is None:
            raise AcpError("no session was begun")
        return self.session.session_id

    async def _cancel_open(self, *, answers: bool) -> None:
        tasks = [one for one in self._open if one is not asyncio.current_task()]
        for task in tasks:
            task.cancel("answer" if answers else "")
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(
        self, method: str, params: dict[str, JsonValue], seconds: float | None
    ) -> Fields:
        if self._exit is not None:
            raise AgentEnded(self._ended_words(method))
        self._next += 1
        number = self._next
        future = self._pending[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        try:
            async with asyncio.timeout(seconds):
                result = await future
        except TimeoutError:
            words = f"the agent did not answer {method} within {seconds:g} s"
            raise AgentTimeout(words) from None
        finally:
            self._pending.pop(number, None)
            if future.cancelled():
                self._given_up.add(number)
        return result if isinstance(result, dict) else {}

    def _ended_words(self, method: str) -> str:
        return f"the agent ended ({self.ended}) during {method}"

    def _send(self, message: dict[str, JsonValue]) -> None:
        process = self._process
        if process is None or self._exit is not None:
            return
        if "method" not in message and process.unsent > UNSENT_MOST:
            self._note("the agent does not read the responses to its requests")
            return
        process.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def _note(self, words: str) -> None:
        if not self.problems or self.problems[-1] != words:
            self.problems.append(words)

    def _take(self, message: Fields | str) -> None:
        if isinstance(message, str):
            self._note(message)
            return
        identity = message.get("id")
        is_request = isinstance(identity, int | str) and not isinstance(identity, bool)
        method = message.get("method")
        if not isinstance(method, str):
            self._take_response(identity, message)
        elif method == PERMISSION and is_request:
            self._begin_permission(identity, message.get("params"))
        elif is_request:
            self._note(f"the agent requested {_short(method)}, which was refused")
            words = f"{method[:SHOWN]} is not supported"
            self._send({"id": identity, "error": {"code": NOT_FOUND, "message": words}})
        elif method == UPDATE:
            self._take_update(message.get("params"))

    def _take_response(self, identity: JsonValue, message: Fields) -> None:
        known = isinstance(identity, int) and not isinstance(identity, bool)
        future = self._pending.get(identity) if known and isinstance(identity, int) else None
        if future is None and known and identity in self._given_up:
            # The response to a request that was cancelled here.
            self._given_up.discard(identity)
        elif future is None or future.done():
            self._note("the agent sent a response without a request")
        elif isinstance(problem := message.get("error"), dict):
            code = problem.get("code")
            words = visible(cut(text_of(problem, "message") or "no message", SHOWN).text)
            number = code if isinstance(code, int) else 0
            future.set_exception(AcpError(f"the agent reported an error: {words}", number))
        elif "result" in message:
            future.set_result(message["result"])
        else:
            future.set_exception(AcpError("the response of the agent has neither result nor error"))

    def _take_update(self, params: JsonValue) -> None:
        update = params.get("update") if isinstance(params, dict) else None
        if not isinstance(params, dict) or not isinstance(update, dict):
            self._note("a session/update has no update")
            return
        if self.session is not None and params.get("sessionId") != self.session.session_id:
            self._note("a session/update is for another session")
            return
        call_id = text_of(update, "toolCallId")
        if call_id and text_of(update, "sessionUpdate") in ("tool_call", "tool_call_update"):
            self._keep(call_id, update)
        self._on_update(update)

    def _keep(self, call_id: str, update: Fields) -> None:
        self._calls[call_id] = merged(self._calls.pop(call_id, {}), update)
        if len(self._calls) > CALLS_MOST:
            del self._calls[next(iter(self._calls))]

    def _begin_permission(self, identity: JsonValue, params: JsonValue) -> None:
        """Read a permission request, and have it answered by a task."""
        fields = params if isinstance(params, dict) else {}
        is_ours = self.session is not None and fields.get("sessionId") == self.session.session_id
        tool_call = fields.get("toolCall")
        call_id = text_of(tool_call, "toolCallId") if isinstance(tool_call, dict) else ""
        try:
            if not is_ours:
                raise ValueError("the session is unknown")
            request = read_permission(fields, self.call_fields(call_id), self._requests + 1)
        except ValueError as problem:
            self._note(f"a permission request is invalid: {problem}")
            reply: JsonValue = {"code": INVALID_PARAMS, "message": str(problem)}
            self._send({"id": identity, "error": reply})
            return
        if len(self._open) >= OPEN_MOST or self._is_closed:
            words = f"more than {OPEN_MOST} permission requests were open at once"
            self._note(f"{words}; Signoff cancelled the others")
            self._answer(identity, None)
            return
        self._requests += 1
        self._keep(call_id, request.tool_call)
        permitting = self._permit(identity, request)
        task = asyncio.get_running_loop().create_task(permitting, context=self._context.copy())
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _permit(self, identity: JsonValue, request: PermissionRequest) -> None:
        chosen: str | None = None
        try:
            chosen = await self._on_permission(request)
        except Exception as problem:
            self._note(note_fault(problem, "while a permission request was answered"))
        finally:
            # Also after a fault or a cancelled turn: no answer would stop the agent for ever.
            is_offered = chosen is not None and request.option(chosen) is not None
            self._answer(identity, chosen if is_offered else None)

    def _answer(self, identity: JsonValue, option_id: str | None) -> None:
        outcome: dict[str, JsonValue] = {"outcome": "cancelled"}
        if option_id is not None:
            outcome = {"outcome": "selected", "optionId": option_id}
        self._send({"id": identity, "result": {"outcome": outcome}})

    def _end(self, ended: Exit) -> None:
        self._exit = ended
        self._fail_pending(AgentEnded(f"the agent ended: {ended.words}"))
        for task in self._open:
            task.cancel()

    def _fail_pending(self, problem: AcpError) -> None:
        for future in self._pending.values():
            if not future.done():
                future.set_exception(problem)
                with contextlib.suppress(AcpError):
                    # Perhaps no task waits for it.
                    future.exception()


def _server(server: McpServer) -> JsonValue:
    return {
        "name": server.name,
        "command": server.command,
        "args": list(server.args),
        "env": [{"name": name, "value": value} for name, value in server.env],
    }


def _read(line: Line) -> Fields | str:
    """One line as a message, or why it is not one, in words that are safe to show."""
    if isinstance(line, Overlong):
        return f"a line of {line.size:,} bytes was not read (limit: {LINE_LIMIT:,})"
    shown = _short(bytes(line[: 4 * SHOWN]).decode("utf-8", "replace"))
    try:
        value = parse(line, Limits(size=LINE_LIMIT)).value
    except JsonError as problem:
        return f"a line on stdout is not JSON ({problem.reason}): {shown}"
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return f"a line on stdout is not a JSON-RPC message: {shown}"
    return value


def _short(text: str) -> str:
    return visible(cut(text, SHOWN).text)
