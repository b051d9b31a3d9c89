"""Whether two answers agree."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.calls.repeats import compare_answers
from signoff.app.content.json.jsonio import JsonValue, same
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.answers.copies import CallComparison
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("calls")

TOOL = read_tool(0, {"name": "t"})


def answered(number: int, raw: Any) -> Call:
    return Call(
        CallName("demo", number),
        ToolCall(TOOL),
        take_snapshot("server", ToolCall(TOOL), {}),
        Verdict(VerdictAnswer.ALLOW, ()),
        created=0.0,
        state=State.ENDED,
        outcome=Outcome.OK,
        raw=raw,
        answer=read_answer(raw),
    )


def compared(first: Any, second: Any) -> CallComparison:
    return compare_answers(answered(1, first), answered(2, second))


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def test_the_same_twice() -> None:
    found = compared(text("a", structuredContent={"n": 1}), text("a", structuredContent={"n": 1.0}))
    assert found.agrees
    assert len(found.words) == 2
    PROSE.holds("comparison: the same", "\n".join([found.headline, *found.words]))
    PROSE.holds("comparison: no structured part", compared(text("a"), text("a")).words[1])


def test_metadata_is_no_part_of_an_answer() -> None:
    assert compared(text("a", _meta={"at": 1}), text("a", _meta={"at": 2})).agrees


def test_the_first_difference_is_named() -> None:
    found = compared(text("a"), text("b"))
    assert not found.agrees
    PROSE.holds("comparison: another text", found.words[0])
    found = compared(text("a", structuredContent={"n": 1}), text("a", structuredContent={"n": 2}))
    assert len(found.words) == 2
    PROSE.holds("comparison: another member", "\n".join(found.words))
    found = compared(text("a", structuredContent={"n": 1}), text("a"))
    PROSE.holds("comparison: one structured part", found.words[1])
    assert not compared(text("a"), text("a", isError=True)).agrees


def test_without_two_answers_there_is_nothing_to_compare() -> None:
    found = compared(text("a"), None)
    assert found.agrees is None
    assert len(found.words) == 1
    PROSE.holds("comparison: one answer", "\n".join([found.headline, *found.words]))


@given(json_values(), json_values())
def test_structured_parts_agree_exactly_where_they_are_the_same(
    first: JsonValue, second: JsonValue
) -> None:
    found = compared(text("a", structuredContent=first), text("a", structuredContent=second))
    assert found.agrees is same(first, second)
