from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import digest
from signoff.app.protocol.definitions.changes import (
    ListDiff,
    Weight,
    compare_definitions,
    tool_name,
)
from signoff.app.protocol.definitions.lists import compare_lists
from tests.protocol.definitions_made import DEFINITIONS, ODD, edited, reordered

ENTRIES = st.lists(
    st.builds(
        lambda name, rest: {"name": name, **rest} if isinstance(rest, dict) else rest,
        st.sampled_from(["a", "b", "delete_file"]),
        DEFINITIONS.map(lambda one: {k: v for k, v in one.items() if k != "name"}) | ODD,
    ),
    max_size=5,
)


def tool(name: str, **fields: Any) -> Any:
    return {
        "name": name,
        "description": "Deletes one file from the scratch folder and says how long it was.",
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
        **fields,
    }


def other(name: str) -> Any:
    schema = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}}
    return tool(name, description="Tells the weather of a city in Europe", inputSchema=schema)


def counted(entries: Any) -> Counter[str]:
    return Counter(digest(raw) for raw in entries)


def names(entries: Any) -> Counter[str]:
    return Counter(tool_name(raw) for raw in entries)


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), ENTRIES)
def test_nothing_is_overlooked_and_nothing_made_up(data: st.DataObject, old: Any) -> None:
    new = data.draw(st.one_of(edited(old).filter(lambda one: isinstance(one, list)), ENTRIES))
    diff = compare_lists(old, new)
    assert diff.is_empty == (counted(old) == counted(new))
    assert names(old) - Counter(diff.gone) + Counter(diff.added) == names(new)
    gone = Counter(one.old_digest for one in diff.changed)
    came = Counter(one.new_digest for one in diff.changed)
    assert not gone - counted(old)
    assert not came - counted(new)
    assert len(diff.changed) + len(diff.gone) == (counted(old) - counted(new)).total()
    assert len(diff.changed) + len(diff.added) == (counted(new) - counted(old)).total()
    assert not Counter(one.old for one in diff.renamed) - Counter(diff.gone)
    assert not Counter(one.new for one in diff.renamed) - Counter(diff.added)
    json.dumps(diff.as_json())


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), ENTRIES)
def test_order_means_nothing(data: st.DataObject, old: Any) -> None:
    shuffled = data.draw(st.permutations(old))
    assert compare_lists(old, [reordered(one) for one in shuffled]) == ListDiff()


def test_new_changed_and_gone() -> None:
    old = [tool("a"), other("b"), tool("c", x=1)]
    new = [tool("c", x=2), tool("a"), {"name": "d"}]
    diff = compare_lists(old, new)
    assert (diff.added, diff.gone, diff.renamed) == (("d",), ("b",), ())
    assert diff.changed == (compare_definitions(old[2], new[0]),)
    assert not diff.is_empty


def test_a_number_written_otherwise_is_a_change() -> None:
    for one, two in ((1, 1.0), (1, True), (0.0, -0.0)):
        assert [c.tool for c in compare_lists([tool("a", x=one)], [tool("a", x=two)]).changed] == [
            "a"
        ]


@pytest.mark.parametrize("entry", [None, 5, "x", [], {}, {"name": 5}, {"name": ""}])
def test_entries_without_a_name(entry: Any) -> None:
    assert compare_lists([entry], [entry]).is_empty
    assert compare_lists([], [entry]).added == ("",)
    assert compare_lists([entry], []).gone == ("",)
    assert [one.weight for one in compare_lists([entry], [["other"]]).changed] == [Weight.BREAKING]


def test_a_duplicate_does_not_hide_a_change() -> None:
    one, two, three = tool("a", x=1), tool("a", x=2), tool("a", x=3)
    diff = compare_lists([one, two], [three, one])
    assert diff.changed == (compare_definitions(two, three),)
    assert (diff.added, diff.gone, diff.duplicated) == ((), (), ())


def test_a_second_tool_of_the_same_name_is_new_and_makes_the_name_ambiguous() -> None:
    one, two = tool("a", x=1), tool("a", x=2)
    for new in ([one, two], [two, one], [one, one]):
        diff = compare_lists([one], new)
        assert (diff.added, diff.changed, diff.duplicated) == (("a",), (), ("a",))
    assert compare_lists([one, two], [two]).gone == ("a",)
    assert compare_lists([one, two], [two]).duplicated == ()
    assert compare_lists([], [one, two]).duplicated == ("a",)


