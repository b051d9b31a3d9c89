"""Simulated people: how one answers dialogs, and requests of a server. Values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from ...approval.server_questions import AboutElicitation, AboutSampling
from ...content.frozen import frozen

if TYPE_CHECKING:
    from ...approval.approval import Decision
    from ...approval.questions.questions import Question
    from ...approval.sign_in import AboutSignIn
    from ...transport.sign_in.asking import SignInVisit

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue


@frozen
class Person:
    """Answers dialogs. `answer` is approve, deny, never (for the session), close, absent or edit;
    for absent the time limit decides.
    """

    answer: str = "deny"
    after: float = 0.0
    remember: str | int = "once"
    """once, arguments, session, or days."""
    to: Mapping[str, JsonValue] | None = None
    """The arguments that an edit leads to."""
    then: str = "deny"
    """The action in the dialog of the edited call."""
    uses: bool = True
    """Whether an answer may be used, where a host asks about that."""

    @property
    def words(self) -> str:
        """`approve after 3 s`, as a report has it."""
        late = f" after {self.after:g} s" if self.after else ""
        kept = "" if self.remember == "once" else f" and remember: {self.remember}"
        return f"{self.answer}{late}{kept}"


@frozen
class ServerReply:
    """Reply to a server's request: an action, and the values of a form or a model's words."""

    action: str
    values: Mapping[str, JsonValue] | None = None
    after: float = 0.0
    is_unchecked: bool = False
    """The values of a form are sent although it may refuse them: a test of the server."""


class SignsIn(Protocol):
    """Answers the sign-ins of a server in a script, and visits their pages."""

    async def ask(self, question: AboutSignIn) -> Decision:
        """Decide whether to sign in."""

    async def visit(self, visit: SignInVisit) -> None:
        """Visit the page of a sign-in that was approved."""


@dataclass(frozen=True)
class AskedQuestion:
    """One question that was put to the person of a flow, and the answer."""

    question: Question
    decision: Decision
    words_of: Callable[[Question], list[str]]
    seconds: float = 0.0
    """How long the person took."""
    trouble: str = ""
    """What the person was to do and the dialog does not offer."""

    @cached_property
    def lines(self) -> list[str]:
        """Content of the dialog, line by line."""
        return self.words_of(self.question)

    @property
    def method(self) -> str:
        """Method of the server's request; empty for a dialog about a request of ours."""
        asked = self.question
        return asked.method if isinstance(asked, AboutElicitation | AboutSampling) else ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)
