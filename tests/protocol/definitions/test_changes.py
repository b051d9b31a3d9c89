from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import canonical, digest
from signoff.app.protocol.definitions.changes import MAX_CHANGES, Weight, compare_definitions
from signoff.app.protocol.hints import HINT_KEYS, Effect, read_hints
from tests.approved import approved
from tests.protocol.definitions_made import (
    ANNOTATIONS,
    DEFINITIONS,
    ODD,
    check_exact,
    edited,
    nested_schema,
    only,
    reordered,
)

PROSE = approved("definitions")

SAFE, REWORDED, OUTPUT = Weight.SAFE, Weight.REWORDED, Weight.OUTPUT
WORSENED, WEAKENED, BREAKING = Weight.WORSENED, Weight.WEAKENED, Weight.BREAKING
NONE: Any = object()
"""Not there."""


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), DEFINITIONS | ODD)
def test_the_diff_of_an_edit_names_every_difference(data: st.DataObject, old: Any) -> None:
    check_exact(old, data.draw(edited(old)))


@settings(deadline=None)
@given(DEFINITIONS | ODD, DEFINITIONS | ODD)
def test_the_diff_of_any_two_definitions_names_every_difference(old: Any, new: Any) -> None:
    check_exact(old, new)


@settings(deadline=None)
@given(DEFINITIONS | ODD)
def test_the_order_of_names_is_no_change(old: Any) -> None:
    assert compare_definitions(old, reordered(old)).changes == ()
    assert digest(old) == digest(reordered(old))


@settings(deadline=None)
@given(st.data(), DEFINITIONS | ODD)
def test_a_digest_changes_exactly_with_the_meaning(data: st.DataObject, old: Any) -> None:
    new = data.draw(edited(old))
    # Python writes every distinction that JSON makes, and 1, 1.0 and True differently.
    is_same = repr(_sorted(old)) == repr(_sorted(new))
    assert (digest(old) == digest(new)) == is_same


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        ("", None),
        ([], {}),
        ([1], [1.0]),
        (None, NONE),
    ],
)
@pytest.mark.parametrize("key", ["name", "annotations", "inputSchema", "outputSchema", "_meta"])
def test_values_that_python_takes_for_equal_differ(key: str, old: Any, new: Any) -> None:
    left: dict[str, Any] = {key: old}
    right: dict[str, Any] = {} if new is NONE else {key: new}
    check_exact(left, right)
    check_exact(right, left)


def test_a_pair_of_surrogates_is_the_character_that_it_means() -> None:
    pair: Any = {"description": "\ud83d\ude00", "title": "\ud800"}
    assert compare_definitions(pair, {"description": "😀", "title": "\ud800"}).changes == ()
    diff = compare_definitions(pair, {"description": "😀", "title": "\ud801"})
    assert only(diff).path == "$.title"


@settings(deadline=None)
@given(ANNOTATIONS | ODD, ANNOTATIONS | ODD)
def test_hints_that_claim_less_harm_are_never_less_than_weakened(old: Any, new: Any) -> None:
    before, after = read_hints(old), read_hints(new)
    milder = {"readOnly": True, "destructive": False, "idempotent": True, "openWorld": False}
    claims_less = any(
        was.effective != now.effective and now.effective == milder[now.name]
        for was, now in zip(before, after, strict=True)
    )
    diff = check_exact({"annotations": old}, {"annotations": new})
    if claims_less or (before.effect.may_destroy and not after.effect.may_destroy):
        assert diff.weight == WEAKENED
    elif diff.changes and not any(change.code == "hint-weakened" for change in diff.changes):
        assert diff.weight <= WORSENED
        assert after.is_repeatable <= before.is_repeatable


HARM = {Effect.READ_ONLY: 0, Effect.ADDITIVE: 1}


@settings(deadline=None)
@given(ANNOTATIONS | ODD, ANNOTATIONS | ODD)
def test_hints_that_promise_less_are_no_harmless_change(old: Any, new: Any) -> None:
    before, after = read_hints(old), read_hints(new)
    promises_less = (
        HARM.get(after.effect, 2) > HARM.get(before.effect, 2)
        or (before.is_repeatable and not after.is_repeatable)
        or (after.is_open_world and not before.is_open_world)
    )
    diff = check_exact({"annotations": old}, {"annotations": new})
    codes = {change.code for change in diff.changes}
    assert ("hint-worsened" in codes) <= promises_less
    assert (diff.weight >= WORSENED) == (promises_less or "hint-weakened" in codes)


