from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.strip import Strip

from signoff.app.content.media.images import ImageHeader, Pixels
from signoff.widgets.images import image_view
from signoff.widgets.images.image_view import RAMP, ImageView, half_blocks, ramp
from signoff.widgets.images.terminal_images import ImageFrame

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def picture(rows: list[list[tuple[int, int, int]]]) -> Pixels:
    width, height = len(rows[0]), len(rows)
    rgb = bytes(value for row in rows for pixel in row for value in pixel)
    return Pixels(width, height, rgb, ImageHeader("PNG", width, height))


def plain(width: int, height: int, colour: tuple[int, int, int] = RED) -> Pixels:
    return picture([[colour] * width] * height)


class Show(App[None]):
    def __init__(self, view: ImageView) -> None:
        super().__init__()
        self.view = view
        self.wanted: list[tuple[int, int]] = []
        self.played = 0

    def compose(self) -> ComposeResult:
        yield self.view

    def on_image_view_wanted(self, message: ImageView.Wanted) -> None:
        assert message.control is self.view
        assert message.form == "rgb"
        self.wanted.append((message.max_width, message.max_height))

    def on_image_view_played(self, message: ImageView.Played) -> None:
        assert message.control is self.view
        self.played += 1


def lines(view: ImageView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def halves(strip: Strip) -> list[tuple[Any, Any]]:
    """The upper and the lower colour of each cell that holds a half block."""
    cells = []
    for text, style, _ in strip:
        assert style is not None
        upper = style.color.triplet if style.color else None
        lower = style.bgcolor.triplet if style.bgcolor else None
        cells += [(upper, lower)] * text.count("▀")
    return cells


async def test_a_cell_shows_two_pixels() -> None:
    view = ImageView()
    async with Show(view).run_test(size=(20, 10)) as pilot:
        view.show(picture([[RED, GREEN], [BLUE, RED]]))
        await pilot.pause()
        assert lines(view) == ["▀▀"]
        assert halves(view.render_line(0)) == [(RED, BLUE), (GREEN, RED)]


async def test_an_odd_last_row_leaves_the_ground_below() -> None:
    view = ImageView()
    async with Show(view).run_test(size=(20, 10)) as pilot:
        view.show(picture([[RED], [BLUE], [GREEN]]))
        await pilot.pause()
        assert lines(view) == ["▀", "▀"]
        ground = view.rich_style.bgcolor
        assert halves(view.render_line(1)) == [(GREEN, ground.triplet if ground else None)]


async def test_it_asks_for_the_size_it_can_draw_and_again_when_that_changes() -> None:
    view = ImageView(max_rows=6)
    app = Show(view)
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        assert app.wanted == [(40, 12)]
        view.show(plain(4, 4))
        await pilot.pause()
        assert app.wanted == [(40, 12)]
        await pilot.resize_terminal(30, 20)
        await pilot.pause()
        assert app.wanted == [(40, 12), (30, 12)]


async def test_a_picture_too_large_for_now_is_shrunk_in_its_shape() -> None:
    view = ImageView(max_rows=5)
    async with Show(view).run_test(size=(20, 20)) as pilot:
        view.show(plain(40, 10))
        await pilot.pause()
        assert lines(view) == ["▀" * 20] * 3
        view.show(plain(10, 40))
        await pilot.pause()
        assert lines(view) == ["▀▀"] * 5


async def test_without_colour_brightness_becomes_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = ImageView()
    async with Show(view).run_test(size=(20, 10)) as pilot:
        grey = (128, 128, 128)
        view.show(picture([[WHITE, grey, BLACK, WHITE], [WHITE, grey, BLACK, BLACK]]))
        await pilot.pause()
        assert lines(view) == ["@+ ="]


async def test_a_light_ground_turns_the_ramp_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = ImageView()
    app = Show(view)
    async with app.run_test(size=(20, 10)) as pilot:
        view.show(picture([[WHITE, BLACK], [WHITE, BLACK]]))
        app.theme = "textual-light"
        await pilot.pause()
        assert lines(view) == [" @"]


async def test_states_in_words() -> None:
    view = ImageView()
    async with Show(view).run_test(size=(30, 10)) as pilot:
        await pilot.pause()
        assert lines(view) == ["reading the picture…"]
        view.refuse("truncated: the data ends before the picture does")
        await pilot.pause()
        assert "".join(lines(view)).replace(" ", "") == (
            "nopicture:truncated:thedataendsbeforethepicturedoes"
        )
        assert len(lines(view)) == 2
        view.show(plain(2, 2))
        await pilot.pause()
        assert lines(view) == ["▀▀"]


@pytest.mark.parametrize(
    "hostile", ["[/foo]", "[@click=app.quit]x[/]", "\x1b[2J", "a\u202eb", "\x9b2J", "[red]x[/]"]
)
async def test_a_hostile_reason_is_shown_literally(hostile: str) -> None:
    view = ImageView()
    async with Show(view).run_test(size=(60, 10)) as pilot:
        view.refuse(hostile)
        await pilot.pause()
        text = "".join(lines(view))
        assert text.startswith("no picture: ")
        assert not set(text) & {"\x1b", "\x9b", "\u202e"}
        if hostile.startswith("["):
            assert hostile in text
        for segment in view.render_line(0):
            assert segment.style is None or "@click" not in segment.style.meta


async def test_the_strips_are_built_once() -> None:
    view = ImageView()
    async with Show(view).run_test(size=(20, 10)) as pilot:
        view.show(plain(4, 8))
        await pilot.pause()
        built = view._frames[0].strips
        assert built is not None
        view.refresh()
        await pilot.pause()
        assert view._frames[0].strips is built


colours = st.tuples(*[st.integers(0, 255)] * 3)
grids = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(colours, min_size=width, max_size=width), min_size=1)
)


