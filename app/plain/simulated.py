"""A simulated person in plain mode: each question is shown as it would be asked, then answered."""

from __future__ import annotations

import math
from collections.abc import Callable

from signoff.app.core.approval_flows.flow import Person
from signoff.app.core.approvals.approval import Decision
from signoff.app.core.approvals.questions import Question
from signoff.app.flows.question_text import question_lines
from signoff.app.flows.testing.flow_person import ScriptedPerson, simulated_by


class SimulatedOnLines(ScriptedPerson):
    """Answers as `--person` says, within the time limit that a person would have."""

    def __init__(
        self, words: str, decision_seconds: float | None, say: Callable[[str], None]
    ) -> None:
        """Raises UsageError for nobody that is known."""
        super().__init__(
            Person(),
            {},
            math.inf if decision_seconds is None else decision_seconds,
            people=simulated_by(words).people(),
            by="script",
            reason=f"--person {words}",
        )
        self._words = words
        self._say = say

    async def ask(self, question: Question) -> Decision:
        """Show it, answer it, and say how."""
        for line in question_lines(question):
            self._say(line)
        decision = await super().ask(question)
        self._say(f"answered   {decision.answer.value}, by --person {self._words}")
        return decision
