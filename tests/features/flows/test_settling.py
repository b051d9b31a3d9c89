"""What two runs have in common, as patterns and matchers, and how a flow file takes them in."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.flows.matching import match_value
from signoff.app.features.flows.settling import (
    _compare,
    changes_by_look,
    matchers,
    shape_of,
    wider_pattern,
)
from signoff.app.features.flows.text_shapes import common_pattern, pattern_of_now
from signoff.app.features.flows.updating import Proposal, edited, written
from signoff.app.features.flows.yaml_tree import read_yaml
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.content.json_values import json_values
from tests.schemas.judges import Judges

NOW = datetime(2026, 11, 23, 5, 20, 11, tzinfo=UTC)
PIECES = st.sampled_from(
    [
        "2026-11-23",
        "T05:20:11",
        "05:20",
        "Monday",
        "x",
        "ab12",
        "7",
        "3.5",
        " ",
        "\n",
        "$",
        "ü",
        "[",
        "\\",
    ]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)
UUID = "b7ad3f0e-3c9b-4f0e-8a63-0d5f2e1c9a77"


@pytest.mark.parametrize(
    ("first", "second", "pattern"),
    [
        ("42 files", "7 files", r"^\d+ files$"),
        ("1 file", "2 files", r"^\d+ [0-9A-Za-z]+$"),
        ("rec_8f3a made", "rec_11b2 made", "^rec_[0-9a-f]+ made$"),
        ("took 3.2 s", "took 4 s", r"^took \d+(?:\.\d+)? s$"),
        ("05:20 on Monday", "05:21 on Monday", r"^\d{2}:\d{2} on [A-Z][a-z]+$"),
        ("2026-11-23 05:20", "2026-11-23 05:21", r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$"),
        ("7 on Monday", "8 on Monday", r"^\d+ on Monday$"),
        ("a", "a\nb", r"^a[\s\S]*$"),
        ("(a+b) 1", "(a+b) 2", r"^\(a\+b\) \d+$"),
        ("at 6:01:56 AM.", "at 6:02:00 AM.", r"^at \d{1,2}:\d{1,2}:\d{1,2} [AaPp][Mm]\.$"),
        ("at 9:59, 1", "at 9:58, 1", r"^at \d{1,2}:\d{2}, 1$"),
    ],
)  # fmt: skip
def test_what_changes_is_told_by_its_shape_and_all_else_stands(
    first: str, second: str, pattern: str
) -> None:
    assert common_pattern(first, second) == pattern


@given(TEXTS, TEXTS)
def test_a_pattern_fits_both_texts(first: str, second: str) -> None:
    pattern = common_pattern(first, second)
    assert pattern is not None
    assert re.search(pattern, first)
    assert re.search(pattern, second)


@given(TEXTS, TEXTS, TEXTS)
def test_a_third_text_widens_the_pattern(first: str, second: str, third: str) -> None:
    pattern = common_pattern(first, second)
    assert pattern is not None
    wider = wider_pattern(pattern, third)
    assert wider is not None
    for one in (first, second, third):
        assert re.search(wider, one), (pattern, wider, one)


def test_a_pattern_is_widened_where_a_text_differs_and_nowhere_else() -> None:
    pattern = common_pattern("7 of 9 at 05:20:11", "8 of 9 at 05:20:12")
    assert pattern is not None
    assert wider_pattern(pattern, "6 of 9 at 11:20:12") == pattern
    assert wider_pattern(pattern, "6 of 10 at 11:20:12") == r"^\d+ of \d+ at \d{2}:\d{2}:\d{2}$"
    assert wider_pattern("^[a-z]+ by hand$", "x by hand") is None


@given(json_values(), json_values())
async def test_matchers_take_both_values(first: JsonValue, second: JsonValue) -> None:
    changes: dict[Any, Any] = {}
    _compare(first, second, (), changes, False)
    for wanted in matchers(first, changes):
        assert isinstance(wanted, dict)
        for value in (first, second):
            found = await match_value(wanted, value, True, Judges())
            assert all(one.passed for one in found), (wanted, value)


def test_what_is_stable_beside_what_changes_is_expected_still() -> None:
    first: JsonValue = {"id": "a1", "zone": "UTC", "n": 3, "in": [{"t": "05:20:11"}, {"t": "x"}]}
    second: JsonValue = {"id": "b2", "zone": "UTC", "n": 4, "in": [{"t": "05:20:12"}, {"t": "x"}]}
    changes: dict[Any, Any] = {}
    _compare(first, second, (), changes, True)
    assert matchers(first, changes, "/a") == [
        {"at": "/a", "contains": {"zone": "UTC"}},
        {"at": "/a/id", "regex": "^[0-9a-f]+$"},
        {"at": "/a/n", "least": 0},
        {"at": "/a/in/0/t", "regex": r"^\d{2}:\d{2}:\d{2}$"},
        {"at": "/a/in/1", "equals": {"t": "x"}},
    ]


@pytest.mark.parametrize(
    ("first", "second", "matcher"),
    [
        (0, 4, {"least": 0}),
        (4, 0.5, {"least": 0}),
        (-1, 4, {"schema": {"type": "number"}}),
        (0, None, {"schema": {"type": ["number", "null"]}}),
    ],
)
def test_a_number_is_bounded_where_it_never_was_negative(
    first: JsonValue, second: JsonValue, matcher: JsonValue
) -> None:
    changes: dict[Any, Any] = {}
    _compare(first, second, (), changes, False)
    assert matchers(first, changes) == [matcher]


def test_times_of_now_and_uuids_are_told_by_their_look() -> None:
    moment = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"
    assert pattern_of_now("2026-11-23T05:20:11Z", NOW) == moment
    assert pattern_of_now("2024-11-23T05:20:11Z", NOW) is None
    assert pattern_of_now("42 files", NOW) is None
    assert pattern_of_now(f"42: {UUID}", NOW) is not None
    value: JsonValue = {"ms": 1_795_411_211_000, "n": 42, "ids": [UUID], "at": "2026-11-23"}
    assert set(changes_by_look(value, NOW)) == {("ms",), ("ids", 0), ("at",)}
    value = {"at": "2026-11-23", "day": "Monday", "made": "2019-11-23"}
    assert set(changes_by_look(value, NOW)) == {("at",), ("day",)}
    assert changes_by_look({"day": "Monday"}, NOW) == {}


def test_a_shape_is_kept_by_its_value_and_by_others_like_it() -> None:
    value: JsonValue = {"a": [1], "b": {"c": None, "d": True}, "e": "x", "f": 1.5}
    assert judge(shape_of(value), value).answer is SchemaAnswer.VALID
    other: JsonValue = {"a": [], "b": {"c": None, "d": False}, "e": "y", "f": 2}
    assert judge(shape_of(value), other).answer is SchemaAnswer.VALID
    assert judge(shape_of(value), {"a": []}).answer is SchemaAnswer.INVALID


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    structured: {equals: 1}   # c\n", "    structured:\n      - a\n      - b   # c\n"),
        ("    structured: [{equals: 1}, x]\n", "    structured: [a, b, x]\n"),
        ("    structured:\n    -   {equals: 1}\n", "    structured:\n    -   a\n    -   b\n"),
        ("    {structured: {equals: 1}}\n", "    {structured: [a, b]}\n"),
    ],
)
def test_several_matchers_take_the_place_of_one(before: str, after: str) -> None:
    head = "steps:\n- expect:\n"
    wanted = Proposal(0, ("expect", "structured", 0), ["a", "b"], is_several=True)
    assert edited(head + before, [wanted]) == (head + after, [])


@given(st.text())
def test_any_text_is_read_as_it_was_written(text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        return
    assert read_yaml(written([text]).encode(), "x").plain() == [text]
