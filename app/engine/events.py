"""Events of an engine, each delivered once and always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The first list of tools waits for this module, but does not need these.
    from ..approval.approval import Decision
    from ..approval.server_questions import ServerQuestion
    from ..calls.call import Call
    from ..protocol.findings.findings import Finding
    from ..questions.questions import QuestionName


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """The engine's server has a new value."""


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """The engine's tools have a new value. `is_first`: the first list of the server."""

    is_first: bool


@dataclass(frozen=True, slots=True)
class DefinitionsCompared:
    """The listed definitions were compared; the engine's `list_diff` is newer."""


@dataclass(frozen=True, slots=True)
class RulesChanged:
    """Policy, what-if, denials or remembered approvals changed, and so may verdicts."""


@dataclass(frozen=True, slots=True)
class CallChanged:
    """A call has a new value."""

    call: Call


@dataclass(frozen=True, slots=True)
class QuestionVoided:
    """An open question can no longer be approved."""

    call: QuestionName
    reason: str


@dataclass(frozen=True, slots=True)
class FindingAdded:
    """Something was observed on the connection."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class ServerAnswered:
    """A request of the server was answered, or declined."""

    question: ServerQuestion
    decision: Decision


@dataclass(frozen=True, slots=True)
class OffersChanged:
    """A list, a mark or a subscription of the engine's offers changed."""


@dataclass(frozen=True, slots=True)
class ResourceChanged:
    """The server notified that a resource was updated. `uri` is raw."""

    uri: str


EngineEvent = (
    ServerChanged
    | ToolsChanged
    | DefinitionsCompared
    | RulesChanged
    | CallChanged
    | QuestionVoided
    | FindingAdded
    | ServerAnswered
    | OffersChanged
    | ResourceChanged
)