@given(rows=grids)
def test_half_blocks_keep_every_pixel(rows: list[list[tuple[int, int, int]]]) -> None:
    back: list[list[Any]] = []
    for strip in half_blocks(rows):
        assert strip.cell_length == len(rows[0])
        cells = halves(strip)
        back += [[upper for upper, _ in cells], [lower for _, lower in cells]]
    assert back[: len(rows)] == rows
    assert back[len(rows) :] in ([], [[None] * len(rows[0])])


@given(rows=grids, dark=st.booleans())
def test_the_ramp_fills_the_same_cells(rows: list[list[tuple[int, int, int]]], dark: bool) -> None:
    strips = ramp(rows, dark)
    assert len(strips) == (len(rows) + 1) // 2
    for strip in strips:
        assert len(strip.text) == len(rows[0])
        assert set(strip.text) <= set(RAMP)


@given(
    width=st.integers(1, 300),
    height=st.integers(1, 300),
    columns=st.integers(1, 120),
    max_rows=st.integers(1, 30),
)
def test_the_height_stays_in_the_limit(
    width: int, height: int, columns: int, max_rows: int
) -> None:
    view = ImageView(max_rows=max_rows)
    view._frames = [ImageFrame(Pixels(width, height, b"", ImageHeader("PNG", width, height)))]
    rows = view.get_content_height(Size(columns, 99), Size(columns, 99), columns)
    assert 1 <= rows <= max_rows


async def test_as_tall_as_told_it_draws_in_the_middle() -> None:
    view = ImageView(max_rows=None)
    view.styles.height = "1fr"
    app = Show(view)
    async with app.run_test(size=(8, 5)) as pilot:
        await pilot.pause()
        assert app.wanted == [(8, 10)]
        view.show(plain(4, 2))
        await pilot.pause()
        assert lines(view) == ["", "", "  ▀▀▀▀", "", ""]


async def test_frames_follow_each_other_until_told_to_stop() -> None:
    view = ImageView()
    async with Show(view).run_test(size=(20, 10)) as pilot:
        assert not view.is_playing
        frames = [plain(2, 2, colour) for colour in (RED, GREEN, BLUE)]
        view.play(frames, [0.01, 0.01, 0.01])
        assert view.is_playing
        seen = set()
        while len(seen) < 3:
            await pilot.pause(0.005)
            seen.add(halves(view.render_line(0))[0][0])
        assert seen == {RED, GREEN, BLUE}
        view.stop()
        assert not view.is_playing
        now = view.render_line(0)
        await pilot.pause(0.05)
        assert view.render_line(0) == now


async def test_nothing_is_played_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_view, "MAX_PLAY_SECONDS", 0.05)
    view = ImageView()
    app = Show(view)
    async with app.run_test(size=(20, 10)) as pilot:
        view.play([plain(2, 2), plain(2, 2)], [0.01, 0.01])
        while view.is_playing:
            await pilot.pause(0.01)
        await pilot.pause()
        assert app.played == 1


async def test_what_was_played_is_over_when_something_else_is_shown() -> None:
    view = ImageView()
    async with Show(view).run_test(size=(20, 10)) as pilot:
        view.play([plain(2, 2), plain(2, 2)], [0.01, 0.01])
        view.show(plain(2, 2))
        assert not view.is_playing
        view.play([plain(2, 2), plain(2, 2)], [0.01, 0.01])
        await view.remove()
        await pilot.pause(0.05)
        assert not view.is_playing
