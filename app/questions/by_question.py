"""One thing for each kind of question: its words on a screen, on a line, or whatever differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ..approval.server_questions import AboutElicitation, AboutSampling
from ..protocol.requests import PromptGet
from .questions import AboutAnswer, AboutCall, AboutRead, Question

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByQuestion(Generic[T]):
    """Nothing is left out: a new kind of question wants a field here."""

    call: T
    read: T
    prompt: T
    answer: T
    elicitation: T
    visit: T
    """An elicitation that wants a page to be opened."""
    sampling: T

    def of(self, question: Question) -> T:
        """That of a question's kind."""
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
