"""Simulated people for a whole session: who they are, and what each question gets from them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Final

from ..content.suggest import did_you_mean
from ..content.text import shortened
from .flow import Person

KINDS: Final = ("absent", "denies", "approves", "slow", "erratic")
SHOWN: Final = "absent|denies|approves|slow:SECONDS|erratic:SEED"
LATEST: Final = 86_400.0
_ANSWERS: Final = ("approve", "deny", "close", "never", "absent")
_WEIGHTS: Final = (45, 25, 12, 8, 10)
_DELAYS: Final = (0.0, 0.1, 0.5, 2.0)


@dataclass(frozen=True, slots=True)
class Simulated:
    """Somebody who answers every question of a session."""

    words: str
    """As it was given: `slow:30`."""
    kind: str
    number: float = 0.0
    """The seconds of one who is slow, the seed of one who is erratic."""

    def people(self) -> Iterator[Person]:
        """What each question gets, one after the other; the same again for the same seed."""
        match self.kind:
            case "slow":
                return repeat(Person("approve", after=self.number))
            case "erratic":
                return _moods(int(self.number))
        return repeat(Person({"approves": "approve", "denies": "deny"}.get(self.kind, "absent")))


def _moods(seed: int) -> Iterator[Person]:
    luck = random.Random(seed)
    while True:
        (answer,) = luck.choices(_ANSWERS, _WEIGHTS)
        yield Person(answer, after=luck.choice(_DELAYS))


def read_simulated(text: str) -> Simulated:
    """Somebody by the words of an option. Raises ValueError, in words of our own."""
    kind, colon, rest = text.partition(":")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise ValueError(f"“{shortened(text, 60)}” is nobody that is known: {SHOWN}{hint}")
    if kind in ("slow", "erratic") and rest:
        return Simulated(text, kind, _number(kind, rest))
    if kind in ("slow", "erratic") or colon:
        what = {"slow": "seconds, as slow:30", "erratic": "a seed, as erratic:7"}.get(kind)
        raise ValueError(f"{kind} wants {what}" if what else f"{kind} takes nothing after it")
    return Simulated(text, kind)


def _number(kind: str, text: str) -> float:
    if kind == "erratic":
        if text.isascii() and text.isdecimal() and len(text) < 10:
            return int(text)
        raise ValueError("the seed of erratic is a whole number, as in erratic:7")
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LATEST:
        raise ValueError(f"slow wants seconds from 0 to {LATEST:,.0f}, as in slow:30")
    return seconds
