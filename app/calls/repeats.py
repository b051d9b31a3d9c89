"""Compares two results of the same call, as evidence on the idempotentHint.

idempotentHint means that calling again with the same arguments has no additional effect on the
environment (spec, schema `ToolAnnotations`). Effects cannot be seen from here, results can: so two
equal results prove little, and of two different ones only some speak against the hint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..approval.snapshot import key_parameter
from ..content.json.jsonio import (
    JsonError,
    JsonValue,
    Path,
    canonical,
    first_difference,
    pointer,
    same,
)
from ..content.text import cut, shortened, visible
from ..protocol.answers.content import Answer, TextPart
from ..protocol.answers.copies import (
    AnswerDifference,
    CallComparison,
    RepeatedCall,
    RepeatKind,
    RepeatStatus,
)
from ..protocol.hints import Claim, Repeating
from ..protocol.tool import ToolDefinition
from .call import Call, Outcome

MAX_LOOKED_AT: Final = 64_000
"""Characters of an answer that are looked through for what it repeats or counts."""
SHOWN: Final = 3
"""Differences that are listed."""
_VALUE: Final = 100
_DEEPEST: Final = 60


class Absent:
    """The mark of a value that one of two results lacks."""


ABSENT: Final = Absent()

_DUPLICATE: Final = re.compile(
    r"\b(?:duplicates?|already|replay(?:ed)?|original|same (?:key|request)|deduplicated)\b",
    re.IGNORECASE,
)
_FALSE_MEMBER: Final = re.compile(r'"[\w-]{1,80}"\s{0,9}:\s{0,9}(?:false|null)\b')
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAMED: Final = re.compile(r"[A-Za-z0-9][\w.\-]{5,80}")
_NUMBER: Final = re.compile(r"(?<![\w.:/\-])\d{1,9}(?![\w:/\-]|\.\d)")
_MOST_STEP: Final = 1_000


def repeat_of(first: Call, second: Call) -> RepeatedCall:
    """The same call twice; `second` was made to be compared with `first`."""
    tool = second.request.definition
    key = _key(tool, second.snapshot.arguments())
    if first.answer is None or second.answer is None:
        silent = [call for call in (first, second) if call.answer is None]
        words = "; ".join(f"call {call.id}: {call.status}" for call in silent)
        words = f"fewer than two responses: {words}"
        return _repeat(RepeatKind.NOT_COMPARABLE, key, RepeatStatus.OPEN, tool, words)
    found = tuple(_differences(_seen(first), _seen(second)))
    if not found:
        return _identical(tool, key)
    if key and _is_duplicate(first, second, key):
        return _duplicate(tool, key, found)
    return _different(first, second, key, found)


def _identical(tool: ToolDefinition, key: str) -> RepeatedCall:
    little = "Signoff compares responses, not effects"
    standing = RepeatStatus.OPEN
    if tool.hints.repeating is Repeating.IDEMPOTENT:
        standing = RepeatStatus.UPHELD
        words = "this does not contradict the hint"
    elif tool.hints.repeating is Repeating.HARMLESS:
        words = "this does not prove that nothing was written"
    else:
        words = "this does not prove that the second call did nothing"
    if key:
        words += (
            "; a server that stores responses by key, or ignores the key, responds the same way"
        )
    return _repeat(RepeatKind.IDENTICAL, key, standing, tool, f"{words}; {little}")


def _duplicate(tool: ToolDefinition, key: str, found: tuple[AnswerDifference, ...]) -> RepeatedCall:
    if tool.hints.is_repeatable:
        standing, words = RepeatStatus.UPHELD, "the second call was recognised, as declared"
    else:
        standing = RepeatStatus.OPEN
        words = "the key made the second call harmless; without a key it would count"
    return _repeat(RepeatKind.DUPLICATE, key, standing, tool, words, found)


def _different(
    first: Call, second: Call, key: str, found: tuple[AnswerDifference, ...]
) -> RepeatedCall:
    tool = second.request.definition
    repeating = tool.hints.repeating
    is_error = (first.outcome, second.outcome) == (Outcome.OK, Outcome.TOOL_ERROR)
    step = "" if is_error else _counted(first, second)
    standing = RepeatStatus.OPEN
    if repeating is Repeating.HARMLESS:
        words = "a read-only tool may respond differently each time: its data may change by itself"
    elif is_error:
        words = (
            "the second response is an error. The hint is about effects, not responses: deleting a "
            "deleted thing changes nothing more"
        )
    elif key:
        words = (
            "the key was probably not recognised: the second response does not refer to the first"
        )
        if repeating is Repeating.IDEMPOTENT:
            standing = RepeatStatus.CONTRADICTED
    elif step:
        words = f"{step}, so the second call probably had an effect"
        is_claimed = repeating is Repeating.IDEMPOTENT
        standing = RepeatStatus.CONTRADICTED if is_claimed else RepeatStatus.UPHELD
    else:
        words = "the hint is about effects, not responses: this difference may mean nothing"
    return _repeat(RepeatKind.DIFFERENT, key, standing, tool, words, found, is_error=is_error)


def _repeat(
    kind: RepeatKind,
    key: str,
    standing: RepeatStatus,
    tool: ToolDefinition,
    words: str,
    found: tuple[AnswerDifference, ...] = (),
    *,
    is_error: bool = False,
) -> RepeatedCall:
    return RepeatedCall(kind, standing, _claim(tool), words, visible(key), found[:SHOWN], is_error)


def _claim(tool: ToolDefinition) -> str:
    hints = tool.hints
    if hints.repeating is Repeating.HARMLESS:
        return "readOnlyHint true"
    if hints.idempotent.claim in (Claim.NOT_SET, Claim.MALFORMED):
        return f"idempotentHint {hints.idempotent.claim.value}, false by default"
    return f"idempotentHint {hints.idempotent.claim.value}"


def _key(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> str:
    """The raw name of the parameter that holds an idempotency key in these arguments."""
    name = key_parameter(tool)
    value = arguments.get(name) if name is not None else None
    return name if name is not None and isinstance(value, str) and value else ""


def has_key(call: Call) -> bool:
    """True if a call was made with an idempotency key, by which a server may know it again."""
    return bool(_key(call.request.definition, call.snapshot.arguments()))


def _seen(call: Call) -> dict[str, JsonValue]:
    """The compared part of a result; metadata (`_meta`) is not compared."""
    raw = call.raw if isinstance(call.raw, dict) else {}
    seen: dict[str, JsonValue] = {"content": raw.get("content")}
    if raw.get("isError"):
        seen["isError"] = raw["isError"]
    if call.answer is not None and call.answer.has_structured:
        seen["structuredContent"] = call.answer.structured
    return seen


def _differences(first: JsonValue, second: JsonValue) -> Iterator[AnswerDifference]:
    """The smallest places that differ, in the order of the first answer; a few of them."""
    stack: list[tuple[Path, JsonValue | Absent, JsonValue | Absent]] = [((), first, second)]
    told = 0
    while stack and told < SHOWN:
        path, left, right = stack.pop()
        is_shallow = len(path) < _DEEPEST
        if isinstance(left, dict) and isinstance(right, dict) and is_shallow:
            names = [*left, *(name for name in right if name not in left)]
            stack += [
                ((*path, name), left.get(name, ABSENT), right.get(name, ABSENT))
                for name in reversed(names)
            ]
        elif (
            isinstance(left, list)
            and isinstance(right, list)
            and len(left) == len(right)
            and is_shallow
        ):
            pairs = list(zip(left, right, strict=True))
            stack += [((*path, at), *pairs[at]) for at in range(len(pairs) - 1, -1, -1)]
        elif isinstance(left, Absent) or isinstance(right, Absent) or not same(left, right):
            told += 1
            yield AnswerDifference(pointer(path), _short(left), _short(right))


def _canonical(value: JsonValue) -> str:
    try:
        return canonical(value)
    except JsonError:
        return repr(value)


def _short(value: JsonValue | Absent) -> str:
    """A value as JSON, cut if it is long; safe to show. Lists and objects are only counted."""
    if isinstance(value, Absent):
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return f"an object of {len(value):,}"
    if isinstance(value, str):
        return f"“{shortened(value, _VALUE)}”"
    return visible(cut(_canonical(value), _VALUE).text)


def _written(value: JsonValue) -> str:
    """The beginning of a value as JSON, with blanks, so that a number after a colon looks like no
    part of a time."""
    pieces, length = [], 0
    for piece in json.JSONEncoder(default=repr).iterencode(value):
        pieces.append(piece)
        length += len(piece)
        if length > MAX_LOOKED_AT:
            break
    return "".join(pieces)


def _text(answer: Answer | None) -> str:
    """The words of an answer, in one piece."""
    if answer is None:
        return ""
    pieces = [part.text[:MAX_LOOKED_AT] for part in answer.parts[:50] if isinstance(part, TextPart)]
    if answer.has_structured:
        pieces.append(_written(answer.structured))
    return "\n".join(pieces)[:MAX_LOOKED_AT]


def _is_duplicate(first: Call, second: Call, key: str) -> bool:
    """True if the second result refers to the first: by a word, or by a name in it."""
    if second.outcome is not Outcome.OK or first.outcome is not Outcome.OK:
        return False
    before, after = _text(first.answer), _text(second.answer)
    return _refers_to_first(after) or bool(_names(before, second) & _names(after, second))


def _refers_to_first(text: str) -> bool:
    """True if a word means so, or a member such as `alreadyOrdered: true` of JSON in the text."""
    return bool(_DUPLICATE.search(_CAMEL.sub(" ", _FALSE_MEMBER.sub("", text))))


def _names(text: str, call: Call) -> set[str]:
    """Find likely names of created things that were not among the arguments."""
    given = _canonical(dict(call.snapshot.arguments()))
    return {
        one
        for one in (match[0].rstrip(".-") for match in _NAMED.finditer(text))
        if any(sign.isdigit() for sign in one) and one not in given
    }


def _counted(first: Call, second: Call) -> str:
    """Describe a whole number that grew while all the rest stayed; empty without one.

    Numbers that look like a part of a time, a date or a version do not count.
    """
    before, after = _text(first.answer), _text(second.answer)
    if _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
        return ""
    pairs = [
        (int(one), int(other))
        for one, other in zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
        if one != other
    ]
    if not pairs or any(not 0 < other - one <= _MOST_STEP for one, other in pairs):
        return ""
    one, other = pairs[0]
    return f"a number went from {one:,} to {other:,}"


def compare_answers(first: Call, second: Call) -> CallComparison:
    """Compare the responses to two calls. Metadata (`_meta`) is not compared."""
    if first.answer is None or second.answer is None:
        words = [
            f"call {call.id}: {call.status}" for call in (first, second) if call.answer is None
        ]
        return CallComparison(first.id, None, tuple(words), repeat_of(first, second))
    content = _compare("content", _content(first), _content(second))
    structured = _compare_structured(first.answer, second.answer)
    is_same = not content and not structured
    return CallComparison(
        first.id,
        is_same,
        (
            content or "the content is the same",
            structured
            or (
                "the structured parts are the same"
                if first.answer.has_structured
                else "neither has a structured part"
            ),
        ),
        repeat_of(first, second),
    )


def _content(call: Call) -> JsonValue:
    raw = call.raw if isinstance(call.raw, dict) else {}
    shown: dict[str, JsonValue] = {"content": raw.get("content")}
    if raw.get("isError"):
        shown["isError"] = raw["isError"]
    return shown


def _compare_structured(first: Answer, second: Answer) -> str:
    if first.has_structured is not second.has_structured:
        which = "first" if first.has_structured else "second"
        return f"only the {which} response has a structured part"
    if not first.has_structured:
        return ""
    return _compare("structuredContent", first.structured, second.structured)


def _compare(what: str, first: JsonValue, second: JsonValue) -> str:
    if same(first, second):
        return ""
    path = first_difference(first, second) or ()
    place = pointer(path)
    return f"{what} differs first at {place}"
