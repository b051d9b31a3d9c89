"""What a bench tells whoever listens: facts, each once and always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The first list of tools waits for this module, and not for these.
    from ..approval.approval import Decision
    from ..approval.server_questions import ServerQuestion
    from ..calls.call import Call
    from ..protocol.findings import Finding
    from ..questions.questions import QuestionName


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
    """An open question can no longer be approved."""

    call: QuestionName
    reason: str


@dataclass(frozen=True, slots=True)
class FindingAdded:
    """Something was observed on the connection."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class ServerAnswered:
    """What the server asked for was answered, or declined."""

    question: ServerQuestion
    decision: Decision


@dataclass(frozen=True, slots=True)
class OffersChanged:
    """What `bench.offers` has is another: a list, a mark, a subscription."""


@dataclass(frozen=True, slots=True)
class ResourceChanged:
    """The server says that a resource has other contents. `uri` is raw."""

    uri: str


BenchEvent = (
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
