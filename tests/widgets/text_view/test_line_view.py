from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip
from textual.widgets import Static

from signoff.app.content.json.jsonio import pretty_spans
from signoff.app.content.text import Span, visible
from signoff.widgets.text_view.line_view import LineView
from tests.showing import showing
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless


def strips(view: LineView) -> list[Strip]:
    return [view.render_line(y) for y in range(view.size.height)]


def rows(view: LineView) -> list[str]:
    return [strip.text.rstrip() for strip in strips(view)]


def reversed_text(view: LineView) -> str:
    return "".join(
        text for strip in strips(view) for text, style, _ in strip if style and style.reverse
    )


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
@pytest.mark.parametrize("wrap", [True, False])
async def test_hostile_text_is_literal(payload: str, wrap: bool) -> None:
    async with showing(LineView(gutter=True), size=(60, 6)) as stage:
        view = stage.widget
        line: list[tuple[str, str]] = [(payload, "bold")]
        shows: list[Callable[[], None]] = [
            lambda: view.show_untrusted(payload, wrap=wrap),
            lambda: view.show_text(payload, wrap=wrap),
            lambda: view.show_lines([line], wrap=wrap),
            lambda: view.show_spans([[Span(payload, False)]], wrap=wrap),
        ]
        for show in shows:
            show()
            await stage.pause()
            assert_harmless(strips(view))
            assert_harmless(stage.strips)
        view.show_untrusted(payload)
        await stage.pause()
        shown = "".join(row.removeprefix("┃").removeprefix(" ") for row in rows(view))
        assert shown.replace(" ", "") == visible(payload, multiline=True).replace(" ", "")


async def test_marks_are_inverse_and_their_look_alikes_are_not() -> None:
    async with showing(LineView(), size=(40, 4)) as stage:
        stage.widget.show_untrusted("\x1b␛ a\u202eb" + " " * 9 + "c")
        await stage.pause()
        assert rows(stage.widget)[0] == "␛␛ a<U+202E>b␠×9c"
        assert reversed_text(stage.widget) == "␛<U+202E>␠×9"


async def test_wrap_gutter_and_wide_characters() -> None:
    async with showing(LineView(gutter=True), size=(13, 8)) as stage:
        stage.widget.show_text("x" * 25 + "\n\n漢字漢字漢字\n\tb\n")
        await stage.pause()
        assert rows(stage.widget)[:7] == [
            "┃ xxxxxxxxxx",
            "┃ xxxxxxxxxx",
            "┃ xxxxx",
            "┃",
            "┃ 漢字漢字漢",
            "┃ 字",
            "┃     b",
        ]
        assert stage.widget.row_count == 7


async def test_resize_wraps_again_and_keeps_the_place() -> None:
    async with showing(LineView(), size=(41, 5)) as stage:
        stage.widget.show_text("".join(f"{n:03d}" + "." * 77 + "\n" for n in range(50)))
        await stage.pause()
        assert stage.widget.row_count == 100
        stage.widget.scroll_to(y=60, animate=False)
        await stage.pause()
        assert rows(stage.widget)[0].startswith("030")
        await stage.resize(21, 5)
        assert stage.widget.row_count == 200
        assert rows(stage.widget)[0].startswith("030.")


async def test_keys() -> None:
    async with showing(LineView(), size=(30, 10)) as stage:
        view = stage.widget
        view.show_text("\n".join(map(str, range(100))))
        view.focus()
        await stage.pause()
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
            await stage.press(key)
            assert view.scroll_offset.y == top, key


async def test_unwrapped_lines_scroll_sideways() -> None:
    async with showing(LineView(wrap=False), size=(20, 5)) as stage:
        view = stage.widget
        view.focus()
        view.show_text("0123456789" * 5 + "\nshort", wrap=False)
        await stage.pause()
        assert rows(view)[:2] == ["01234567890123456789", "short"]
        await stage.press("l", "l", "l")
        assert rows(view)[:2] == ["34567890123456789012", "rt"]
        view.show_text("again", wrap=False)
        await stage.pause()
        assert rows(view)[0] == "again"


