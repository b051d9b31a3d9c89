"""Picking one of many values, and any number of them: by typing, by arrows, by clicks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from signoff.app.content.text import visible
from signoff.widgets.forms.choice_line import ChoiceList
from signoff.widgets.forms.search_select import OptionWindow, SearchSelect
from tests.widgets.hostile import PAYLOADS, assert_harmless

ZONES = [f"Area{n % 7}/Place_{n}" for n in range(400)]


class PickerApp(App[None]):
    def __init__(self, shown: Widget) -> None:
        super().__init__()
        self.shown = shown
        self.said: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_search_select_taken(self, event: SearchSelect.Taken) -> None:
        self.said.append(event.index)

    def on_choice_list_toggled(self, event: ChoiceList.Toggled) -> None:
        self.said.append(event.taken)

    def strips(self) -> list[Strip]:
        return [Strip(strip) for strip in self.screen._compositor.render_strips()]

    def text(self) -> str:
        return "\n".join(strip.text.rstrip() for strip in self.strips())


async def test_typing_a_part_of_one_of_hundreds_takes_it() -> None:
    app = PickerApp(SearchSelect(ZONES, None))
    async with app.run_test(size=(60, 24)) as pilot:
        app.shown.focus()
        await pilot.pause()
        assert "not sent ▾" in app.text()
        await pilot.press("3", "9", "9")
        assert "399▏  1 of 400" in app.text()
        assert "Area0/Place_399" in app.text()
        await pilot.press("enter")
        assert app.said == [399]
        assert "Area0/Place_399 ▾" in app.text()
        assert app.shown.size.height == 1


async def test_arrows_go_through_the_list_and_escape_leaves_it() -> None:
    select = SearchSelect(ZONES, 5)
    app = PickerApp(select)
    async with app.run_test(size=(60, 24)) as pilot:
        select.focus()
        await pilot.press("enter", "down", "down", "escape")
        assert app.said == []
        assert not select.is_open
        await pilot.press("down", "pagedown", "enter")
        assert app.said == [12]
        await pilot.press("space", "home", "enter")
        assert app.said == [12, None]
        await pilot.press("enter", "end")
        assert "○ Area0/Place_399" in app.text()


async def test_a_filter_that_nothing_matches_takes_nothing() -> None:
    select = SearchSelect(["red", "green"], None, may_be_nothing=False)
    app = PickerApp(select)
    async with app.run_test(size=(60, 24)) as pilot:
        select.focus()
        await pilot.press("z", "enter")
        assert "no value matches" in app.text()
        assert app.said == []
        await pilot.press("backspace", "g", "enter")
        assert app.said == [1]


@pytest.mark.slow
async def test_clicks_open_the_list_and_take_a_value() -> None:
    select = SearchSelect(["red", "green", "blue"], None)
    app = PickerApp(select)
    async with app.run_test(size=(60, 24)) as pilot:
        await pilot.click(select, offset=(3, 0))
        assert select.is_open
        await pilot.click(select, offset=(3, 3))
        assert app.said == [1]
        assert not select.is_open


async def test_a_list_that_loses_the_focus_closes() -> None:
    select = SearchSelect(["red", "green"], None)
    app = PickerApp(select)
    async with app.run_test() as pilot:
        select.focus()
        await pilot.press("enter")
        assert select.is_open
        app.set_focus(None)
        await pilot.pause()
        assert not select.is_open


async def test_a_checklist_takes_and_gives_back() -> None:
    checklist = ChoiceList(["read", "write", "admin"], None)
    app = PickerApp(checklist)
    async with app.run_test() as pilot:
        checklist.focus()
        await pilot.press("down", "space", "up", "space", "space")
        assert app.said == [(1,), (0, 1), (1,)]
        assert "[x] write" in app.text()
        assert "[ ] read" in app.text()
        await pilot.click(checklist, offset=(3, 2))
        assert app.said[-1] == (1, 2)


async def test_a_long_checklist_narrows_to_what_is_typed() -> None:
    checklist = ChoiceList(ZONES, {7})
    app = PickerApp(checklist)
    async with app.run_test(size=(60, 24)) as pilot:
        checklist.focus()
        await pilot.press(*"place_12", "space")
        assert checklist.taken == frozenset({7, 12})
        await pilot.press("escape")
        assert "2 taken of 400" in app.text()
        assert checklist.size.height == 9


@pytest.mark.parametrize("kind", ["select", "checklist"])
async def test_labels_are_drawn_literally(kind: str) -> None:
    labels = [visible(payload) for payload in PAYLOADS]
    shown = SearchSelect(labels, 0) if kind == "select" else ChoiceList(labels, {0})
    app = PickerApp(shown)
    async with app.run_test(size=(100, 30)) as pilot:
        shown.focus()
        await pilot.press("enter")
        assert "[red]x[/]" in app.text()
        for _ in labels:
            assert_harmless(app.strips())
            await pilot.press("down")
        assert app.is_running


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
