from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable

from app.core.changes import MAX_CHANGES, Change, DefinitionDiff, Weight, compare_definitions
from app.core.hints import HINT_KEYS, read_hints
from app.core.jsonio import canonical, digest, pointer
from app.core.text import visible
from tests.core.definitions import (
    ANNOTATIONS,
    DEFINITIONS,
    ODD,
    ROOTS,
    WORDS,
    applied,
    edited,
    reordered,
    schema_pairs,
)

SAFE, REWORDED, OUTPUT = Weight.SAFE, Weight.REWORDED, Weight.OUTPUT
WEAKENED, BREAKING = Weight.WEAKENED, Weight.BREAKING
NONE: Any = object()
"""Not there."""


def schema_diff(old: Any, new: Any) -> DefinitionDiff:
    return compare_definitions({"inputSchema": old}, {"inputSchema": new})


def only(diff: DefinitionDiff) -> Change:
    assert len(diff.changes) == 1, diff.changes
    return diff.changes[0]


def check_exact(old: Any, new: Any) -> DefinitionDiff:
    """A diff that names every difference, and nothing else."""
    diff = compare_definitions(old, new)
    assert (diff.old_digest, diff.new_digest) == (digest(old), digest(new))
    assert bool(diff.changes) == (diff.old_digest != diff.new_digest)
    assert canonical(applied(diff.changes, old)) == canonical(new)
    assert len({change.steps for change in diff.changes}) == len(diff.changes)
    weights = [change.weight for change in diff.changes]
    assert weights == sorted(weights, reverse=True)
    assert Weight.SAME not in weights
    for change in diff.changes:
        assert change.path == pointer(change.steps)
        assert visible(change.words) == change.words
        json.dumps(change.as_json())
    return diff


@given(st.data(), DEFINITIONS | ODD)
def test_the_diff_of_an_edit_names_every_difference(data: st.DataObject, old: Any) -> None:
    check_exact(old, data.draw(edited(old)))


@given(DEFINITIONS | ODD, DEFINITIONS | ODD)
def test_the_diff_of_any_two_definitions_names_every_difference(old: Any, new: Any) -> None:
    check_exact(old, new)


@given(DEFINITIONS | ODD)
def test_the_order_of_names_is_no_change(old: Any) -> None:
    assert compare_definitions(old, reordered(old)).changes == ()
    assert digest(old) == digest(reordered(old))


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
        assert diff.weight <= REWORDED
        assert after.is_repeatable <= before.is_repeatable