async def test_as_tall_as_its_content_up_to_a_limit() -> None:
    async with showing(
        LineView(text="one\ntwo", max_rows=5), Static("below"), size=(30, 12)
    ) as stage:
        view = stage.widget
        assert view.size.height == 2
        view.show_text("x" * 29 * 4)
        await stage.pause()
        assert view.size.height == 4
        view.show_text("\n" * 50 + "end")
        await stage.pause()
        assert view.size.height == 5
        assert view.max_scroll_y > 0
        view.show_text("")
        await stage.pause()
        assert view.size.height == 1


async def test_styles_of_lines() -> None:
    async with showing(LineView(), size=(30, 4)) as stage:
        stage.widget.show_lines(
            [[("a", "bold"), ("b", "error"), ("c", "no such style"), ("d", "mark")]]
        )
        await stage.pause()
        styles: dict[str, Style | None] = {
            text: style for text, style, _ in stage.widget.render_line(0) if text.strip()
        }
        assert list(styles) == ["a", "b", "c", "d"]
        a, b, c, d = (one or Style() for one in styles.values())
        assert (a.bold, b.color != c.color, d.reverse) == (True, True, True)


async def test_the_gutter_differs_from_the_background() -> None:
    async with showing(LineView(text="a", gutter=True), size=(30, 4)) as stage:
        for theme in ("textual-dark", "textual-light"):
            stage.app.theme = theme
            await stage.pause()
            bar, *_ = stage.widget.render_line(0)
            assert bar.style is not None
            assert bar.style.color is not None
            assert bar.style.bgcolor is not None
            fore, back = bar.style.color.get_truecolor(), bar.style.bgcolor.get_truecolor()
            assert sum(abs(a - b) for a, b in zip(fore, back, strict=True)) > 150


async def test_json_lines() -> None:
    async with showing(LineView(gutter=True), size=(40, 6)) as stage:
        stage.widget.show_spans(pretty_spans({"path": "a\u202e" + " " * 600}))
        await stage.pause()
        assert rows(stage.widget)[:3] == ["┃ {", '┃   "path": "a<U+202E>␠×600"', "┃ }"]
        assert reversed_text(stage.widget) == "<U+202E>␠×600"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["hello world " * 9 * 46_000, ("hello world " * 9 + "\n") * 46_000, "漢字" * 2_500_000],
    ids=["one line", "lines", "wide"],
)
async def test_five_megabytes_are_shown_soon(text: str) -> None:
    async with showing(LineView(), size=(80, 24)) as stage:
        start = time.perf_counter()
        stage.widget.show_untrusted(text)
        await stage.pause()
        stage.widget.focus()
        await stage.press("G")
        # Tens of milliseconds on an idle machine; a widget that lays out everything takes minutes.
        assert time.perf_counter() - start < 20
        assert stage.widget.is_laid_out
        assert stage.widget.scroll_offset.y == stage.widget.max_scroll_y
        assert rows(stage.widget)[-1]


async def test_selected_text() -> None:
    async with showing(LineView(gutter=True), size=(13, 6)) as stage:
        view = stage.widget
        view.show_text("0123456789abc\nsecond")
        await stage.pause()
        for start, end, text in (
            (Offset(2, 0), Offset(2, 1), "23456789ab"),
            (Offset(0, 1), Offset(3, 2), "abc\nsec"),
            (None, None, "0123456789abc\nsecond"),
        ):
            assert view.get_selection(Selection(start, end)) == (text, "\n")


async def test_dragging_selects_what_is_under_the_pointer() -> None:
    async with showing(LineView(gutter=True), size=(30, 6)) as stage:
        stage.widget.show_text("0123456789\nsecond")
        await stage.pause()
        await stage.pilot.mouse_down(stage.widget, offset=(4, 0))
        await stage.pilot.hover(stage.widget, offset=(7, 0))
        await stage.pilot.mouse_up(stage.widget, offset=(7, 0))
        await stage.pause()
        selected = stage.app.screen.get_selected_text()
        assert selected is not None
        assert selected.startswith("234")
