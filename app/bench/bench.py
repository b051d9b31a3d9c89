"""The bench: servers, tools, calls and findings as immutable values, and who is told of changes.

Facts are events and always arrive. Rates - progress, stderr - are state with a dirty mark, which
a screen reads as often as it likes to draw.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from signoff.app.bench.definitions import OTHER_DEFINITION, Definitions, Relisted
from signoff.app.bench.events import (
    BenchEvent,
    CallChanged,
    DefinitionsCompared,
    FindingAdded,
    QuestionVoided,
    RulesChanged,
    ServerChanged,
    ToolsChanged,
)
from signoff.app.bench.running import Running
from signoff.app.bench.server_requests import ServerRequests
from signoff.app.bench.trials import Trials
from signoff.app.bench.turns import Turns
from signoff.app.core.approvals.approval import Approvals, Decision, deny
from signoff.app.core.approvals.snapshot import take_snapshot
from signoff.app.core.calls import Call, CallLimits, CallName, Page
from signoff.app.core.definitions.change_values import ListDiff
from signoff.app.core.findings import Finding, error, warning
from signoff.app.core.requests import Request, ResourceRead, ToolCall
from signoff.app.core.server import Phase, Server
from signoff.app.core.trust import Trust
from signoff.app.faults import note_fault, tell_fault
from signoff.app.link import NoLink
from signoff.app.link.events import (
    Ended,
    Greeting,
    LinkEvent,
    ListChanged,
    Listing,
    Noticed,
    Requested,
    Stage,
    Started,
    Stderr,
)

if TYPE_CHECKING:
    from signoff.app.bench.consent import Consent
    from signoff.app.bench.ledger import Ledger
    from signoff.app.bench.memory import Memory
    from signoff.app.bench.story import Story
    from signoff.app.bench.surroundings import Approver
    from signoff.app.core.approvals.questions import Question
    from signoff.app.core.approvals.retries import Advice
    from signoff.app.core.approvals.snapshot import Snapshot
    from signoff.app.core.approvals.trusting import TrustEffect
    from signoff.app.core.approvals.what_runs import WhatRuns
    from signoff.app.core.forms.entries import Origin
    from signoff.app.core.jsonio import JsonValue
    from signoff.app.core.policies.policy import Case, Policy, Verdict
    from signoff.app.core.policies.whatif import Overrides
    from signoff.app.core.tools import ToolDefinition
    from signoff.app.link import Link

STDERR_LINES = 2_000
FINDINGS_KEPT = 500
CALLS_KEPT = 1_000


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
        make_consent: Callable[[], Consent] | None = None,
        relink: Callable[[], Link] | None = None,
        is_bundled: bool = False,
    ) -> None:
        """`make_consent` makes what decides on calls; it is called once, when it is needed: the
        list of tools does not wait for it. `relink` makes another link to the same server."""
        self.link = link
        self.server = Server(name, link.command, link.identity, trust, is_bundled=is_bundled)
        self.approver: Approver = NobodyAsks()
        self.approvals = Approvals()
        self.limits = limits or CallLimits()
        self.listener = listener
        self.trials = Trials()
        self.turns = Turns()
        self.sends = True
        """False: the story ends before sending, whatever was decided."""
        self.calls: dict[int, Call] = {}
        self.findings: deque[Finding] = deque(maxlen=FINDINGS_KEPT)
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.stderr_count = 0
        """Lines that ever arrived: a mark to redraw by."""
        self.progress_count = 0
        """How often progress was told of any call: a mark to redraw by."""
        self.list_diff = ListDiff()
        """What the newest comparison of definitions found that was not empty."""
        self._make_consent = make_consent
        self._consent: Consent | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._relink = relink
        self._definitions = Definitions(self._list_again, self._on_tools)
        self._running = Running(self._look_at_server, self._on_looked_again)
        self._requests = ServerRequests(self._notice)
        self._stories: dict[int, Story] = {}
        self._tasks: dict[int, asyncio.Task[Call]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._comparing: asyncio.Task[None] | None = None
        self._may_compare = asyncio.Event()

    @property
    def consent(self) -> Consent:
        """By whose rules calls are judged, and what is remembered and logged of it."""
        if self._consent is None:
            self._consent = self._new_consent()
        return self._consent

    @property
    def is_decided_on(self) -> bool:
        """Whether `consent` is there already, and costs no time."""
        return self._consent is not None

    @property
    def policy(self) -> Policy:
        return self.consent.policy

    @property
    def memory(self) -> Memory:
        return self.consent.memory

    @property
    def ledger(self) -> Ledger:
        return self.consent.ledger

    @property
    def tools(self) -> tuple[ToolDefinition, ...]:
        """As the server listed them last."""
        return self._definitions.tools

    @property
    def is_listed(self) -> bool:
        """Whether the tools have been listed at all."""
        return self._definitions.is_listed

    @property
    def runs(self) -> WhatRuns | None:
        """What runs as the server, as far as it has been looked at on this connection."""
        return self._running.now

    async def what_runs(self) -> WhatRuns | None:
        """What runs as the server; looked at now, where that was not done yet. None while it is
        not connected."""
        return await self._running.known() if self.server.is_open else None

    def open(self) -> None:
        """Listen to the link. Call it once, on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._spawn(self._definitions.follow())
        self.link.attach(self._on_link)

    def prepare(self) -> None:
        """Import what calls need, and start a worker: they are not needed for the first paint."""
        from signoff.app.link.worker import warm_up

        self.link.prepare()
        self._spawn(warm_up())
        self._may_compare.set()

    async def close(self) -> None:
        """Deny what is asked, cancel what runs, end the server and all that it started."""
        for story in self._stories.values():
            story.void("Signoff is closing")
        self._running.close()
        tasks = [*self._tasks.values(), *self._background]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2)
        await self.link.close()
        if self._loop is not None:
            self.consent.close(len(self.calls))
        from signoff.app.link.worker import shut_down

        shut_down()

    def set_trust(self, trust: Trust) -> None:
        """Trust holds for questions and calls that are judged from now on."""
        self._change_server(trust=trust)
        self.consent.trust_changed()

    def trust_effect(self) -> TrustEffect:
        """What trusting the server changes for the tools that it lists."""
        from signoff.app.bench.judging import trust_effect

        return trust_effect(self, self.tools)

    def overrides(self, tool: ToolDefinition) -> Overrides:
        """The hints that the person has set for a what-if, by hint name."""
        return self.consent.overrides(tool)

    def verdict(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Verdict:
        """What the policy says of a tool; `problems`: how the arguments break its schema."""
        from signoff.app.bench.judging import first_verdict

        return first_verdict(self, ToolCall(tool), arguments, problems)

    async def tried_verdict(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None,
        problems: Sequence[str],
    ) -> Verdict:
        """`verdict`, once the policy's patterns and schemas were tried on the arguments."""
        from signoff.app.bench.judging import tried_verdict

        return await tried_verdict(self, ToolCall(tool), arguments, problems)

    def foreseen(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None,
        problems: Sequence[str],
        verdict: Verdict,
    ) -> Verdict:
        """The verdict, or what a remembered approval makes of it."""
        from signoff.app.bench.judging import foreseen

        return foreseen(self, ToolCall(tool), arguments, problems, verdict)

    def case(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Case:
        """What the policy knows of a call."""
        from signoff.app.bench.judging import case_of

        return case_of(self, ToolCall(tool), arguments, problems)

    def is_tried(self, tool: ToolDefinition, arguments: Mapping[str, JsonValue] | None) -> bool:
        """Whether the verdict is the last word; `tried` sees to it that it becomes so."""
        from signoff.app.bench.judging import open_trials

        if arguments is None:
            return True
        return self.trials.are_known(open_trials(self, self.case(tool, arguments)))

    async def tried(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Case:
        """`case`, once the policy's patterns and schemas were tried on the arguments."""
        from signoff.app.bench.judging import tried

        return await tried(self, self.case(tool, arguments, problems))

    def call(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue],
        origins: Mapping[str, Origin] | None = None,
        *,
        retry_of: int | None = None,
        again: int | None = None,
        although_invalid: bool = False,
        page: Page | None = None,
        must_ask: bool = False,
    ) -> int:
        """Begin the story of calling a tool; returns its id at once.

        `again`: an ended call with whose answer this one's is to be compared. `although_invalid`:
        a person chose to send arguments that break the input schema. `page`: which page of an
        answer it asks for. `must_ask`: a repetition that is asked about whatever the policy says,
        since a second call counts. Raises ValueError for arguments that JSON cannot carry.
        """
        return self._begin(
            ToolCall(tool),
            arguments,
            origins or {},
            retry_of=retry_of,
            again=again,
            although_invalid=although_invalid,
            page=page,
            must_ask=must_ask,
        )

    def read(self, uri: str) -> int:
        """Begin the story of reading a resource of the server; returns its id at once."""
        return self._begin(ResourceRead(uri), {"uri": uri}, {})

    def _begin(
        self,
        request: Request,
        arguments: Mapping[str, JsonValue],
        origins: Mapping[str, Origin],
        *,
        retry_of: int | None = None,
        again: int | None = None,
        although_invalid: bool = False,
        page: Page | None = None,
        must_ask: bool = False,
    ) -> int:
        from signoff.app.bench.story import Story

        call_id = max(self.calls, default=0) + 1
        snapshot = take_snapshot(self.server.identity, request, arguments)
        snapshot = replace(snapshot, runs=self.runs)
        before = self.calls.get(again) if again is not None else None
        story = Story(
            self,
            CallName(self.server.name, call_id),
            request,
            snapshot,
            origins,
            retry_of,
            before,
            although_invalid=although_invalid,
            page=page,
            must_ask=must_ask,
        )
        self._stories[call_id] = story
        self.publish(story.call)
        task = asyncio.create_task(story.run(), name=f"call-{call_id}")
        self._tasks[call_id] = task
        task.add_done_callback(lambda task: self._call_done(call_id, task))
        self._forget_old_calls()
        return call_id

    def advice(self, call: Call) -> Advice:
        """Whether the call is offered for a retry, and why."""
        from signoff.app.bench.judging import first_verdict
        from signoff.app.core.approvals.retries import advise

        request = self._current(call)
        verdict = first_verdict(self, request, call.snapshot.arguments())
        return advise(call, request.definition, self.server.trust, verdict)

    async def advised(self, call: Call) -> Advice:
        """`advice`, once the policy's patterns and schemas were tried on the arguments."""
        from signoff.app.bench.judging import case_of, tried

        await tried(self, case_of(self, self._current(call), call.snapshot.arguments(), ()))
        return self.advice(call)

    def retry(self, call_id: int) -> int:
        """Make a call once more, with the same arguments and so the same idempotency key."""
        call = self.calls[call_id]
        return self._begin(
            self._current(call),
            call.snapshot.arguments(),
            self._origins(call_id),
            retry_of=call_id,
            although_invalid=call.although_invalid,
            page=call.page,
        )

    def call_again(self, call_id: int, *, must_ask: bool = False) -> int:
        """Make a call once more, to compare the two answers.

        `must_ask`: ask about it whatever the policy says, since a second call counts.
        """
        call = self.calls[call_id]
        return self._begin(
            self._current(call),
            call.snapshot.arguments(),
            self._origins(call_id),
            again=call_id,
            although_invalid=call.although_invalid,
            must_ask=must_ask,
        )

    def _origins(self, call_id: int) -> Mapping[str, Origin]:
        """Who put the arguments of an earlier call there: it stays so where they are sent again."""
        story = self._stories.get(call_id)
        return story.origins if story is not None else {}

    def next_page(
        self, call_id: int, arguments: Mapping[str, JsonValue], parameter: str = ""
    ) -> int:
        """Ask for the page after a call's answer, with the arguments that ask for it.

        `parameter`: the one that takes the cursor, where its name alone does not say so.
        """
        call = self.calls[call_id]
        return self._begin(
            self._current(call),
            arguments,
            {},
            although_invalid=call.although_invalid,
            page=Page.after(call, parameter),
        )

    def unknown_before(self, snapshot: Snapshot) -> Call | None:
        """The newest earlier call like this, if nobody knows whether it did its work."""
        from signoff.app.core.approvals.retries import is_unknown

        # Another definition makes no other call of it: the work may be the same.
        for call in reversed(self.calls.values()):
            if (
                call.sent
                and call.snapshot.tool == snapshot.tool
                and call.snapshot.method == snapshot.method
                and call.snapshot.arguments_digest == snapshot.arguments_digest
            ):
                return call if is_unknown(call) else None
        return None

    @property
    def can_reconnect(self) -> bool:
        """Whether the connection is gone and can be made anew."""
        return self._relink is not None and self.server.phase in (Phase.LOST, Phase.FAILED)

    async def reconnect(self) -> str:
        """Start the server anew, or connect to it again; nothing where it is still there.

        Returns why that could not even begin, in words; empty where it did.
        """
        if self._relink is None or not self.can_reconnect:
            return ""
        try:
            link = self._relink()
        except NoLink as problem:
            return str(problem)
        except Exception as problem:
            return note_fault(problem, "while it made a new link to a server")
        self._change_server(phase=Phase.CONNECTING, stage="starting again", pid=None)
        try:
            await self.link.close()
            self._definitions.restart()
            self._running.restart()
            self.link = link
            link.begin()
            link.attach(self._on_link)
            link.prepare()
        except Exception as problem:
            words = note_fault(problem, "while it connected again")
            link.kill()
            self._end(Ended(words))
            return words
        return ""

    async def ended(self, call_id: int) -> Call:
        """Wait for the end of a call."""
        task = self._tasks.get(call_id)
        if task is not None:
            await asyncio.wait({task})
        return self.calls[call_id]

    def was_away(self, seconds: float) -> None:
        """The whole program stood still for so long: no time limit of a call ran meanwhile."""
        for story in self._stories.values():
            story.was_away(seconds)

    def cancel(self, call_id: int) -> None:
        """Request the cancellation of a call; one that has ended is left as it is."""
        if story := self._stories.get(call_id):
            story.cancel()

    def all_findings(self) -> tuple[Finding, ...]:
        """What was observed on the connection and in the list of tools."""
        return (*self._definitions.findings, *self.findings)

    async def compared(self) -> None:
        """Wait until the listed definitions were compared with those of earlier."""
        self._may_compare.set()
        if self.is_listed:
            await self._definitions.wait_until_listed()
        if self._comparing is not None and not self._comparing.done():
            await asyncio.wait({self._comparing})

    async def refresh_definitions(self) -> Relisted:
        """List the tools again if the server has said that they changed since."""
        return await self._definitions.refresh()

    async def recheck_definitions(self) -> Relisted:
        """List the tools again, whatever the server said."""
        return await self._definitions.recheck()

    def definition_digest(self, request: Request) -> str | None:
        """The digest of its definition as it is now; None where the tool is gone."""
        tool = request.tool
        return request.definition.digest if tool is None else self._definitions.digest(tool)

    def change_of(self, request: Request) -> str:
        """What has become of its tool since, in words that go on after its name; empty: nothing."""
        return "" if request.tool is None else self._definitions.change_of(request.tool)

    @property
    def has_news(self) -> bool:
        """Whether the tools have changed, by the server's word, and were not listed since."""
        return self._definitions.has_news

    def publish(self, call: Call) -> None:
        self.calls[call.id] = call
        self._publish(CallChanged(call))

    def publish_progress(self, call: Call) -> None:
        self.calls[call.id] = call
        self.progress_count += 1

    def question_voided(self, call: CallName, reason: str) -> None:
        self._publish(QuestionVoided(call, reason))

    def _on_link(self, event: LinkEvent) -> None:
        try:
            self._take(event)
        except Exception as problem:
            words = note_fault(problem, "while it took in what a server sent")
            self._notice(error("fault", words))
            if isinstance(event, (Greeting, Listing)) and not self.is_listed:
                # Nothing more will come that the screen could go on with.
                self._end(Ended(words))
                self.link.kill()

    def _take(self, event: LinkEvent) -> None:
        match event:
            case Stage(words):
                self._change_server(stage=words)
            case Started(pid):
                self._change_server(pid=pid)
            case Greeting():
                self._definitions.version = event.version
                self._change_server(
                    phase=Phase.CONNECTED,
                    version=event.version,
                    basis=event.basis,
                    info=event.info,
                    instructions=event.instructions,
                )
            case Listing():
                self._definitions.take(event)
                self._spawn(self._look_early())
            case ListChanged():
                self._definitions.tell_changed()
            case Stderr(lines):
                self.stderr.extend(lines)
                self.stderr_count += len(lines)
            case Noticed(finding):
                self._notice(finding)
            case Requested():
                self._requests.take(self.link, event, self._stories.values())
            case Ended():
                self._end(event)

    async def _look_early(self) -> None:
        """Look before it is needed, but after the first paint."""
        await self._may_compare.wait()
        await self.what_runs()

    async def _look_at_server(self) -> WhatRuns | None:
        link, memory = self.link, self.memory
        key, problem = await asyncio.to_thread(memory.value_key)
        runs = await link.what_runs(key)
        return replace(runs, problem=runs.problem or problem) if runs is not None else None

    def _on_looked_again(self, before: WhatRuns | None, now: WhatRuns | None) -> None:
        """What was approved in this session counts again, or it is something else that runs."""
        from signoff.app.core.approvals.run_words import changed_words

        if before != now:
            words = f"{changed_words(before, now)}: what was approved before asks again"
            self._notice(warning("other-program", words))
        self.listener(RulesChanged())

    def _on_tools(self, is_first: bool) -> None:
        for story in self._stories.values():
            if not story.call.is_over and not story.call.sent:
                self._void_where_changed(story)
        before = self._comparing
        self._comparing = self._spawn(self._compare(before))
        self._publish(ToolsChanged(is_first))

    async def _compare(self, before: asyncio.Task[None] | None) -> None:
        """Compare the list with the one before it, off the loop: it can be long."""
        if before is not None and not before.done():
            await asyncio.wait({before})
        await self._may_compare.wait()
        diff = await asyncio.to_thread(self.consent.compare, self.tools)
        if not diff.is_empty:
            self.list_diff = diff
        self._publish(DefinitionsCompared())

    def _void_where_changed(self, story: Story) -> None:
        what = self.change_of(story.call.request)
        if what == OTHER_DEFINITION:
            story.void("the tool definition changed")
        elif what:
            story.void(f"the tool {what}")

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
            if not story.call.sent:
                story.void("the connection was lost")

    async def _list_again(self) -> Listing | None:
        return await self.link.list_tools() if self.server.is_open else None

    def _current(self, call: Call) -> Request:
        """What a call asked for, of the tool as it is listed now; as it was, where it is gone."""
        same = [tool for tool in self.tools if call.is_of(tool)]
        return ToolCall(same[0]) if len(same) == 1 else call.request

    def _new_consent(self) -> Consent:
        from signoff.app.bench.consent import Consent, Surface
        from signoff.app.bench.memory import Memory

        consent = (
            self._make_consent()
            if self._make_consent is not None
            else Consent(Memory(self.server.identity, self.server.name))
        )
        surface = Surface(
            lambda: self.server,
            lambda: self._on_loop(lambda: self._publish(RulesChanged())),
            lambda finding: self._on_loop(lambda: self._notice(finding)),
        )
        consent.attach(surface)
        return consent

    def _on_loop(self, action: Callable[[], None]) -> None:
        """Do it on the loop, from whichever thread; nothing where the loop is gone."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(action)

    def _notice(self, finding: Finding) -> None:
        self.findings.append(finding)
        self._publish(FindingAdded(finding))

    def _change_server(self, **changes: object) -> None:
        self.server = replace(self.server, **changes)  # type: ignore[arg-type]
        self._publish(ServerChanged())

    def _publish(self, event: BenchEvent) -> None:
        """Tell the listener; whatever goes wrong there is not the business of a call."""
        try:
            self.listener(event)
        except Exception as problem:
            tell_fault(problem, "while it showed what happened")

    def _forget_old_calls(self) -> None:
        from signoff.app.core.approvals.retries import is_unknown

        for call_id in list(self.calls)[:-CALLS_KEPT]:
            if self.calls[call_id].is_over and not is_unknown(self.calls[call_id]):
                del self.calls[call_id]
                self._stories.pop(call_id, None)

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background_done)
        return task

    def _background_done(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        self._say_if_failed(task, "in the background of a server")

    def _call_done(self, call_id: int, task: asyncio.Task[Call]) -> None:
        self._tasks.pop(call_id, None)
        self._say_if_failed(task, "at the end of a call")

    def _say_if_failed(self, task: asyncio.Task[Any], doing: str) -> None:
        """Nobody awaits these tasks, so nobody else would hear of it."""
        problem = None if task.cancelled() else task.exception()
        if problem is not None:
            self._notice(error("fault", note_fault(problem, doing)))