@pytest.mark.parametrize(
    ("hint", "old", "new", "weight", "code"),
    [
        ("readOnlyHint", NONE, True, WEAKENED, "hint-weakened"),
        ("readOnlyHint", False, True, WEAKENED, "hint-weakened"),
        ("readOnlyHint", "yes", True, WEAKENED, "hint-weakened"),
        ("readOnlyHint", True, NONE, SAFE, "hint-strengthened"),
        ("readOnlyHint", NONE, False, SAFE, "hint-restated"),
        ("readOnlyHint", NONE, "true", REWORDED, "hint-malformed"),
        ("destructiveHint", NONE, False, WEAKENED, "hint-weakened"),
        ("destructiveHint", True, False, WEAKENED, "hint-weakened"),
        ("destructiveHint", 1, False, WEAKENED, "hint-weakened"),
        ("destructiveHint", False, "false", SAFE, "hint-strengthened"),
        ("destructiveHint", True, NONE, SAFE, "hint-restated"),
        ("idempotentHint", NONE, True, WEAKENED, "hint-weakened"),
        ("idempotentHint", True, False, SAFE, "hint-strengthened"),
        ("openWorldHint", NONE, False, WEAKENED, "hint-weakened"),
        ("openWorldHint", False, True, SAFE, "hint-strengthened"),
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
    words = "readOnly: was not said (false by default), is now true; it claims less harm"
    assert only(diff).words == words


def test_resolving_a_contradiction_to_read_only_is_a_weakening() -> None:
    old: Any = {"annotations": {"readOnlyHint": True, "destructiveHint": True}}
    change = only(compare_definitions(old, {"annotations": {"readOnlyHint": True}}))
    assert change.weight is WEAKENED
    assert "as a whole it was contradictory, and counts as read-only now" in change.words


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


STRING: Any = {"type": "string"}


def parameters(required: list[str] | None = None, **properties: Any) -> Any:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema if required is None else {**schema, "required": required}


@pytest.mark.parametrize(
    ("old", "new", "weight", "codes"),
    [
        (parameters(), parameters(a=STRING), SAFE, {"parameter-added"}),
        (
            *(parameters(), parameters(["a"], a=STRING), BREAKING),
            {"parameter-added", "newly-required"},
        ),
        (
            *(parameters(), parameters(a={"type": "string", "default": "/"}), REWORDED),
            {"parameter-added"},
        ),
        (parameters(), parameters(a=5), BREAKING, {"not-understood"}),
        (parameters(a=STRING), parameters(), BREAKING, {"parameter-removed"}),
        (parameters(a=STRING), parameters(["a"], a=STRING), BREAKING, {"newly-required"}),
        (parameters(["a"], a=STRING), parameters([], a=STRING), SAFE, {"no-longer-required"}),
        (parameters(["a", "b"]), parameters(["b", "a"]), SAFE, {"restated"}),
        (parameters(a=STRING), parameters(a={"type": "integer"}), BREAKING, {"type-changed"}),
        (
            parameters(a={"type": "integer"}),
            parameters(a={"type": "number"}),
            SAFE,
            {"type-widened"},
        ),
        (parameters(a=STRING), parameters(a={"type": ["null", "string"]}), SAFE, {"type-widened"}),
        (parameters(a=STRING), parameters(a={}), SAFE, {"type-widened"}),
        (parameters(a=STRING), parameters(a={"type": ["string"]}), SAFE, {"restated"}),
        (parameters(a=STRING), parameters(a={"type": "text"}), BREAKING, {"type-changed"}),
        (
            *(parameters(a=STRING), parameters(a={"type": "string", "description": "x"})),
            *(REWORDED, {"schema-reworded"}),
        ),
        (
            *(parameters(a={"default": 1}), parameters(a={"default": 1.0}), REWORDED),
            {"default-changed"},
        ),
        (parameters(a={"enum": [1, 2]}), parameters(a={"enum": [2, 1, 3]}), SAFE, {"enum-widened"}),
        (parameters(a={"enum": [1, 2]}), parameters(a={"enum": [1]}), BREAKING, {"enum-narrowed"}),
        (parameters(a={"enum": [1, 2]}), parameters(a={"enum": [2, 1.0]}), SAFE, {"restated"}),
        (parameters(a={"enum": [1]}), parameters(a={"enum": [True]}), BREAKING, {"enum-narrowed"}),
        (parameters(a={"minimum": 1}), parameters(a={"minimum": 0}), SAFE, {"constraint-loosened"}),
        (parameters(a={"minimum": 1}), parameters(a={"minimum": 1.0}), SAFE, {"restated"}),
        (
            *(parameters(a={"minimum": 1}), parameters(a={"minimum": 2}), BREAKING),
            {"constraint-tightened"},
        ),
        (
            *(parameters(a={"maximum": 1}), parameters(a={"maximum": 0}), BREAKING),
            {"constraint-tightened"},
        ),
        (parameters(a={}), parameters(a={"minLength": 0}), SAFE, {"restated"}),
        (parameters(a={}), parameters(a={"pattern": "x"}), BREAKING, {"constraint-tightened"}),
        (parameters(a={"pattern": "x"}), parameters(a={}), SAFE, {"constraint-loosened"}),
        (
            *(parameters(), {**parameters(), "additionalProperties": False}, BREAKING),
            {"constraint-tightened"},
        ),
        (parameters(), {**parameters(), "additionalProperties": True}, SAFE, {"restated"}),
        (parameters(a={"items": STRING}), parameters(a={"items": {}}), SAFE, {"type-widened"}),
        (
            *(parameters(a={"items": {}}), parameters(a={"items": STRING}), BREAKING),
            {"type-changed"},
        ),
        (
            *(parameters(a=parameters()), parameters(a=parameters(b=STRING)), SAFE),
            {"parameter-added"},
        ),
        (
            *(parameters(a={"anyOf": [STRING]}), parameters(a={"anyOf": [{}, STRING]}), SAFE),
            {"alternative-added"},
        ),
        (
            *(parameters(a={"anyOf": [{}, STRING]}), parameters(a={"anyOf": [STRING, {}]}), SAFE),
            {"restated"},
        ),
        (
            parameters(a={"oneOf": [{"const": 1}]}),
            parameters(a={"oneOf": [{"const": 1}, {"const": 2}]}),
            *(SAFE, {"alternative-added"}),
        ),
        (
            parameters(a={"oneOf": [{"enum": [1, 2]}, {"const": 3}]}),
            parameters(a={"oneOf": [{"enum": [1, 2, 3]}, {"const": 3}]}),
            *(BREAKING, {"not-understood"}),
        ),
        (parameters(a={"not": STRING}), parameters(a={"not": {}}), BREAKING, {"not-understood"}),
        (
            {"unevaluatedProperties": False, "additionalProperties": STRING},
            {"unevaluatedProperties": False},
            *(BREAKING, {"not-understood"}),
        ),
        (parameters(a={}), parameters(a={"unheardOf": 1}), BREAKING, {"not-understood"}),
        (
            *({}, {"$schema": "https://json-schema.org/draft/2020-12/schema"}, SAFE),
            {"restated"},
        ),
        ({}, {"$schema": "http://json-schema.org/draft-07/schema#"}, BREAKING, {"dialect-changed"}),
        ({}, {"type": "object"}, SAFE, {"restated"}),
        (parameters(), {**parameters(), "$defs": {"x": {}}}, SAFE, {"definition-added"}),
        (
            {"$ref": "#/$defs/x"},
            {"$ref": "#/$defs/x", "$defs": {"x": False}},
            *(BREAKING, {"not-understood"}),
        ),
        (
            {"$ref": "#/$defs/x", "$defs": {"x": {"maximum": 2}}},
            {"$ref": "#/$defs/x", "$defs": {"x": {"maximum": 3}}},
            *(SAFE, {"constraint-loosened"}),
        ),
        (
            {"not": {"$ref": "#/$defs/x"}, "$defs": {"x": {"maximum": 2}}},
            {"not": {"$ref": "#/$defs/x"}, "$defs": {"x": {"maximum": 3}}},
            *(BREAKING, {"not-understood"}),
        ),
    ],
)
def test_an_input_schema(old: Any, new: Any, weight: Weight, codes: set[str]) -> None:
    diff = check_exact({"inputSchema": old}, {"inputSchema": new})
    assert ({change.code for change in diff.changes}, diff.weight) == (codes, weight)


def test_names_in_words_are_quoted_and_counted() -> None:
    names = [f'p"{n}\u202e' for n in range(7)]
    diff = schema_diff({}, {"required": names})
    start = 'newly required: "p\\"0<U+202E>", "p\\"1<U+202E>"'
    assert only(diff).words.startswith(start)
    assert only(diff).words.endswith(" and 2 more")


VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 4, 5, 6, 1.5, -1, "", "a", "bb", "ab", "aaab", "baa"),
    *([], [1], [1, 1], [None], ["a", 2, {}], {}, {"a": 1}, {"b": "a"}, {"a": 1, "b": 2, "c": 3}),
]
INSTANCES = [
    *VALUES,
    *[one for value in VALUES for one in ([value], {"a": value}, {"path": value}, [value, "a"])],
    *[one for value in VALUES for one in ([[value]], {"a": {"a": value}}, {"a": [value]})],
]
META = Draft202012Validator(Draft202012Validator.META_SCHEMA)


