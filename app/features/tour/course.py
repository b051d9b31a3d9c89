"""Steps of the tour and the progress through them: done, guessed, open.

Immutable values: every move returns another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from ...content.frozen import frozen
from .scene import Goal, Scene


class QuizAnswer(NamedTuple):
    """The right guess, computed and not written down."""

    right: int
    """Its place among the choices."""
    why: str
    """A sentence in words that are safe to show."""


@frozen
class Quiz:
    """A question that is answered before the result shows."""

    question: str
    choices: tuple[str, ...]
    tell: Callable[[Scene], QuizAnswer | None]
    """Computes the answer from the bench and the host rules; None if unknown."""


@frozen
class Move:
    """One call of a part, for a player that does the step without a person.

    `ends`: the decision on the call: `approve`, `deny`, `edit`, `run` to approve and go on while it
    runs, or `close` to approve and close the server's question; empty if no dialog is expected.
    """

    tool: str
    arguments: dict[str, Any]
    ends: str = ""


@frozen
class StepPart:
    """One task in the program, ticked when it was really done."""

    task: str
    goal: Goal
    hint: str
    """For somebody who is stuck."""
    moves: tuple[Move | str, ...] = ()
    """What does it; a string is a key, one with `?` at its end only over a screen it opened."""


@frozen
class TourStep:
    id: str
    title: str
    why: str
    """Why it matters, for somebody who has never heard of annotations."""
    tools: tuple[str, ...]
    """The tools of the bundled server that it needs."""
    quiz: Quiz
    parts: tuple[StepPart, ...]
    moral: str
    """What to take home, shown with the result."""


class StepPhase(StrEnum):
    """State that an open step waits for."""

    GUESS = "guess"
    DO = "do"
    TOLD = "told"


@frozen
class Attempt:
    """One attempt at a step: first the guess, then its parts, then the result.

    Parts done before the guess count, but show only after it.
    """

    step: TourStep
    guess: int | None = None
    parts_done: int = 0
    told: QuizAnswer | None = None
    """The right guess, once the step is done and if it is known."""

    @property
    def is_done(self) -> bool:
        return self.parts_done == len(self.step.parts)

    @property
    def phase(self) -> StepPhase:
        if self.guess is None:
            return StepPhase.GUESS
        return StepPhase.TOLD if self.is_done else StepPhase.DO

    @property
    def part(self) -> StepPart | None:
        """The part to do now."""
        return None if self.is_done else self.step.parts[self.parts_done]

    @property
    def is_right(self) -> bool | None:
        """None while it is not known."""
        if self.told is None or self.guess is None:
            return None
        return self.told.right == self.guess

    def guessed(self, choice: int) -> Attempt:
        """The first guess counts; an unknown choice is ignored."""
        if self.guess is not None or not 0 <= choice < len(self.step.quiz.choices):
            return self
        return replace(self, guess=choice)

    def looked(self, scene: Scene) -> Attempt:
        """Tick the parts done since. A ticked part stays ticked."""
        done = self.parts_done
        while done < len(self.step.parts) and self.step.parts[done].goal(scene):
            done += 1
        told = self.told
        if told is None and done == len(self.step.parts):
            told = self.step.quiz.tell(scene)
        if done == self.parts_done and told == self.told:
            return self
        return replace(self, parts_done=done, told=told)


@frozen
class Course:
    """`done` holds ids of steps, `guesses` whether the guess in a step was right."""

    steps: tuple[TourStep, ...]
    attempt: Attempt
    done: frozenset[str] = frozenset()
    guesses: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    """The first guess of each step; only known results."""

    @property
    def at(self) -> int:
        """The place of the open step."""
        return self.steps.index(self.attempt.step)

    @property
    def right(self) -> int:
        return sum(self.guesses.values())

    def opened(self, at: int) -> Course:
        """Another step, from its beginning; the first and the last are the ends."""
        step = self.steps[max(0, min(at, len(self.steps) - 1))]
        return replace(self, attempt=Attempt(step))

    def guessed(self, choice: int) -> Course:
        return self._with(self.attempt.guessed(choice))

    def looked(self, scene: Scene) -> Course:
        attempt = self.attempt.looked(scene)
        return self if attempt is self.attempt else self._with(attempt)

    def _with(self, attempt: Attempt) -> Course:
        done, guesses = self.done, self.guesses
        if attempt.is_done:
            done |= {attempt.step.id}
        right = attempt.is_right
        if right is not None and attempt.step.id not in guesses:
            guesses = MappingProxyType({**guesses, attempt.step.id: right})
        return replace(self, attempt=attempt, done=done, guesses=guesses)


def begin(
    steps: Sequence[TourStep],
    at: str = "",
    done: frozenset[str] = frozenset(),
    guesses: Mapping[str, bool] = MappingProxyType({}),
) -> Course:
    """A course at the step with the id `at`, without one at the first.

    If that step is done, it begins at the next open one, if any.
    """
    known = tuple(steps)
    ids = [step.id for step in known]
    start = ids.index(at) if at in ids else 0
    left = [one for one in (*ids[start:], *ids[:start]) if one not in done]
    at = left[0] if left else ids[start]
    return Course(known, Attempt(known[ids.index(at)]), done & set(ids), guesses)
