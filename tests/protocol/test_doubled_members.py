"""A definition with a member given twice is read as the strictest of its readings."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.limits import Limits
from signoff.app.content.json.parts import parse_answer
from signoff.app.protocol.hints import HINT_KEYS, Effect, Hints, read_hints
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tools
from tests.tiers import examples

Members = list[tuple[str, bool]]


def object_of(members: Members) -> str:
    return (
        "{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members) + "}"
    )


def read(annotations: str, more: str = "", beside: str = "") -> ToolDefinition:
    entry = (
        f'{{"name": "a", "inputSchema": {{"type": "object"}}, {more} "annotations": {annotations}}}'
    )
    text = f'{{"jsonrpc": "2.0", "id": 1, "result": {{{beside} "tools": [{entry}]}}}}'
    value = parse_answer(text.encode(), Limits()).value
    assert isinstance(value, dict)
    result = value["result"]
    assert isinstance(result, dict)
    tools = result["tools"]
    assert isinstance(tools, list)
    return read_tools(tools)[0]


def harm(hints: Hints) -> int:
    return (
        [Effect.READ_ONLY, Effect.ADDITIVE].index(hints.effect)
        if not hints.effect.may_destroy
        else 2
    )


@examples(60)
@given(st.lists(st.tuples(st.sampled_from(HINT_KEYS), st.booleans()), max_size=7))
def test_no_reading_of_doubled_hints_is_stricter(members: Members) -> None:
    seen = read(object_of(members)).hints
    by_name = {key: {value for one, value in members if one == key} for key, _ in members}
    for values in itertools.product(*by_name.values()):
        other = read_hints(dict(zip(by_name, values, strict=True)))
        assert harm(seen) >= harm(other)
        assert seen.is_open_world or not other.is_open_world
        assert not seen.is_repeatable or other.is_repeatable


@pytest.mark.parametrize(
    ("annotations", "effect"),
    [
        ('{"readOnlyHint": false, "readOnlyHint": true}', Effect.UNDECLARED),
        ('{"readOnlyHint": true, "readOnlyHint": false}', Effect.UNDECLARED),
        ('{"destructiveHint": true, "destructiveHint": false}', Effect.DESTRUCTIVE),
        (
            '{"readOnlyHint": true, "destructiveHint": 1, "destructiveHint": 0}',
            Effect.CONTRADICTORY,
        ),
        ('{"readOnlyHint": true}', Effect.READ_ONLY),
    ],
)
def test_the_stricter_of_doubled_hints_counts(annotations: str, effect: Effect) -> None:
    assert read(annotations).effect is effect


READ_ONLY = '{"readOnlyHint": false, "readOnlyHint": true}'


def test_neither_many_doubled_names_nor_many_parts_hide_a_doubled_hint() -> None:
    crowd = "".join(f'"x{number}": 1, "x{number}": 2, ' for number in range(30))
    assert read(READ_ONLY, more=crowd).effect is Effect.UNDECLARED
    parts = "".join(f'"y{number}": 1, ' for number in range(20_001))
    assert read(READ_ONLY, beside=parts).effect is Effect.UNDECLARED


def test_doubled_annotations_double_their_hints() -> None:
    twice = '"annotations": {"readOnlyHint": false},'
    tool = read('{"readOnlyHint": true}', more=twice)
    assert tool.effect is Effect.UNDECLARED
    assert "duplicate-key" in {one.code for one in tool.findings}
