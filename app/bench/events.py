"""What a bench tells whoever listens: facts, each once and always."""

from __future__ import annotations

from dataclasses import dataclass

from signoff.app.core.calls import Call, CallName
from signoff.app.core.findings import Finding


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """`bench.server` has a new value."""


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """`bench.tools` has a new value. `is_first`: the server was listed for the first time."""

    is_first: bool


@dataclass(frozen=True, slots=True)
class DefinitionsCompared:
    """The listed definitions were compared with those before; `bench.list_diff` is newer."""


@dataclass(frozen=True, slots=True)
class RulesChanged:
    """Policy, what-if, denials or remembered approvals are others: verdicts may be, too."""


@dataclass(frozen=True, slots=True)
class CallChanged:
    """A call has a new value."""

    call: Call


@dataclass(frozen=True, slots=True)
class QuestionVoided:
    """The open question of a call can no longer be approved."""

    call: CallName
    reason: str


@dataclass(frozen=True, slots=True)
class FindingAdded:
    """Something was observed on the connection."""

    finding: Finding


BenchEvent = (
    ServerChanged
    | ToolsChanged
    | DefinitionsCompared
    | RulesChanged
    | CallChanged
    | QuestionVoided
    | FindingAdded
)
