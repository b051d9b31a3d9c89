"""Approval requests as values: for a call, a read, a prompt, or the result of one of them.

Each kind is a value with all the facts needed to decide, and the possible answers. `ByQuestion`
holds one thing for each kind: its words on a screen, on a line, or other differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from ...content.frozen import frozen
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.requests import CallName, PromptGet
from ..grants import DAYS, Remember, Scope
from ..server_questions import AboutElicitation, AboutSampling, AskName
from ..sign_in import AboutSignIn

if TYPE_CHECKING:
    from ...protocol.answers.content import Answer
    from ...protocol.definitions.change_values import DefinitionDiff
    from ...protocol.extensions.display_templates import DisplayTemplate
    from ...protocol.extensions.tool_resolution import Resolution
    from ...protocol.requests import Request, ToolCall, Unclaimed
    from ...protocol.server import Trust
    from ...protocol.tool import ToolDefinition
    from ...schemas.form.entries import Origin
    from ..policies.verdicts import Verdict
    from ..snapshot import Snapshot
    from ..who_asks import HostGroup

FOR_A_CALL = (
    Remember(),
    Remember(Scope.ARGUMENTS),
    Remember(Scope.SESSION),
    *(Remember(Scope.UNTIL, days) for days in DAYS),
)
"""What can be remembered of an approval, narrowest first."""
FOR_A_READ = FOR_A_CALL[:2]
"""The scopes of a read: every URI needs an approval of its own."""


@frozen(kw_only=True)
class _Asked:
    """Fields that every request has."""

    call: CallName
    server_name: str
    """The configured name, never the one that the server gives itself."""
    server_command: str
    """The exact command line or URL, untruncated."""
    server_calls_itself: str
    trust: Trust
    snapshot: Snapshot
    verdict: Verdict


@frozen(kw_only=True)
class _Before(_Asked):
    """Asked before anything is sent, so that the approval can be remembered."""

    can_remember: bool = False
    """Whether approvals can be remembered at all: the store works and the policy honours it."""
    why_not_remembered: str = ""
    """In words, where `can_remember` is False."""
    can_deny_session: ClassVar[bool] = True

    @property
    def is_strong(self) -> bool:
        """True if the dialog has the form for destructive calls."""
        return self.verdict.strong


@frozen(kw_only=True)
class AboutCall(_Before):
    """Asks for approval of a tool call."""

    request: ToolCall
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Where each top-level argument comes from; an absent key was given as JSON or by a script."""
    diff: DefinitionDiff | None = None
    """What changed since this tool was last approved, or else last listed; None: nothing did."""
    diff_since: str = ""
    """Since when, in words: `approved on 2026-11-20`, `listed on 2026-11-19`."""
    seen: DefinitionStatus = DefinitionStatus.UNKNOWN
    overrides: Mapping[str, bool | None] = field(default_factory=dict)
    """Hints that the person set for a what-if, by hint name; they are not the server's."""
    template: DisplayTemplate | None = None
    """The server's display template for these arguments (a draft)."""
    although_invalid: str = ""
    """How the arguments break the schema, in a sentence, where a person chose to send them so."""
    also_on: tuple[str, ...] = ()
    """Other servers of the session that have a tool of this name."""
    elsewhere: tuple[HostGroup, ...] = ()
    """What hosts do before they run this tool; empty while that is not known."""
    resolution: Resolution | None = None
    """What the server resolved for these arguments; None if the tool is not marked."""
    argument_problems: tuple[str, ...] = ()
    """Schema errors of the arguments, each word for word as in the verdict's reasons."""
    lets_later_calls_run: bool = False
    """Whether the policy runs later calls of this tool in this session once one is approved."""
    offers: ClassVar[tuple[Remember, ...]] = FOR_A_CALL
    can_edit: ClassVar[bool] = True

    @property
    def tool(self) -> ToolDefinition:
        return self.request.tool


@frozen(kw_only=True)
class AboutRead(_Before):
    """Asks for approval of a resource read, or a prompt."""

    request: Unclaimed
    offers: ClassVar[tuple[Remember, ...]] = FOR_A_READ
    can_edit: ClassVar[bool] = False
    """It would be another link, or another prompt."""


@frozen(kw_only=True)
class AboutAnswer(_Asked):
    """Asks if a result may be used; its request has been sent, and nothing more is."""

    request: Request
    answer: Answer
    seen: DefinitionStatus = DefinitionStatus.UNKNOWN
    overrides: Mapping[str, bool | None] = field(default_factory=dict)
    can_remember: ClassVar[bool] = False
    why_not_remembered: ClassVar[str] = ""
    offers: ClassVar[tuple[Remember, ...]] = ()
    can_edit: ClassVar[bool] = False
    can_deny_session: ClassVar[bool] = False
    is_strong: ClassVar[bool] = False


OwnQuestion = AboutCall | AboutRead | AboutAnswer
"""Questions that are asked because of a request of ours."""
Question = OwnQuestion | AboutElicitation | AboutSampling | AboutSignIn
QuestionName = CallName | AskName


def offers(request: Request) -> tuple[Remember, ...]:
    """Scopes that the approval of a request may have, narrowest first."""
    return FOR_A_READ if request.tool is None else FOR_A_CALL


T = TypeVar("T")


@frozen(kw_only=True)
class ByQuestion(Generic[T]):
    """One value for each kind, none left out: a new kind of request needs a field here."""

    call: T
    read: T
    prompt: T
    answer: T
    elicitation: T
    visit: T
    """An elicitation that wants a page to be opened."""
    sampling: T
    sign_in: T

    def of(self, question: Question) -> T:
        """Return the value for a request's kind."""
        match question:
            case AboutCall():
                return self.call
            case AboutRead(request=PromptGet()):
                return self.prompt
            case AboutRead():
                return self.read
            case AboutAnswer():
                return self.answer
            case AboutElicitation():
                return self.visit if question.elicitation.mode == "url" else self.elicitation
            case AboutSampling():
                return self.sampling
            case AboutSignIn():
                return self.sign_in
