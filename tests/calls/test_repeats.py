"""The same call twice: what the two answers say of the claim on repeating, and what they cannot."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.calls.repeats import compare_answers, has_key, repeat_of
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.answers.copies import RepeatedCall, RepeatKind, RepeatStatus
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("calls")

READS: dict[str, JsonValue] = {"readOnlyHint": True}
SAFE: dict[str, JsonValue] = {"readOnlyHint": False, "idempotentHint": True}
COUNTS: dict[str, JsonValue] = {"readOnlyHint": False, "idempotentHint": False}
SILENT: dict[str, JsonValue] = {}
KEY = {"idempotencyKey": "k-1", "text": "hello"}


def tool(annotations: dict[str, JsonValue]) -> ToolDefinition:
    properties: dict[str, JsonValue] = {
        "text": {"type": "string"},
        "idempotencyKey": {"type": "string"},
    }
    raw: JsonValue = {
        "name": "t",
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": annotations,
    }
    return read_tool(0, raw)


def answered(
    number: int, given: ToolDefinition, raw: Any, arguments: dict[str, Any] | None = None
) -> Call:
    is_error = isinstance(raw, dict) and raw.get("isError") is True
    return Call(
        CallName("demo", number),
        ToolCall(given),
        take_snapshot("server", ToolCall(given), arguments or {}),
        Verdict(VerdictAnswer.ALLOW, ()),
        created=0.0,
        state=State.ENDED,
        outcome=Outcome.TOOL_ERROR if is_error else Outcome.OK,
        raw=raw,
        answer=read_answer(raw),
    )


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def repeated(
    annotations: dict[str, JsonValue],
    first: Any,
    second: Any,
    arguments: dict[str, Any] | None = None,
) -> RepeatedCall:
    given = tool(annotations)
    return repeat_of(answered(1, given, first, arguments), answered(2, given, second, arguments))


def test_a_key_that_is_recognised() -> None:
    sent = text("Message sent (ts: 1700000000.000123)")
    again = text("Duplicate request — original message (ts: 1700000000.000123)")
    found = repeated(COUNTS, sent, again, KEY)
    assert found.kind is RepeatKind.DUPLICATE
    PROSE.holds("repeat: a duplicate", found.headline)
    # It was the key that did it, so nothing is said of the claim.
    assert found.standing is RepeatStatus.OPEN
    assert repeated(SAFE, sent, again, KEY).standing is RepeatStatus.UPHELD
    # Without a word for it, what the first one named is enough.
    named = text("ok, see 1700000000.000123")
    assert repeated(COUNTS, sent, named, KEY).kind is RepeatKind.DUPLICATE
    # Without a key there is nothing that it could have been known by.
    assert repeated(COUNTS, sent, again).kind is RepeatKind.DIFFERENT


def test_a_member_that_is_true_is_a_word_for_it_and_one_that_is_false_is_none() -> None:
    first = text('{"order": 1, "alreadyOrdered": false}')
    assert repeated(SAFE, first, text('{"order": 1, "alreadyOrdered": true}'), KEY).kind is (
        RepeatKind.DUPLICATE
    )
    forgotten = text('{"order": 2, "alreadyOrdered" : false}')
    assert repeated(SAFE, first, forgotten, KEY).kind is RepeatKind.DIFFERENT


def test_a_key_that_is_forgotten() -> None:
    first, second = text("Message sent (ts: 1700000001.1)"), text("Message sent (ts: 1700000002.1)")
    found = repeated(SAFE, first, second, KEY)
    assert (found.kind, found.standing) == (RepeatKind.DIFFERENT, RepeatStatus.CONTRADICTED)
    assert "not recognised" in found.why
    assert repeated(SILENT, first, second, KEY).standing is RepeatStatus.OPEN


def test_what_was_given_with_the_arguments_is_no_reference_to_the_first() -> None:
    arguments = {**KEY, "text": "order-4711"}
    found = repeated(
        SAFE, text("order-4711 as a-000001"), text("order-4711 as b-000002"), arguments
    )
    assert found.kind is RepeatKind.DIFFERENT


@pytest.mark.parametrize(
    ("annotations", "standing", "key"),
    [
        # Whoever writes in secret answers the same, too.
        (READS, RepeatStatus.OPEN, "repeat: identical, of a reader"),
        (SAFE, RepeatStatus.UPHELD, "repeat: identical, idempotent"),
        (COUNTS, RepeatStatus.OPEN, "repeat: identical, not idempotent"),
        (SILENT, RepeatStatus.OPEN, "repeat: identical, not set"),
    ],
)
def test_two_equal_answers_prove_little(
    annotations: dict[str, JsonValue], standing: RepeatStatus, key: str
) -> None:
    found = repeated(annotations, text("sunny", _meta={"at": 1}), text("sunny", _meta={"at": 2}))
    assert found.kind is RepeatKind.IDENTICAL
    assert found.standing is standing
    PROSE.holds(key, f"{found.headline}\n{found.why}")
    assert found.differences == ()


@pytest.mark.parametrize(
    ("annotations", "standing", "key"),
    [
        (READS, RepeatStatus.OPEN, "repeat: a counter, of a reader"),
        (SAFE, RepeatStatus.CONTRADICTED, "repeat: a counter, idempotent"),
        (COUNTS, RepeatStatus.UPHELD, "repeat: a counter, not idempotent"),
        (SILENT, RepeatStatus.UPHELD, "repeat: a counter, not set"),
    ],
)
def test_a_counter(annotations: dict[str, JsonValue], standing: RepeatStatus, key: str) -> None:
    first = text("count 1", structuredContent={"count": 1})
    found = repeated(annotations, first, text("count 2", structuredContent={"count": 2}))
    assert found.standing is standing
    assert len(found.differences) == 2
    differences = [one.words for one in found.differences]
    PROSE.holds(key, "\n".join([found.headline, found.why, *differences]))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("it is 12:03:05", "it is 12:03:06"),
        ("on 2026-11-22", "on 2026-11-23"),
        ("version 1.2.3", "version 1.2.4"),
        ("5 left", "4 left"),
        ("took 5", "took 9000"),
        ("a", "b"),
        ("id 1 of a", "id 2 of b"),
    ],
)
def test_other_differences_may_mean_nothing(first: str, second: str) -> None:
    found = repeated(SAFE, text(first), text(second))
    assert (found.kind, found.standing) == (RepeatKind.DIFFERENT, RepeatStatus.OPEN)


def test_an_error_the_second_time_is_no_contradiction() -> None:
    found = repeated(SAFE, text("Deleted: a"), text("No such file: a", isError=True))
    assert found.standing is RepeatStatus.OPEN
    PROSE.holds("repeat: an error the second time", f"{found.headline}\n{found.why}")


def test_without_two_answers() -> None:
    found = repeated(SAFE, text("a"), None)
    assert (found.kind, found.standing) == (RepeatKind.NOT_COMPARABLE, RepeatStatus.OPEN)
    assert found.headline == "nothing to compare"


@pytest.mark.parametrize(
    ("annotations", "claim"),
    [
        (READS, "readOnlyHint true"),
        (SAFE, "idempotentHint true"),
        (COUNTS, "idempotentHint false"),
        (SILENT, "idempotentHint not set, false by default"),
        ({"idempotentHint": "yes"}, "idempotentHint malformed, false by default"),
    ],
)
def test_the_claim_is_named(annotations: dict[str, JsonValue], claim: str) -> None:
    assert repeated(annotations, text("a"), text("a")).claim == claim


def test_whether_a_call_has_a_key() -> None:
    given = tool(SILENT)
    assert has_key(answered(1, given, text("a"), KEY))
    assert not has_key(answered(1, given, text("a"), {"idempotencyKey": ""}))
    assert not has_key(answered(1, given, text("a"), {"text": "x"}))


def test_hostile_answers_take_no_time_and_are_safe_to_show() -> None:
    started = time.process_time()
    for one in ("a-1" * 300_000, "1 " * 500_000, "\x1b[2J\u202e9" * 100_000):
        found = repeated(SAFE, text(one), text(f"{one}2"), KEY)
        assert all(line.words.isprintable() for line in found.differences)
    assert time.process_time() - started < 15


@given(json_values(), json_values(), st.sampled_from([READS, SAFE, COUNTS, SILENT]), st.booleans())
def test_identical_exactly_where_the_answers_agree(
    first: JsonValue, second: JsonValue, annotations: dict[str, JsonValue], has_keys: bool
) -> None:
    given_tool = tool(annotations)
    calls = [
        answered(at, given_tool, text("a", structuredContent=value), KEY if has_keys else {})
        for at, value in enumerate((first, second), start=1)
    ]
    comparison = compare_answers(*calls)
    found = comparison.repeat
    assert found is not None
    assert (found.kind is RepeatKind.IDENTICAL) is comparison.agrees
    assert f"{found.headline} {found.claim_words}".isprintable()
    # Only a claim can be contradicted.
    if found.standing is RepeatStatus.CONTRADICTED:
        assert annotations is SAFE
    assert found.as_json()["kind"] == found.kind.value
