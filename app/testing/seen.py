"""What a step really saw, as values: the call, the dialogs, what the server asked, the wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..approval.server_questions import AboutElicitation, AboutSampling
from ..protocol.answers.content import TextPart, TextResourcePart

if TYPE_CHECKING:
    from ..approval.approval import Decision
    from ..calls.call import Call
    from ..content.json.jsonio import JsonValue
    from ..questions.questions import Question
    from .results import WireProof


@dataclass(frozen=True)
class Asked:
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
        """What the dialog says, line by line."""
        return self.words_of(self.question)

    @property
    def method(self) -> str:
        """What the server asked for; empty where it was asked because of a request of ours."""
        asked = self.question
        return asked.method if isinstance(asked, AboutElicitation | AboutSampling) else ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Seen:
    """Everything that came of one step. `call` is None where a step only waited."""

    call: Call | None
    dialogs: tuple[Asked, ...] = ()
    """About the call, and about its answer."""
    asked: tuple[Asked, ...] = ()
    """What the server asked meanwhile."""
    proofs: tuple[WireProof, ...] = ()
    """Of each call that was not to leave."""
    seconds: float = 0.0
    """Without those of the person."""
    codes: tuple[str, ...] = ()
    """Of the findings on the connection meanwhile."""
    told: JsonValue = None
    """The params of the notification that was waited for."""
    is_told: bool = False
    is_unattended: bool = False
    """Whether neither the step nor the flow names anybody to answer a dialog."""

    @cached_property
    def texts(self) -> str | None:
        """The texts of the answer; None where there is no answer."""
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
        """Of every finding on the call and meanwhile."""
        if self.call is None:
            return self.codes
        own = (*self.call.request.findings, *self.call.findings)
        return tuple(dict.fromkeys((*(one.code for one in own), *self.codes)))
