"""A screen has the sizes of its last words, and is styled once as it opens."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.app import App, ComposeResult
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Static

from signoff.app.tui.base.screen_mixin import ScreenMixin


class _Sized(ScreenMixin, Screen[None]):
    CSS = "_Sized { layers: under over; }"

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


async def test_a_screen_has_its_own_styles_and_its_widgets_are_styled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    styled = Counter[DOMNode]()
    apply = Stylesheet.apply

    def counted(self: Stylesheet, node: DOMNode, **options: object) -> None:
        styled[node] += 1
        apply(self, node, **options)  # type: ignore[arg-type]

    app = App[None]()
    async with app.run_test() as pilot:
        monkeypatch.setattr(Stylesheet, "apply", counted)
        await app.push_screen(_Sized())
        await pilot.pause()
        assert app.screen.styles.layers == ("under", "over")
        assert styled[app.screen.query_one(Static)] == 1


async def test_a_screen_that_comes_back_has_the_theme_that_was_chosen_over_it() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        await app.push_screen(_Sized())
        await pilot.pause()
        line = app.screen.query_one(Static)
        before = line.styles.scrollbar_color
        await app.push_screen(_Sized())
        app.theme = "textual-light"
        await pilot.pause()
        app.pop_screen()
        await pilot.pause()
        assert line.styles.scrollbar_color != before
