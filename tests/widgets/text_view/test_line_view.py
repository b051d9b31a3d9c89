from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip
from textual.widgets import Static

from signoff.app.content.json.jsonio import pretty_spans
from signoff.app.content.text import Span, visible
from signoff.widgets.text_view.line_view import LineView
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless


class ViewApp(App[None]):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.view = LineView(**options)

    def compose(self) -> ComposeResult:
        yield self.view


class AutoApp(ViewApp):
    def compose(self) -> ComposeResult:
        yield self.view
        yield Static("below")


def strips(view: LineView) -> list[Strip]:
    return [view.render_line(y) for y in range(view.size.height)]


def painted(app: App[None]) -> list[Strip]:
    compositor: Any = app.screen._compositor
    return list(compositor.render_strips())


def rows(view: LineView) -> list[str]:
    return [strip.text.rstrip() for strip in strips(view)]


def reversed_text(view: LineView) -> str:
    return "".join(
        text for strip in strips(view) for text, style, _ in strip if style and style.reverse
    )


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
@pytest.mark.parametrize("wrap", [True, False])
async def test_hostile_text_is_literal(payload: str, wrap: bool) -> None:
    app = ViewApp(gutter=True)
    async with app.run_test(size=(60, 6)) as pilot:
        view = app.view
        line: list[tuple[str, str]] = [(payload, "bold")]
        shows: list[Callable[[], None]] = [
            lambda: view.show_untrusted(payload, wrap=wrap),
            lambda: view.show_text(payload, wrap=wrap),
            lambda: view.show_lines([line], wrap=wrap),
            lambda: view.show_spans([[Span(payload, False)]], wrap=wrap),
        ]
        for show in shows:
            show()
            await pilot.pause()
            assert_harmless(strips(view))
            assert_harmless(painted(app))
        view.show_untrusted(payload)
        await pilot.pause()
        shown = "".join(row.removeprefix("┃").removeprefix(" ") for row in rows(view))
        assert shown.replace(" ", "") == visible(payload, multiline=True).replace(" ", "")


async def test_marks_are_inverse_and_their_look_alikes_are_not() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 4)) as pilot:
        app.view.show_untrusted("\x1b␛ a\u202eb" + " " * 9 + "c")
        await pilot.pause()
        assert rows(app.view)[0] == "␛␛ a<U+202E>b␠×9c"
        assert reversed_text(app.view) == "␛<U+202E>␠×9"


async def test_wrap_gutter_and_wide_characters() -> None:
    app = ViewApp(gutter=True)
    async with app.run_test(size=(13, 8)) as pilot:
        app.view.show_text("x" * 25 + "\n\n漢字漢字漢字\n\tb\n")
        await pilot.pause()
        assert rows(app.view)[:7] == [
            "┃ xxxxxxxxxx",
            "┃ xxxxxxxxxx",
            "┃ xxxxx",
            "┃",
            "┃ 漢字漢字漢",
            "┃ 字",
            "┃     b",
        ]
        assert app.view.row_count == 7


async def test_resize_wraps_again_and_keeps_the_place() -> None:
    app = ViewApp()
    async with app.run_test(size=(41, 5)) as pilot:
        app.view.show_text("".join(f"{n:03d}" + "." * 77 + "\n" for n in range(50)))
        await pilot.pause()
        assert app.view.row_count == 100
        app.view.scroll_to(y=60, animate=False)
        await pilot.pause()
        assert rows(app.view)[0].startswith("030")
        await pilot.resize_terminal(21, 5)
        await pilot.pause()
        assert app.view.row_count == 200
        assert rows(app.view)[0].startswith("030.")


