"""Compares structuredContent with the text that should repeat it, and results of repeated calls.

Spec 2025-11-25, server/tools, "Structured Content": a tool that returns structured content SHOULD
also return the serialised JSON in a text block.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from ...content.frozen import frozen
from ...content.json.jsonio import (
    JsonError,
    JsonValue,
    Path,
    first_difference,
    parse,
    pointer,
)
from ...content.text import visible
from ..findings.findings import Finding, warning
from .values import found

COMPARED_LIMIT = 2_000_000
"""Characters of text, of all parts together, that are compared with structuredContent."""

_SHOWN = 40
_BEFORE = 10

TextCopy = Literal["none", "same", "differs", "skipped"]


@frozen
class Copies:
    """Comparison of structuredContent with its text part; all words are safe to show."""

    state: TextCopy = "none"
    path: Path = ()
    """Where the first copy differs first, raw; only for `differs`."""
    in_text: str = ""
    """The value at `path` in the text, in a few words."""
    in_structured: str = ""

    @property
    def words(self) -> str:
        """One phrase, such as “text and structuredContent differ: $.name is …”."""
        match self.state:
            case "same":
                return "the text has the same values"
            case "differs":
                return (
                    f"text and structuredContent differ: {pointer(self.path)} is {self.in_text} "
                    f"in the text and {self.in_structured} in structuredContent"
                )
            case "skipped":
                return f"the text is not compared: more than {COMPARED_LIMIT:,} characters"
        return "no text part repeats it"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings on the difference, if there is one."""
        if self.state != "differs":
            return ()
        where = pointer(self.path)
        words = (
            f"the text and structuredContent differ at {where};"
            " the host decides which of the two its model gets"
        )
        return (warning("text-copy-differs", words, where),)


def compare_copies(texts: Iterable[str], structured: JsonValue) -> Copies:
    """Compare structuredContent with the text parts of the same answer; one good copy is enough."""
    texts = list(texts)
    if _is_wrapped(texts, structured):
        return Copies("same")
    different: Copies | None = None
    room, is_skipped = COMPARED_LIMIT, False
    for text in texts:
        if text[:200].lstrip()[:1] not in ("{", "["):
            continue
        if len(text) > room:
            is_skipped = True
            continue
        room -= len(text)
        try:
            copy = parse(text).value
        except JsonError:
            continue
        path = first_difference(copy, structured)
        if path is None:
            return Copies("same")
        different = different or Copies("differs", path, *_both(copy, structured, path))
    if is_skipped:
        return Copies("skipped")
    return different or Copies("none")


def _is_wrapped(texts: list[str], structured: JsonValue) -> bool:
    """True if the text is the bare value that common SDKs wrap as {"result": value}.

    Of an array, they also write each item as a text of its own.
    """
    if not isinstance(structured, dict) or list(structured) != ["result"]:
        return False
    value = structured["result"]
    if not isinstance(value, dict | list) and str(value) in texts:
        return True
    if sum(map(len, texts)) > COMPARED_LIMIT:
        return False
    if any(_repeats(text, value) for text in texts):
        return True
    if not isinstance(value, list) or not len(value) == len(texts) > 0:
        return False
    return all(map(_repeats, texts, value))


def _repeats(text: str, value: JsonValue) -> bool:
    """True if a text is the value: a string as it is, anything else as JSON or as Python has it."""
    if not isinstance(value, dict | list) and text == str(value):
        return True
    try:
        return first_difference(parse(text).value, value) is None
    except JsonError:
        return False


def _both(copy: JsonValue, structured: JsonValue, path: Path) -> tuple[str, str]:
    left, right = found(copy, path), found(structured, path)
    start = 0
    if left and right and isinstance(left[0], str) and isinstance(right[0], str):
        start = max(_common(left[0], right[0]) - _BEFORE, 0)
    return (
        short(left[0], start) if left else "missing",
        short(right[0], start) if right else "missing",
    )


def _common(left: str, right: str) -> int:
    """Count equal characters at the beginning of two texts."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def short(value: JsonValue, start: int = 0) -> str:
    """A value in a few safe words; of a text that is too long the piece from `start` on."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            start = start if len(value) > _SHOWN else 0
            piece = visible(value[start : start + _SHOWN])
            before, after = "…" if start else "", "…" if len(value) > start + _SHOWN else ""
            return f"“{before}{piece}{after}”"
        case dict():
            return f"an object with {_count(len(value), 'property', 'properties')}"
        case list():
            return f"an array of {_count(len(value), 'item', 'items')}"
        case int() if abs(value) >= 10**_SHOWN:
            return "a very large integer"
    return str(value)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


class RepeatKind(StrEnum):
    """Relation of the results of the same call made twice."""

    IDENTICAL = "identical"
    DUPLICATE = "duplicate"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not comparable"


class RepeatStatus(StrEnum):
    """Evidence of two results for or against the idempotentHint."""

    UPHELD = "upheld"
    CONTRADICTED = "contradicted"
    OPEN = "not known"


@frozen
class AnswerDifference:
    """A place where two answers differ, and both values, cut; all safe to show."""

    path: str
    first: str
    second: str

    @property
    def words(self) -> str:
        return f"{self.path}: first {self.first}, second {self.second}"


@frozen
class RepeatedCall:
    """The same call made twice, with the tool's hint on repeating. Safe to show."""

    kind: RepeatKind
    standing: RepeatStatus
    claim: str
    """`idempotentHint true`, `idempotentHint not set, false by default`, `readOnlyHint true`."""
    why: str
    """The reason for `standing`."""
    key: str = ""
    """The parameter that held the same idempotency key both times; empty without one."""
    differences: tuple[AnswerDifference, ...] = ()
    second_failed: bool = False
    """The first answer was none, the second is an error."""

    @property
    def headline(self) -> str:
        """Describe the results of the two calls."""
        with_key = f" (same {self.key})" if self.key else ""
        match self.kind:
            case RepeatKind.DUPLICATE:
                return f"first: sent, second: duplicate{with_key}"
            case RepeatKind.IDENTICAL:
                return f"first and second: identical{with_key}"
            case RepeatKind.DIFFERENT if self.second_failed:
                return f"first: answered, second: isError{with_key}"
            case RepeatKind.DIFFERENT:
                return f"first and second: different{with_key}"
        return "nothing to compare"

    @property
    def claim_words(self) -> str:
        """Compare that with the hint."""
        return f"{self.claim}: {self.standing.value} - {self.why}"

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "kind": self.kind.value,
            "claim": self.claim,
            "standing": self.standing.value,
            "why": self.why,
            "key": self.key or None,
            "differences": [
                {"path": one.path, "first": one.first, "second": one.second}
                for one in self.differences
            ],
        }


@frozen
class CallComparison:
    """A call beside an earlier one with the same tool and arguments."""

    other: int
    """The id of the earlier call."""
    agrees: bool | None
    """None where one of the two has no answer that could be compared."""
    words: tuple[str, ...]
    """One sentence for the content and one for the structured part; safe to show."""
    repeat: RepeatedCall | None = None
    """The comparison with the tool's hint on repeating the call."""

    @property
    def headline(self) -> str:
        if self.agrees is None:
            return f"cannot be compared with call {self.other}"
        verb = "agrees with" if self.agrees else "differs from"
        return f"{verb} call {self.other}"
