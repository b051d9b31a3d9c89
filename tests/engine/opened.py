"""A bench on a real server, what it published, and approvers of every temper."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from signoff.app.approval.approval import Decision, DecisionAnswer, approve
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.questions.questions import Question
from signoff.app.calls.call import Call, CallLimits
from signoff.app.calls.effects.watch import Watch as ProcessWatch
from signoff.app.engine.calls.context import Approver
from signoff.app.engine.engine import Engine
from signoff.app.engine.events import CallChanged, EngineEvent
from signoff.app.engine.memory import Memory
from signoff.app.engine.policy_state import AuditWriter, PolicyState
from signoff.app.protocol.server import Phase, Trust
from signoff.app.protocol.server_requests.capabilities import ClientCapabilities
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.store import Store
from signoff.app.transport import Link
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.negotiation import AUTO
from signoff.app.transport.sign_in.browser_options import BrowserOptions
from signoff.app.transport.stdio.stdio import StdioLink
from tests.memory_link import MemoryLink, needs_process
from tests.servers import raw
from tests.servers.options import parse

E = TypeVar("E", bound=EngineEvent)


class Asked:
    """An approver that a test answers by hand."""

    def __init__(self) -> None:
        self.questions: list[Any] = []
        """Each a `Question`; a test knows of which kind."""
        self._answers: list[asyncio.Future[Decision]] = []
        self._came = asyncio.Event()

    async def ask(self, question: Question) -> Decision:
        self.questions.append(question)
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        self._came.set()
        return await answer

    async def question(self, seconds: float = 60) -> Any:
        """Wait for the next question."""
        async with asyncio.timeout(seconds):
            await self._came.wait()
        self._came.clear()
        return self.questions[-1]

    def answer(self, decision: Decision) -> None:
        """Answer the newest question."""
        self._answers[-1].set_result(decision)


class Approves:
    """Approves at once, and remembers what it was asked."""

    def __init__(self) -> None:
        self.questions: list[Any] = []
        """Each a `Question`; a test knows of which kind."""

    async def ask(self, question: Question) -> Decision:
        self.questions.append(question)
        return approve("you")


class Remembers(Approves):
    """Approves at once, and wants that remembered."""

    def __init__(self, scope: Scope, days: int = 0) -> None:
        super().__init__()
        self._remember = Remember(scope, days)

    async def ask(self, question: Question) -> Decision:
        decision = await super().ask(question)
        return replace(decision, remember=self._remember)


class Denies:
    """Denies at once, for the rest of the session."""

    def __init__(self) -> None:
        self.questions: list[Any] = []
        """Each a `Question`; a test knows of which kind."""

    async def ask(self, question: Question) -> Decision:
        self.questions.append(question)
        return Decision(DecisionAnswer.DENY, "you", for_session=True)


class Watch:
    """Everything that a bench published, and a way to wait for it."""

    def __init__(self) -> None:
        self.events: list[EngineEvent] = []
        self._changed = asyncio.Event()

    def __call__(self, event: EngineEvent) -> None:
        self.events.append(event)
        self._changed.set()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def call(self, call_id: int, condition: Callable[[Call], object]) -> None:
        """Wait until a call was published that satisfies the condition."""
        await self.until(
            lambda: any(
                event.call.id == call_id and condition(event.call) for event in self.of(CallChanged)
            )
        )


class Opened:
    """A bench whose server has settled, with shorthands for its calls."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self.engine = engine
        self.watch = watch

    def tool(self, name: str) -> ToolDefinition:
        return next(tool for tool in self.engine.tools if tool.name == name)

    def begin(self, name: str, /, **arguments: Any) -> int:
        return self.engine.call(self.tool(name), arguments)

    async def ended(self, call_id: int, seconds: float = 60) -> Call:
        async with asyncio.timeout(seconds):
            return await self.engine.ended(call_id)

    async def call(self, name: str, /, **arguments: Any) -> Call:
        return await self.ended(self.begin(name, **arguments))


@contextlib.asynccontextmanager
async def opened(
    *switches: str,
    argv: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    trust: Trust = Trust.UNTRUSTED,
    limits: CallLimits | None = None,
    policy: Policy | None = None,
    store: Path | None = None,
    log: Path | None = None,
    clock: Callable[[], float] = time.time,
    url: str = "",
    without: Collection[str] = (),
    experimental: Collection[str] = (),
    protocol: str = AUTO,
    process_watch: ProcessWatch | None = None,
    is_process: bool = False,
    browser: BrowserOptions | None = None,
    approver: Approver | None = None,
) -> AsyncIterator[Opened]:
    """A bench on the scripted server, or on `argv`, or on `url`; closed in the end.

    The scripted server is in memory where its switches and `is_process` allow it.

    What it remembers is in the folder `store`, its audit log in the file `log`; there is neither
    where they are None. `without`: capabilities that the server is not told of.
    `experimental`: drafts that are turned on.
    `protocol`: AUTO, LEGACY or MODERN. `process_watch` sees what the
    server's process does. With `browser`, `approver` is asked to sign in to `url`.
    """

    def relink() -> Link:
        capabilities = ClientCapabilities(frozenset(without), experimental=frozenset(experimental))
        if url:
            return HttpLink(url, protocol, capabilities, browser=browser)
        if is_process or argv or env or process_watch or needs_process(parse(switches)):
            return StdioLink(
                argv or raw(*switches), env, protocol, capabilities, watch=process_watch
            )
        return MemoryLink(switches, protocol, capabilities)

    link = relink()
    link.begin()
    watch = Watch()
    open_store = None if store is None else partial(Store.open, store, clock())
    memory = Memory(link.identity, "the server", open_store, clock)
    ledger = AuditWriter(None if log is None else AuditLog(log), memory.session)

    engine = Engine(
        link,
        "the server",
        trust=trust,
        limits=limits,
        listener=watch,
        make_consent=lambda: PolicyState(memory, ledger, policy),
        relink=relink,
    )
    engine.approver = approver or engine.approver
    engine.open()
    try:
        await watch.until(
            lambda: engine.is_listed or engine.server.phase in (Phase.FAILED, Phase.LOST)
        )
        await engine.compared()
        yield Opened(engine, watch)
    finally:
        async with asyncio.timeout(60):
            await engine.close()
