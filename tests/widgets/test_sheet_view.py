"""When the end of a sheet counts as seen: an approval waits for it."""

from __future__ import annotations

from signoff.app.content.texts.sheet_line import SheetLine
from signoff.widgets.sheets import SheetView
from tests.showing import showing

WIDTH = 30


def lines(count: int) -> list[SheetLine]:
    return [SheetLine(((str(number), ""),)) for number in range(count)]


async def test_the_end_is_seen_only_after_scrolling_there() -> None:
    async with showing(SheetView(), size=(WIDTH, 10)) as stage:
        view = stage.widget
        view.set_lines(lines(11), WIDTH)
        await stage.pause()
        assert (view.end_seen, view.below) == (False, 1)
        view.scroll_to(y=1, animate=False)
        await stage.pause()
        assert (view.end_seen, view.below) == (True, 0)
        view.scroll_home(animate=False)
        await stage.pause()
        assert (view.end_seen, view.below) == (True, 1)
        view.set_lines(lines(12), WIDTH, keep_seen=True)
        await stage.pause()
        assert view.end_seen
        view.set_lines(lines(12), WIDTH)
        await stage.pause()
        assert not view.end_seen


async def test_the_end_of_one_long_line_counts_by_rows() -> None:
    async with showing(SheetView(), size=(WIDTH, 10)) as stage:
        stage.widget.set_lines([SheetLine((("x" * 2_000, ""),))], WIDTH)
        await stage.pause()
        assert not stage.widget.end_seen
        await stage.resize(100, 30)
        assert stage.widget.end_seen


async def test_the_end_is_seen_at_once_if_everything_fits_and_is_in_sight() -> None:
    async with showing(SheetView(), size=(WIDTH, 10)) as stage:
        stage.widget.display = False
        await stage.pause()
        stage.widget.set_lines(lines(1), WIDTH)
        await stage.pause()
        assert not stage.widget.end_seen
        stage.widget.display = True
        await stage.pause()
        assert stage.widget.end_seen
        stage.widget.set_lines(lines(2), WIDTH)
        await stage.pause()
        assert stage.widget.end_seen
        assert stage.widget.below == 0