READ, DESTROY = {"readOnlyHint": True}, {"destructiveHint": True}
ADD = {"destructiveHint": False}
SAME, MORE = "same meaning: true", "it declares more harm"


@pytest.mark.parametrize(
    ("old", "new", "was", "counts"),
    [
        (READ, {}, "read-only", "undeclared"),
        (READ, DESTROY | {"readOnlyHint": False}, "read-only", "destructive"),
        (READ, READ | DESTROY, "read-only", "contradictory"),
        (READ, {"readOnlyHint": "true"}, "read-only", "undeclared"),
        (READ | ADD, ADD, "read-only", "additive"),
        (ADD, {}, "additive", "undeclared"),
        (ADD, DESTROY, "additive", "destructive"),
    ],
)
def test_a_promise_that_is_taken_back(old: Any, new: Any, was: str, counts: str) -> None:
    diff = compare_definitions({"annotations": old}, {"annotations": new})
    assert diff.weight is WORSENED
    words = f"was {was}, and counts as {counts} now"
    assert any(words in change.words for change in diff.changes), diff
    assert any(change.code == "hint-worsened" for change in diff.changes)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        # A default that is said, or said no more, promises the same.
        ({}, DESTROY, f"set now, {SAME}"),
        (DESTROY, {}, f"no longer set, {SAME}"),
        ({}, {"openWorldHint": True}, f"set now, {SAME}"),
        # What does not count, because the tool is read-only, matters to nobody.
        (READ | {"idempotentHint": True}, READ, MORE),
        (READ | ADD, READ, MORE),
    ],
)
def test_a_promise_that_stays_the_same(old: Any, new: Any, words: str) -> None:
    diff = compare_definitions({"annotations": old}, {"annotations": new})
    assert diff.weight is SAFE
    assert any(words in change.words for change in diff.changes), diff


@pytest.mark.parametrize(
    ("hint", "old", "new", "weight", "code"),
    [
        ("readOnlyHint", NONE, True, WEAKENED, "hint-weakened"),
        ("readOnlyHint", False, True, WEAKENED, "hint-weakened"),
        ("readOnlyHint", "yes", True, WEAKENED, "hint-weakened"),
        ("readOnlyHint", True, NONE, WORSENED, "hint-worsened"),
        ("readOnlyHint", NONE, False, SAFE, "hint-restated"),
        ("readOnlyHint", NONE, "true", REWORDED, "hint-malformed"),
        ("destructiveHint", NONE, False, WEAKENED, "hint-weakened"),
        ("destructiveHint", True, False, WEAKENED, "hint-weakened"),
        ("destructiveHint", 1, False, WEAKENED, "hint-weakened"),
        ("destructiveHint", False, "false", WORSENED, "hint-worsened"),
        ("destructiveHint", True, NONE, SAFE, "hint-restated"),
        ("idempotentHint", NONE, True, WEAKENED, "hint-weakened"),
        ("idempotentHint", True, False, WORSENED, "hint-worsened"),
        ("openWorldHint", NONE, False, WEAKENED, "hint-weakened"),
        ("openWorldHint", False, True, WORSENED, "hint-worsened"),
        ("openWorldHint", "no", NONE, SAFE, "hint-restated"),
    ],
)
def test_a_hint(hint: str, old: Any, new: Any, weight: Weight, code: str) -> None:
    left = {} if old is NONE else {hint: old}
    right = {} if new is NONE else {hint: new}
    diff = compare_definitions({"annotations": left}, {"annotations": right})
    change = only(diff)
    assert (change.weight, change.code, change.path) == (weight, code, f"$.annotations.{hint}")


def test_a_hint_says_in_words_what_it_was_and_is() -> None:
    diff = compare_definitions({"name": "a"}, {"name": "a", "annotations": {"readOnlyHint": True}})
    PROSE.holds("hint: set now", only(diff).words)


