"""Lists that know their rows by a key: the cursor stays on its row, and messages carry the row."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import pytest
from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import App, ComposeResult

from signoff.widgets.lists.row_list import Heading, KeyedList, RowList
from tests.widgets.tool_samples import drawn


@dataclass(frozen=True)
class Fruit:
    name: str
    count: int = 0


class FruitList(KeyedList[Fruit]):
    empty = "no fruit"

    def key(self, row: Fruit) -> Hashable:
        return row.name

    def paint(self, row: Fruit, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        return [Segment(f"{'›' if under_cursor else ' '} {row.name} {row.count}", base)]


class PlainList(FruitList):
    """Knows no row again."""

    def key(self, row: Fruit) -> Hashable:
        return None


class Shown(App[None]):
    def __init__(self, *lists: KeyedList[Fruit]) -> None:
        super().__init__()
        self.lists = lists
        self.highlighted: list[Fruit | None] = []
        self.chosen: list[Fruit] = []
        self.of_second: list[Fruit] = []

    def compose(self) -> ComposeResult:
        yield from self.lists

    def on_mount(self) -> None:
        self.lists[0].focus()

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted[Fruit]) -> None:
        self.highlighted.append(message.row)

    @on(RowList.Chosen, "#first")
    def _chosen(self, message: RowList.Chosen[Fruit]) -> None:
        self.chosen.append(message.row)

    @on(RowList.Chosen, "#second")
    def _chosen_in_second(self, message: RowList.Chosen[Fruit]) -> None:
        self.of_second.append(message.row)


def fruits(names: str) -> list[Fruit]:
    return [Fruit(name) for name in names]


@pytest.mark.parametrize(
    ("after", "at"),
    [("xabcde", "c"), ("cde", "c"), ("edcba", "c"), ("abcc", "c"), ("abde", "d"), ("a", "a")],
    ids=["inserted", "removed", "reordered", "twice", "gone", "shorter"],
)
async def test_the_cursor_stays_on_its_row(after: str, at: str) -> None:
    app = Shown(FruitList(id="first"))
    async with app.run_test() as pilot:
        shown = app.lists[0]
        shown.show(fruits("abcde"))
        await pilot.press("down", "down")
        assert shown.highlighted == Fruit("c")
        app.highlighted.clear()
        shown.show([Fruit(name, 1) for name in after])
        assert shown.highlighted == Fruit(at, 1)
        await pilot.pause()
        assert app.highlighted == [Fruit(at, 1)]


async def test_of_several_rows_of_a_key_the_nearest_is_taken() -> None:
    app = Shown(FruitList(id="first"))
    async with app.run_test() as pilot:
        shown = app.lists[0]
        shown.show(fruits("abcde"))
        await pilot.press("down", "down", "down")
        shown.show(fruits("dabcedd"))
        assert shown.cursor == 5


async def test_the_row_under_the_cursor_keeps_its_line() -> None:
    app = Shown(FruitList(id="first"))
    async with app.run_test(size=(20, 5)) as pilot:
        shown = app.lists[0]
        shown.show(fruits("abcdefghij"))
        await pilot.press("end", "up")
        assert [line.strip() for line in drawn(shown)] == ["f 0", "g 0", "h 0", "› i 0", "j 0"]
        shown.show(fruits("xyabcdefghij"))
        await pilot.pause()
        assert [line.strip() for line in drawn(shown)] == ["f 0", "g 0", "h 0", "› i 0", "j 0"]


async def test_without_a_key_the_cursor_stays_at_its_place() -> None:
    app = Shown(PlainList(id="first"))
    async with app.run_test() as pilot:
        shown = app.lists[0]
        shown.show(fruits("abc"))
        await pilot.press("down")
        shown.show(fruits("xab"))
        assert shown.highlighted == Fruit("a")


async def test_shown_anew_it_begins_at_the_top_or_at_a_key() -> None:
    app = Shown(FruitList(id="first"))
    async with app.run_test(size=(20, 3)) as pilot:
        shown = app.lists[0]
        shown.show(fruits("abcdef"))
        await pilot.press("end")
        shown.show_anew(fruits("abcdef"))
        assert (shown.highlighted, shown.scroll_offset.y) == (Fruit("a"), 0)
        shown.show_anew(fruits("abcdef"), "e")
        assert (shown.highlighted, shown.scroll_offset.y) == (Fruit("e"), 2)
        shown.show_anew(fruits("abcdef"), "z")
        assert (shown.highlighted, shown.scroll_offset.y) == (Fruit("a"), 0)


async def test_the_row_that_is_opened_is_told_of_its_own_list() -> None:
    app = Shown(FruitList(id="first"), FruitList(id="second"))
    async with app.run_test() as pilot:
        for shown, names in zip(app.lists, ("ab", "xy"), strict=True):
            shown.styles.height = 5
            shown.show(fruits(names))
        await pilot.press("down", "enter")
        app.lists[1].focus()
        await pilot.press("enter")
        await pilot.double_click("#second", offset=(2, 1))
        assert app.chosen == fruits("b")
        assert app.of_second == fruits("xy")


async def test_the_cursor_passes_headings_over() -> None:
    app = Shown(FruitList(id="first"))
    async with app.run_test() as pilot:
        shown = app.lists[0]
        shown.show([Heading("one"), *fruits("ab"), Heading("two"), *fruits("cd")])
        assert shown.highlighted == Fruit("a")
        assert [line.strip() for line in drawn(shown)[:2]] == ["one", "› a 0"]
        seen = []
        for key in ("down", "down", "up", "up", "up", "end", "home"):
            await pilot.press(key)
            seen.append(shown.highlighted)
        assert seen == fruits("bcbaada")
        await pilot.click("#first", offset=(2, 3))
        assert shown.highlighted == Fruit("c")
        assert shown.rows == tuple(fruits("abcd"))
        shown.show([Heading("one"), Heading("two")])
        await pilot.press("down", "enter")
        assert not app.chosen
        assert shown.cursor == 1
        assert app.highlighted[-1] is None


async def test_an_empty_list() -> None:
    app = Shown(FruitList(id="first"))
    async with app.run_test() as pilot:
        shown = app.lists[0]
        shown.show(fruits("ab"))
        await pilot.press("down")
        shown.show([])
        await pilot.press("down", "up", "end", "enter")
        assert (shown.cursor, shown.highlighted, app.chosen) == (None, None, [])
        assert app.highlighted[-1] is None
        assert drawn(shown)[0].strip() == "no fruit"
        shown.show_at(fruits("ab"), "b")
        assert shown.highlighted == Fruit("b")
