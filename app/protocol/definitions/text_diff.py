"""What differs between two texts, word by word, with a little of what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final, NamedTuple, TypeVar

CONTEXT: Final = 40
"""Characters of unchanged text around a difference."""
_CLOSE: Final = 16
"""Differences at most so many characters apart are shown as one."""
_COARSE: Final = 400
"""Characters from which a stretch that differs as a whole is looked at sentence by sentence."""
_WORDS: Final = re.compile(r"\w+|\n|[^\S\n]+|[^\w\s]")
_SENTENCES: Final = re.compile(r".+?(?:[.!?]\s+|\n+|\Z)", re.DOTALL)

Item = TypeVar("Item")


class Step(NamedTuple):
    """A stretch of both texts; of an unchanged one `old` is `new`."""

    is_changed: bool
    old: str
    new: str


@dataclass(slots=True)
class Hunk:
    """Differences close to each other. An end is bare where the text itself begins or ends."""

    before: str
    steps: list[Step] = field(default_factory=list)
    after: str = ""
    at_start: bool = False
    at_end: bool = False


@dataclass(slots=True)
class Effort:
    """How much may still be compared, in pairs; then stretches are shown as wholly different."""

    pairs: int = 400_000
    pairs_at_once: int = 60_000

    def allows(self, one: int, other: int) -> bool:
        pairs = one * other
        if pairs > min(self.pairs_at_once, self.pairs):
            return False
        self.pairs -= pairs
        return True


def text_hunks(old: str, new: str, effort: Effort) -> list[Hunk]:
    """The differences of two texts in order; none where they are equal."""
    steps = list(text_steps(old, new, effort))
    hunks: list[Hunk] = []
    unchanged = ""
    for index, step in enumerate(steps):
        if not step.is_changed:
            unchanged = step.new
            continue
        if hunks and len(unchanged) <= _CLOSE:
            hunks[-1].steps.append(Step(False, unchanged, unchanged))
        else:
            before = _last_part(unchanged)
            is_first = not hunks and len(before) == len(unchanged)
            hunks.append(Hunk(before, at_start=is_first))
        hunks[-1].steps.append(step)
        following = steps[index + 1].new if index + 1 < len(steps) else ""
        hunks[-1].after = _first_part(following)
        hunks[-1].at_end = index + 2 >= len(steps) and len(hunks[-1].after) == len(following)
        unchanged = ""
    return hunks


def sequence_steps(
    old: Sequence[Item], new: Sequence[Item], effort: Effort
) -> Iterator[tuple[bool, Sequence[Item], Sequence[Item]]]:
    """(changed, old, new) stretches of two sequences; coarse where matching is not affordable."""
    start = 0
    shortest = min(len(old), len(new))
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if start:
        yield False, old[:start], new[:start]
    if left and right and effort.allows(len(left), len(right)):
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield tag != "equal", left[i1:i2], right[j1:j2]
    elif left or right:
        yield True, left, right
    if end:
        yield False, old[len(old) - end :], new[len(new) - end :]


def text_steps(old: str, new: str, effort: Effort) -> Iterator[Step]:
    """Changed and unchanged stretches, alternating."""
    pending: Step | None = None
    for step in _raw_steps(old, new, effort):
        if pending is not None and pending.is_changed is step.is_changed:
            pending = Step(step.is_changed, pending.old + step.old, pending.new + step.new)
            continue
        if pending is not None:
            yield pending
        pending = step
    if pending is not None:
        yield pending


def _raw_steps(old: str, new: str, effort: Effort) -> Iterator[Step]:
    for step in _by(_WORDS, old, new, effort):
        if not step.is_changed or len(step.old) + len(step.new) <= _COARSE:
            yield step
            continue
        for sentence in _by(_SENTENCES, step.old, step.new, effort):
            if sentence.is_changed and sentence.old and sentence.new:
                yield from _by(_WORDS, sentence.old, sentence.new, effort)
            else:
                yield sentence


def _by(units: re.Pattern[str], old: str, new: str, effort: Effort) -> Iterator[Step]:
    found = sequence_steps(units.findall(old), units.findall(new), effort)
    for is_changed, left, right in found:
        yield Step(is_changed, "".join(left), "".join(right))


def _last_part(text: str) -> str:
    """The end of a text: from the last line, at most `CONTEXT` characters, from a word on."""
    if len(text) <= CONTEXT and "\n" not in text:
        return text
    part = text[-CONTEXT:].rpartition("\n")[2]
    if len(part) < CONTEXT:
        return part
    return part.partition(" ")[2] or part


def _first_part(text: str) -> str:
    if len(text) <= CONTEXT and "\n" not in text:
        return text
    part = text[:CONTEXT].partition("\n")[0]
    if len(part) < CONTEXT:
        return part
    return part.rpartition(" ")[0] or part
