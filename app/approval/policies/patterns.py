"""Checks regular expressions of policies without running them, and defines trials on values.

Compiling one can cost a second (a large set without regard to case), running one any time. So here
they are only parsed, by the parser of `re`; whether a text is slow is found by trying it elsewhere.

A trial is a policy's own pattern or schema on a value, which may cost any amount of time. A rule
only names the trial that it depends on. A caller that needs a verdict has the open ones carried out
where they can be stopped, and hands over the results with the case.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from itertools import islice
from posixpath import normpath
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import MappingProxyType
from typing import Any, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, canonical
from ...content.text import visible
from ...schemas.evaluator import is_valid_at_once
from ...schemas.schema import SchemaAnswer, judge

LONGEST_LOOKED_AT: Final = 2_000
"""Characters of a pattern for which hostile texts are made."""
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
_ENDLESS = 20
"""A repeat that may go on for so long counts as one without an end."""
_SHORT, _LONG = 40, 9_000
"""Characters of hostile texts: enough for what doubles with each, and for what grows with a square
or a cube."""
_BREAKERS = ("\x00", "\n")
"""What most patterns do not take, so that they go back and try the rest."""
_VARIANTS, _MOST, _SAMPLE = 6, 60, 500
"""Samples of a part, repeats of a pattern, characters of a sample."""
_SAMPLES = "a0-_. /!\x00é\U0001f600"
_BY_CATEGORY = {
    sre.CATEGORY_DIGIT: "0",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_WORD: "-",
}
_OUT: Final = ("..", "../x", "x/../../x")
"""What leads out of a folder, written after it."""


def pattern_fault(pattern: str) -> str:
    """Describe why a text is not a regular expression; empty if it is one."""
    try:
        tree = _parsed(pattern)
        for op, value in _nodes(tree):
            if op in (sre.ASSERT, sre.ASSERT_NOT) and value[0] < 0:
                low, high = value[1].getwidth()
                if low != high:
                    return "look-behind requires fixed-width pattern"
    except (re.error, OverflowError, RecursionError) as error:
        return visible(str(error))
    return ""


def hostile_texts(pattern: str) -> tuple[str, ...]:
    """Texts on which a pattern may take long, short ones first: each repeat fed, then broken off.

    They are made from the pattern's own parts. That none of them is slow proves nothing.
    """
    texts: dict[str, None] = {}
    try:
        fed = list(islice(_fed(_parsed(pattern), ""), _MOST)) if _is_small(pattern) else []
    except RecursionError:
        fed = []
    for size in (_SHORT, _LONG):
        for before, body in fed:
            for breaker in _BREAKERS:
                texts[before + body * (size // len(body)) + breaker] = None
    return tuple(texts)


def repeats_itself(pattern: str) -> bool:
    """True if a repeat can follow itself without other characters between, as in (a+)+: then the
    ways to divide a text among the two double with each character.
    """
    try:
        return _is_small(pattern) and any(
            op in _REPEATS and _is_endless(value) and _is_repeat_alone(value[2])
            for op, value in _nodes(_parsed(pattern))
        )
    except RecursionError:
        return True


def ways_out(pattern: str) -> tuple[str, ...]:
    """List paths outside of a folder that fit a pattern meant for the folder's content.

    Empty if the pattern does not begin with a folder.
    """
    nodes = list(_parsed(pattern))
    return _ways_out(_literals(nodes), _literals(nodes[::-1])[::-1])


def glob_ways_out(glob: str) -> tuple[str, ...]:
    """The same of a glob."""
    start, *rest = re.split(r"[*?\[]", glob)
    return _ways_out(start, re.split(r"[*?\]]", rest[-1])[-1]) if rest else ()


def _ways_out(start: str, end: str) -> tuple[str, ...]:
    folder = start[: start.rfind("/") + 1]
    ways = (folder + out + one for one in ("", end) for out in _OUT if folder)
    return tuple(dict.fromkeys(way for way in ways if not _is_in(way, folder)))


def _is_in(path: str, folder: str) -> bool:
    place = normpath(folder).rstrip("/")
    return f"{normpath(path)}/".startswith(f"{place}/")


def _is_small(pattern: str) -> bool:
    return len(pattern) <= LONGEST_LOOKED_AT


def _parsed(pattern: str) -> Any:
    with warnings.catch_warnings():
        # "Possible nested set": a hint for authors of programs, printed over the screen.
        warnings.simplefilter("ignore")
        return parser.parse(pattern)


def _nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every node, each before its children."""
    for op, value in tree:
        yield op, value
        for inner in _inside(op, value):
            yield from _nodes(inner)


def _inside(op: Any, value: Any) -> list[Any]:
    """The parts of a node, alternatives each on its own."""
    if op is sre.BRANCH:
        return list(value[1])
    if op is sre.GROUPREF_EXISTS:
        return [one for one in value[1:] if one is not None]
    if op is sre.ATOMIC_GROUP:
        return [value]
    if op in (*_REPEATS, sre.POSSESSIVE_REPEAT):
        return [value[2]]
    if op is sre.SUBPATTERN:
        return [value[3]]
    return [value[1]] if op in (sre.ASSERT, sre.ASSERT_NOT) else []