async def test_keys() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.view
        view.show_text("\n".join(map(str, range(100))))
        view.focus()
        await pilot.pause()
        for key, top in (
            ("j", 1),
            ("k", 0),
            ("down", 1),
            ("ctrl+d", 6),
            ("ctrl+u", 1),
            ("pagedown", 11),
            ("G", 90),
            ("g", 0),
            ("end", 90),
            ("home", 0),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert view.scroll_offset.y == top, key


async def test_unwrapped_lines_scroll_sideways() -> None:
    app = ViewApp(wrap=False)
    async with app.run_test(size=(20, 5)) as pilot:
        view = app.view
        view.focus()
        view.show_text("0123456789" * 5 + "\nshort", wrap=False)
        await pilot.pause()
        assert rows(view)[:2] == ["01234567890123456789", "short"]
        await pilot.press("l", "l", "l")
        await pilot.pause()
        assert rows(view)[:2] == ["34567890123456789012", "rt"]
        view.show_text("again", wrap=False)
        await pilot.pause()
        assert rows(view)[0] == "again"


async def test_as_tall_as_its_content_up_to_a_limit() -> None:
    app = AutoApp(text="one\ntwo", max_rows=5)
    async with app.run_test(size=(30, 12)) as pilot:
        view = app.view
        assert view.size.height == 2
        view.show_text("x" * 29 * 4)
        await pilot.pause()
        assert view.size.height == 4
        view.show_text("\n" * 50 + "end")
        await pilot.pause()
        assert view.size.height == 5
        assert view.max_scroll_y > 0
        view.show_text("")
        await pilot.pause()
        assert view.size.height == 1


async def test_styles_of_lines() -> None:
    app = ViewApp()
    async with app.run_test(size=(30, 4)) as pilot:
        app.view.show_lines(
            [[("a", "bold"), ("b", "error"), ("c", "no such style"), ("d", "mark")]]
        )
        await pilot.pause()
        styles: dict[str, Style | None] = {
            text: style for text, style, _ in app.view.render_line(0) if text.strip()
        }
        assert list(styles) == ["a", "b", "c", "d"]
        a, b, c, d = styles.values()
        assert a is not None
        assert a.bold
        assert b is not None
        assert c is not None
        assert b.color != c.color
        assert d is not None
        assert d.reverse


@pytest.mark.parametrize("theme", first_quick(["textual-dark", "textual-light"]))
async def test_the_gutter_differs_from_the_background(theme: str) -> None:
    app = ViewApp(text="a", gutter=True)
    async with app.run_test(size=(30, 4)) as pilot:
        app.theme = theme
        await pilot.pause()
        bar, *_ = app.view.render_line(0)
        assert bar.style is not None
        assert bar.style.color is not None
        assert bar.style.bgcolor is not None
        fore, back = bar.style.color.get_truecolor(), bar.style.bgcolor.get_truecolor()
        assert sum(abs(a - b) for a, b in zip(fore, back, strict=True)) > 150


async def test_json_lines() -> None:
    app = ViewApp(gutter=True)
    async with app.run_test(size=(40, 6)) as pilot:
        app.view.show_spans(pretty_spans({"path": "a\u202e" + " " * 600}))
        await pilot.pause()
        assert rows(app.view)[:3] == ["┃ {", '┃   "path": "a<U+202E>␠×600"', "┃ }"]
        assert reversed_text(app.view) == "<U+202E>␠×600"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["hello world " * 9 * 46_000, ("hello world " * 9 + "\n") * 46_000, "漢字" * 2_500_000],
    ids=["one line", "lines", "wide"],
)
async def test_five_megabytes_are_shown_soon(text: str) -> None:
    app = ViewApp()
    async with app.run_test(size=(80, 24)) as pilot:
        start = time.perf_counter()
        app.view.show_untrusted(text)
        await pilot.pause()
        app.view.focus()
        await pilot.press("G")
        await pilot.pause()
        # Tens of milliseconds on an idle machine; a widget that lays out everything takes minutes.
        assert time.perf_counter() - start < 20
        assert app.view.is_laid_out
        assert app.view.scroll_offset.y == app.view.max_scroll_y
        assert rows(app.view)[-1]


async def test_selected_text() -> None:
    app = ViewApp(gutter=True)
    async with app.run_test(size=(13, 6)) as pilot:
        view = app.view
        view.show_text("0123456789abc\nsecond")
        await pilot.pause()
        for start, end, text in (
            (Offset(2, 0), Offset(2, 1), "23456789ab"),
            (Offset(0, 1), Offset(3, 2), "abc\nsec"),
            (None, None, "0123456789abc\nsecond"),
        ):
            assert view.get_selection(Selection(start, end)) == (text, "\n")


async def test_dragging_selects_what_is_under_the_pointer() -> None:
    app = ViewApp(gutter=True)
    async with app.run_test(size=(30, 6)) as pilot:
        app.view.show_text("0123456789\nsecond")
        await pilot.pause()
        await pilot.mouse_down(app.view, offset=(4, 0))
        await pilot.hover(app.view, offset=(7, 0))
        await pilot.mouse_up(app.view, offset=(7, 0))
        await pilot.pause()
        selected = app.screen.get_selected_text()
        assert selected is not None
        assert selected.startswith("234")
