"""The open server of one flow: its engine, its person, its values, and its wire."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ....approval.approval import DECISION_SECONDS
from ....calls.call import Call, CallLimits
from ....cli.approving.people import Person, ServerReply
from ....cli.approving.person import ScriptedPerson
from ....cli.options.session import SessionOptions
from ....cli.output.printing import Hiding
from ....cli.output.results import WireLine, WireProof
from ....cli.targets.live import NotConnected, Options, opened
from ....cli.targets.policies import chosen_policy
from ....cli.targets.targets import UsageError, read_target, watched_target
from ....content.files.tree import Problem
from ....content.frozen import frozen
from ....content.json.jsonio import JsonValue
from ....content.labels import and_more
from ....content.text import cut, visible
from ....engine.engine import Engine
from ....engine.events import EngineEvent, FindingAdded, QuestionVoided
from ....engine.session_config import SessionConfig
from ....hosts.entries.transports import header_problem
from ....protocol.findings.findings import Finding
from ....protocol.server import Phase, Trust
from ....protocol.server_requests.capabilities import Root, read_root
from ....protocol.wire.frames import CLIENT, Frame, FrameKind, WireLog
from ....protocol.wire.reading import read
from ....protocol.wire.rows import KIND_CELLS, Showing, WireBook, row_of
from ....storage.policy_files import is_path
from ....transport.http.reach import NoCertificates, Reach
from ..flow import Flow, Step
from ..grammar import OPTION_KEYS
from ..matching import filled_text
from ..yaml_tree import FlowError
from .signing_in import FlowSignIns, filled_sign_in

if TYPE_CHECKING:
    from ....approval.policies.policy import Policy
    from ....protocol.tool import ToolDefinition

WIRE_SHOWN: Final = 60
MESSAGE_SHOWN: Final = 1_500
"""Frames of a failed step in a report, and characters of each message."""
RECONNECT_SECONDS: Final = 30.0
SENT_LOOK_SECONDS: Final = 0.01
"""How often a call that is to be cancelled is looked at until it is sent."""
NO_SCHEMAS: Final[Mapping[str, JsonValue]] = {}


@frozen
class PreparedFlow:
    """A flow whose server and rules make sense, and its values from the beginning."""

    flow: Flow
    config: SessionConfig
    policy: Policy
    values: Mapping[str, JsonValue]


def prepare(flow: Flow, values: Mapping[str, JsonValue], env: Mapping[str, str]) -> PreparedFlow:
    """Find its rules and its server; `values` go over its variables. Raises FlowError."""
    known: dict[str, JsonValue] = {}
    for one in flow.variables:
        if one.name in values:
            continue
        if one.env and one.env not in env and one.default is None:
            words = f"the variable {visible(one.env)} is not set and has no default"
            raise FlowError(flow.file, (Problem(one.spot, words),))
        known[one.name] = env.get(one.env, one.default) if one.env else one.value
    known |= values
    try:
        policy = chosen_policy(_beside(flow), flow.host)
    except UsageError as problem:
        raise FlowError(flow.file, (Problem(flow.rules_spot, str(problem)),)) from None
    try:
        config = _config(flow, known, policy)
    except UsageError as problem:
        raise FlowError(flow.file, (Problem(flow.rules_spot, str(problem)),)) from None
    return PreparedFlow(flow, config, policy, known)


def _beside(flow: Flow) -> str:
    """The policy of a flow; the path of a file is relative to the flow."""
    if not flow.policy or not is_path(flow.policy):
        return flow.policy
    return str(Path(flow.file).parent / flow.policy)


def _config(flow: Flow, values: Mapping[str, JsonValue], policy: Policy) -> SessionConfig:
    spec = flow.server
    given = _filled(spec.options, values)._replace(
        is_bundled=spec.is_bundled,
        url=filled_text(spec.url, values),
        env=tuple(f"{name}={filled_text(value, values)}" for name, value in spec.env.items()),
    )
    argv = tuple(filled_text(one, values) for one in spec.command)
    target = read_target(given, argv, _headers(flow, values))
    if spec.folder:
        folder = Path(flow.file).parent / filled_text(spec.folder, values)
        if not folder.is_dir():
            raise UsageError(f"folder: {visible(str(folder))} is not a folder")
        target = replace(target, folder=str(folder.resolve()))
    if flow.has_sign_ins and target.browser is not None:
        # A sign-in that is kept would answer the one that the flow is about.
        target = replace(target, browser=replace(target.browser, store=None))
    trusted = spec.is_bundled if spec.trust is None else spec.trust
    limits = limits_for(flow.timeout)
    return SessionConfig(
        target,
        Trust.TRUSTED if trusted else Trust.UNTRUSTED,
        policy,
        timeout=limits.idle,
        max_time=limits.absolute,
        decision_seconds=flow.decision_seconds or DECISION_SECONDS,
        keeps_audit=False,
        keeps_arguments=False,
        roots=_roots(given.roots),
        log_level=given.log_level or "",
    )


def _headers(flow: Flow, values: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    found = tuple((name, filled_text(one, values)) for name, one in flow.server.headers.items())
    for name, value in found:
        if problem := header_problem(name, value):
            raise UsageError(f"headers: {visible(name)}: {problem}")
    return found


def _filled(options: SessionOptions, values: Mapping[str, JsonValue]) -> SessionOptions:
    """The same with the variables replaced in every text."""
    found: dict[str, Any] = {}
    for name in OPTION_KEYS:
        value = getattr(options, name)
        if isinstance(value, str):
            found[name] = filled_text(value, values)
        elif isinstance(value, tuple):
            found[name] = tuple(filled_text(one, values) for one in value)
    return options._replace(**found)


def _roots(given: Sequence[str]) -> tuple[Root, ...]:
    try:
        return tuple(map(read_root, given))
    except ValueError as problem:
        raise UsageError(f"roots: {problem}") from None


def limits_for(seconds: float | None) -> CallLimits:
    """Return the time limits of a call, if a flow sets one."""
    limits = CallLimits()
    return limits if seconds is None else CallLimits(seconds, max(seconds, limits.absolute))


@dataclass
class FlowSession:
    """One opened server, and what its steps share."""

    prepared: PreparedFlow
    engine: Engine
    values: dict[str, JsonValue]
    person: ScriptedPerson
    sign_ins: FlowSignIns
    simulated: Iterator[Person] | None = None
    """Who answers in the place of everybody in the flow."""
    has_strayed: bool = False
    """Whether they have answered anything in another way than the person of the flow."""
    found: list[Finding] = field(default_factory=list)
    """On the connection, since the step began."""
    since: int = 0
    """The newest frame before the step before the current one; events count from there on."""
    unsent: set[int] = field(default_factory=set)
    """The calls that were not to leave."""
    person_type: ClassVar[type[ScriptedPerson]] = ScriptedPerson
    """How people answer: a surface of its own has a type of its own."""
    _book: WireBook | None = None
    _people: list[ScriptedPerson] = field(default_factory=list)
    """Who may still be asked: a question can outlast the step that led to it."""

    def __post_init__(self) -> None:
        self._people.append(self.person)

    @staticmethod
    def opening(
        options: Options,
        listener: Callable[[EngineEvent], None],
        approver: ScriptedPerson | None,
    ) -> contextlib.AbstractAsyncContextManager[Engine]:
        """Open the server. Raises NotConnected."""
        return opened(options, listener=listener, approver=approver)

    @property
    def wire(self) -> WireLog:
        return self.engine.link.wire

    def hear(self, event: EngineEvent) -> None:
        """Take in the events of the engine."""
        match event:
            case FindingAdded(finding):
                self.found.append(finding)
            case QuestionVoided(name, reason):
                for one in self._people:
                    one.void(name, reason)

    def attend(
        self, person: Person, replies: Mapping[str, Sequence[ServerReply]]
    ) -> ScriptedPerson:
        """Let a person answer from now on."""
        self._people = [one for one in self._people if one.is_asked]
        self.person = self.person_type(
            person,
            {} if self.simulated else {kind: tuple(several) for kind, several in replies.items()},
            self.prepared.config.decision_seconds,
            people=self.simulated,
            sign_ins=self.sign_ins,
        )
        self._people.append(self.person)
        self.engine.approver = self.person
        return self.person

    def hiding(self, call: Call | None) -> Hiding:
        """Mask the secrets of a call."""
        if call is None:
            return Options(self.prepared.config).hiding(self.engine)
        return Options(self.prepared.config).hiding(
            self.engine, call.request.tool, call.snapshot.arguments()
        )

    async def ended(self, step: Step, tool: ToolDefinition | None, given: dict[str, Any]) -> Call:
        """Make the request of a step with these arguments, and wait for its end.

        Raises ValueError for arguments that JSON cannot represent.
        """
        engine = self.engine
        if tool is not None:
            call_id = engine.call(tool, given)
        elif step.action == "read":
            call_id = engine.read(step.target)
        else:
            call_id = engine.get_prompt(step.target, given)
        return await self.followed(step, call_id)

    async def followed(self, step: Step, call_id: int) -> Call:
        """Wait for the end of a call, which the step may cancel some time after its sending."""
        engine = self.engine
        ending = asyncio.ensure_future(engine.ended(call_id))
        try:
            if step.cancel is not None:
                while not ending.done() and not engine.calls[call_id].sent:
                    await asyncio.wait({ending}, timeout=SENT_LOOK_SECONDS)
                await asyncio.wait({ending}, timeout=step.cancel)
                engine.cancel(call_id)
            return await asyncio.shield(ending)
        except asyncio.CancelledError:
            engine.cancel(call_id)
            with contextlib.suppress(asyncio.CancelledError):
                await ending
            raise

    def messages(self, mark: int) -> dict[str, int]:
        """Count the messages since a mark by their methods, of both sides."""
        found = (read(frame) for frame in self.wire.since(mark))
        kinds = (FrameKind.REQUEST, FrameKind.NOTIFICATION)
        return dict(Counter(one.method for one in found if one.kind in kinds))

    def proof(self, call: Call, mark: int) -> WireProof:
        """Count requests of its method sent since a mark, read from the tap."""
        method = call.snapshot.method
        if not call.sent:
            self.unsent.add(call.id)
        frames = self.wire.since(mark)
        if frames and frames[0].number > mark + 1:
            return WireProof(method, None)
        return WireProof(method, sum(_is_request(one, method) for one in frames))

    def late(self) -> int:
        """Requests that left for calls which were not to leave, however late."""
        return sum(
            frame.sender == CLIENT and frame.call in self.unsent and bool(frame.raw)
            for frame in self.wire.since(0)
        )

    def wire_lines(self, mark: int) -> tuple[WireLine, ...]:
        """Wire lines since a mark, without secrets and safe to show."""
        if self._book is None:
            self._book = WireBook(self.wire)
        schemas = {tool.name: tool.input_schema for tool in self.engine.tools}
        return wire_lines(self._book, mark, schemas)

    async def reconnected(self) -> str:
        """Start the server again if it has exited; returns the problem, empty on success."""
        engine = self.engine
        if engine.server.is_open:
            return ""
        gone = engine.server.ended_words or "the server is gone"
        if not engine.can_reconnect or (why := await engine.reconnect()):
            return f"{gone}; {why}" if engine.can_reconnect else gone
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RECONNECT_SECONDS):
                while not engine.server.is_open and engine.server.phase is not Phase.FAILED:
                    await asyncio.sleep(0.02)
        return "" if engine.server.is_open else engine.server.ended_words or gone


def wire_lines(
    book: WireBook, mark: int = 0, schemas: Mapping[str, JsonValue] = NO_SCHEMAS
) -> tuple[WireLine, ...]:
    """Wire lines since a mark, without secrets and safe to show; `schemas` are by tool."""
    while book.is_behind:
        book.update()
    showing = Showing(book, schemas.get)
    frames = [frame for frame in book.frames if frame.number > mark]
    lines = [_line(frame, book, showing) for frame in frames[:WIRE_SHOWN]]
    if more := and_more(len(frames) - len(lines)):
        lines.append(WireLine(f"... {more}", ""))
    return tuple(lines)


def _is_request(frame: Frame, method: str) -> bool:
    if frame.sender != CLIENT:
        return False
    found = read(frame)
    return found.kind is FrameKind.REQUEST and found.method == method


def _line(frame: Frame, book: WireBook, showing: Showing) -> WireLine:
    row = row_of(frame, book, showing)
    facts = "  ".join(one for one in (row.id and f"id {row.id}", row.size, row.latency) if one)
    words = f"{row.time} {row.arrow} {row.kind:<{KIND_CELLS}} {row.what}  {facts}"
    message = cut(showing.text(frame), MESSAGE_SHOWN)
    return WireLine(
        visible(words.rstrip(), max_blanks=WIRE_SHOWN),
        visible(message.text) + ("…" if message.is_cut else ""),
    )


def _remembers(flow: Flow) -> bool:
    """True if a person of the flow remembers an approval, which takes a store on disk."""
    people = [flow.person, *(step.person for step in flow.steps)]
    return any(one is not None and one.remember != "once" for one in people)


@contextlib.asynccontextmanager
async def _watched(prepared: PreparedFlow, config: SessionConfig) -> AsyncIterator[SessionConfig]:
    """Watch the server's process, if a step has expectations on its effects."""
    flow = prepared.flow
    wants = any(
        step.action == "consent" or any(one.name == "evidence" for one in step.expected)
        for step in flow.steps
    )
    scratch = _filled(flow.server.options, prepared.values).scratch
    if not (wants or scratch):
        yield config
        return
    folder = str(Path(flow.file).parent / scratch) if scratch else None
    try:
        target = watched_target(config.target, "", folder)
    except UsageError as problem:
        raise NotConnected(str(problem)) from None
    try:
        yield replace(config, target=target)
    finally:
        if target.watch is not None:
            target.watch.close()


