"""Values as a tree, and the errors in them as a list."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.binding import BindingType

from signoff.app.content.json.jsonio import JsonValue, Path
from signoff.widgets.json_tree.errors import ErrorList, PlacedError
from signoff.widgets.json_tree.rows import MAX_DEPTH
from signoff.widgets.json_tree.tree import JsonTree, NodeError
from tests.approved import approved
from tests.content.json_values import json_values
from tests.showing import Showing, Stage, showing
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless

PROSE = approved("widgets")


def rows(tree: JsonTree) -> list[str]:
    lines = [tree.render_line(y).text.rstrip() for y in range(tree.size.height)]
    return [" ".join(line.split()) for line in lines if line]


def place(tree: JsonTree) -> Path | None:
    return tree.path


CHARACTER: JsonValue = {
    "name": "Lirael Mosswhisper",
    "abilities": "Vine Whip",
    "home": {"forest": {"tree": {"height": "tall"}}},
    "tags": [],
}
ERRORS = (
    NodeError(("abilities",), "is not of type array", "/properties/abilities/type"),
    NodeError(("species",), "required property", "/required"),
    NodeError(("home", "forest", "tree", "height"), "is not a number", "/x/type"),
)


async def test_errors_stand_beside_their_nodes() -> None:
    async with showing(JsonTree(CHARACTER, ERRORS), size=(110, 20)) as stage:
        PROSE.holds("tree: errors beside their nodes", "\n".join(rows(stage.widget)))


async def test_without_errors_two_levels_are_open() -> None:
    async with showing(JsonTree(CHARACTER), size=(80, 20)) as stage:
        assert rows(stage.widget) == [
            'name "Lirael Mosswhisper"',
            'abilities "Vine Whip"',
            "▾ home 1 member",
            "▸ forest 1 member",
            "tags []",
        ]


@pytest.mark.parametrize("value", [None, True, 1.5, "text", [], {}])
async def test_a_root_without_children(value: JsonValue) -> None:
    row = json.dumps(value)
    wrong = JsonTree(value, [NodeError((), "is wrong", "/type")])
    wrong.styles.height = 1
    async with showing(wrong, JsonTree(value), size=(80, 6)) as stage:
        shown = " ".join(stage.text.split())
        assert shown == f"✗ {row} is wrong schema /type {row}"


async def test_errors_at_odd_places() -> None:
    errors = [
        NodeError((), "too few properties", "/minProperties"),
        NodeError(("x",), "required", "/required"),
        NodeError(("a", "deeper"), "not an object", "/a"),
        NodeError(("a",), "second", "/a2"),
        NodeError(("list", 7), "no such item", "/l"),
    ]
    async with showing(JsonTree({"a": 1, "list": [1]}, errors), size=(100, 12)) as stage:
        PROSE.holds("tree: errors of containers", "\n".join(rows(stage.widget)))


async def test_a_missing_property_of_an_empty_object() -> None:
    async with showing(
        JsonTree({"inner": {}}, [NodeError(("inner", "id"), "required", "/r")]), size=(80, 6)
    ) as stage:
        PROSE.holds("tree: missing in an empty object", "\n".join(rows(stage.widget)))


async def test_keys_fold_and_unfold() -> None:
    async with showing(JsonTree({"a": {"b": {"c": 1}}, "d": [1, [2]]}), size=(80, 12)) as stage:
        tree = stage.widget
        tree.focus()

        async def press(*keys: str) -> list[str]:
            await stage.press(*keys)
            return rows(tree)

        start = ["▾ a 1 member", "▸ b 1 member", "▾ d 2 items", "0 1", "▸ 1 1 item"]
        assert rows(tree) == start
        assert await press("space") == ["▸ a 1 member", "▾ d 2 items", "0 1", "▸ 1 1 item"]
        assert await press("enter") == start
        assert (await press("right", "right"))[1:3] == ["▾ b 1 member", "c 1"]
        assert place(tree) == ("a", "b")
        assert await press("right", "left", "left") == start
        assert place(tree) == ("a", "b")
        assert (await press("left", "left"))[0] == "▸ a 1 member"
        assert place(tree) == ("a",)
        assert "▾ 1 1 item" in await press("O")
        assert await press("Z") == ["▸ a 1 member", "▸ d 2 items"]
        await press("G")
        assert place(tree) == ("d",)
        assert stage.posted(JsonTree.Highlighted)[-1].path == ("d",)


async def test_a_click_folds_and_closing_keeps_the_cursor_near() -> None:
    async with showing(JsonTree({"a": {"b": {"c": 1}}, "z": 1}), size=(80, 12)) as stage:
        await stage.pilot.click(stage.widget, offset=(6, 0))
        await stage.pause()
        assert rows(stage.widget) == ["▸ a 1 member", "z 1"]
        stage.widget.focus()
        await stage.press("O", "down", "down")
        assert place(stage.widget) == ("a", "b", "c")
        await stage.press("Z")
        assert place(stage.widget) == ("a",)


async def test_long_lists_come_in_groups() -> None:
    wrong = [NodeError(("items", 777), "odd", "/items")]
    async with showing(JsonTree({"items": list(range(1_234))}, wrong), size=(80, 300)) as stage:
        shown = rows(stage.widget)
        assert shown[:3] == ["↘ ▾ items 1,234 items 1 error inside", "▾ 0 … 99", "0 0"]
        assert {
            *("▸ 100 … 199", "↘ ▾ 700 … 799 1 error inside"),
            *("✗ 777 777 odd schema /items", "▸ 1,200 … 1,233"),
        } <= {*shown}
    async with showing(JsonTree({f"k{n}": n for n in range(150)}), size=(80, 300)) as stage:
        assert (rows(stage.widget)[0], rows(stage.widget)[-1]) == ("▾ 0 … 99", "▸ 100 … 149")


async def test_a_long_text_opens_in_place() -> None:
    text = "first line\n" + "word " * 40 + "\u202eend"
    async with showing(JsonTree({"text": text}), size=(80, 12)) as stage:
        stage.widget.focus()
        assert len(rows(stage.widget)) == 1
        await stage.press("enter")
        opened = rows(stage.widget)
        assert opened[1] == "┃ first line"
        assert "<U+202E>end" in opened[-1]
        await stage.press("enter")
        assert len(rows(stage.widget)) == 1


async def test_a_long_message_opens_in_place() -> None:
    error = NodeError(("a",), "is not " + "very " * 40 + "good", "/a/pattern")
    async with showing(JsonTree({"a": 1}, [error]), size=(60, 12)) as stage:
        stage.widget.focus()
        assert rows(stage.widget)[0].endswith("…")
        await stage.press("enter")
        joined = " ".join(row.removeprefix("┃ ") for row in rows(stage.widget)[1:])
        assert joined.endswith("very good schema /a/pattern")


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
async def test_hostile_text_is_literal(payload: str) -> None:
    value: JsonValue = {payload: payload, "list": [payload], "long": payload * 30}
    errors = [
        NodeError((payload,), payload, payload),
        NodeError(("list", payload), payload, payload),
        NodeError((payload + "missing",), payload, payload),
    ]
    async with showing(JsonTree(value, errors), size=(100, 30)) as stage:
        stage.widget.focus()
        for keys in ((), ("O",), ("e",), ("enter", "down", "enter"), ("G", "enter")):
            await stage.press(*keys)
            assert_harmless(stage.strips)


async def test_rows_fit_any_width() -> None:
    async with showing(
        JsonTree({"name" * 20: "漢字" * 100, "b": "x"}, [NodeError(("b",), "m" * 90, "/s")]),
        size=(90, 8),
    ) as stage:
        for width in (90, 41, 20, 7, 3):
            await stage.resize(width, 8)
            for y in range(8):
                assert stage.widget.render_line(y).cell_length <= width


async def test_a_big_value_is_shown_soon() -> None:
    record: JsonValue = {"id": 1, "values": [1, 2, 3], "text": "x" * 40}
    value: JsonValue = [record] * 100_000
    start = time.perf_counter()
    async with showing(
        JsonTree(value, [NodeError((77_777, "id"), "odd", "/id")]), size=(80, 24)
    ) as stage:
        stage.widget.focus()
        await stage.press("O")
        assert time.perf_counter() - start < 20
        count = stage.widget.row_count
        assert 5_000 < count < 12_000


async def test_missing_properties_stand_where_they_are_listed() -> None:
    errors = [NodeError((name,), "required, but missing", "/required") for name in "dbzac"]
    listed: dict[Path, Sequence[str]] = {(): ("a", "name", "b", "c", "tags", "d")}
    async with showing(
        JsonTree({"name": 1, "tags": 2, "own": 3}, errors, listed=listed), size=(80, 20)
    ) as stage:
        assert [row.removesuffix(" schema /required") for row in rows(stage.widget)] == [
            "◌ a missing, required",
            "name 1",
            "◌ b missing, required",
            "◌ c missing, required",
            "tags 2",
            "◌ d missing, required",
            "own 3",
            "◌ z missing, required",
        ]


async def test_a_property_that_is_missing_twice_has_one_row() -> None:
    errors = [
        NodeError(("a",), "required, but missing", "/required"),
        NodeError(("a",), 'required together with "b"', "/dependentRequired"),
    ]
    async with showing(JsonTree({"b": 1}, errors), size=(110, 8)) as stage:
        PROSE.holds("tree: missing twice", rows(stage.widget)[1])


async def test_f_goes_from_error_to_error_and_around() -> None:
    value: JsonValue = {"a": 1, "deep": {"er": {"x": 1}}, "list": list(range(2_000)), "z": 1}
    places: list[Path] = [("a",), ("deep", "er", "x"), ("list", 1_234), ("gone",)]
    async with showing(
        JsonTree(value, [NodeError(path, "odd", "/x") for path in places]), size=(80, 12)
    ) as stage:
        stage.widget.focus()
        await stage.press("Z")
        seen = []
        for _ in range(5):
            await stage.press("f")
            seen.append(stage.widget.path)
        assert seen == [*places[1:], *places[:2]]
        await stage.press("Z")
        seen = []
        for _ in range(4):
            await stage.press("F")
            seen.append(stage.widget.path)
        assert seen == [places[0], places[3], places[2], places[1]]


async def test_select_opens_what_is_around_a_place() -> None:
    value: JsonValue = {"list": [{"id": n, "in": {"x": [n]}} for n in range(25_000)]}
    error = NodeError(("list", 24_999, "gone"), "required, but missing", "/r")
    async with showing(JsonTree(value, [error]), size=(80, 12)) as stage:
        tree = stage.widget
        await stage.press("Z")
        for path in ((("list", 12_345, "in", "x", 0)), error.path, ("list",)):
            assert tree.select(path)
            await stage.pause()
            await stage.pause()
            assert place(tree) == path
            assert tree.scroll_offset.y <= (tree.cursor or 0) < tree.scroll_offset.y + 12
        assert not tree.select(("list", 25_000))
        assert not tree.select(("nowhere", "x"))


class Around(Showing):
    BINDINGS: ClassVar[list[BindingType]] = [("f", "mine", "Mine")]
    pressed = 0

    def action_mine(self) -> None:
        self.pressed += 1


async def test_a_tree_without_errors_leaves_their_keys_to_others() -> None:
    tree = JsonTree({"a": 1})
    app = Around(tree)
    async with app.run_test(size=(80, 6)) as pilot:
        tree.focus()
        await pilot.press("f")
        assert app.pressed == 1


async def test_what_is_too_deep_says_so() -> None:
    value: JsonValue = "end"
    for _ in range(MAX_DEPTH + 5):
        value = [value]
    async with showing(JsonTree(value), size=(800, 200)) as stage:
        stage.widget.focus()
        await stage.press("O")
        PROSE.holds("tree: too deep", rows(stage.widget)[-1])


@given(
    json_values(st.sampled_from("ab")),
    st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=6),
    st.lists(st.lists(st.sampled_from("ab") | st.integers(0, 2), max_size=3), max_size=4),
)
def test_folding_one_node_leaves_the_rows_of_folding_all(
    value: JsonValue, folds: list[tuple[int, bool]], wrong: list[list[str | int]]
) -> None:
    tree = JsonTree(value, [NodeError(tuple(path), "odd", "/x") for path in wrong])
    for number, is_open in folds:
        index = number % len(tree._rows)
        if tree._rows[index].foldable:
            tree._set_open(index, is_open)
        assert tree._rows == tree._folding.rows()


LISTED = [
    PlacedError(("abilities",), "$.abilities", "must be an array, but is the string “Vine Whip”"),
    PlacedError(("species",), "$.species", "is required, but missing"),
    PlacedError(("a" * 90,), "$." + "a" * 90, "must be a number, but is null"),
]


def list_rows(stage: Stage[ErrorList]) -> list[str]:
    return [stage.widget.render_line(y).text.rstrip() for y in range(stage.widget.size.height)]


def picked(stage: Stage[ErrorList]) -> list[Path]:
    return [one.path for one in stage.posted(ErrorList.Picked)]


async def test_rows_have_numbers_places_and_what_is_wrong() -> None:
    async with showing(ErrorList(LISTED), size=(70, 10)) as stage:
        assert len(list_rows(stage)) == 3
        PROSE.holds("errors: numbers and places", "\n".join(list_rows(stage)))


async def test_more_than_fit_are_counted() -> None:
    async with showing(ErrorList(LISTED, 1_234), size=(70, 10)) as stage:
        PROSE.holds("errors: more", list_rows(stage)[-1])
        stage.widget.focus()
        await stage.press("end", "enter")
        assert len(stage.posted(ErrorList.AllWanted)) == 1
        assert picked(stage) == []


async def test_where_all_are_shown_the_rest_is_only_counted() -> None:
    async with showing(ErrorList(LISTED, 2, offers_all=False), size=(70, 10)) as stage:
        assert list_rows(stage)[-1] == "   and 2 more"
        stage.widget.focus()
        await stage.press("end", "enter")
        assert len(stage.posted(ErrorList.AllWanted)) == 0


async def test_enter_and_clicks_pick_and_the_cursor_follows_without_a_word() -> None:
    async with showing(ErrorList(LISTED), size=(70, 10)) as stage:
        stage.widget.point_at(("species",))
        stage.widget.point_at(("nowhere",))
        await stage.pause()
        assert stage.widget.cursor == 1
        assert picked(stage) == []
        stage.widget.focus()
        await stage.press("home", "down", "enter")
        await stage.pilot.click(stage.widget, offset=(5, 0))
        await stage.pause()
        assert picked(stage) == [("species",), ("abilities",)]


async def test_rows_of_the_list_fit_any_width() -> None:
    async with showing(ErrorList(LISTED, 5), size=(40, 8)) as stage:
        for width in (40, 12, 3):
            await stage.resize(width, 8)
            assert all(strip.cell_length <= width for strip in stage.strips)
            assert_harmless(stage.strips)