def _fed(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """Of each endless repeat: a text that leads up to it, and one that it takes over and over."""
    for op, value in tree:
        if op in _REPEATS and _is_endless(value):
            yield from ((before, body) for body in _samples(value[2]) if body)
        for inner in _inside(op, value):
            yield from _fed(inner, before)
        before += _samples([(op, value)])[0]


def _is_endless(repeat: Any) -> bool:
    return bool(repeat[1] >= _ENDLESS)


def _is_repeat_alone(tree: Any) -> bool:
    """True if a repeat can be all that is there, however many groups are around it."""
    nodes = list(tree)
    needed = [at for at, (op, value) in enumerate(nodes) if not _may_be_empty(op, value)]
    alone = needed if needed else range(len(nodes))
    return len(needed) < 2 and any(_holds_repeat(*nodes[at]) for at in alone)


def _holds_repeat(op: Any, value: Any) -> bool:
    if op in _REPEATS:
        return _is_endless(value) or _is_repeat_alone(value[2])
    return op is sre.SUBPATTERN and _is_repeat_alone(value[3])


def _may_be_empty(op: Any, value: Any) -> bool:
    if op in (*_REPEATS, sre.POSSESSIVE_REPEAT):
        return bool(value[0] == 0 or all(_may_be_empty(*one) for one in value[2]))
    if op is sre.BRANCH:
        return any(all(_may_be_empty(*one) for one in branch) for branch in value[1])
    if op is sre.SUBPATTERN:
        return all(_may_be_empty(*one) for one in value[3])
    if op is sre.ATOMIC_GROUP:
        return all(_may_be_empty(*one) for one in value)
    return op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT)


def _samples(tree: Any) -> list[str]:
    """Texts that a part of a pattern takes, as far as can be seen; at least one, perhaps empty."""
    found = [""]
    for op, value in tree:
        ways = list(dict.fromkeys(_ways(op, value)))[:_VARIANTS] or [""]
        # The first way of each part, and every way of each with the first of the others.
        more = [found[0] + way for way in ways[1:]]
        found = [one + ways[0] for one in found]
        found = [one[:_SAMPLE] for one in (*found, *more)][:_VARIANTS]
    return found


def _ways(op: Any, value: Any) -> Iterator[str]:
    if op is sre.LITERAL:
        yield chr(value)
    elif op is sre.NOT_LITERAL:
        yield next(char for char in _SAMPLES if ord(char) != value)
    elif op is sre.ANY:
        yield "a"
    elif op is sre.IN:
        yield from _of_set(value)
    elif op in (*_REPEATS, sre.POSSESSIVE_REPEAT):
        low, high, inner = value
        samples = _samples(inner)
        for times in dict.fromkeys((low, min(max(low, 1), high))):
            for one in samples:
                yield one * min(times, 1 + _SAMPLE // max(len(one), 1))
    elif op in (sre.ASSERT, sre.ASSERT_NOT):
        yield ""
    else:
        for inner in _inside(op, value):
            yield from _samples(inner)


def _of_set(members: Any) -> Iterator[str]:
    if members[0][0] is sre.NEGATE:
        yield from (char for char in _SAMPLES if not any(_has(one, char) for one in members[1:]))
        return
    for op, value in members:
        if op is sre.LITERAL:
            yield chr(value)
        elif op is sre.RANGE:
            yield chr(value[0])
        else:
            yield _BY_CATEGORY.get(value, "a")


def _has(member: Any, char: str) -> bool:
    op, value = member
    if op is sre.LITERAL:
        return bool(ord(char) == value)
    if op is sre.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return bool(_BY_CATEGORY.get(value) == char)


def _literals(nodes: list[Any]) -> str:
    """The literal characters at the beginning."""
    found = ""
    for op, value in nodes:
        if op is sre.LITERAL:
            found += chr(value)
        elif op is not sre.AT:
            break
    return found


class TrialOf(StrEnum):
    """Kinds of a trial."""

    PATTERN = "pattern"
    SCHEMA = "schema"


@frozen
class Trial:
    """A regular expression that has to match all of a string, or a JSON Schema on any value."""

    of: TrialOf
    wanted: JsonValue
    """The pattern, or the schema."""
    found: JsonValue
    """The value on which it is tried."""
    key: str = field(init=False)
    """The digest of all three: equal trials come to the same."""

    def __post_init__(self) -> None:
        written = canonical([self.of.value, self.wanted, self.found])
        digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "key", digest)


@frozen
class Tried:
    """Result of a trial. `held` is None if it was not completed.

    `why`, safe to show: the reason for that, or how the value breaks the schema.
    """

    held: bool | None
    why: str = ""


NOT_TRIED: Final = Tried(None, "not tested yet")
NOTHING_TRIED: Final[Mapping[str, Tried]] = MappingProxyType({})


def is_held_at_once(trial: Trial) -> bool:
    """True if it holds, and saying so needs no worker."""
    return trial.of is TrialOf.SCHEMA and is_valid_at_once(trial.wanted, trial.found)


def carry_out(trial: Trial) -> Tried:
    """Do it here and now, however long it takes; it belongs into a worker that can be killed."""
    if trial.of is TrialOf.SCHEMA:
        verdict = judge(trial.wanted, trial.found)
        if verdict.answer is SchemaAnswer.NOT_VALIDATED:
            return Tried(None, f"could not be judged: {verdict.reason}")
        words = next((one.message for one in verdict.errors), "")
        return Tried(verdict.answer is SchemaAnswer.VALID, words)
    try:
        return Tried(re.fullmatch(str(trial.wanted), str(trial.found)) is not None)
    except (re.error, OverflowError, RecursionError) as error:
        return Tried(None, f"is not a regular expression: {visible(str(error))}")


def carry_out_all(trials: tuple[Trial, ...]) -> tuple[Tried, ...]:
    """`carry_out` of each, in their order."""
    return tuple(carry_out(trial) for trial in trials)
