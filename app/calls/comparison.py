"""Whether two answers to the same call agree."""

from __future__ import annotations

from ..content.json.jsonio import JsonValue, first_difference, pointer, same
from ..protocol.answers.compared import Comparison
from ..protocol.answers.content import Answer
from .calls import Call
from .repeats import repeat_of


def compare_answers(first: Call, second: Call) -> Comparison:
    """Compare what came of two calls. Metadata (`_meta`) is no part of an answer."""
    if first.answer is None or second.answer is None:
        words = [
            f"call {call.id}: {call.status}" for call in (first, second) if call.answer is None
        ]
        return Comparison(first.id, None, tuple(words), repeat_of(first, second))
    content = _compare("content", _content(first), _content(second))
    structured = _compare_structured(first.answer, second.answer)
    is_same = not content and not structured
    return Comparison(
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
        return f"only the {which} answer has a structured part"
    if not first.has_structured:
        return ""
    return _compare("structuredContent", first.structured, second.structured)


def _compare(what: str, first: JsonValue, second: JsonValue) -> str:
    if same(first, second):
        return ""
    path = first_difference(first, second) or ()
    place = pointer(path)
    return f"{what} differs first at {place}"
