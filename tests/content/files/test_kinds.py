"""Kinds of values in files: their messages in each language, and their JSON Schemas."""

from __future__ import annotations

import datetime
import math
from typing import Any

import pytest
from hypothesis import given

from signoff.app.content.files.kinds import (
    AnyValue,
    Flag,
    Key,
    Kind,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Table,
    Text,
    Word,
)
from signoff.app.content.files.tree import (
    JSON,
    TOML,
    WRONG,
    YAML,
    Notation,
    Problem,
    Problems,
    SourceLocation,
    Tree,
)
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("files")

POINT = Table(
    "a point",
    {"x": Key(Number(0, 9, is_whole=True), "across", is_required=True), "name": Key(Text())},
)


def tree_of(value: Any, line: int = 1) -> Tree:
    """A tree in which each member of a container is one line further down."""
    spot = SourceLocation(line, 1)
    if isinstance(value, list):
        return Tree([tree_of(one, line + at) for at, one in enumerate(value, 1)], spot)
    if isinstance(value, dict):
        lines = {key: line + at for at, key in enumerate(value, 1)}
        below = {key: tree_of(one, lines[key]) for key, one in value.items()}
        return Tree(below, spot, {key: SourceLocation(lines[key], 1) for key in value})
    return Tree(value, spot)


def told(kind: Kind, value: Any, notation: Notation = YAML) -> list[str]:
    problems = Problems(notation)
    kind.read(tree_of(value), "it", problems)
    return [f"{one.line}: {one.message}" for one in problems.in_order()]


@pytest.mark.parametrize(
    ("kind", "value", "key"),
    [
        (Text(), 5, "text: a number"),
        (Text(), [1], "text: a list"),
        (Word(("a", "b")), "c", "word: another one"),
        (Word(("allow", "deny")), "alow", "word: a misspelt one"),
        (Word("abcdefghijklmnopq"), 1, "word: one of many"),
        (Flag(), "yes", "flag: a text"),
        (Number(1, 9), 10, "number: too large"),
        (Number(1, math.inf, is_whole=True), 0, "number: too small"),
        (Number(0, 9), 10.0**40, "number: very large"),
        (Number(0, 9), math.nan, "number: very large"),
        (AnyValue(is_object=True), None, "table: nothing"),
        (ListOf(Flag()), True, "list: a flag"),
        (MapOf(Flag()), datetime.date(2026, 1, 1), "table: a date"),
        (OneOf((Text(), Flag())), 1, "alternatives: neither"),
    ],
)
def test_what_is_told_of_a_value_in_yaml_and_in_toml(kind: Kind, value: Any, key: str) -> None:
    [in_yaml], [in_toml] = told(kind, value), told(kind, value, TOML)
    PROSE.holds(key, f"YAML  {in_yaml}\nTOML  {in_toml}")


def test_all_problems_are_told_with_their_places() -> None:
    PROSE.holds(
        "kinds: every problem",
        "\n".join(told(ListOf(POINT), [{"x": 10, "nam": "a"}, {}, {"x": 1, "name": 2}])),
    )
    PROSE.holds("kinds: known keys", "\n".join(told(POINT, {"x": 1, "zzzz": 1})))
    PROSE.holds("kinds: an empty text", "\n".join(told(Text(may_be_blank=False), " ", JSON)))


def test_what_is_wrong_is_left_out_of_what_is_read() -> None:
    problems = Problems(YAML)
    assert Text().read(tree_of(1), "it", problems) is WRONG
    assert ListOf(Text()).read(tree_of(["a", 1, "b"]), "it", problems) == ["a", "b"]
    assert MapOf(Text()).read(tree_of({"a": 1, "b": "c"}), "it", problems) == {"b": "c"}
    read = POINT.read(tree_of({"x": -1, "name": "n"}), "it", problems)
    assert read == {"": SourceLocation(1, 1), "name": "n"}
    assert len(problems.found) == 4


def test_a_check_between_values_waits_until_each_is_right() -> None:
    def check(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
        problems.add(tree.spot, "checked")

    kind = Table("it", {"a": Key(Flag())}, check=check)
    assert told(kind, {"a": True}) == ["1: checked"]
    assert [one[:5] for one in told(kind, {"a": 1})] == ["2: a:"]


def test_problems_come_once_and_in_the_order_of_the_lines() -> None:
    problems = Problems(TOML)
    for line in (3, 1, 3):
        problems.add(SourceLocation(line), "same")
    assert problems.in_order() == tuple(Problem(SourceLocation(one), "same") for one in (1, 3))


KIND = Table(
    "all",
    {
        "a": Key(OneOf((Word(("b", "c")), Number(0, 5), ListOf(Text())))),
        "b": Key(ListOf(Flag(), or_one=True, may_be_empty=True)),
        "c": Key(MapOf(AnyValue(is_object=True))),
        "d": Key(Number(2, math.inf)),
    },
)


@given(json_values())
def test_the_schema_of_a_kind_allows_what_it_reads(value: Any) -> None:
    for one in (value, *({key: value} for key in KIND.keys)):
        verdict = judge(KIND.schema(), one).answer
        assert (not told(KIND, one)) is (verdict is SchemaAnswer.VALID), one
