"""Interfaces that a call needs from its session, why it is made, and its task lifetime.

`PatternCache` runs the trials of policies in a worker and remembers their results, those that were
stopped as well, so that judging the same call again does not wait again.

Spec 2025-11-25, basic/utilities/tasks: the client asks for a task, with `task` beside the
arguments.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from ...approval.approval import Approvals, Decision
from ...approval.carried_labels import LabelMemory
from ...approval.fingerprint import ServerFingerprint
from ...approval.policies.patterns import Trial, Tried, carry_out_all, is_held_at_once
from ...approval.policies.policy import Policy
from ...approval.questions.questions import Question, QuestionName
from ...approval.snapshot import Snapshot
from ...calls.call import Call, CallLimits, Page
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.rpc import RpcError
from ...protocol.server import Server
from ...protocol.tool import ToolDefinition
from ...transport import Link
from ..definitions import Definitions
from ..memory import Memory
from ..policy_state import AuditWriter
from ..timing import FairScheduler, TimerGroup

if TYPE_CHECKING:
    from ...protocol.requests import Request
    from ...sandbox.worker_side import WorkerLimits
    from ...transport.sign_in.asking import SignInVisit
    from ..open_resolutions import OpenResolutions
    from ..relayed_tasks import RelayedTasks


NOT_CONNECTED: Final = "the server is not connected"


class Approver(Protocol):
    """Decides approval requests: the dialog, a line on a terminal, the policy, a script."""

    async def ask(self, question: Question) -> Decision:
        """Answer one question. Anything but a decision to approve sends nothing."""


@runtime_checkable
class ShowsPages(Protocol):
    """An approver that a person sits at, who can visit a page."""

    async def visit(self, visit: SignInVisit) -> None:
        """Show the page of a sign-in that it has approved, until this is cancelled."""


class ApproverToCome:
    """Takes questions for an approver that is still being made, and lets them wait for it."""

    def __init__(self) -> None:
        self._approver: asyncio.Future[Approver] = asyncio.get_running_loop().create_future()

    def give(self, approver: Approver) -> None:
        """The approver is there."""
        if not self._approver.done():
            self._approver.set_result(approver)

    async def ask(self, question: Question) -> Decision:
        return await (await asyncio.shield(self._approver)).ask(question)

    async def visit(self, visit: SignInVisit) -> None:
        """Leave the page to the approver."""
        approver = await asyncio.shield(self._approver)
        if isinstance(approver, ShowsPages):
            await approver.visit(visit)


class EngineContext(Protocol):
    """Interface of the engine that a call needs."""

    approver: Approver
    approvals: Approvals
    limits: CallLimits
    trials: PatternCache
    """Where the patterns and schemas of policies are tried."""
    turns: FairScheduler
    """Of the event loop, where many calls have something to do at once."""
    resolutions: OpenResolutions
    """Requests of `tools/resolve` that wait for their response."""
    relayed_tasks: RelayedTasks
    """Tasks that a host follows, and that wait for an approval of the server."""
    timers: TimerGroup
    """Those of the calls."""
    sends: bool
    as_task: bool
    """Calls that may run as tasks do."""
    labels: LabelMemory
    """The labels of earlier results of the session (a draft)."""

    @property
    def server(self) -> Server:
        """As it is now."""

    @property
    def calls(self) -> Mapping[int, Call]:
        """The newest value of each call of the session."""

    @property
    def link(self) -> Link:
        """The link of this connection."""

    @property
    def definitions(self) -> Definitions:
        """The tools as they are listed now."""

    @property
    def policy(self) -> Policy:
        """By which calls are judged."""

    @property
    def memory(self) -> Memory:
        """Approvals, denials and definitions of before."""

    @property
    def ledger(self) -> AuditWriter:
        """The audit log."""

    @property
    def runs(self) -> ServerFingerprint | None:
        """The program that runs as the server, as far as it has been examined."""

    async def fingerprint(self) -> ServerFingerprint | None:
        """Return the program that runs as the server; examines it first if needed."""

    async def connected_again(self) -> bool:
        """Wait for a connection if there is none; False if none can come."""

    async def compared(self) -> None:
        """Wait until the listed definitions were compared with those of earlier."""

    def overrides(self, tool: ToolDefinition) -> Mapping[str, bool | None]:
        """The what-if hints that the user has set, by hint name."""

    def unknown_before(self, snapshot: Snapshot) -> Call | None:
        """Return an earlier identical call whose effect is unknown."""

    def same_before(self, snapshot: Snapshot) -> Call | None:
        """Return the newest earlier identical call that was sent and has ended."""

    async def answer_input(
        self, method: str, params: JsonValue, call: Call
    ) -> dict[str, JsonValue] | RpcError:
        """Answer a request of the server for a call, by a person or a script."""

    def offer_url_elicitation(self, visits: Sequence[dict[str, JsonValue]], call: Call) -> None:
        """Ask whether to open pages that an ended call needs; the server gets no response.

        Each is the params of an elicitation.
        """

    def publish(self, call: Call) -> None:
        """The call changed."""

    def publish_progress(self, call: Call) -> None:
        """Only the progress of the call changed."""

    def question_voided(self, call: QuestionName, reason: str) -> None:
        """A question is closed without an answer of its approver."""


@frozen(kw_only=True)
class CallContext:
    """Why a call is made; all fields unset means a fresh call."""

    retry_of: int | None = None
    """The call that it repeats, because the response was lost."""
    again: Call | None = None
    """An ended call with whose answer this one's is compared."""
    although_invalid: bool = False
    """A person chose to send arguments that break the input schema."""
    page: Page | None = None
    """Which page of an answer it asks for."""
    must_ask: bool = False
    """It repeats `again`, whose repetition has an effect: the approver is asked in any case."""
    old_input: Mapping[str, JsonValue] | None = None
    """`inputResponses` and `requestState` of another call, sent with the first request: a test of
    the server."""

    is_relayed: bool = False
    """A host makes it: it answers for input, follows a task and has time limits of its own."""

    @property
    def counts_after(self) -> int | None:
        """The call that it repeats although a second one counts."""
        return self.again.id if self.must_ask and self.again is not None else None


