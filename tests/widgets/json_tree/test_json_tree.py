from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.binding import BindingType

from signoff.app.content.json.jsonio import JsonValue, Path
from signoff.widgets.json_tree.rows import MAX_DEPTH
from signoff.widgets.json_tree.tree import JsonTree, NodeError
from tests.approved import approved
from tests.content.json_values import json_values
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless

PROSE = approved("widgets")


class TreeApp(App[None]):
    def __init__(
        self,
        value: JsonValue = None,
        errors: Sequence[NodeError] = (),
        listed: Mapping[Path, Sequence[str]] | None = None,
    ) -> None:
        super().__init__()
        self.shown = JsonTree(value, errors, listed=listed)
        self.paths: list[Path] = []

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_json_tree_highlighted(self, message: JsonTree.Highlighted) -> None:
        self.paths.append(message.path)


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
    app = TreeApp(CHARACTER, ERRORS)
    async with app.run_test(size=(110, 20)):
        PROSE.holds("tree: errors beside their nodes", "\n".join(rows(app.shown)))


async def test_without_errors_two_levels_are_open() -> None:
    app = TreeApp(CHARACTER)
    async with app.run_test(size=(80, 20)):
        assert rows(app.shown) == [
            'name "Lirael Mosswhisper"',
            'abilities "Vine Whip"',
            "▾ home 1 member",
            "▸ forest 1 member",
            "tags []",
        ]


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ("text", '"text"'),
        ([], "[]"),
        ({}, "{}"),
    ],
)
async def test_a_root_without_children(value: JsonValue, row: str) -> None:
    app = TreeApp(value)
    async with app.run_test(size=(80, 6)):
        assert rows(app.shown) == [row]
    app = TreeApp(value, [NodeError((), "is wrong", "/type")])
    async with app.run_test(size=(80, 6)):
        assert rows(app.shown) == [f"✗ {row} is wrong schema /type"]


async def test_errors_at_odd_places() -> None:
    errors = [
        NodeError((), "too few properties", "/minProperties"),
        NodeError(("x",), "required", "/required"),
        NodeError(("a", "deeper"), "not an object", "/a"),
        NodeError(("a",), "second", "/a2"),
        NodeError(("list", 7), "no such item", "/l"),
    ]
    app = TreeApp({"a": 1, "list": [1]}, errors)
    async with app.run_test(size=(100, 12)):
        PROSE.holds("tree: errors of containers", "\n".join(rows(app.shown)))


async def test_a_missing_property_of_an_empty_object() -> None:
    app = TreeApp({"inner": {}}, [NodeError(("inner", "id"), "required", "/r")])
    async with app.run_test(size=(80, 6)):
        PROSE.holds("tree: missing in an empty object", "\n".join(rows(app.shown)))


async def test_keys_fold_and_unfold() -> None:
    app = TreeApp({"a": {"b": {"c": 1}}, "d": [1, [2]]})
    async with app.run_test(size=(80, 12)) as pilot:
        tree = app.shown
        tree.focus()

        async def press(*keys: str) -> list[str]:
            await pilot.press(*keys)
            await pilot.pause()
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
        assert app.paths[-1] == ("d",)


async def test_a_click_folds() -> None:
    app = TreeApp({"a": {"b": 1}})
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.click(app.shown, offset=(6, 0))
        await pilot.pause()
        assert rows(app.shown) == ["▸ a 1 member"]


async def test_closing_keeps_the_cursor_near() -> None:
    app = TreeApp({"a": {"b": {"c": 1}}, "z": 1})
    async with app.run_test(size=(80, 12)) as pilot:
        app.shown.focus()
        await pilot.press("O", "down", "down")
        assert place(app.shown) == ("a", "b", "c")
        await pilot.press("Z")
        assert place(app.shown) == ("a",)


async def test_long_lists_come_in_groups() -> None:
    app = TreeApp({"items": list(range(1_234))}, [NodeError(("items", 777), "odd", "/items")])
    async with app.run_test(size=(80, 300)):
        shown = rows(app.shown)
        assert shown[:3] == ["↘ ▾ items 1,234 items 1 error inside", "▾ 0 … 99", "0 0"]
        assert "▸ 100 … 199" in shown
        assert "↘ ▾ 700 … 799 1 error inside" in shown
        assert "✗ 777 777 odd schema /items" in shown
        assert "▸ 1,200 … 1,233" in shown
    app = TreeApp({f"k{n}": n for n in range(150)})
    async with app.run_test(size=(80, 300)):
        assert rows(app.shown)[0] == "▾ 0 … 99"
        assert rows(app.shown)[-1] == "▸ 100 … 149"


async def test_a_long_text_opens_in_place() -> None:
    text = "first line\n" + "word " * 40 + "\u202eend"
    app = TreeApp({"text": text})
    async with app.run_test(size=(80, 12)) as pilot:
        app.shown.focus()
        assert len(rows(app.shown)) == 1
        await pilot.press("enter")
        await pilot.pause()
        opened = rows(app.shown)
        assert opened[1] == "┃ first line"
        assert "<U+202E>end" in opened[-1]
        await pilot.press("enter")
        await pilot.pause()
        assert len(rows(app.shown)) == 1


