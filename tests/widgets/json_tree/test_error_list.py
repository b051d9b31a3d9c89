from __future__ import annotations

from signoff.app.content.json.jsonio import Path
from signoff.widgets.json_tree.errors import ErrorList, PlacedError
from tests.approved import approved
from tests.showing import Stage, showing
from tests.widgets.hostile import assert_harmless

PROSE = approved("widgets")

ERRORS = [
    PlacedError(("abilities",), "$.abilities", "must be an array, but is the string “Vine Whip”"),
    PlacedError(("species",), "$.species", "is required, but missing"),
    PlacedError(("a" * 90,), "$." + "a" * 90, "must be a number, but is null"),
]


def rows(stage: Stage[ErrorList]) -> list[str]:
    return [stage.widget.render_line(y).text.rstrip() for y in range(stage.widget.size.height)]


def picked(stage: Stage[ErrorList]) -> list[Path]:
    return [one.path for one in stage.posted(ErrorList.Picked)]


async def test_rows_have_numbers_places_and_what_is_wrong() -> None:
    async with showing(ErrorList(ERRORS), size=(70, 10)) as stage:
        assert len(rows(stage)) == 3
        PROSE.holds("errors: numbers and places", "\n".join(rows(stage)))


async def test_more_than_fit_are_counted() -> None:
    async with showing(ErrorList(ERRORS, 1_234), size=(70, 10)) as stage:
        PROSE.holds("errors: more", rows(stage)[-1])
        stage.widget.focus()
        await stage.press("end", "enter")
        assert len(stage.posted(ErrorList.AllWanted)) == 1
        assert picked(stage) == []


async def test_where_all_are_shown_the_rest_is_only_counted() -> None:
    async with showing(ErrorList(ERRORS, 2, offers_all=False), size=(70, 10)) as stage:
        assert rows(stage)[-1] == "   and 2 more"
        stage.widget.focus()
        await stage.press("end", "enter")
        assert len(stage.posted(ErrorList.AllWanted)) == 0


async def test_enter_and_clicks_pick_and_the_cursor_follows_without_a_word() -> None:
    async with showing(ErrorList(ERRORS), size=(70, 10)) as stage:
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


async def test_rows_fit_any_width() -> None:
    async with showing(ErrorList(ERRORS, 5), size=(40, 8)) as stage:
        for width in (40, 12, 3):
            await stage.resize(width, 8)
            assert all(strip.cell_length <= width for strip in stage.strips)
            assert_harmless(stage.strips)
