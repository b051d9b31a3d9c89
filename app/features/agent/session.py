"""A session with an agent: its conversation, its questions, and the calls at its MCP server.

Events are noted in the order in which they can be known: before a question is noted, all calls
are that the server had got by then, and again before its answer leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from ...approval.matrix import host_decisions
from ...approval.policies.policy import Policy
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.acp import (
    Fields,
    OptionKind,
    PermissionOption,
    PermissionRequest,
    text_of,
    texts_of,
)
from ...protocol.hints import Effect
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import read_tools
from ...transport.acp import AcpAgent, AgentInfo
from .question_lines import AgentQuestion
from .stories import CallStory, SentCall, Stories, name_in
from .tapped import Tap, Tapped

LOOK_SECONDS: Final = 0.1
"""Between two looks at the calls, while a turn runs."""
READY_SECONDS: Final = 15.0
"""How long a first prompt waits for the agent to have listed the server's tools."""
NOT_LISTED: Final = "the agent has not listed the tools of the MCP server yet"
NOT_SENT: Final = "not sent"
ENDED: Final = ("completed", "failed")
"""The statuses of tool calls that have ended."""
LOOK_AGAIN_SECONDS: Final = 0.02
"""Between two looks for the sake of updates, which an agent can flood."""
RECENT: Final = 50
"""The newest entries, in which that of a call without a question is looked for."""
TITLE_SEARCHED: Final = 500
"""Characters of a title in which the name of a tool is looked for."""
ENTRIES_MOST: Final = 5_000
TEXT_MOST: Final = 50_000
"""Characters of one entry."""
TOOLS_MOST: Final = 5_000
REFUSED_MOST: Final = 50
NOTE_MOST: Final = 300
"""Characters of a note."""
LISTS_MOST: Final = 1_000
"""Requests of the agent to the server whose responses are awaited."""


@frozen
class AgentLaunch:
    """An agent to start, and the MCP server that it is given."""

    name: str
    """The name of the host, or the program."""
    command: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    server: str
    """The name of the MCP server, for people and for the agent."""
    server_command: tuple[str, ...]
    server_env: Mapping[str, str]
    server_folder: str
    hosts: tuple[Policy, ...] = ()
    """The rules of the hosts whose decisions are shown."""
    mode: str = ""
    """The mode to set first; empty for the one that the agent begins with."""
    sign_in: str = ""
    """The agent's method to sign in by first; empty if it is signed in."""
    hint: str = "prompt for the agent"
    """What a person is to type."""
    suggests_tools: bool = False
    """Whether names of tools are suggested while a person types."""
    compose: Callable[[str, Set[str]], str] = lambda text, tools: text
    """Makes the prompt of what was typed, with the names of the server's tools; raises ValueError,
    in words, if it cannot be one.
    """


@dataclass(slots=True)
class ConversationEntry:
    """One item of the conversation: `kind` is you, agent, thought, tool, note or call.

    An entry of the kind `tool` is what the agent shows of a tool call of its own, `call` what
    reached the MCP server or was asked.
    """

    kind: str
    text: str = ""
    status: str = ""
    call_id: str = ""
    story: CallStory | None = None


Ask = Callable[[AgentQuestion], Awaitable[PermissionOption | None]]


