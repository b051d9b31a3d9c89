from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from signoff.app.content.json.jsonio import Path
from signoff.widgets.json_tree.errors import ErrorList, PlacedError
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.hostile import assert_harmless

PROSE = approved("widgets")

ERRORS = [
    PlacedError(("abilities",), "$.abilities", "must be an array, but is the string “Vine Whip”"),
    PlacedError(("species",), "$.species", "is required, but missing"),
    PlacedError(("a" * 90,), "$." + "a" * 90, "must be a number, but is null"),
]


class ListApp(App[None]):
    def __init__(self, hidden: int = 0, *, offers_all: bool = True) -> None:
        super().__init__()
        self.shown = ErrorList(ERRORS, hidden, offers_all=offers_all)
        self.picked: list[Path] = []
        self.all_wanted = 0

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_error_list_picked(self, message: ErrorList.Picked) -> None:
        self.picked.append(message.path)

    def on_error_list_all_wanted(self, message: ErrorList.AllWanted) -> None:
        self.all_wanted += 1


def rows(app: ListApp) -> list[str]:
    return [app.shown.render_line(y).text.rstrip() for y in range(app.shown.size.height)]


async def test_numbers_places_and_what_is_wrong() -> None:
    app = ListApp()
    async with app.run_test(size=(70, 10)):
        assert len(rows(app)) == 3
        PROSE.holds("errors: numbers and places", "\n".join(rows(app)))


async def test_enter_and_clicks_pick() -> None:
    app = ListApp()
    async with app.run_test(size=(70, 10)) as pilot:
        app.shown.focus()
        await pilot.press("down", "enter")
        await pilot.click(app.shown, offset=(5, 0))
        await pilot.pause()
        assert app.picked == [("species",), ("abilities",)]


async def test_more_than_fit_are_counted() -> None:
    app = ListApp(1_234)
    async with app.run_test(size=(70, 10)) as pilot:
        PROSE.holds("errors: more", rows(app)[-1])
        app.shown.focus()
        await pilot.press("end", "enter")
        assert app.all_wanted == 1
        assert app.picked == []


async def test_where_all_are_shown_the_rest_is_only_counted() -> None:
    app = ListApp(2, offers_all=False)
    async with app.run_test(size=(70, 10)) as pilot:
        assert rows(app)[-1] == "   and 2 more"
        app.shown.focus()
        await pilot.press("end", "enter")
        assert app.all_wanted == 0


async def test_the_cursor_follows_without_a_word() -> None:
    app = ListApp()
    async with app.run_test(size=(70, 10)) as pilot:
        app.shown.point_at(("species",))
        app.shown.point_at(("nowhere",))
        await pilot.pause()
        assert app.shown.cursor == 1
        assert app.picked == []


@pytest.mark.parametrize("width", first_quick([3, 12, 40]))
async def test_rows_fit_any_width(width: int) -> None:
    app = ListApp(5)
    async with app.run_test(size=(width, 8)):
        strips = [app.shown.render_line(y) for y in range(app.shown.size.height)]
        assert all(strip.cell_length <= width for strip in strips)
        assert_harmless(strips)
