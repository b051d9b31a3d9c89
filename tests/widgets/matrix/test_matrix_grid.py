from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.app.approval.matrix import column_title, is_host
from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.content.text import visible
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.hints import Effect
from signoff.widgets.matrix.grid import MatrixGrid
from signoff.widgets.matrix.paint import ColumnLayout
from signoff.widgets.matrix.rows import GridColumn, GridRow, Pair, Sides, head_width, stacked, words
from tests.showing import Stage, showing
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless
from tests.widgets.matrix_samples import (
    ASK,
    COLUMNS,
    DESTRUCTIVE,
    READ_ONLY,
    RUN,
    RUN_REVIEWED,
    TOOLS,
    both,
    rows,
)
from tests.widgets.tool_samples import assert_inert, definitions, entry

FIRST_DESTRUCTIVE = next(at for at, tool in enumerate(TOOLS) if tool.effect is Effect.DESTRUCTIVE)


PICTURE = (
    "                        ── policies ──────────────────────║  ── host rules ───────────",
    "                                                          ║                   Copilot",
    "                                      confirm-     allow- ║                    code",
    "     untrusted│trusted   cautious    destructive    all   ║  VS Code  Codex   review",
    "› ○ calculate_sum        ask │ run    ask │ run     run   ║    run*     ?       run",
    "  ○ search_files         ask │ run    ask │ run     run   ║    run*     ?       run",
    "  + create_record        ask │ run    ask │ run     run   ║    run*     ?       run",
    "  ! delete_file             ASK          ASK        run   ║    ask     ref      hid",
    "  ! launch_confetti         ASK          ASK        run   ║    ask     ref      hid",
    "  ? undeclared_tool         ASK          ASK        run   ║    ask     ref      hid",
    "  ≠ contradictory_tool      ASK          ASK        run   ║    ask     ref      hid",
)


@asynccontextmanager
async def grid(
    shown: list[GridRow] | None = None,
    columns: tuple[GridColumn, ...] = COLUMNS,
    sides: Sides = Sides.BOTH,
    size: tuple[int, int] = (100, 14),
) -> AsyncIterator[Stage[MatrixGrid]]:
    """The grid of these rows, which has the focus."""
    async with showing(MatrixGrid(), size=size) as stage:
        stage.widget.focus()
        stage.widget.show(columns, rows() if shown is None else shown, sides)
        await stage.pause()
        yield stage


def at(stage: Stage[MatrixGrid]) -> tuple[str, int]:
    """The tool and the column under the cursor."""
    row = stage.widget.row
    return (row.tool.name if row else "", stage.widget.column)


def chosen(stage: Stage[MatrixGrid]) -> list[int]:
    return [one.column for one in stage.posted(MatrixGrid.Chosen)]


def many(count: int) -> list[GridRow]:
    entries = [entry(f"tool_{at:04d}", read_only=at % 2 == 0) for at in range(count)]
    return rows(definitions(entries))


def wide(count: int) -> tuple[GridColumn, ...]:
    return tuple(GridColumn(f"host {at}", is_host=at > 5) for at in range(count))


@pytest.mark.slow
async def test_on_a_narrow_screen_whole_columns_are_left_out_and_counted() -> None:
    async with grid(size=(60, 12)) as stage:
        assert stage.drawn[0].endswith("2 ›")
        assert not any("Codex" in line for line in stage.drawn)
        await stage.press("end")
        assert at(stage) == ("calculate_sum", 5)
        lines = stage.drawn
        assert "‹ " in lines[0]
        assert "more ›" not in lines[0]
        assert "review" in lines[3]
        assert all(cell_len(line) <= 60 for line in lines)


async def test_draws_heads_names_signs_and_words_and_one_side_of_trust_alone() -> None:
    async with grid(size=(90, 12)) as stage:
        assert tuple(stage.drawn[:11]) == PICTURE
        for sides, word in ((Sides.UNTRUSTED, "ask"), (Sides.TRUSTED, "run")):
            stage.widget.show(COLUMNS, rows(), sides)
            await stage.pause()
            line = stage.drawn[4]
            assert "│" not in line
            assert line.split()[3] == word


def test_a_cell_has_two_words_only_where_trust_makes_a_difference() -> None:
    assert [one and one.text for one in words(Pair(ASK, RUN), Sides.BOTH)] == ["ask", "run"]
    assert words(both(RUN), Sides.BOTH).second is None
    assert words(Pair(RUN, RUN_REVIEWED), Sides.BOTH).second is not None