class AgentSession:
    """Runs one agent. `ask` answers its questions, one at a time; `changed` is called after each
    change of the entries and the tool calls.
    """

    def __init__(
        self, launch: AgentLaunch, ask: Ask, changed: Callable[[], None] = lambda: None
    ) -> None:
        self.launch = launch
        self.entries: list[ConversationEntry] = []
        self.stories = Stories()
        self._by_call: dict[str, ConversationEntry] = {}
        """Entries by the agent's `toolCallId`."""
        self._shown: set[int] = set()
        """The numbers of the stories that have an entry."""
        self.tools: tuple[ToolDefinition, ...] = ()
        self.refused: list[str] = []
        """Messages of the agent that could not be read as exactly one, safe to show; the first."""
        self.refused_count = 0
        self.info: AgentInfo | None = None
        self.asked: CallStory | None = None
        """The call whose question is open now."""
        self.waiting = 0
        """Questions that wait for the open one."""
        self.is_busy = False
        """Whether a turn runs."""
        self.is_ready = asyncio.Event()
        """Set once the server's tools were listed to the agent."""
        self._ask = ask
        self._changed = changed
        self._turn = asyncio.Lock()
        self._tap = Tap()
        self._lists: dict[tuple[str, str, JsonValue], str] = {}
        """The method, and whether it is the first page, of each open request to the server."""
        self._listed: list[JsonValue] = []
        self._has_new_list = False
        self._looked_at = 0.0
        self._version = ""
        self.agent = AcpAgent(
            launch.command,
            cwd=launch.cwd,
            env=launch.env,
            on_permission=self._permit,
            on_update=self._update,
        )

    async def open_session(self) -> None:
        """Start the agent, and begin a session with the server. Raises AcpError."""
        await self.agent.__aenter__()
        self.info = await self.agent.initialize()
        launch, mode = self.launch, self.launch.mode
        if launch.sign_in:
            await self.agent.authenticate(launch.sign_in)
        server = self._tap.server(
            launch.server, launch.server_command, launch.server_env, launch.server_folder
        )
        session = await self.agent.new_session(launch.cwd, [server])
        if mode:
            await self.agent.set_mode(mode)
        self.note(f"session begun, mode {mode or session.mode or 'not given'}")

    async def close(self) -> None:
        """End the agent with all that it started; the calls so far stay known."""
        await self.agent.close()
        self.look()
        self._tap.close()

    async def until_ready(self, seconds: float = READY_SECONDS) -> bool:
        """Wait until the agent has listed the server's tools; False if it did not in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.is_ready.is_set() and not self.agent.ended:
                    self.look()
                    await asyncio.sleep(LOOK_SECONDS)
        return self.is_ready.is_set()

    async def prompt(self, text: str, seconds: float | None = None) -> str:
        """Send a prompt, and follow the turn to its end; returns its reason. Raises AcpError.

        What cannot be a prompt is not sent, and noted.
        """
        self._add(ConversationEntry("you", text))
        try:
            sent = self.launch.compose(text, {one.name for one in self.tools})
        except ValueError as problem:
            self.note(str(problem))
            return NOT_SENT
        self.is_busy = True
        self.stories.begin_turn()
        looking = asyncio.get_running_loop().create_task(self._look_along())
        try:
            reason = await self.agent.prompt(sent, seconds)
        finally:
            looking.cancel()
            self.is_busy = False
            self.look()
            self._changed()
        self.note(f"turn ended: {reason or 'no reason given'}")
        return reason

    async def cancel(self) -> None:
        """Cancel the turn; an open question is answered `cancelled`."""
        await self.agent.cancel()

    def look(self) -> None:
        """Note all that passed between the agent and the server since the last time."""
        before = len(self.entries)
        self._looked_at = time.monotonic()
        for one in self._tap.passed():
            self._pass(one)
        self._read_list()
        if len(self.entries) != before:
            self._changed()

    def _read_list(self) -> None:
        """Read the tools once for all pages: a server may have a page for each tool."""
        if self._has_new_list:
            self._has_new_list = False
            self.tools = read_tools(self._listed, self._version)
            self._changed()

    def note(self, words: str) -> None:
        """Add a line of Signoff's own, in which words of the agent may be."""
        self._add(ConversationEntry("note", visible(cut(words, NOTE_MOST).text)))

    async def _look_along(self) -> None:
        while True:
            self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def _permit(self, request: PermissionRequest) -> str | None:
        self.look()
        story = self.stories.ask(request, self.tools)
        self._show_story(story, request.call_id)
        option: PermissionOption | None = None
        self.waiting += 1
        is_waiting = True
        try:
            async with self._turn:
                self.waiting -= 1
                is_waiting = False
                self.look()
                self.asked = story
                self._changed()
                option = await self._ask(self.question(story))
        finally:
            self.waiting -= is_waiting
            if not is_waiting:
                self.asked = None
            # A call that arrived while the question was open ran before the answer.
            self.look()
            self.stories.answer(story, option)
            self._changed()
        return option.option_id if option is not None else None

    def question(self, story: CallStory) -> AgentQuestion:
        """All that is known about a question now."""
        assert story.request is not None
        assert story.naming is not None
        tool = next((one for one in self.tools if one.name == story.naming.tool), None)
        launch = self.launch
        info = self.info
        return AgentQuestion(
            request=story.request,
            naming=story.naming,
            tool=tool,
            decisions=host_decisions(tool, launch.hosts, launch.server) if tool else {},
            agent=launch.name,
            calls_itself=f"{info.name} {info.version}".strip() if info is not None else "",
            server=launch.server,
            ran=story.sent.arguments if story.sent is not None else None,
            has_run=story.sent is not None,
            is_listed=bool(self.tools),
        )

    def _update(self, update: Fields) -> None:
        kind = text_of(update, "sessionUpdate")
        text = "".join(texts_of(update))
        if kind == "agent_message_chunk":
            self._speak("agent", text)
        elif kind == "agent_thought_chunk":
            self._speak("thought", text)
        elif kind in ("tool_call", "tool_call_update"):
            is_due = time.monotonic() - self._looked_at > LOOK_AGAIN_SECONDS
            if is_due and text_of(update, "status") in ENDED:
                # The call was before its end.
                self.look()
            self._show_tool(text_of(update, "toolCallId"))

    def _speak(self, kind: str, text: str) -> None:
        if not text:
            return
        last = self.entries[-1] if self.entries else None
        if last is None or last.kind != kind:
            last = self._add(ConversationEntry(kind))
        last.text = (last.text + text)[:TEXT_MOST]
        self._changed()

    def _show_story(self, story: CallStory, call_id: str) -> None:
        """Show a call by the entry that it has, or the one of the agent's own tool call."""
        if story.number in self._shown:
            return
        entry = self._by_call.get(call_id)
        if entry is None or entry.story is not None:
            # Also for an id that is used again: no call may take the place of another.
            entry = self._add(ConversationEntry("call", call_id=call_id))
        entry.kind, entry.story = "call", story
        self._shown.add(story.number)

    def _own_call(self, tool: str) -> str:
        """The `toolCallId` of the first recent call of the agent that names a tool and has no story
        yet; empty if there is none.
        """
        recent = (one for one in self.entries[-RECENT:] if one.kind == "tool")
        same = (one for one in recent if name_in(one.text[:TITLE_SEARCHED], {tool}) is not None)
        found = next(same, None)
        return found.call_id if found is not None else ""

    def _show_tool(self, call_id: str) -> None:
        fields = self.agent.call_fields(call_id)
        title = text_of(fields, "title")[:TEXT_MOST]
        entry = self._by_call.get(call_id) or self._seen_before(title)
        if entry is None:
            entry = self._add(ConversationEntry("tool", call_id=call_id))
        elif not entry.call_id:
            entry.call_id = call_id
            self._by_call[call_id] = entry
        entry.text = title
        entry.status = text_of(fields, "status")
        self._changed()

    def _seen_before(self, title: str) -> ConversationEntry | None:
        """The entry of a call that reached the server before the agent's own words about it came:
        two pipes have no common order.
        """
        for one in self.entries[-RECENT:]:
            sent = one.story.sent if one.story is not None and not one.call_id else None
            if sent is not None and name_in(title[:TITLE_SEARCHED], {sent.tool}) is not None:
                return one
        return None

    def _add(self, entry: ConversationEntry) -> ConversationEntry:
        self.entries.append(entry)
        if entry.call_id:
            self._by_call[entry.call_id] = entry
        if len(self.entries) > ENTRIES_MOST:
            for one in self.entries[: ENTRIES_MOST // 10]:
                self._by_call.pop(one.call_id, None)
            del self.entries[: ENTRIES_MOST // 10]
        self._changed()
        return entry

    def _pass(self, one: Tapped) -> None:
        message = one.message
        if one.sender == "tap":
            self._pass_note(one.text)
        if not isinstance(message, dict):
            if one.sender == "agent":
                self._refuse(f"unreadable, passed on: {one.text}")
            return
        method, identity = message.get("method"), message.get("id")
        if one.sender == "agent" and isinstance(method, str):
            self._pass_request(one.process, method, identity, message.get("params"))
        elif one.sender == "server" and method is None:
            self._pass_response(one.process, identity, message)

    def _pass_note(self, text: str) -> None:
        kind, _, words = text.partition(" ")
        if kind == "refused":
            self._refuse(f"not passed on to the MCP server: {words}")
        elif kind in ("failed", "overlong"):
            self.note(f"MCP server: {kind}")

    def _refuse(self, words: str) -> None:
        words = visible(cut(words, NOTE_MOST).text).rstrip(" :")
        self.refused_count += 1
        if len(self.refused) < REFUSED_MOST:
            self.refused.append(words)
            self.note(words)

    def _pass_request(
        self, process: str, method: str, identity: JsonValue, params: JsonValue
    ) -> None:
        fields = params if isinstance(params, dict) else {}
        if method == "tools/call":
            given = fields.get("arguments")
            sent = SentCall(
                text_of(fields, "name"), {} if given is None else given, process, identity
            )
            self._read_list()
            tool = next((one for one in self.tools if one.name == sent.tool), None)
            story = self.stories.send(
                sent, is_read_only=tool is not None and tool.effect is Effect.READ_ONLY
            )
            self._show_story(story, self._own_call(sent.tool))
        if method in ("initialize", "tools/list", "server/discover"):
            first = method if fields.get("cursor") is None else f"{method} further"
            if len(self._lists) < LISTS_MOST:
                self._lists[_key(process, identity)] = first

    def _pass_response(self, process: str, identity: JsonValue, message: Fields) -> None:
        result = message.get("result")
        fields: Fields = result if isinstance(result, dict) else {}
        method = self._lists.pop(_key(process, identity), "")
        if method in ("initialize", "server/discover"):
            self._version = text_of(fields, "protocolVersion")
        elif method.startswith("tools/list"):
            self._take_list(fields, is_first=method == "tools/list")
        elif not method:
            failed = fields.get("isError") is True
            word = "error" if "error" in message else "tool error" if failed else "ok"
            if self.stories.end(process, identity, word) is not None:
                self._changed()

    def _take_list(self, fields: Fields, *, is_first: bool) -> None:
        page = fields.get("tools")
        listed = page if isinstance(page, list) else []
        if is_first:
            self._listed = []
        self._listed += listed[: TOOLS_MOST - len(self._listed)]
        self._has_new_list = True
        if not fields.get("nextCursor"):
            self.is_ready.set()


def _key(process: str, identity: JsonValue) -> tuple[str, str, JsonValue]:
    return process, type(identity).__name__, identity if isinstance(identity, int | str) else None


def rejecting(request: PermissionRequest) -> PermissionOption | None:
    """The answer that rejects this call alone, else one that lasts; None to cancel."""
    return request.first(OptionKind.REJECT_ONCE, OptionKind.REJECT_ALWAYS)


def allowing(request: PermissionRequest) -> PermissionOption | None:
    """The answer that allows this call alone, else one that lasts; None to cancel."""
    return request.first(OptionKind.ALLOW_ONCE, OptionKind.ALLOW_ALWAYS)
