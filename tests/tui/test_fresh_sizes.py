"""What changes twice between two layouts is as high as what it says in the end."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from signoff.app.tui.fresh_sizes import FreshSizes


class _Sized(FreshSizes, Screen[None]):
    def compose(self) -> ComposeResult:
        yield Static("one", markup=False)


async def test_what_changed_before_and_after_a_layout_has_the_height_of_its_last_words() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        await app.push_screen(_Sized())
        await pilot.pause()
        line = app.screen.query_one(Static)
        line.update("one\ntwo\nthree\nfour")
        # Something else lays the screen out before the line has come that the model may call it.
        app.screen._clear_arrangement_cache()
        app.screen._refresh_layout()
        line.update("one")
        await pilot.pause()
        app.screen._on_timer_update()
        assert line.size.height == 1