async def test_a_what_if_stands_under_the_servers_own_with_arrows_where_it_moved() -> None:
    shown = rows()
    # As if the tool said that it is read-only.
    shown[FIRST_DESTRUCTIVE] = replace(
        shown[FIRST_DESTRUCTIVE], what_if=READ_ONLY, what_if_effect=Effect.READ_ONLY
    )
    async with grid(shown, size=(110, 14)) as stage:
        lines = stage.drawn
        own = next(at for at, line in enumerate(lines) if "delete_file" in line)
        assert lines[own].split() == [
            "!",
            "delete_file",
            *["ASK", "ASK", "run", "║", "ask", "ref", "hid"],
        ]
        assert "↳ ○ what if" in lines[own + 1]
        cells = lines[own + 1].split("what if", 1)[1].replace(" ", "")
        # allow-all runs it either way, so nothing points at that one.
        assert cells.endswith("Δask│runΔask│runrun║Δrun*Δ?Δrun")
        assert "launch_confetti" in lines[own + 2]


async def test_nothing_moves_where_the_what_if_says_the_same() -> None:
    shown = rows()
    shown[0] = replace(shown[0], what_if=READ_ONLY, what_if_effect=Effect.READ_ONLY)
    async with grid(shown, size=(110, 14)) as stage:
        assert not any("Δ" in line for line in stage.drawn)


@pytest.mark.parametrize("size", first_quick([(120, 36), (80, 24), (60, 18), (24, 8)]))
async def test_keys_move_the_cursor_over_cells_and_keep_it_in_sight(size: tuple[int, int]) -> None:
    page = size[1] - 3
    async with grid(
        [GridRow(row.tool, READ_ONLY * 3) for row in many(100)], wide(18), size=size
    ) as stage:
        for key, row, column in (
            ("down", 1, 0),
            ("right", 1, 1),
            ("end", 1, 17),
            ("home", 1, 0),
            ("ctrl+end", 99, 0),
            ("down", 99, 0),
            ("ctrl+home", 0, 0),
            ("up", 0, 0),
            ("pagedown", page, 0),
            ("pageup", 0, 0),
            ("left", 0, 0),
        ):
            await stage.press(key)
            assert at(stage) == (f"tool_{row:04d}", column), key
            marked = [line for line in stage.drawn if line.startswith("›")]
            assert len(marked) == 1
            assert stage.widget.column in in_sight(stage.widget)


def in_sight(grid: MatrixGrid) -> list[int]:
    return [place.column for place in grid._layout.places()]


async def test_a_what_if_of_the_last_row_is_scrolled_into_sight_with_it() -> None:
    shown = many(50)
    shown[-1] = replace(shown[-1], what_if=DESTRUCTIVE, what_if_effect=Effect.DESTRUCTIVE)
    async with grid(shown) as stage:
        await stage.press("ctrl+end")
        assert "what if" in stage.drawn[-1]


async def test_the_mouse_picks_a_cell_a_head_its_column_and_enter_chooses_it() -> None:
    async with grid() as stage:
        await stage.click(stage.drawn[3].index("Codex"), 7)
        assert at(stage) == ("delete_file", 4)
        await stage.click(stage.drawn[3].index("cautious"), 2)
        assert at(stage) == ("delete_file", 0)
        await stage.click(5, 4)
        assert at(stage) == ("calculate_sum", 0)
        await stage.click(5, 13)
        assert at(stage) == ("calculate_sum", 0)
        await stage.press("right", "right", "enter")
        assert chosen(stage) == [2]


async def test_the_cursor_stays_on_its_tool_and_columns_keep_their_width() -> None:
    async with grid() as stage:
        shown = stage.widget
        await stage.press(*["down"] * 4, "right")
        before = list(shown._layout.widths)
        heavy = [row for row in rows() if row.tool.effect.may_destroy]
        for name, kept in (
            ("launch_confetti", heavy),
            ("undeclared_tool", [row for row in heavy if row.tool.name != "launch_confetti"]),
            ("undeclared_tool", [GridRow(row.tool, DESTRUCTIVE) for row in rows()]),
        ):
            shown.show(COLUMNS, kept, Sides.BOTH)
            assert at(stage) == (name, 1)
        assert shown._layout.widths == before


async def test_without_rows_it_says_so() -> None:
    async with grid([], size=(60, 8)) as stage:
        await stage.press("down", "right", "enter", "pagedown", "end")
        assert stage.drawn[0] == " no tools"
        assert chosen(stage) == []