KEPT_SECONDS: Final = 600.0


def task_ttl(engine: EngineContext, request: Request) -> int | None:
    """The `ttl` that a call is sent with, in milliseconds; None if it goes as no task.

    The server is to keep the result for longer than the call may take, since no limit runs while a
    person is asked.
    """
    tool = request.tool
    if tool is None or not engine.server.runs_tasks:
        return None
    if not tool.reach.runs_as_task(where_it_may=engine.as_task):
        return None
    return round((engine.limits.absolute + KEPT_SECONDS) * 1_000)


ALONE_SECONDS: Final = 1.0
"""What one trial may take."""
ALTOGETHER_SECONDS: Final = 3.0
"""What trials may take one after the other, once they took too long together."""
REMEMBERED: Final = 2_000
_NO_TIME: Final = Tried(
    None, f"was not tested: other tests took more than {ALTOGETHER_SECONDS:g} s in total"
)


def _limits() -> WorkerLimits:
    from ...sandbox.worker_side import WorkerLimits

    return WorkerLimits(wall_seconds=ALONE_SECONDS, cpu_seconds=ALONE_SECONDS)


class PatternCache:
    """Trials of one engine, with the known results by key, newest last."""

    def __init__(self) -> None:
        self._known: dict[str, Tried] = {}
        self._turn = asyncio.Lock()

    @property
    def known(self) -> Mapping[str, Tried]:
        return MappingProxyType(self._known)

    def are_known(self, trials: Iterable[Trial]) -> bool:
        return all(trial.key in self._known for trial in trials)

    async def carried_out(self, trials: Iterable[Trial]) -> dict[str, Tried]:
        """Return the result of each trial, by key. Cancelling it kills the running one."""
        wanted = {trial.key: trial for trial in trials}
        # A second request for the same trial waits for the first one.
        async with self._turn:
            found = {key: self._known[key] for key in wanted if key in self._known}
            rest = []
            for key, trial in wanted.items():
                if key not in found and is_held_at_once(trial):
                    found[key] = self._remember(trial, Tried(True))
                elif key not in found:
                    rest.append(trial)
            if rest:
                found |= await self._carry_out(rest)
        return found

    async def _carry_out(self, trials: list[Trial]) -> dict[str, Tried]:
        """Run all at once; if that takes too long, one after the other, to find the slow one."""
        from ...sandbox.worker import WorkerMissing, WorkerStopped, run_limited

        try:
            together = await run_limited(carry_out_all, tuple(trials), limits=_limits())
        except WorkerMissing as missing:
            return dict.fromkeys(
                (trial.key for trial in trials), Tried(None, f"was not tested: {missing.reason}")
            )
        except WorkerStopped as stopped:
            if len(trials) > 1:
                return await self._one_by_one(trials)
            together = (Tried(None, stopped.reason),)
        return {
            trial.key: self._remember(trial, tried)
            for trial, tried in zip(trials, together, strict=True)
        }

    async def _one_by_one(self, trials: list[Trial]) -> dict[str, Tried]:
        found: dict[str, Tried] = {}
        end = time.monotonic() + ALTOGETHER_SECONDS
        for trial in trials:
            if time.monotonic() < end:
                found |= await self._carry_out([trial])
            else:
                found[trial.key] = _NO_TIME
        return found

    def _remember(self, trial: Trial, tried: Tried) -> Tried:
        while len(self._known) >= REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[trial.key] = tried
        return tried
