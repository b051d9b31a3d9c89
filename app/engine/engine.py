"""The engine: server, tools, calls and findings as immutable values, and their listeners.

Facts are events and always arrive. Rates - progress, stderr - are state with a dirty mark, which a
screen reads as often as it likes to draw.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..approval.approval import Approvals, DenyAll
from ..approval.carried_labels import LabelMemory
from ..calls.call import Call, CallLimits
from ..protocol.findings.findings import Finding, warning
from ..protocol.requests import PromptGet, ResourceRead, ToolCall
from ..protocol.server import Phase, Server, Trust
from ..protocol.server_requests.capabilities import ELICIT
from ..storage.auditing.events import send_blocked
from ..storage.fault_log import tell_fault
from ..transport.events import Blocked, ElicitationComplete, FromServer, Requested, Withdrawn
from .calls.context import CallContext, PatternCache
from .calls.evaluate_policy import VerdictPreview
from .calls.manager import CallManager
from .connection import Connection, ConnectionListener
from .definitions import DefinitionDiffTask, Definitions
from .events import (
    CallChanged,
    DefinitionsCompared,
    EngineEvent,
    FindingAdded,
    QuestionVoided,
    RulesChanged,
    ServerChanged,
    ToolsChanged,
)
from .findings import Observations
from .open_resolutions import OpenResolutions
from .raw_messages import RawMessages
from .relayed_tasks import RelayedTasks
from .resources import Offers
from .server_requests import ServerRequests
from .timing import Background, FairScheduler, TimerGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approval.fingerprint import ServerFingerprint
    from ..approval.matrix import Overrides
    from ..approval.policies.policy import Policy
    from ..approval.questions.questions import QuestionName
    from ..approval.snapshot import Snapshot
    from ..content.json.jsonio import JsonValue
    from ..protocol.definitions.change_values import ListDiff
    from ..protocol.requests import Request
    from ..protocol.rpc import RpcError
    from ..protocol.server_requests.capabilities import Root
    from ..protocol.tool import ToolDefinition
    from ..schemas.form.entries import Origin
    from ..transport import Link
    from .calls.context import Approver
    from .connection import ServerLog
    from .memory import Memory
    from .policy_state import AuditWriter, PolicyState
    from .request_handler import RequestHandler
    from .sign_in import SignInHandler


class Engine(VerdictPreview):
    """One server and everything that happens on it. Lives on the event loop."""

    def __init__(
        self,
        link: Link,
        name: str,
        *,
        trust: Trust = Trust.UNTRUSTED,
        limits: CallLimits | None = None,
        listener: Callable[[EngineEvent], None] = lambda event: None,
        make_consent: Callable[[], PolicyState] | None = None,
        relink: Callable[[], Link] | None = None,
        is_bundled: bool = False,
    ) -> None:
        """`make_consent` makes the consent that decides on calls; it is called once, when needed:
        the list of tools does not wait for it. `relink` makes another link to the same server.
        """
        self.approver: Approver = DenyAll()
        self.approvals = Approvals()
        self.limits = limits or CallLimits()
        self._listeners = [listener]
        self.trials = PatternCache()
        self.turns = FairScheduler()
        self.timers = TimerGroup()
        self.sends = True
        """False: the call ends before sending, whatever was decided."""
        self.as_task = False
        """Calls that may run as tasks do; those that must do anyway."""
        self.labels = LabelMemory()
        """The labels of earlier results; servers of one session share it (a draft)."""
        self.observed = Observations(lambda: self._connection)
        """What was found that is about no single call."""
        self.progress_count = 0
        """Number of progress updates of all calls: a change of it means a redraw."""
        self._make_consent = make_consent
        self._consent: PolicyState | None = None
        self._sign_ins: SignInHandler | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._call_manager = CallManager(self, self._notice)
        self.resolutions = OpenResolutions()
        self.relayed_tasks = RelayedTasks()
        """Tasks that a host follows, and that wait for an approval of the server."""
        self.requests = ServerRequests(self._notice, self._new_person, self.resolutions)
        """The server's own requests to the person."""
        self._background = Background(self._notice, "in the background of a server")
        self._connection: Connection = Connection(
            link,
            Server(
                name,
                link.command,
                link.identity,
                trust,
                is_bundled=is_bundled,
                lenient=link.lenient,
                experimental=tuple(sorted(link.capabilities.experimental)),
            ),
            relink,
            lambda: self.memory.value_key,
            ConnectionListener(
                changed=lambda: self._publish(ServerChanged()),
                listed=self._on_listed,
                tools=self._on_tools,
                asked=self._on_asked,
                signing_in=lambda event: self.sign_ins.take(event),
                told=lambda event: self.offers.take(event),
                found=self._notice,
                blocked=self._log_blocked,
                looked_again=self._on_looked_again,
                reopened=lambda runs: self.consent.reopened(runs),
                ended=self._on_ended,
                begin=self._background.begin,
            ),
        )
        self.offers: Offers = Offers(
            lambda: self.link, lambda: self.server, self._background, self._publish
        )
        """What the server has beside its tools."""
        self.raw_messages = RawMessages(lambda: self.link, lambda: self.server, lambda: self.ledger)
        """What a person writes for the wire."""
        self._comparing = DefinitionDiffTask(
            self.definitions,
            self._background,
            self._connection.reopening_told,
            lambda: self.consent.compare,
            lambda: self._publish(DefinitionsCompared()),
        )

    @property
    def consent(self) -> PolicyState:
        """The active policy with grants and audit log.

        Made at the first use, which is on the loop: two threads would make two of it.
        """
        if self._consent is None:
            self._consent = self._new_consent()
        return self._consent

    @property
    def is_decided_on(self) -> bool:
        """True if `consent` is there already, and costs no time."""
        return self._consent is not None

    @property
    def sign_ins(self) -> SignInHandler:
        """The sign-ins of a person; made at the first one."""
        if self._sign_ins is None:
            from .sign_in import SignInHandler

            self._sign_ins = SignInHandler(self, self._publish)
        return self._sign_ins

    @property
    def is_signing_in(self) -> bool:
        """True while a person decides on a sign-in, or visits its page."""
        return self._sign_ins is not None and self._sign_ins.is_open

    @property
    def policy(self) -> Policy:
        return self.consent.policy

    @property
    def memory(self) -> Memory:
        return self.consent.memory

    @property
    def ledger(self) -> AuditWriter:
        return self.consent.ledger

    @property
    def server(self) -> Server:
        return self._connection.server

    @property
    def link(self) -> Link:
        return self._connection.link

    @property
    def definitions(self) -> Definitions:
        return self._connection.definitions

    @property
    def tools(self) -> tuple[ToolDefinition, ...]:
        """As the server listed them last."""
        return self.definitions.tools

    @property
    def is_listed(self) -> bool:
        """True if the tools have been listed at all."""
        return self.definitions.is_listed

    @property
    def findings(self) -> deque[Finding]:
        """Findings noticed on the connection as they happened."""
        return self.observed.noticed

    @property
    def list_diff(self) -> ListDiff:
        """The newest comparison of definitions that was not empty."""
        return self._comparing.diff

    @property
    def stderr(self) -> deque[str]:
        return self._connection.stderr

    @property
    def stderr_count(self) -> int:
        """Lines that ever arrived: a mark to redraw by."""
        return self._connection.stderr_count

    @property
    def log(self) -> ServerLog:
        """The log messages of the server."""
        return self._connection.log

    def set_log_level(self, level: str) -> None:
        """Request log messages from this level on, one of `LEVELS`, from the server."""
        self.log.level = level
        if self.is_listed and self.server.is_open:
            self._connection.tell_log_level()
        else:
            self.link.log_level = level

    async def log_level_told(self) -> None:
        """Wait until the server knows the level; a call before that may go without messages."""
        await self._connection.log_level_told()

    @property
    def calls(self) -> dict[int, Call]:
        return self._call_manager.calls

    @property
    def runs(self) -> ServerFingerprint | None:
        """The program that runs as the server, as far as examined on this connection."""
        return self._connection.running.now

    async def fingerprint(self) -> ServerFingerprint | None:
        """`runs`, examined now if needed; None while it is not connected."""
        return await self._connection.fingerprint()

    def open(self) -> None:
        """Listen to the link. Call it once, on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._background.begin(self.definitions.follow())
        self._connection.open()
        self.link.wire.on_trouble(self._on_capture_trouble)

    def prepare(self) -> None:
        """Start a worker, and what else is not needed for the first paint."""
        from ..sandbox.worker import warm_up

        self._background.begin(warm_up())
        self._comparing.may_begin.set()
        self.offers.begin()

    async def close(self) -> None:
        """Deny pending approvals, cancel calls, end the server and all its processes.

        Not interrupted: a cancellation that arrives during it, as by a signal, applies after it.
        """
        closing = asyncio.create_task(self._close(), name="closing")
        try:
            await asyncio.shield(closing)
        finally:
            while not closing.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({closing})

    async def _close(self) -> None:
        calls = self._call_manager.close()
        self.requests.close("Signoff is closing")
        if self._sign_ins is not None:
            self._sign_ins.close("Signoff is closing")
        self._connection.close()
        if tasks := [*calls, *self._background.cancel()]:
            await asyncio.wait(tasks, timeout=2)
        await self.link.close()
        await asyncio.to_thread(self.link.wire.close)
        if self._loop is not None:
            self.consent.close(len(self.calls))
        from ..sandbox.worker import shut_down

        shut_down()

    def set_trust(self, trust: Trust) -> None:
        """Set the trust for calls that are judged from now on."""
        self._connection.change(trust=trust)
        self.consent.trust_changed()

    def overrides(self, tool: ToolDefinition) -> Overrides:
        """The what-if hints that the user has set, by hint name."""
        return self.consent.overrides(tool)

    def call(
        self,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue],
        origins: Mapping[str, Origin] | None = None,
        *,
        although_invalid: bool = False,
        old_input: Mapping[str, JsonValue] | None = None,
    ) -> int:
        """Begin a call of a tool; returns its id at once.

        `although_invalid`: a person chose to send arguments that break the input schema. Raises
        ValueError for arguments that JSON cannot carry. `old_input`: see `CallContext`.
        """
        context = CallContext(although_invalid=although_invalid, old_input=old_input)
        return self._call_manager.begin(ToolCall(tool), arguments, origins or {}, context)

    def relay(self, request: Request, arguments: Mapping[str, JsonValue], *, is_sent: bool) -> int:
        """Begin the call of a host; returns its id at once.

        `is_sent`: it has gone to the server, so that it is followed alone. Otherwise it is decided
        on as a call of a person is. Raises ValueError for arguments that JSON cannot carry.
        """
        context = CallContext(is_relayed=True)
        return self._call_manager.begin(request, arguments, {}, context, is_sent=is_sent)

    def read(self, uri: str) -> int:
        """Begin a read of a resource of the server; returns its id at once."""
        return self._call_manager.begin(ResourceRead(uri), {"uri": uri}, {}, CallContext())

    def get_prompt(self, name: str, arguments: Mapping[str, JsonValue]) -> int:
        """Begin a request for a prompt; returns its id at once."""
        asked: dict[str, JsonValue] = {"name": name, "arguments": dict(arguments)}
        return self._call_manager.begin(PromptGet(name), asked, {}, CallContext())

    def retry(self, call_id: int) -> int:
        """Make a call again, with the same arguments and so the same idempotency key."""
        return self._call_manager.retry(call_id)

    def call_again(self, call_id: int, *, must_ask: bool = False) -> int:
        """Make a call again, to compare the two responses.

        `must_ask`: ask under any policy, since a second call has an effect.
        """
        return self._call_manager.call_again(call_id, must_ask=must_ask)

    def next_page(
        self, call_id: int, arguments: Mapping[str, JsonValue], parameter: str = ""
    ) -> int:
        """Request the page after a response; `parameter` takes the cursor, if no name shows it."""
        return self._call_manager.next_page(call_id, arguments, parameter)

    async def ended(self, call_id: int) -> Call:
        """Wait for the end of a call."""
        return await self._call_manager.ended(call_id)

    def cancel(self, call_id: int) -> None:
        """Request the cancellation of a call; one that has ended is left as it is."""
        self._call_manager.cancel(call_id)

    def resumed_after(self, seconds: float) -> None:
        """Extend the time limits of calls after a suspension of the whole program."""
        for call_task in self._call_manager:
            call_task.resumed_after(seconds)

    def unknown_before(self, snapshot: Snapshot) -> Call | None:
        """Return the newest earlier identical call whose effect is unknown."""
        return self._call_manager.unknown_before(snapshot)

    def same_before(self, snapshot: Snapshot) -> Call | None:
        """Return the newest earlier identical call that was sent and has ended."""
        return self._call_manager.same_before(snapshot)

    def set_roots(self, roots: Sequence[Root]) -> None:
        """Set other roots, and notify the server of the change."""
        before, self.requests.roots = self.requests.roots, tuple(roots)
        if before != self.requests.roots and self.server.is_open:
            self.link.tell_roots_changed()

    @property
    def can_reconnect(self) -> bool:
        """True if the connection is gone and can be made again."""
        return self._connection.can_reconnect

    @property
    def can_restart(self) -> bool:
        """True if the server can be started again, whether it runs or not."""
        return self._connection.can_restart

    async def reconnect(self) -> str:
        """Do what that of `Connection` does."""
        return await self._connection.reconnect()

    async def restart(self) -> str:
        """Do what that of `Connection` does."""
        return await self._connection.restart()

    async def connected_again(self) -> bool:
        """Wait for a connection if there is none; False if none can come."""
        return await self._connection.connected_again()

    async def compared(self) -> None:
        """Wait until the listed definitions were compared with those of earlier."""
        await self._comparing.wait()

    async def answer_input(
        self, method: str, params: JsonValue, call: Call
    ) -> dict[str, JsonValue] | RpcError:
        """Answer a request of the server for a call, by a person or a script."""
        call_tasks = [one for one in self._call_manager if one.call.id == call.id]
        return await self.requests.answer(self.link, method, params, call_tasks)

    def offer_url_elicitation(self, visits: Sequence[dict[str, JsonValue]], call: Call) -> None:
        """Ask whether to open pages that an ended call needs; the server gets no response.

        Each is the params of an elicitation.
        """
        for params in visits:
            self._background.begin(self.answer_input(ELICIT, params, call))

    def publish(self, call: Call) -> None:
        self._call_manager.keep(call)
        self.offers.note_read(call)
        self._publish(CallChanged(call))

    def publish_progress(self, call: Call) -> None:
        self._call_manager.keep(call)
        self.progress_count += 1

    def question_voided(self, call: QuestionName, reason: str) -> None:
        self._publish(QuestionVoided(call, reason))

    def _on_capture_trouble(self, words: str) -> None:
        self._on_loop(lambda: self._notice(warning("capture-failed", words)))

    def _log_blocked(self, blocked: Blocked) -> None:
        self.ledger.write(send_blocked(self.server, blocked.method, blocked.id))

    def _on_listed(self) -> None:
        self.offers.connected()
        self._background.begin(self._look_early())

    async def _look_early(self) -> None:
        """Look before it is needed, but after the first paint."""
        await self._comparing.may_begin.wait()
        await self.fingerprint()
        # A remembered approval holds for what runs, and counts from now on.
        self._publish(RulesChanged())

    def _on_looked_again(
        self, before: ServerFingerprint | None, now: ServerFingerprint | None
    ) -> None:
        """Renew the approvals of this session, or note that another program runs."""
        from ..approval.questions.server_lines import changed_words

        if before != now:
            words = f"{changed_words(before, now)}: earlier approvals ask again"
            self._notice(warning("other-program", words))
        self._publish(RulesChanged())

    def _on_tools(self, is_first: bool) -> None:
        self._call_manager.void_unsent(self.definitions.why_void)
        self._comparing.begin()
        self._publish(ToolsChanged(is_first))

    def _on_asked(self, event: FromServer) -> None:
        match event:
            case Requested():
                self.requests.take(self.link, event, self._call_manager)
            case Withdrawn(identity):
                self.requests.withdrawn(self.link, identity)
            case ElicitationComplete(identity):
                self.requests.visited(identity)

    def _on_ended(self) -> None:
        if self.server.phase is Phase.LOST:
            self.consent.lost()
        self._call_manager.void_unsent(lambda request: "the connection was lost")
        self.requests.close("the connection was lost")
        self.offers.disconnected()

    def _new_person(self) -> RequestHandler:
        from .request_handler import RequestHandler

        return RequestHandler(self, self._notice, self._publish)

    def _new_consent(self) -> PolicyState:
        from .memory import Memory
        from .policy_state import PolicyCallbacks, PolicyState

        consent = (
            self._make_consent()
            if self._make_consent is not None
            else PolicyState(Memory(self.server.identity, self.server.name))
        )
        surface = PolicyCallbacks(
            lambda: self.server,
            lambda: self._on_loop(lambda: self._publish(RulesChanged())),
            lambda finding: self._on_loop(lambda: self._notice(finding)),
        )
        consent.attach(surface)
        return consent

    def subscribe(self, listener: Callable[[EngineEvent], None]) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _on_loop(self, action: Callable[[], None]) -> None:
        """Do it on the loop, from whichever thread; nothing if the loop is gone."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(action)

    def _notice(self, finding: Finding) -> None:
        self.observed.noticed.append(finding)
        self._publish(FindingAdded(finding))

    def _publish(self, event: EngineEvent) -> None:
        """Call the listeners, first come first; their faults affect no call and no other one."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as problem:
                tell_fault(problem, "while it showed what happened")
