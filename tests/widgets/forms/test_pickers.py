"""Picking one of many values, and any number of them: by typing, by arrows, by clicks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.strip import Strip

from signoff.app.content.text import visible
from signoff.widgets.forms.choice_line import ChoiceLine, ChoiceList
from signoff.widgets.forms.search_select import OptionWindow, SearchSelect
from tests.showing import Stage, showing
from tests.widgets.hostile import PAYLOADS, assert_harmless

ZONES = [f"Area{n % 7}/Place_{n}" for n in range(400)]


def said(stage: Stage[Any]) -> list[object]:
    """What was taken, in its order."""
    kinds = SearchSelect.Taken, ChoiceList.Toggled
    found = [one for one in stage.messages if isinstance(one, kinds)]
    return [one.index if isinstance(one, SearchSelect.Taken) else one.taken for one in found]


async def test_typing_a_part_of_one_of_hundreds_takes_it() -> None:
    async with showing(SearchSelect(ZONES, None), size=(60, 24)) as stage:
        stage.widget.focus()
        await stage.pilot.pause()
        assert "not sent ▾" in stage.text
        await stage.press("3", "9", "9")
        assert "399▏  1 of 400" in stage.text
        assert "Area0/Place_399" in stage.text
        await stage.press("enter")
        assert said(stage) == [399]
        assert "Area0/Place_399 ▾" in stage.text
        assert stage.widget.size.height == 1


async def test_arrows_go_through_the_list_and_escape_leaves_it() -> None:
    select = SearchSelect(ZONES, 5)
    async with showing(select, size=(60, 24)) as stage:
        select.focus()
        await stage.press("enter", "down", "down", "escape")
        assert said(stage) == []
        assert not select.is_open
        await stage.press("down", "pagedown", "enter")
        assert said(stage) == [12]
        await stage.press("space", "home", "enter")
        assert said(stage) == [12, None]
        await stage.press("enter", "end")
        assert "○ Area0/Place_399" in stage.text


async def test_a_filter_that_nothing_matches_takes_nothing() -> None:
    select = SearchSelect(["red", "green"], None, may_be_nothing=False)
    async with showing(select, size=(60, 24)) as stage:
        select.focus()
        await stage.press("z", "enter")
        assert "no value matches" in stage.text
        assert said(stage) == []
        await stage.press("backspace", "g", "enter")
        assert said(stage) == [1]


@pytest.mark.slow
async def test_clicks_open_the_list_and_take_a_value() -> None:
    select = SearchSelect(["red", "green", "blue"], None)
    async with showing(select, size=(60, 24)) as stage:
        await stage.pilot.click(select, offset=(3, 0))
        assert select.is_open
        await stage.pilot.click(select, offset=(3, 3))
        assert said(stage) == [1]
        assert not select.is_open


async def test_a_list_that_loses_the_focus_closes() -> None:
    select = SearchSelect(["red", "green"], None)
    async with showing(select) as stage:
        select.focus()
        await stage.press("enter")
        assert select.is_open
        stage.app.set_focus(None)
        await stage.pilot.pause()
        assert not select.is_open


async def test_a_checklist_takes_and_gives_back() -> None:
    checklist = ChoiceList(["read", "write", "admin"], None)
    async with showing(checklist) as stage:
        checklist.focus()
        await stage.press("down", "space", "up", "space", "space")
        assert said(stage) == [(1,), (0, 1), (1,)]
        assert "[x] write" in stage.text
        assert "[ ] read" in stage.text
        await stage.pilot.click(checklist, offset=(3, 2))
        assert said(stage)[-1] == (1, 2)


async def test_a_long_checklist_narrows_to_what_is_typed() -> None:
    checklist = ChoiceList(ZONES, {7})
    async with showing(checklist, size=(60, 24)) as stage:
        checklist.focus()
        await stage.press(*"place_12", "space")
        assert checklist.taken == frozenset({7, 12})
        await stage.press("escape")
        assert "2 taken of 400" in stage.text
        assert checklist.size.height == 9


@pytest.mark.parametrize("kind", ["select", "checklist"])
async def test_labels_are_drawn_literally(kind: str) -> None:
    labels = [visible(payload) for payload in PAYLOADS]
    shown = SearchSelect(labels, 0) if kind == "select" else ChoiceList(labels, {0})
    async with showing(shown, size=(100, 30)) as stage:
        shown.focus()
        await stage.press("enter")
        assert "[red]x[/]" in stage.text
        for _ in labels:
            assert_harmless(stage.strips)
            await stage.press("down")
        assert stage.app.is_running


@given(
    st.lists(st.text("abAB", max_size=3), min_size=1, max_size=30),
    st.text("ab", max_size=2),
    st.lists(st.integers(-9, 9), max_size=12),
    st.integers(1, 9),
)
def test_the_cursor_is_always_in_the_window(
    labels: list[str], wanted: str, steps: list[int], height: int
) -> None:
    window = OptionWindow(labels, height)
    window.narrow(wanted)
    for step in steps:
        window.move(step)
        above, below = window.hidden
        assert above + len(window.shown) + below == len(window.matches)
        assert window.current in window.shown if window.matches else window.current is None
    assert sorted(window.matches) == [
        index for index, label in enumerate(labels) if wanted in label.casefold()
    ]


async def test_what_the_cursor_is_on_is_inverse_with_the_focus_and_not_without() -> None:
    line, checklist = ChoiceLine(("no", "yes"), 0), ChoiceList(["read", "write"], None)
    async with showing(line, checklist, SearchSelect(["red", "green"], None)) as stage:
        for widget, words in ((line, "● no"), (checklist, "[ ] read")):
            widget.focus()
            await stage.pilot.pause()
            assert words in inverse(stage.strips)
            stage.app.set_focus(None)
            await stage.pilot.pause()
            assert inverse(stage.strips) == ""
        stage.app.query_one(SearchSelect).focus()
        await stage.press("enter", "down")
        assert "red" in inverse(stage.strips)


def inverse(strips: list[Strip]) -> str:
    return "".join(one.text for strip in strips for one in strip if one.style and one.style.reverse)