async def test_names_of_a_server_are_drawn_literally() -> None:
    async with grid(size=(70, 10)) as stage:
        for payload in PAYLOADS:
            shown = rows(definitions([entry(payload, read_only=True), entry("other")]))
            shown[0] = replace(shown[0], what_if=DESTRUCTIVE, what_if_effect=Effect.DESTRUCTIVE)
            stage.widget.show(COLUMNS, shown, Sides.BOTH)
            await stage.press("down", "up")
            assert_inert(stage.widget)
            assert_harmless(stage.strips)


@given(
    titles=st.lists(st.text("abc -読", min_size=1, max_size=24), min_size=1, max_size=24),
    width=st.integers(1, 200),
    cursor=st.integers(0, 23),
)
def test_columns_in_sight_do_not_overlap_and_have_the_cursor(
    titles: list[str], width: int, cursor: int
) -> None:
    columns = [GridColumn(title, at * 2 > len(titles)) for at, title in enumerate(titles)]
    layout = ColumnLayout()
    layout.arrange(columns, [7] * len(columns), 30, width)
    cursor %= len(columns)
    layout.bring_into_sight(cursor)
    places = list(layout.places())
    assert cursor in [place.column for place in places]
    end = layout.left
    for place in places:
        assert place.x > end - 1
        assert place.x == end + 1 + 2 * place.divided
        end = place.x + place.width
    assert end <= width or len(places) == 1


@given(st.text(min_size=1, max_size=60).map(visible), st.integers(5, 12))
def test_a_head_has_three_lines_at_most_and_keeps_its_width(title: str, width: int) -> None:
    lines = stacked(title, width)
    assert 1 <= len(lines) <= 3
    assert all(cell_len(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("cautious", ("cautious",)),
        ("read-only-loop", ("read-", "only-", "loop")),
        ("confirm-destructive", ("confirm-", "destructive")),
        ("VS Code", ("VS", "Code")),
        ("The specification", ("specification",)),
        ("Unattended loop", ("Unattended", "loop")),
        ("a-b-c-d-e-f-g-h", ("a-b-c-", "d-e-f-", "g-h")),
        ("one two three four five six", ("one two", "three four", "five six")),
        ("x" * 30, ("x" * 19 + "…",)),
        ("Copilot code review", ("Copilot", "code", "review")),
    ],
)
def test_heads_break_between_words(title: str, lines: tuple[str, ...]) -> None:
    assert stacked(title, head_width(title)) == lines


@given(
    st.lists(
        st.text(alphabet="abcdefghij", min_size=1, max_size=19), min_size=1, max_size=5
    ).flatmap(lambda words: st.sampled_from([" ".join(words), "-".join(words)]))
)
def test_no_word_of_a_head_is_ever_broken(title: str) -> None:
    lines = stacked(title, head_width(title))
    words = set(re.findall(r"[a-j]+", title))
    for line in lines:
        found = re.findall(r"[a-j]+", line.removesuffix("…"))
        whole = found[:-1] if line.endswith("…") else found
        assert set(whole) <= words


@pytest.mark.parametrize("width", first_quick([120, 80, 60, 40]))
async def test_the_heads_of_all_columns_are_whole(width: int) -> None:
    every = (*built_ins(), *map(read_host, host_names()))
    columns = [GridColumn(column_title(one), is_host(one)) for one in every]
    async with grid(
        [GridRow(row.tool, (READ_ONLY * len(columns))[: len(columns)]) for row in many(3)],
        tuple(columns),
        size=(width, 20),
    ) as stage:
        seen: set[str] = set()
        for at in range(len(columns)):
            stage.widget.move_to(0, at)
            await stage.pause()
            head = "\n".join(stage.drawn[1:4])
            assert "…" not in head
            seen |= set(re.findall(r"[A-Za-z]+", head))
        titles = " ".join(column.title.removeprefix("The ") for column in columns)
        assert set(re.findall(r"[A-Za-z]+", titles)) <= seen
        assert seen <= {*re.findall(r"[A-Za-z]+", titles), "untrusted", "trusted"}


@pytest.mark.slow
async def test_only_the_rows_in_sight_of_a_large_matrix_are_painted() -> None:
    async with grid(
        [GridRow(row.tool, READ_ONLY * 3 + READ_ONLY[:1]) for row in many(5_000)],
        wide(19),
        size=(120, 36),
    ) as stage:
        stage.widget.action_pages(100)
        assert len(stage.widget.render_lines(stage.widget.size.region)) == stage.widget.size.height
