"""A call as an immutable value: state, arguments, outcome and result."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from ..approval.approval import DecisionAnswer
from ..content.frozen import frozen
from ..content.text import count, shortened
from ..protocol.progress import Pace, Progress, ProgressLog
from ..protocol.requests import CallName

if TYPE_CHECKING:
    from ..approval.approval import Decision
    from ..approval.policies.verdicts import Verdict
    from ..approval.snapshot import Snapshot
    from ..content.json.jsonio import JsonValue
    from ..protocol.answers.content import Answer
    from ..protocol.answers.copies import CallComparison
    from ..protocol.answers.task_states import TaskState
    from ..protocol.extensions.denials import Denial
    from ..protocol.extensions.display_templates import DisplayTemplate
    from ..protocol.extensions.late_approval import Disposition
    from ..protocol.extensions.tool_resolution import Resolution
    from ..protocol.extensions.trust_annotations import TrustLabels
    from ..protocol.findings.findings import Finding
    from ..protocol.requests import Request
    from ..protocol.rpc import Oversized, RpcError
    from ..protocol.tool import ToolDefinition
    from ..schemas.schema import SchemaVerdict
    from .effects.deeds import Observation


class State(StrEnum):
    """State of a call."""

    WAITING = "not sent yet"
    """It is judged, or approved and checked again before it leaves."""
    ASKING = "asking"
    RUNNING = "running"
    INPUT = "asking for input"
    """It was sent, and the server wants more before it answers."""
    REVIEWING = "asking about the response"
    ENDED = "ended"


class Outcome(StrEnum):
    """Outcome of a call. Each has words of its own; none of them but `ok` is a success."""

    OK = "ok"
    TOOL_ERROR = "tool-error"
    PROTOCOL_ERROR = "protocol-error"
    DENIED = "denied"
    NOT_SENT = "not-sent"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    CONNECTION_LOST = "connection-lost"
    UNREADABLE = "unreadable"
    NOT_TAKEN = "not-taken"
    SERVER_FAILED = "server-failed"
    INPUT_REQUIRED = "input-required"
    TASK_STARTED = "task-started"
    FAULT = "fault"

    @property
    def words(self) -> str:
        return OUTCOME_WORDS[self]


OUTCOME_WORDS = {
    Outcome.OK: "answered",
    Outcome.TOOL_ERROR: "tool error (isError)",
    Outcome.PROTOCOL_ERROR: "protocol error",
    Outcome.DENIED: "denied",
    Outcome.NOT_SENT: "not sent",
    Outcome.CANCELLED: "cancelled",
    Outcome.TIMEOUT: "time limit reached",
    Outcome.CONNECTION_LOST: "connection lost, outcome unknown",
    Outcome.UNREADABLE: "unreadable response",
    Outcome.NOT_TAKEN: "not accepted",
    Outcome.SERVER_FAILED: "the server failed, outcome unknown",
    Outcome.INPUT_REQUIRED: "ended without the input that the server requested",
    Outcome.TASK_STARTED: "the server started a task",
    Outcome.FAULT: "internal error",
}


DENIED_BY_SERVER: Final = "denied by the server"
NOTHING_SENT: Final = "nothing was sent"
"""Words for a call that ended before it was sent."""

UNKNOWN_OUTCOMES = (
    Outcome.CONNECTION_LOST,
    Outcome.TIMEOUT,
    Outcome.CANCELLED,
    Outcome.UNREADABLE,
    Outcome.SERVER_FAILED,
    Outcome.TASK_STARTED,
    Outcome.FAULT,
)
"""Outcomes after which the effect of a call that was sent is unknown, without a response."""


@frozen
class CallLimits:
    """Seconds. Progress resets `idle`; nothing resets `absolute` (spec, basic/lifecycle)."""

    idle: float = 60.0
    absolute: float = 600.0


@frozen
class Page:
    """The page of a result that a call requests. `first` and `before` are ids of calls."""

    first: int
    number: int
    """The first page is 1 and has no `Page` of its own."""
    before: int
    parameter: str = ""
    """The parameter that took the cursor, if a person chose it; raw."""

    @classmethod
    def after(cls, call: Call | None, parameter: str = "") -> Page | None:
        """The page after the one that a call asked for; None after no call."""
        if call is None:
            return None
        if call.page is None:
            return cls(call.id, 2, call.id, parameter)
        return cls(call.page.first, call.page.number + 1, call.id, parameter or call.page.parameter)

    @property
    def words(self) -> str:
        return f"page {self.number:,} of call {self.first}"


# Without slots: of a `dict` a copy is made at once, and a call changes a dozen times.
@dataclass(frozen=True)
class Call:
    """One call. Times are seconds of the engine's monotonic clock."""

    name: CallName
    request: Request
    snapshot: Snapshot
    verdict: Verdict
    created: float
    state: State = State.WAITING
    decision: Decision | None = None
    sent_at: float | None = None
    cancel_requested: bool = False
    cancel_words: str = ""
    """How the server was asked to stop; empty if it was not."""
    ended_at: float | None = None
    outcome: Outcome | None = None
    reason: str = ""
    """Why it ended so, in words that are safe to show."""
    is_too_late: bool = False
    """It was not sent because something before the sending took longer than it may."""
    progress: Progress = field(default_factory=Progress)
    progress_log: ProgressLog = field(default_factory=ProgressLog)
    pace: Pace = field(default_factory=Pace)
    """When its newest reports of progress came."""
    answer: Answer | None = None
    error: RpcError | None = None
    raw: JsonValue = None
    """The raw result, or the raw message where no result could be read."""
    oversized: Oversized | None = None
    """The response, if it was too large to be parsed."""
    late: JsonValue = None
    """What arrived after the call had ended; kept and marked."""
    schema: SchemaVerdict | None = None
    """None until the verdict on structuredContent is there."""
    findings: tuple[Finding, ...] = ()
    result_decision: Decision | None = None
    """What was answered when it was asked whether the answer may be used."""
    withheld: bool = False
    """There is an answer, and it may not be used: nothing of it is kept or shown."""
    task: TaskState | None = None
    """The task as which it runs, or ran, as the server described it last."""
    denial: Denial | None = None
    """The denial that the server reports; a pending one while its task waits for an approval."""
    disposition: Disposition | None = None
    """What the server reports to have done after an approval of its own."""
    rounds: int = 1
    """How often it was made, or is about to be: the server may ask for input in between."""
    retry_of: int | None = None
    """The call without an answer, or not sent, of which this one is the retry."""
    comparison: CallComparison | None = None
    """With the answer to the same call, made before."""
    although_invalid: bool = False
    """A person chose to send it although its arguments break the input schema."""
    evidence: Observation | None = None
    """The observed effects of the server during the call, if it is watched."""
    resolution: Resolution | None = None
    """What became of the resolution of its hints; None if its tool is not marked."""
    template: DisplayTemplate | None = None
    """The server's display template for its arguments (a draft)."""
    labels: TrustLabels | None = None
    """Those of its result; None if they are not read (a draft)."""
    page: Page | None = None
    """The page that it requests, if it was made to turn to the next one."""

    def later(self, **changes: Any) -> Call:
        """The same call with other values of some fields, as `dataclasses.replace` makes it."""
        if unknown := changes.keys() - _FIELDS:
            raise TypeError(f"a call does not have {', '.join(sorted(unknown))}")
        made = object.__new__(Call)
        made.__dict__.update(self.__dict__, **changes)
        return made

    @property
    def id(self) -> int:
        """Its number among the calls of its server."""
        return self.name.number

    @property
    def tool(self) -> ToolDefinition | None:
        """The tool that is called; None if a resource is read."""
        return self.request.tool

    @property
    def sent(self) -> bool:
        return self.sent_at is not None

    def is_of(self, tool: ToolDefinition | None) -> bool:
        """True if it calls this tool, by its exact name."""
        return tool is not None and self.tool is not None and self.tool.name == tool.name

    @property
    def breaks_schema(self) -> bool:
        """True if its structuredContent is known to break the output schema."""
        return self._schema_answer == "invalid"

    @property
    def _schema_answer(self) -> str:
        """The verdict on structuredContent; its module is not imported for it."""
        return "" if self.schema is None else self.schema.answer.value

    @property
    def is_fine(self) -> bool:
        """True if it ended with a response without an error that keeps its output schema."""
        return self.outcome is Outcome.OK and self._schema_answer not in ("invalid", "missing")

    @property
    def is_over(self) -> bool:
        return self.state is State.ENDED

    @property
    def is_unknown(self) -> bool:
        """True if the call was sent and its effect is unknown."""
        if self.sent and self.disposition is not None and self.disposition.may_have_run:
            return True
        has_answer = self.late is not None or self.withheld
        if self.outcome is Outcome.FAULT:
            has_answer = has_answer or self.answer is not None
        return self.sent and self.outcome in UNKNOWN_OUTCOMES and not has_answer

    def elapsed(self, now: float) -> float:
        """Seconds on the wire; seconds since it was drafted while it was not sent."""
        start = self.sent_at if self.sent_at is not None else self.created
        return max(0.0, (self.ended_at if self.ended_at is not None else now) - start)

    @property
    def awaits_server(self) -> bool:
        """True if it ended here while its task waits for an approval on the server's side."""
        is_left = self.outcome is Outcome.TASK_STARTED
        return is_left and self.denial is not None and self.denial.awaits_task

    @property
    def is_cancel_confirmed(self) -> bool:
        """True if the server reported its task as cancelled."""
        return self.task is not None and self.task.status == "cancelled"

    @property
    def status(self) -> str:
        """One phrase for a line of calls."""
        if self.outcome is None:
            if self.cancel_requested:
                return "cancel requested"
            is_task = self.task is not None and self.state is State.RUNNING
            return self.task.words if self.task and is_task else self.state.value
        if self.outcome is Outcome.DENIED:
            if self.decision is not None and self.decision.answer is DecisionAnswer.EDIT:
                return "returned to the form"
            by = self.decision.by_words if self.decision else "Signoff"
            return f"denied by {by}"
        words = self.outcome.words
        if self.outcome is Outcome.TOOL_ERROR and self.denial is not None:
            words = DENIED_BY_SERVER
        if self.awaits_server:
            from ..protocol.answers.task_states import AWAITS_APPROVAL

            words = AWAITS_APPROVAL
        if self.outcome is Outcome.CANCELLED and self.cancel_words:
            told = self.cancel_words
            words = told if told.startswith(words) else f"{words}; {told}"
        if self.outcome is Outcome.FAULT:
            return f"{words}, outcome unknown" if self.is_unknown else words
        if self.outcome is Outcome.CONNECTION_LOST and not self.sent:
            return "connection lost before it was sent"
        if self.withheld and self.outcome not in (Outcome.OK, Outcome.TOOL_ERROR):
            return f"{words}, late response withheld"
        if self.withheld:
            by = self.result_decision.by_words if self.result_decision else "Signoff"
            return f"{words}, response withheld by {by}"
        if self.outcome is Outcome.CANCELLED and not self.sent:
            return "cancelled before it was sent"
        if self.late is not None:
            first = "cancelled" if self.outcome is Outcome.CANCELLED else words
            return f"{first} ({_late_words(self.late)})"
        if self.outcome is Outcome.CANCELLED and self.is_cancel_confirmed:
            return "cancelled, as the server confirmed"
        if self.schema is None or self.outcome not in (Outcome.OK, Outcome.TOOL_ERROR):
            return words
        checked = _schema_words(self.schema, self.answer is not None and self.answer.has_structured)
        if self.outcome is Outcome.OK:
            return checked or words
        return f"{words}, {checked}" if checked else words


_LATE_SHOWN = 80


def _late_words(late: JsonValue) -> str:
    """Quote the first text of a response that came too late; safe to show."""
    content = late.get("content") if isinstance(late, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    if not isinstance(text, str) or not text.strip():
        return "a late reply came"
    return f"a late reply came: “{shortened(text, _LATE_SHOWN)}”"


_FIELDS = frozenset(field.name for field in fields(Call))


def _schema_words(schema: SchemaVerdict, has_structured: bool) -> str:
    from ..schemas.schema import SchemaAnswer

    if schema.answer is SchemaAnswer.INVALID:
        return f"INVALID, {count(len(schema.errors) + schema.more, 'error')}"
    if schema.answer is SchemaAnswer.MISSING:
        return "MISSING structuredContent"
    if schema.answer is SchemaAnswer.NOT_VALIDATED and has_structured:
        return f"{'partly' if schema.unchecked else 'not'} validated"
    return ""