def sign_ins_of(prepared: PreparedFlow) -> FlowSignIns:
    """Answers the sign-ins of a flow. Raises NotConnected for certificates that cannot be read."""
    target, flow = prepared.config.target, prepared.flow
    try:
        verify = Reach(target.ca, target.is_insecure).context() if flow.has_sign_ins else True
    except (NoCertificates, OSError) as problem:
        raise NotConnected(str(problem)) from None
    wanted = flow.sign_in and filled_sign_in(flow.sign_in, prepared.values)
    return FlowSignIns(wanted, is_strict=flow.has_sign_ins, verify=verify)


@contextlib.asynccontextmanager
async def opened_flow(
    prepared: PreparedFlow,
    simulated: Iterator[Person] | None,
    sign_ins: FlowSignIns | None = None,
    kind: type[FlowSession] = FlowSession,
) -> AsyncIterator[FlowSession]:
    """The server of a flow, with a memory of its own; `sign_ins` are those of `sign_ins_of`.

    `kind` is the surface that its calls are made on. Raises NotConnected and NoLink.
    """
    sign_ins = sign_ins or sign_ins_of(prepared)
    config = prepared.config
    session: FlowSession | None = None

    def listen(event: EngineEvent) -> None:
        if session is not None:
            session.hear(event)

    # What was approved in earlier runs would answer its questions beforehand.
    with TemporaryDirectory(prefix="signoff-flow-", ignore_cleanup_errors=True) as folder:
        keeps = _remembers(prepared.flow)
        config = replace(config, memory=Path(folder), keeps_memory=keeps)
        person = ScriptedPerson(
            prepared.flow.person, {}, config.decision_seconds, sign_ins=sign_ins
        )
        # A terminal is asked for a sign-in of the connection that the flow does not expect.
        first = person if prepared.flow.has_sign_ins else None
        async with (
            _watched(prepared, config) as watched,
            kind.opening(Options(watched), listen, first) as engine,
        ):
            session = kind(prepared, engine, dict(prepared.values), person, sign_ins, simulated)
            session.attend(prepared.flow.person, {})
            await engine.compared()
            yield session
