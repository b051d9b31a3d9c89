"""A list whose groups are shortened to fit, and a group that is folded until it is opened."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.tool import ToolDefinition, ToolGroup
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.lists.tool_rows import More, ToolRows
from tests.showing import Stage, showing
from tests.widgets.tool_samples import definitions, entry


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


@asynccontextmanager
async def listed() -> AsyncIterator[Stage[ToolList]]:
    async with showing(ToolList(), size=(50, 12)) as stage:
        stage.widget.focus()
        stage.widget.show(sections(), total=18, shortens=True)
        await stage.pause()
        yield stage


def said(stage: Stage[ToolList]) -> Sequence[str]:
    """What each line says, without its signs."""
    lines = (re.sub(r"  +[○+!?≠]? ?[◇↗].*", "", line) for line in stage.drawn)
    return [line.strip() for line in lines if line]


def name_of(stage: Stage[ToolList]) -> str:
    tool = stage.widget.highlighted
    return tool.name if tool else ""


async def test_every_heading_is_in_sight_and_what_is_left_out_is_counted() -> None:
    async with listed() as stage:
        assert said(stage) == [
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
async def test_the_rest_of_a_group_and_the_folded_group_are_opened_by_key(key: str) -> None:
    async with listed() as stage:
        await stage.press("end", key)
        assert stage.widget.row_count == 12 + 5, "nothing else is shortened"
        await stage.press("end")
        assert name_of(stage) == "odd_4"
        assert stage.drawn[-1].endswith("○ ↗"), "no heading tells its effect"
        await stage.press("left")
        assert stage.widget.row_count == 12
        await stage.press("home", *["down"] * 4, key)
        assert name_of(stage) == "read_3"
        assert not any("more" in row for row in said(stage))
        await stage.press(*["down"] * 5)
        assert name_of(stage) == "read_8"


async def test_both_are_opened_by_click() -> None:
    async with listed() as stage:
        await stage.click(6, 11)
        assert stage.widget.row_count == 17
        await stage.click(6, 4)
        assert stage.widget.row_count == 22


async def test_more_room_shows_more_and_less_room_keeps_the_chosen_tool() -> None:
    async with listed() as stage:
        await stage.resize(50, 18)
        assert stage.widget.row_count == 4 + 13
        await stage.press(*["down"] * 7)
        assert name_of(stage) == "read_7"
        await stage.resize(50, 9)
        assert name_of(stage) == "read_7"
        assert any("read_7" in row for row in said(stage))


async def test_a_tool_out_of_sight_can_be_selected_and_stays_when_the_list_comes_again() -> None:
    async with listed() as stage:
        for name in ("read_8", "odd_2"):
            assert stage.widget.select_name(name)
            await stage.pause()
            stage.widget.show(sections(), total=18, shortens=True)
            await stage.pause()
            assert name_of(stage) == name


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
