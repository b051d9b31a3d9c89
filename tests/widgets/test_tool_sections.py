"""A list whose groups are shortened to fit, and a group that is folded until it is opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from signoff.app.protocol.tool import ToolDefinition, ToolGroup
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.lists.tool_rows import More, ToolRows
from tests.widgets.tool_samples import definitions, drawn, entry


def named(prefix: str, count: int) -> tuple[ToolDefinition, ...]:
    return definitions(entry(f"{prefix}_{n}") for n in range(count))


def sections() -> tuple[ToolGroup, ...]:
    tools = definitions(
        [
            *(entry(f"read_{n}", read_only=True) for n in range(9)),
            *(entry(f"drop_{n}", destructive=True) for n in range(3)),
            entry("what_0"),
            *(entry(f"odd_{n}", read_only=True) for n in range(5)),
        ]
    )
    return (
        ToolGroup("○", "read-only", tools[:9]),
        ToolGroup("!", "destructive", tools[9:12]),
        ToolGroup("?", "undeclared", tools[12:13]),
        ToolGroup("", "Gallery", tools[13:], starts_folded=True),
    )


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield ToolList()

    def on_mount(self) -> None:
        self.list.focus()
        self.list.show(sections(), total=18, shortens=True)

    @property
    def list(self) -> ToolList:
        return self.query_one(ToolList)

    @property
    def said(self) -> Sequence[str]:
        """What each line says, without its signs."""
        lines = (re.sub(r"  +[○+!?≠]? ?[◇↗].*", "", line) for line in drawn(self.list))
        return [line.strip() for line in lines if line]


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_every_heading_is_in_sight_and_what_is_left_out_is_counted() -> None:
    app = Shown()
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.pause()
        assert app.said == [
            "○ read-only 9",
            "› read_0",
            "read_1",
            "read_2",
            "… 6 more ▸",
            "! destructive 3",
            "drop_0",
            "drop_1",
            "drop_2",
            "? undeclared 1",
            "what_0",
            "Gallery 5 ▸",
        ]


@pytest.mark.parametrize("key", ["enter", "space", "right"])
async def test_the_rest_of_a_group_is_opened_by_key(key: str) -> None:
    app = Shown()
    async with app.run_test(size=(50, 12)) as pilot:
        await press(pilot, "down", "down", "down", key)
        assert app.list.highlighted is not None
        assert app.list.highlighted.name == "read_3"
        assert not any("more" in row for row in app.said)
        await press(pilot, *["down"] * 5)
        assert app.list.highlighted.name == "read_8"


@pytest.mark.parametrize("key", ["enter", "space", "right"])
async def test_the_folded_group_is_opened_by_key_and_shortens_nothing(key: str) -> None:
    app = Shown()
    async with app.run_test(size=(50, 12)) as pilot:
        await press(pilot, "end", key)
        assert app.list.row_count == 12 + 5
        await press(pilot, "end")
        assert app.list.highlighted is not None
        assert app.list.highlighted.name == "odd_4"
        assert drawn(app.list)[-1].endswith("○ ↗"), "no heading tells its effect"
        await press(pilot, "left")
        assert app.list.row_count == 12


async def test_both_are_opened_by_click() -> None:
    app = Shown()
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.click(ToolList, offset=(6, 11))
        await pilot.pause()
        assert app.list.row_count == 17
        await pilot.click(ToolList, offset=(6, 4))
        await pilot.pause()
        assert app.list.row_count == 22


async def test_more_room_shows_more_and_less_room_keeps_the_chosen_tool() -> None:
    app = Shown()
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.resize_terminal(50, 18)
        await pilot.pause()
        assert app.list.row_count == 4 + 13
        await press(pilot, *["down"] * 7)
        assert app.list.highlighted is not None
        assert app.list.highlighted.name == "read_7"
        await pilot.resize_terminal(50, 9)
        await pilot.pause()
        assert app.list.highlighted.name == "read_7"
        assert any("read_7" in row for row in app.said)


async def test_a_tool_out_of_sight_can_be_selected_and_stays_when_the_list_comes_again() -> None:
    app = Shown()
    async with app.run_test(size=(50, 12)) as pilot:
        for name in ("read_8", "odd_2"):
            assert app.list.select_name(name)
            await pilot.pause()
            app.list.show(sections(), total=18, shortens=True)
            await pilot.pause()
            assert app.list.highlighted is not None
            assert app.list.highlighted.name == name


@pytest.mark.parametrize(
    ("height", "rows", "left_out"),
    [(9, 9, [8, 2]), (8, 8, [8, 3]), (7, 7, [9, 3]), (6, 9, [8, 2])],
)
def test_where_rows_are_missing_the_last_groups_have_only_the_word_about_them(
    height: int, rows: int, left_out: list[int]
) -> None:
    laid_out = ToolRows()
    laid_out.lay_out(sections(), height)
    assert len(laid_out) == rows, "what cannot fit anyhow is not shortened further"
    shown = [laid_out[index] for index in range(rows)]
    assert [row.count for row in shown if isinstance(row, More)] == left_out


def test_the_group_of_the_chosen_tool_is_not_among_these() -> None:
    laid_out = ToolRows()
    groups = sections()
    chosen = groups[1].tools[0]
    laid_out.lay_out(groups, 8, kept=chosen)
    shown = [laid_out[index] for index in range(len(laid_out))]
    assert any(row is chosen for row in shown)
    assert [row.count for row in shown if isinstance(row, More)] == [9, 2]


@pytest.mark.slow
@given(
    st.lists(st.integers(min_value=1, max_value=40), min_size=1, max_size=6),
    st.integers(min_value=1, max_value=60),
)
def test_as_much_is_shown_as_fits_and_every_tool_can_be_reached(
    counts: list[int], height: int
) -> None:
    groups = [ToolGroup("", f"group {n}", named(f"g{n}", count)) for n, count in enumerate(counts)]
    rows = ToolRows()
    rows.lay_out(groups, height)
    shown = [rows[index] for index in range(len(rows))]
    left_out = sum(row.count for row in shown if isinstance(row, More))
    tools = [row for row in shown if isinstance(row, ToolDefinition)]
    assert len(tools) + left_out == sum(counts)
    assert all(any(row is group for row in shown) for group in groups)
    assert not any(row.count == 1 for row in shown if isinstance(row, More))
    least = sum(1 + min(count, 2) for count in counts)
    assert len(rows) <= max(height, least)
    if left_out:
        assert len(rows) >= height, "no row is left empty while tools are left out"
    for group in groups:
        rows.open(group)
    assert len(rows) == sum(counts) + len(counts)
    assert _all_names(rows[index] for index in range(len(rows))) == _all_names(
        tool for group in groups for tool in group.tools
    )


def _all_names(rows: Iterable[object]) -> list[str]:
    return [row.name for row in rows if isinstance(row, ToolDefinition)]