def test_a_tool_that_differs_in_its_name_only_looks_renamed() -> None:
    old, new = tool("delete_file"), tool("zap")
    diff = compare_lists([old, other("b")], [other("b"), new])
    (renamed,) = diff.renamed
    assert (renamed.old, renamed.new, renamed.is_exact) == ("delete_file", "zap", True)
    assert renamed.diff == compare_definitions(old, new)
    assert (diff.added, diff.gone) == (("zap",), ("delete_file",))


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Zap"},
        {"annotations": {"title": "Zap"}},
        {"description": "Deletes one file from the scratch folder and says how big it was."},
        {"annotations": {"readOnlyHint": True}},
    ],
)
def test_a_tool_that_is_much_alike_looks_renamed(changes: Any) -> None:
    (renamed,) = compare_lists([tool("delete_file")], [tool("zap", **changes)]).renamed
    assert (renamed.old, renamed.new, renamed.is_exact) == ("delete_file", "zap", False)


def test_a_tool_that_says_something_else_does_not_look_renamed() -> None:
    assert compare_lists([tool("delete_file")], [other("weather")]).renamed == ()


def test_definitions_that_say_nothing_are_told_apart_by_their_names() -> None:
    bare: Any = {"inputSchema": {"type": "object"}}
    old = [{"name": "list_files", **bare}, {"name": "whoami", **bare}]
    new = [{"name": "now", **bare}, {"name": "list_file", **bare}]
    (renamed,) = compare_lists(old, new).renamed
    assert (renamed.old, renamed.new) == ("list_files", "list_file")


def test_twins_are_paired_by_their_names() -> None:
    old = [tool("copy_file"), tool("move_file")]
    new = [tool("move_file_2"), tool("copy_file_2")]
    pairs = {(one.old, one.new) for one in compare_lists(old, new).renamed}
    assert pairs == {("copy_file", "copy_file_2"), ("move_file", "move_file_2")}


def test_one_gone_tool_is_renamed_to_one_new_tool_at_most() -> None:
    diff = compare_lists([tool("delete_file")], [tool("delete_file_1"), tool("delete_file_2")])
    assert len(diff.renamed) == 1
    assert len(diff.added) == 2


def test_a_name_that_stays_twice_is_not_taken_for_renamed() -> None:
    diff = compare_lists([tool("a"), tool("a")], [tool("a"), tool("b")])
    assert (diff.gone, diff.added) == (("a",), ("b",))
    assert [(one.old, one.new) for one in diff.renamed] == [("a", "b")]


def many(prefix: str, **fields: Any) -> list[Any]:
    return [tool(f"{prefix}{n}", **fields) for n in range(5_000)]


def test_five_thousand_unchanged_tools() -> None:
    old = many("t", _meta={"words": [f"word {n}" for n in range(20)]})
    new = copy.deepcopy(old)
    assert compare_lists(old, new).is_empty


@pytest.mark.slow
@pytest.mark.parametrize(
    "new",
    [
        pytest.param(lambda: many("u"), id="twins with other names"),
        pytest.param(
            lambda: [tool(f"u{n}", n=n) for n in range(5_000)], id="alike with other names"
        ),
        pytest.param(lambda: [tool("same", n=n) for n in range(5_000)], id="one name"),
        pytest.param(lambda: many("t", n=1), id="all changed"),
        pytest.param(lambda: many("t")[::-1], id="another order"),
    ],
)
def test_five_thousand_tools_at_worst(new: Callable[[], list[Any]]) -> None:
    old = many("t")
    compare_lists(old, new())


@pytest.mark.slow
def test_two_hundred_tools_that_are_all_alike() -> None:
    words = " ".join(f"word{n}" for n in range(400))
    old = [tool(f"old_{n}", description=f"{words} {n}") for n in range(200)]
    new = [tool(f"new_{n}", description=f"{words} {n}") for n in range(200)]
    assert len(compare_lists(old, new).renamed) == 200
