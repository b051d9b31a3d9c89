"""The bench: servers, tools, calls and findings as immutable values, and who is told of changes.

Facts are events and always arrive. Rates - progress, stderr - are state with a dirty mark, which
a screen reads as often as it likes to draw.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace

from app.core.approval import Approvals, Decision, Question, deny, take_snapshot
from app.core.calls import Call, CallLimits
from app.core.entries import Origin
from app.core.findings import Finding
from app.core.jsonio import JsonValue
from app.core.policy import Verdict, cautious
from app.core.server import Phase, Server
from app.core.tools import ToolDefinition, read_tools
from app.core.trust import Trust
from app.link import Link
from app.link.events import (
    Ended,
    Greeting,
    LinkEvent,
    ListChanged,
    Listing,
    Noticed,
    Stage,
    Started,
    Stderr,
)
from app.link.worker import shut_down, warm_up
from app.story import Approver, Story

STDERR_LINES = 2_000
FINDINGS_KEPT = 500
CALLS_KEPT = 1_000
RELIST_SECONDS = 1.0
RELIST_SECONDS_MAX = 30.0


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """`bench.server` has a new value."""


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """`bench.tools` has a new value. `is_first`: the server was listed for the first time."""

    is_first: bool


@dataclass(frozen=True, slots=True)
class CallChanged:
    """A call has a new value."""

    call: Call


@dataclass(frozen=True, slots=True)
class QuestionVoided:
    """The open question of a call can no longer be approved."""

    call_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class FindingAdded:
    """Something was observed on the connection."""

    finding: Finding


BenchEvent = ServerChanged | ToolsChanged | CallChanged | QuestionVoided | FindingAdded


class NobodyAsks:
    """The approver of a bench that has none: every question is denied."""

    async def ask(self, question: Question) -> Decision:
        return deny("signoff", "nobody is there to ask")


class Bench:
    """One server and everything that happens on it. Lives on the event loop."""

    def __init__(
        self,
        link: Link,
        name: str,
        *,
        trust: Trust = Trust.UNTRUSTED,
        limits: CallLimits | None = None,
        listener: Callable[[BenchEvent], None] = lambda event: None,
    ) -> None:
        self.link = link
        self.server = Server(name, link.command, link.identity, trust)
        self.approver: Approver = NobodyAsks()
        self.approvals = Approvals()
        self.limits = limits or CallLimits()
        self.listener = listener
        self.sends = True
        """False: the story ends before sending, whatever was decided."""
        self.tools: tuple[ToolDefinition, ...] = ()
        self.calls: dict[int, Call] = {}
        self.findings: deque[Finding] = deque(maxlen=FINDINGS_KEPT)
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.stderr_count = 0
        """Lines that ever arrived: a mark to redraw by."""
        self.progress_count = 0
        """Progress notifications that ever arrived: a mark to redraw by."""
        self.is_listed = False
        self._listing_findings: tuple[Finding, ...] = ()
        self._stories: dict[int, Story] = {}
        self._tasks: dict[int, asyncio.Task[Call]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._list_changed = asyncio.Event()
        self._changes_told = 0
        self._changes_listed = 0
        """How often the server said that its tools changed, and how much of it was listed since."""
        self._relisting = asyncio.Lock()
        self._listed = asyncio.Event()

    def open(self) -> None:
        """Listen to the link. Call it once, on the event loop."""
        self._spawn(self._follow_list_changes())
        self.link.attach(self._on_link)

    def prepare(self) -> None:
        """Import what calls need, and start a worker: they are not needed for the first paint."""
        self.link.prepare()
        self._spawn(warm_up())

    async def close(self) -> None:
        """Deny what is asked, cancel what runs, end the server and all that it started."""
        for story in self._stories.values():
            story.void("Signoff is closing")
        tasks = [*self._tasks.values(), *self._background]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2)
        await self.link.close()
        shut_down()

    def set_trust(self, trust: Trust) -> None:
        """Trust holds for questions and calls that are judged from now on."""
        self._change_server(trust=trust)

    def verdict(self, tool: ToolDefinition) -> Verdict:
        """What the policy says of a tool whose arguments obey its schema."""
        return cautious(tool, self.server.trust)

    def call(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue],
        origins: Mapping[str, Origin] | None = None,
    ) -> int:
        """Begin the story of a call; returns its id at once.

        Raises ValueError for arguments that JSON cannot carry.
        """
        call_id = max(self.calls, default=0) + 1
        snapshot = take_snapshot(self.server.identity, tool, arguments)
        story = Story(self, call_id, tool, snapshot, origins or {})
        self._stories[call_id] = story
        self.publish(story.call)
        task = asyncio.create_task(story.run(), name=f"call-{call_id}")
        self._tasks[call_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(call_id, None))
        self._forget_old_calls()
        return call_id

    async def ended(self, call_id: int) -> Call:
        """Wait for the end of a call."""
        task = self._tasks.get(call_id)
        if task is not None:
            await asyncio.wait({task})
        return self.calls[call_id]

    def cancel(self, call_id: int) -> None:
        """Request the cancellation of a call; one that has ended is left as it is."""
        if story := self._stories.get(call_id):
            story.cancel()

    def all_findings(self) -> tuple[Finding, ...]:
        """What was observed on the connection and in the list of tools."""
        return (*self._listing_findings, *self.findings)

    async def refresh_definitions(self) -> bool:
        """List the tools again if the server has said that they changed since.

        False where that failed, so that nobody knows what the definitions are now.
        """
        told = self._changes_told
        if self._changes_listed < told:
            await self._relist()
        return self._changes_listed >= told

    def definition_digest(self, tool: ToolDefinition) -> str | None:
        """The digest of the tool as the server lists it now; None when it is gone."""
        same = [one for one in self.tools if one.name == tool.name]
        if len(same) > 1:
            same = [one for one in same if one.index == tool.index]
        return same[0].digest if same else None

    def publish(self, call: Call) -> None:
        self.calls[call.id] = call
        self.listener(CallChanged(call))

    def publish_progress(self, call: Call) -> None:
        self.calls[call.id] = call
        self.progress_count += 1

    def question_voided(self, call_id: int, reason: str) -> None:
        self.listener(QuestionVoided(call_id, reason))

    def _on_link(self, event: LinkEvent) -> None:
        match event:
            case Stage(words):
                self._change_server(stage=words)
            case Started(pid):
                self._change_server(pid=pid)
            case Greeting():
                self._change_server(
                    phase=Phase.CONNECTED,
                    version=event.version,
                    info=event.info,
                    instructions=event.instructions,
                )
            case Listing():
                self._take_listing(event)
            case ListChanged():
                self._changes_told += 1
                self._list_changed.set()
            case Stderr(lines):
                self.stderr.extend(lines)
                self.stderr_count += len(lines)
            case Noticed(finding):
                self._notice(finding)
            case Ended():
                self._end(event)

    def _take_listing(self, listing: Listing) -> None:
        is_first = not self.is_listed
        self.is_listed = True
        self._listed.set()
        tools = read_tools(listing.entries)
        unchanged = [tool.raw for tool in tools] == [tool.raw for tool in self.tools]
        self._listing_findings = listing.findings
        if unchanged and not is_first:
            return
        self.tools = tools
        for story in self._stories.values():
            if not story.call.is_over:
                self._void_where_changed(story)
        self.listener(ToolsChanged(is_first))

    def _void_where_changed(self, story: Story) -> None:
        current = self.definition_digest(story.call.tool)
        if current is None:
            story.void("the server no longer has this tool")
        elif current != story.call.snapshot.definition_digest:
            story.void("the tool definition changed")

    def _end(self, ended: Ended) -> None:
        was_open = self.server.is_open
        self._change_server(
            phase=Phase.LOST if was_open else Phase.FAILED,
            ended_words=ended.words,
            pid=ended.pid if ended.pid is not None else self.server.pid,
            exit_code=ended.code,
            last_words=ended.last_words,
        )
        for story in self._stories.values():
            story.void("the connection was lost")

    async def _relist(self) -> None:
        async with self._relisting:
            told = self._changes_told
            if self._changes_listed < told and self.server.is_open:
                listing = await self.link.list_tools()
                if listing is not None:
                    self._changes_listed = told
                    self._take_listing(listing)

    async def _follow_list_changes(self) -> None:
        """List again when the server says so: coalesced, and ever slower for one that insists."""
        pause = RELIST_SECONDS
        # What changes during the first listing may not be in it: list again after it.
        await self._listed.wait()
        while True:
            await self._list_changed.wait()
            self._list_changed.clear()
            started = time.monotonic()
            await self._relist()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._list_changed.wait(), pause)
            insists = time.monotonic() - started < pause
            if insists:
                await asyncio.sleep(pause - (time.monotonic() - started))
            pause = min(RELIST_SECONDS_MAX, pause * 2) if insists else RELIST_SECONDS

    def _notice(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.listener(FindingAdded(finding))

    def _change_server(self, **changes: object) -> None:
        self.server = replace(self.server, **changes)  # type: ignore[arg-type]
        self.listener(ServerChanged())

    def _forget_old_calls(self) -> None:
        for call_id in list(self.calls)[:-CALLS_KEPT]:
            if self.calls[call_id].is_over:
                del self.calls[call_id]
                self._stories.pop(call_id, None)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
