"""A step of the tour as a value: why, what to guess, what to do, and what it was good for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from .scene import Goal, Scene


class Told(NamedTuple):
    """What the right guess was, found out and not written down."""

    right: int
    """Its place among the choices."""
    why: str
    """A sentence in words that are safe to show."""


@dataclass(frozen=True, slots=True)
class Quiz:
    """A question that is answered before the result shows."""

    question: str
    choices: tuple[str, ...]
    tell: Callable[[Scene], Told | None]
    """Looks at the bench and the models of hosts; None where it cannot be told."""


@dataclass(frozen=True, slots=True)
class Move:
    """How one call of a part is made, for whoever plays the step without a person.

    `ends`: how the question is answered: `approve`, `deny`, `edit`, or `run` to approve and go on
    while it runs; empty where none is expected.
    """

    tool: str
    arguments: dict[str, Any]
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to do in the bench, noticed when it was really done."""

    task: str
    goal: Goal
    hint: str
    """For somebody who is stuck."""
    moves: tuple[Move | str, ...] = ()
    """What does it; a string is a key, one with `?` at its end only over a screen it opened."""


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    title: str
    why: str
    """Why it matters, for somebody who has never heard of annotations."""
    tools: tuple[str, ...]
    """The tools of the bundled server that it needs."""
    quiz: Quiz
    parts: tuple[Part, ...]
    moral: str
    """What to take home, shown with the result."""