async def test_a_long_message_opens_in_place() -> None:
    error = NodeError(("a",), "is not " + "very " * 40 + "good", "/a/pattern")
    app = TreeApp({"a": 1}, [error])
    async with app.run_test(size=(60, 12)) as pilot:
        app.shown.focus()
        assert rows(app.shown)[0].endswith("…")
        await pilot.press("enter")
        await pilot.pause()
        joined = " ".join(row.removeprefix("┃ ") for row in rows(app.shown)[1:])
        assert joined.endswith("very good schema /a/pattern")


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
async def test_hostile_text_is_literal(payload: str) -> None:
    value: JsonValue = {payload: payload, "list": [payload], "long": payload * 30}
    errors = [
        NodeError((payload,), payload, payload),
        NodeError(("list", payload), payload, payload),
        NodeError((payload + "missing",), payload, payload),
    ]
    app = TreeApp(value, errors)
    async with app.run_test(size=(100, 30)) as pilot:
        app.shown.focus()
        for keys in ((), ("O",), ("e",), ("enter", "down", "enter"), ("G", "enter")):
            await pilot.press(*keys)
            await pilot.pause()
            assert_harmless(app.shown.render_line(y) for y in range(app.shown.size.height))
            compositor: Any = app.screen._compositor
            assert_harmless(compositor.render_strips())


async def test_rows_fit_any_width() -> None:
    app = TreeApp({"name" * 20: "漢字" * 100, "b": "x"}, [NodeError(("b",), "m" * 90, "/s")])
    async with app.run_test(size=(90, 8)) as pilot:
        for width in (90, 41, 20, 7, 3):
            await pilot.resize_terminal(width, 8)
            await pilot.pause()
            for y in range(8):
                assert app.shown.render_line(y).cell_length <= width


async def test_a_big_value_is_shown_soon() -> None:
    record: JsonValue = {"id": 1, "values": [1, 2, 3], "text": "x" * 40}
    value: JsonValue = [record] * 100_000
    start = time.perf_counter()
    app = TreeApp(value, [NodeError((77_777, "id"), "odd", "/id")])
    async with app.run_test(size=(80, 24)) as pilot:
        app.shown.focus()
        await pilot.press("O")
        await pilot.pause()
        assert time.perf_counter() - start < 20
        count = app.shown.row_count
        assert 5_000 < count < 12_000


async def test_missing_properties_stand_where_they_are_listed() -> None:
    errors = [NodeError((name,), "required, but missing", "/required") for name in "dbzac"]
    listed: dict[Path, Sequence[str]] = {(): ("a", "name", "b", "c", "tags", "d")}
    app = TreeApp({"name": 1, "tags": 2, "own": 3}, errors, listed)
    async with app.run_test(size=(80, 20)):
        assert [row.removesuffix(" schema /required") for row in rows(app.shown)] == [
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
    app = TreeApp({"b": 1}, errors)
    async with app.run_test(size=(110, 8)):
        PROSE.holds("tree: missing twice", rows(app.shown)[1])


async def test_f_goes_from_error_to_error_and_around() -> None:
    value: JsonValue = {"a": 1, "deep": {"er": {"x": 1}}, "list": list(range(2_000)), "z": 1}
    places: list[Path] = [("a",), ("deep", "er", "x"), ("list", 1_234), ("gone",)]
    app = TreeApp(value, [NodeError(path, "odd", "/x") for path in places])
    async with app.run_test(size=(80, 12)) as pilot:
        app.shown.focus()
        await pilot.press("Z")
        seen = []
        for _ in range(5):
            await pilot.press("f")
            seen.append(place(app.shown))
        assert seen == [*places[1:], *places[:2]]
        await pilot.press("Z")
        seen = []
        for _ in range(4):
            await pilot.press("F")
            seen.append(place(app.shown))
        assert seen == [places[0], places[3], places[2], places[1]]


async def test_select_opens_what_is_around_a_place() -> None:
    value: JsonValue = {"list": [{"id": n, "in": {"x": [n]}} for n in range(25_000)]}
    error = NodeError(("list", 24_999, "gone"), "required, but missing", "/r")
    app = TreeApp(value, [error])
    async with app.run_test(size=(80, 12)) as pilot:
        tree = app.shown
        await pilot.press("Z")
        for path in ((("list", 12_345, "in", "x", 0)), error.path, ("list",)):
            assert tree.select(path)
            await pilot.pause()
            await pilot.pause()
            assert place(tree) == path
            assert tree.scroll_offset.y <= (tree.cursor or 0) < tree.scroll_offset.y + 12
        assert not tree.select(("list", 25_000))
        assert not tree.select(("nowhere", "x"))


async def test_a_tree_without_errors_leaves_their_keys_to_others() -> None:
    class Around(TreeApp):
        BINDINGS: ClassVar[list[BindingType]] = [("f", "mine", "Mine")]
        pressed = 0

        def action_mine(self) -> None:
            self.pressed += 1

    app = Around({"a": 1})
    async with app.run_test(size=(80, 6)) as pilot:
        app.shown.focus()
        await pilot.press("f")
        assert app.pressed == 1


async def test_what_is_too_deep_says_so() -> None:
    value: JsonValue = "end"
    for _ in range(MAX_DEPTH + 5):
        value = [value]
    app = TreeApp(value)
    async with app.run_test(size=(800, 200)) as pilot:
        app.shown.focus()
        await pilot.press("O")
        await pilot.pause()
        PROSE.holds("tree: too deep", rows(app.shown)[-1])


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
