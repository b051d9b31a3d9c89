"""Lists that know their rows by a key: the cursor stays on its row, and messages carry the row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from rich.segment import Segment
from rich.style import Style

from signoff.widgets.lists.row_list import Heading, KeyedList, RowList
from tests.showing import Stage, showing


@dataclass(frozen=True)
class Fruit:
    name: str
    count: int = 0


class FruitList(KeyedList[Fruit]):
    empty = "no fruit"
    DEFAULT_CSS = "FruitList { height: 5; }"

    def key(self, row: Fruit) -> Hashable:
        return row.name

    def paint(self, row: Fruit, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        return [Segment(f"{'›' if under_cursor else ' '} {row.name} {row.count}", base)]


class PlainList(FruitList):
    """Knows no row again."""

    def key(self, row: Fruit) -> Hashable:
        return None


Fruits = Stage[FruitList]


@asynccontextmanager
async def listed(names: str = "abcde", *others: FruitList) -> AsyncIterator[Fruits]:
    async with showing(FruitList(id="first"), *others) as stage:
        stage.widget.focus()
        stage.widget.show(fruits(names))
        await stage.pause()
        yield stage


def fruits(names: str) -> list[Fruit]:
    return [Fruit(name) for name in names]


def rows(stage: Fruits) -> list[str]:
    return [line.strip() for line in stage.drawn if line]


@pytest.mark.parametrize(
    ("after", "at"),
    [("xabcde", "c"), ("cde", "c"), ("edcba", "c"), ("abcc", "c"), ("abde", "d"), ("a", "a")],
    ids=["inserted", "removed", "reordered", "twice", "gone", "shorter"],
)
async def test_the_cursor_stays_on_its_row(after: str, at: str) -> None:
    async with listed() as stage:
        await stage.press("down", "down")
        assert stage.widget.highlighted == Fruit("c")
        stage.messages.clear()
        stage.widget.show([Fruit(name, 1) for name in after])
        assert stage.widget.highlighted == Fruit(at, 1)
        await stage.pause()
        assert [one.row for one in stage.posted(RowList.Highlighted)] == [Fruit(at, 1)]


async def test_of_several_rows_of_a_key_the_nearest_is_taken() -> None:
    async with listed() as stage:
        await stage.press("down", "down", "down")
        stage.widget.show(fruits("dabcedd"))
        assert stage.widget.cursor == 5


async def test_the_row_under_the_cursor_keeps_its_line_unless_shown_anew() -> None:
    async with listed("abcdefghij") as stage:
        await stage.press("end", "up")
        for names in ("abcdefghij", "xyabcdefghij"):
            stage.widget.show(fruits(names))
            await stage.pause()
            assert rows(stage) == ["f 0", "g 0", "h 0", "› i 0", "j 0"]
        for key, name, top in ((None, "a", 0), ("i", "i", 4), ("z", "a", 0)):
            stage.widget.show_anew(fruits("abcdefghij"), key)
            assert (stage.widget.highlighted, stage.widget.scroll_offset.y) == (Fruit(name), top)


async def test_without_a_key_the_cursor_stays_at_its_place() -> None:
    async with showing(PlainList()) as stage:
        stage.widget.focus()
        stage.widget.show(fruits("abc"))
        await stage.press("down")
        stage.widget.show(fruits("xab"))
        assert stage.widget.highlighted == Fruit("a")


async def test_the_row_that_is_opened_is_told_of_its_own_list() -> None:
    second = FruitList(id="second")
    async with listed("ab", second) as stage:
        second.show(fruits("xy"))
        await stage.press("down", "enter")
        second.focus()
        await stage.press("enter")
        await stage.pilot.double_click("#second", offset=(2, 1))
        opened = [(one.control.id, one.row.name) for one in stage.posted(RowList.Chosen)]
        assert opened == [("first", "b"), ("second", "x"), ("second", "y")]


async def test_the_cursor_passes_headings_over() -> None:
    async with listed() as stage:
        shown = stage.widget
        shown.show_anew([Heading("one"), *fruits("ab"), Heading("two"), *fruits("cd")])
        assert shown.highlighted == Fruit("a")
        await stage.pause()
        assert rows(stage)[:2] == ["one", "› a 0"]
        seen = []
        for key in ("down", "down", "up", "up", "up", "end", "home"):
            await stage.press(key)
            seen.append(shown.highlighted)
        assert seen == fruits("bcbaada")
        await stage.click(2, 4)
        assert shown.highlighted == Fruit("c")
        assert shown.rows == tuple(fruits("abcd"))
        shown.show([Heading("one"), Heading("two")])
        await stage.press("down", "enter")
        assert not stage.posted(RowList.Chosen)
        assert shown.cursor == 1
        assert stage.posted(RowList.Highlighted)[-1].row is None


async def test_an_empty_list() -> None:
    async with listed("ab") as stage:
        shown = stage.widget
        await stage.press("down")
        shown.show([])
        await stage.press("down", "up", "end", "enter")
        assert (shown.cursor, shown.highlighted) == (None, None)
        assert not stage.posted(RowList.Chosen)
        assert stage.posted(RowList.Highlighted)[-1].row is None
        assert rows(stage) == ["no fruit"]
        shown.show_at(fruits("ab"), "b")
        assert shown.highlighted == Fruit("b")
