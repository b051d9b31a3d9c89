"""Results of a flow: each step with its checks, its proof and its wire, as values.

All texts in it are safe to show and without secrets: they are made so when the values are made.

`StepObservation`: the call of a step, its dialogs, the server's requests, and the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ...content.files.tree import SourceLocation
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import count
from ...protocol.answers.content import TextPart, TextResourcePart
from ..approving.people import AskedQuestion

if TYPE_CHECKING:
    from ...calls.call import Call


SIGN_IN_INDEX: Final = -2
"""The index of the sign-in of the connection, in the place of a step's."""


class Status(StrEnum):
    """Status of a step, or of a whole flow."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@frozen
class Check:
    """One comparison: the expected and the observed value, both in words."""

    name: str
    expected: str
    seen: str
    passed: bool
    spot: SourceLocation = field(default_factory=SourceLocation)


@frozen
class WireProof:
    """Number of requests of a method that were sent although none was allowed.

    `frames` is None if unknown: there were more than are kept.
    """

    method: str
    frames: int | None

    @property
    def holds(self) -> bool:
        return self.frames == 0

    @property
    def words(self) -> str:
        """`0 tools/call frames`."""
        if self.frames is None:
            return f"{self.method} frames cannot be counted: more came than is kept"
        return f"{self.frames} {self.method} {'frame' if self.frames == 1 else 'frames'}"


@frozen
class WireLine:
    """One frame of a step: a row of words, and the message, shortened."""

    row: str
    message: str


@frozen
class StepResult:
    """Result of one step."""

    title: str
    spot: SourceLocation
    status: Status
    facts: tuple[str, ...] = ()
    """What happened, in a few words each: verdict, who decided, outcome."""
    checks: tuple[Check, ...] = ()
    proof: WireProof | None = None
    """Only where nothing was to be sent."""
    dialog: tuple[str, ...] = ()
    """Texts of the dialogs, if the step failed."""
    wire: tuple[WireLine, ...] = ()
    """Messages on the wire during the step, if the step failed."""
    seconds: float = 0.0
    earlier: tuple[StepResult, ...] = ()
    """The tries before this one, which failed."""
    reason: str = ""
    """Why it was not run."""
    index: int = -1
    """Which step of its flow it is of; -1 for none, SIGN_IN_INDEX for the connection."""
    proposals: tuple[tuple[tuple[str | int, ...], JsonValue], ...] = ()
    """What would have to be expected for it to pass, by the place below the step."""
    settlings: tuple[tuple[tuple[str | int, ...], list[JsonValue]], ...] = ()
    """For each expected value that was another one: what both have in common, as matchers."""
    id: str = ""
    """A name that is the same in every report; empty for a step of a flow."""

    @property
    def failures(self) -> tuple[Check, ...]:
        return tuple(one for one in self.checks if not one.passed)

    @property
    def tries(self) -> int:
        return len(self.earlier) + 1


@frozen
class FlowResult:
    """Result of a flow."""

    file: str
    title: str
    server: str
    rules: str
    """The name of the policy or host."""
    person: str = ""
    """The simulated person in place of everybody in the flow; empty without one."""
    steps: tuple[StepResult, ...] = ()
    seconds: float = 0.0
    unreachable: str = ""
    """Why its server could not be reached, in words."""
    findings: tuple[str, ...] = ()
    """What was observed on the connection, a line each."""

    def number(self, status: Status) -> int:
        """Count steps of this status."""
        return sum(one.status is status for one in self.steps)

    @property
    def status(self) -> Status:
        if self.unreachable or self.number(Status.FAILED):
            return Status.FAILED
        return Status.PASSED if self.number(Status.PASSED) else Status.NOT_RUN

    @property
    def retried(self) -> int:
        """Steps that took more than one try."""
        return sum(bool(one.earlier) for one in self.steps)


def totals(results: tuple[FlowResult, ...], flow: str = "flow", step: str = "step") -> str:
    """`2 flows: 10 steps passed, 1 failed, 2 not run; 1 only when tried again`."""
    passed, failed, idle = (
        sum(one.number(status) for one in results)
        for status in (Status.PASSED, Status.FAILED, Status.NOT_RUN)
    )
    words = f"{count(len(results), flow)}: {count(passed, step)} passed"
    words += f", {failed:,} failed" if failed else ""
    words += f", {idle:,} not run" if idle else ""
    unreachable = sum(bool(one.unreachable) for one in results)
    words += f"; {count(unreachable, 'server')} not reached" if unreachable else ""
    again = sum(
        bool(step.earlier) and step.status is Status.PASSED for one in results for step in one.steps
    )
    return words + (f"; {again:,} only when tried again" if again else "")


@dataclass(frozen=True)
class StepObservation:
    """Everything that came of one step. `call` is None if a step only waited."""

    call: Call | None
    dialogs: tuple[AskedQuestion, ...] = ()
    """About the call, and about its answer."""
    asked: tuple[AskedQuestion, ...] = ()
    """The server's own requests during the step."""
    proofs: tuple[WireProof, ...] = ()
    """Of each call that was not to leave."""
    seconds: float = 0.0
    """Without those of the person."""
    codes: tuple[str, ...] = ()
    """Codes of the findings on the connection during the step."""
    messages: Mapping[str, int] = field(default_factory=dict)
    """How many messages of each method were exchanged, if a step has expectations on that."""
    told: JsonValue = None
    """The params of the notification that was waited for."""
    is_told: bool = False
    is_unattended: bool = False
    """True if neither the step nor the flow names a person to answer a dialog."""

    @cached_property
    def texts(self) -> str | None:
        """The texts of the answer; None without an answer."""
        if self.call is None:
            return None
        if self.call.answer is None:
            return None
        parts = self.call.answer.parts
        return "\n".join(
            part.text for part in parts if isinstance(part, TextPart | TextResourcePart)
        )

    @property
    def all_codes(self) -> tuple[str, ...]:
        """Codes of the findings on the call, and of those made while it ran."""
        if self.call is None:
            return self.codes
        own = (*self.call.request.findings, *self.call.findings)
        return tuple(dict.fromkeys((*(one.code for one in own), *self.codes)))