def check_sound(old: Any, new: Any) -> None:
    """What was accepted, and is refused now, is breaking."""
    diff = schema_diff(old, new)
    if diff.weight is BREAKING or any(one.code == "parameter-added" for one in diff.changes):
        # A new parameter is typed, and before it anything could be sent under its name.
        return
    before, after = Draft202012Validator(old), Draft202012Validator(new)
    try:
        for instance in INSTANCES:
            if before.is_valid(instance):
                assert after.is_valid(instance), (instance, diff.changes)
    except Unresolvable:
        reject()


@settings(max_examples=300, deadline=None)
@given(schema_pairs())
def test_one_keyword_by_which_anything_is_refused_is_breaking(pair: tuple[Any, Any]) -> None:
    check_sound(*pair)


@settings(deadline=None)
@given(st.data(), ROOTS)
def test_what_is_refused_now_and_was_not_before_is_breaking(data: st.DataObject, old: Any) -> None:
    new = data.draw(edited(old))
    assume(isinstance(new, dict) and META.is_valid(new))
    # No circles: the validator would go round in them.
    assume(not any("$ref" in canonical(one.get("$defs", {})) for one in (old, new)))
    check_sound(old, new)


@given(st.data(), ROOTS, WORDS)
def test_another_text_in_a_schema_is_only_reworded(
    data: st.DataObject, schema: Any, text: str
) -> None:
    old, new = {**schema, "description": text}, {**schema, "description": text + "!"}
    change = only(schema_diff(old, new))
    assert (change.weight, change.path) == (REWORDED, "$.inputSchema.description")


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
    old = {"title": "a", "inputSchema": parameters(a={"default": 1})}
    new = {"title": "b", "inputSchema": parameters(a={"default": 2})}
    codes = [change.code for change in compare_definitions(old, new).changes]
    assert codes == ["default-changed", "title"]


def nested_schema(key: str, depth: int, leaf: Any) -> Any:
    schema = leaf
    for _ in range(depth):
        schema = {key: [schema] if key in ("anyOf", "oneOf", "prefixItems") else schema}
    return schema


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


@pytest.mark.parametrize("case", range(7))
def test_a_megabyte_takes_less_than_a_second(case: int) -> None:
    old, new = big("string")[case], big("number")[case]
    assert 700_000 < len(canonical(old)) < 1_600_000
    started = time.process_time()
    assert compare_definitions(old, new).changes
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize(
    "key", ["not", "items", "additionalProperties", "anyOf", "oneOf", "properties", "unheardOf"]
)
def test_deep_schemas_are_compared_without_deep_recursion(key: str) -> None:
    null = {"type": "null"}
    for depth in (40, 90, 300):
        old, new = ({"inputSchema": nested_schema(key, depth, one)} for one in (STRING, null))
        assert only(compare_definitions(old, new)).weight is BREAKING


@pytest.mark.parametrize("hint", HINT_KEYS)
def test_hints_in_annotations_that_are_no_object_say_nothing(hint: str) -> None:
    old: Any = {"annotations": [hint]}
    diff = check_exact(old, {"annotations": {hint: hint in ("readOnlyHint", "idempotentHint")}})
    assert diff.weight is WEAKENED
    assert {change.path for change in diff.changes} == {"$.annotations", f"$.annotations.{hint}"}
