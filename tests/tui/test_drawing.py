"""Programs under test draw what is new, what is read and what a terminal shows, and no more."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Static


class Words(Static):
    """Counts how often it is drawn."""

    drawn = 0

    def render_line(self, y: int) -> Strip:
        self.drawn += 1
        return super().render_line(y)


class Program(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("above")
        yield Words("one")


class Question(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Words("sure?")


def rows(app: App[None]) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_a_widget_is_drawn_when_it_comes_and_when_it_is_read() -> None:
    app = Program()
    async with app.run_test(size=(20, 4)) as pilot:
        words = app.query_one(Words)
        await pilot.pause()
        first = words.drawn
        assert first > 0
        words.update("two")
        await pilot.pause()
        assert words.drawn == first
        assert "two" in rows(app)
        assert words.drawn > first
        later = Words("late")
        await app.mount(later)
        await pilot.pause()
        assert later.drawn > 0


async def test_what_a_dialog_lets_through_is_read_each_time_as_it_is() -> None:
    app = Program()
    async with app.run_test(size=(20, 4)) as pilot:
        question = Question()
        await app.push_screen(question)
        for said in ("two", "three"):
            app.screen_stack[0].query_one(Words).update(said)
            await pilot.pause()
            for _ in range(2):
                question.refresh()
                assert {"sure?", said} <= set(rows(app).split())


async def test_a_picture_is_drawn_whole() -> None:
    app = Program()
    async with app.run_test(size=(20, 4)) as pilot:
        app.query_one(Words).update("two")
        await pilot.pause()
        assert "two" in app.export_screenshot()


async def test_what_goes_to_a_terminal_is_drawn_after_every_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Program()
    async with app.run_test(size=(20, 4)) as pilot:
        words = app.query_one(Words)
        await pilot.pause()
        before = words.drawn
        with monkeypatch.context() as patch:
            patch.setattr(HeadlessDriver, "is_headless", False)
            words.update("two")
            await pilot.pause()
        assert words.drawn > before
