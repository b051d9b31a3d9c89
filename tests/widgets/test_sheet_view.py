"""When the end of a sheet counts as seen: an approval waits for it."""

from __future__ import annotations

from textual.app import App, ComposeResult

from signoff.app.content.texts.sheet_line import SheetLine
from signoff.widgets.sheets import SheetView

WIDTH = 30


class ViewApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.view = SheetView()

    def compose(self) -> ComposeResult:
        yield self.view


def lines(count: int) -> list[SheetLine]:
    return [SheetLine(((str(number), ""),)) for number in range(count)]


async def test_the_end_is_seen_at_once_when_everything_fits() -> None:
    app = ViewApp()
    async with app.run_test(size=(WIDTH, 10)) as pilot:
        app.view.set_lines(lines(2), WIDTH)
        await pilot.pause()
        assert app.view.end_seen
        assert app.view.below == 0


async def test_the_end_is_seen_only_after_scrolling_there() -> None:
    app = ViewApp()
    async with app.run_test(size=(WIDTH, 10)) as pilot:
        view = app.view
        view.set_lines(lines(11), WIDTH)
        await pilot.pause()
        assert (view.end_seen, view.below) == (False, 1)
        view.scroll_to(y=1, animate=False)
        await pilot.pause()
        assert (view.end_seen, view.below) == (True, 0)
        view.scroll_home(animate=False)
        await pilot.pause()
        assert (view.end_seen, view.below) == (True, 1)
        view.set_lines(lines(12), WIDTH, keep_seen=True)
        await pilot.pause()
        assert view.end_seen
        view.set_lines(lines(12), WIDTH)
        await pilot.pause()
        assert not view.end_seen


async def test_the_end_of_one_long_line_counts_by_rows() -> None:
    app = ViewApp()
    async with app.run_test(size=(WIDTH, 10)) as pilot:
        app.view.set_lines([SheetLine((("x" * 2_000, ""),))], WIDTH)
        await pilot.pause()
        assert not app.view.end_seen
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert app.view.end_seen


async def test_the_end_is_not_seen_while_hidden() -> None:
    app = ViewApp()
    async with app.run_test(size=(WIDTH, 10)) as pilot:
        app.view.display = False
        await pilot.pause()
        app.view.set_lines(lines(1), WIDTH)
        await pilot.pause()
        assert not app.view.end_seen
        app.view.display = True
        await pilot.pause()
        assert app.view.end_seen
