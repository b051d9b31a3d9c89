"""When the end of a text counts as seen: an approval waits for it."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Offset
from textual.widgets import Static

from signoff.widgets.lines.line_view import LineView


class ViewApp(App[None]):
    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.view = LineView(text)
        self.ends: list[LineView] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_line_view_end_seen(self, message: LineView.EndSeen) -> None:
        self.ends.append(message.control)


class DialogApp(ViewApp):
    """A view as tall as its content, inside something that scrolls."""

    CSS = "VerticalScroll { height: 6; } LineView { height: 30; }"

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static("above")
            yield self.view


async def test_end_is_seen_at_once_when_everything_fits() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        app.view.show_text("one\ntwo")
        await pilot.pause()
        assert app.view.end_seen
        assert app.view.rows_below == 0


async def test_end_is_seen_only_after_scrolling_there() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.view
        view.focus()
        await pilot.pause()
        app.ends.clear()
        view.show_text("\n".join(map(str, range(11))))
        await pilot.pause()
        assert (view.end_seen, view.rows_below, app.ends) == (False, 1, [])
        await pilot.press("j")
        await pilot.pause()
        assert view.end_seen
        assert app.ends == [view]
        await pilot.press("k", "j")
        await pilot.pause()
        assert app.ends == [view]
        view.show_text("\n".join(map(str, range(12))))
        await pilot.pause()
        assert (view.end_seen, view.scroll_offset) == (False, Offset(0, 0))


async def test_end_of_one_long_line_counts_by_rows() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        app.view.show_text("x" * 2_000)
        await pilot.pause()
        assert not app.view.end_seen
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert app.view.end_seen


async def test_end_behind_the_edge_of_a_container_is_not_seen() -> None:
    app = DialogApp(text="\n".join(map(str, range(30))))
    async with app.run_test(size=(30, 10)) as pilot:
        await pilot.pause()
        assert app.view.row_count == 30
        assert not app.view.end_seen
        app.query_one(VerticalScroll).scroll_end(animate=False)
        await pilot.pause()
        assert app.view.end_seen


async def test_end_is_not_seen_while_hidden() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        app.view.display = False
        await pilot.pause()
        app.view.show_text("one")
        await pilot.pause()
        assert not app.view.end_seen
        app.view.display = True
        await pilot.pause()
        assert app.view.end_seen
