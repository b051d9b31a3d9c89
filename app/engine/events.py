"""Events of an engine, each delivered once and always."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..content.frozen import frozen

if TYPE_CHECKING:
    # The first list of tools waits for this module, but does not need these.
    from ..approval.approval import Decision
    from ..approval.questions.questions import QuestionName
    from ..approval.server_questions import ServerQuestion
    from ..approval.sign_in import AboutSignIn
    from ..calls.call import Call
    from ..protocol.findings.findings import Finding


@frozen
class ServerChanged:
    """The engine's server has a new value."""


@frozen
class ToolsChanged:
    """The engine's tools have a new value. `is_first`: the first list of the server."""

    is_first: bool


@frozen
class DefinitionsCompared:
    """The listed definitions were compared; the engine's `list_diff` is newer."""


@frozen
class RulesChanged:
    """Policy, what-if, denials or remembered approvals changed, and so may verdicts."""


@frozen
class CallChanged:
    """A call has a new value."""

    call: Call


@frozen
class QuestionVoided:
    """An open question can no longer be approved."""

    call: QuestionName
    reason: str


@frozen
class FindingAdded:
    """Something was observed on the connection."""

    finding: Finding


@frozen
class ServerAnswered:
    """A request of the server was answered, or declined."""

    question: ServerQuestion
    decision: Decision


@frozen
class SignInAnswered:
    """A sign-in was allowed or refused."""

    question: AboutSignIn
    decision: Decision


@frozen
class OffersChanged:
    """A list, a mark or a subscription of the engine's offers changed."""


@frozen
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
    | SignInAnswered
    | OffersChanged
    | ResourceChanged
)