def test_resolving_a_contradiction_to_read_only_is_a_weakening() -> None:
    old: Any = {"annotations": {"readOnlyHint": True, "destructiveHint": True}}
    change = only(compare_definitions(old, {"annotations": {"readOnlyHint": True}}))
    assert change.weight is WEAKENED
    PROSE.holds("hint: a contradiction resolved", change.words)


@pytest.mark.parametrize(
    ("key", "weight"),
    [
        *(("title", REWORDED), ("description", REWORDED), ("icons", REWORDED), ("_meta", REWORDED)),
        *(("execution", REWORDED), ("anything", REWORDED), ("outputSchema", OUTPUT)),
        *(("inputSchema", BREAKING), ("name", BREAKING)),
    ],
)
@pytest.mark.parametrize(("old", "new"), [(NONE, "x"), ("x", "y"), ("x", [1]), ({}, NONE)])
def test_a_field(key: str, weight: Weight, old: Any, new: Any) -> None:
    left = {} if old is NONE else {key: old}
    right = {} if new is NONE else {key: new}
    assert only(compare_definitions(left, right)).weight is weight


def test_a_tool_that_can_be_called_only_as_a_task_is_another_tool() -> None:
    old: Any = {"execution": {"taskSupport": "optional"}}
    new: Any = {"execution": {"taskSupport": "required"}}
    assert compare_definitions(old, new).weight is BREAKING
    assert compare_definitions({}, new).weight is BREAKING
    assert compare_definitions(new, old).weight is REWORDED


@pytest.mark.parametrize("entry", [None, 1, "x", [], [1]])
def test_an_entry_that_is_no_object_is_not_understood(entry: Any) -> None:
    change = only(compare_definitions({"name": "a"}, entry))
    assert (change.path, change.weight, change.steps) == ("$", BREAKING, ())
    assert compare_definitions({"name": "a"}, entry).tool == "a"


def test_many_changes_are_cut_and_counted_with_the_weightiest_kept() -> None:
    old: Any = {"_meta": {f"k{n}": n for n in range(600)}, "annotations": {}}
    new: Any = {
        "_meta": {f"k{n}": -n - 1 for n in range(600)},
        "annotations": {"readOnlyHint": True},
    }
    diff = compare_definitions(old, new)
    assert (len(diff.changes), diff.more) == (MAX_CHANGES, 101)
    assert (diff.changes[0].weight, diff.weight) == (WEAKENED, WEAKENED)


def test_a_changed_default_stands_before_other_wording() -> None:
    old: Any = {"title": "a", "inputSchema": {"default": 1}}
    new: Any = {"title": "b", "inputSchema": {"default": 2}}
    codes = [change.code for change in compare_definitions(old, new).changes]
    assert codes == ["default-changed", "title"]


def big(leaf: Any) -> Any:
    many = [f"{leaf}{n}" for n in range(80_000)]
    return [
        {"inputSchema": {"properties": {f"p{n}": {"type": leaf} for n in range(40_000)}}},
        {"inputSchema": {"enum": many}},
        {"inputSchema": {"required": many}},
        {"_meta": {f"k{n}": leaf for n in range(60_000)}},
        {"description": f"{leaf} words " * 80_000},
        {"inputSchema": nested_schema("anyOf", 45, {"enum": many})},
        {"inputSchema": {"$defs": {f"{leaf}{n}": {"$ref": f"#/$defs/{n}"} for n in range(20_000)}}},
    ]


@pytest.mark.slow
@pytest.mark.parametrize("case", range(7))
def test_a_megabyte_is_compared(case: int) -> None:
    old, new = big("string")[case], big("number")[case]
    assert 700_000 < len(canonical(old)) < 1_600_000
    assert compare_definitions(old, new).changes


@pytest.mark.parametrize("hint", HINT_KEYS)
def test_hints_in_annotations_that_are_no_object_say_nothing(hint: str) -> None:
    old: Any = {"annotations": [hint]}
    diff = check_exact(old, {"annotations": {hint: hint in ("readOnlyHint", "idempotentHint")}})
    assert diff.weight is WEAKENED
    assert {change.path for change in diff.changes} == {"$.annotations", f"$.annotations.{hint}"}
