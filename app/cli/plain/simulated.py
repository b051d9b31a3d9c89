"""A simulated person in plain mode: each question is shown as it would be asked, then answered."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

from ...approval.approval import TAKEN_BACK, Decision, DecisionAnswer
from ...headless.keyboard import Keyboard
from ...headless.question_text import closed_words, question_lines
from ...questions.questions import Question
from ...testing.flow import Person
from ...testing.run.flow_person import ScriptedPerson, simulated_by


class SimulatedOnLines(ScriptedPerson):
    """Answers as `--person` says, within the time limit that a person would have."""

    def __init__(
        self,
        words: str,
        decision_seconds: float | None,
        say: Callable[[str], None],
        keyboard: Keyboard,
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
        self._keyboard = keyboard

    async def _answered(self, question: Question, began: float) -> Decision:
        """Show it, answer it, and say how."""
        await self._tell(question_lines(question))
        try:
            decision = await super()._answered(question, began)
        except asyncio.CancelledError:
            await self._tell([closed_words(TAKEN_BACK)])
            raise
        if decision.answer is DecisionAnswer.WITHDRAWN:
            await self._tell([closed_words(decision.reason)])
        else:
            words = f"answered   {decision.answer.value}, by --person {self._words}"
            await self._tell([words])
        return decision

    async def _tell(self, lines: Sequence[str]) -> None:
        """A prompt gives way, and comes back; it is not away while somebody takes their time."""
        async with self._keyboard.turn(of_question=True):
            for line in lines:
                self._say(line)
