"""Pictures and peaks drawn in cells."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size
from textual.strip import Strip

from signoff.app.content.media.images import ImageHeader, Pixels
from signoff.widgets.images import image_view
from signoff.widgets.images.image_view import (
    BLOCKS,
    RAMP,
    ROWS,
    ImageView,
    WaveformView,
    bars,
    half_blocks,
    ramp,
)
from signoff.widgets.images.terminal_images import ImageFrame
from tests.showing import Stage, showing
from tests.widgets.hostile import PAYLOADS, assert_harmless

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def picture(rows: list[list[tuple[int, int, int]]]) -> Pixels:
    width, height = len(rows[0]), len(rows)
    rgb = bytes(value for row in rows for pixel in row for value in pixel)
    return Pixels(width, height, rgb, ImageHeader("PNG", width, height))


def plain(width: int, height: int, colour: tuple[int, int, int] = RED) -> Pixels:
    return picture([[colour] * width] * height)


def wanted(stage: Stage[ImageView]) -> list[tuple[int, int]]:
    """The sizes that were asked for, in their order."""
    assert {one.form for one in stage.posted(ImageView.Wanted)} <= {"rgb"}
    return [(one.max_width, one.max_height) for one in stage.posted(ImageView.Wanted)]


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


async def test_a_cell_shows_two_pixels_and_an_odd_last_row_leaves_the_ground_below() -> None:
    view = ImageView()
    async with showing(view, size=(20, 10)) as stage:
        view.show(picture([[RED, GREEN], [BLUE, RED]]))
        await stage.pause()
        assert lines(view) == ["▀▀"]
        assert halves(view.render_line(0)) == [(RED, BLUE), (GREEN, RED)]
        view.show(picture([[RED], [BLUE], [GREEN]]))
        await stage.pause()
        assert lines(view) == ["▀", "▀"]
        ground = view.rich_style.bgcolor
        assert halves(view.render_line(1)) == [(GREEN, ground.triplet if ground else None)]
        view.show(plain(4, 8))
        await stage.pause()
        built = view._frames[0].strips
        assert built is not None
        view.refresh()
        await stage.pause()
        assert view._frames[0].strips is built


async def test_it_asks_for_the_size_it_can_draw_and_again_when_that_changes() -> None:
    view = ImageView(max_rows=6)
    async with showing(view, size=(40, 20)) as stage:
        assert wanted(stage) == [(40, 12)]
        view.show(plain(4, 4))
        await stage.pause()
        assert wanted(stage) == [(40, 12)]
        await stage.resize(30, 20)
        assert wanted(stage) == [(40, 12), (30, 12)]


async def test_a_picture_too_large_for_now_is_shrunk_in_its_shape() -> None:
    view = ImageView(max_rows=5)
    async with showing(view, size=(20, 20)) as stage:
        view.show(plain(40, 10))
        await stage.pause()
        assert lines(view) == ["▀" * 20] * 3
        view.show(plain(10, 40))
        await stage.pause()
        assert lines(view) == ["▀▀"] * 5


async def test_without_colour_brightness_becomes_characters_which_a_light_ground_turns_around(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = ImageView()
    async with showing(view, size=(20, 10)) as stage:
        grey = (128, 128, 128)
        view.show(picture([[WHITE, grey, BLACK, WHITE], [WHITE, grey, BLACK, BLACK]]))
        await stage.pause()
        assert lines(view) == ["@+ ="]
        view.show(picture([[WHITE, BLACK], [WHITE, BLACK]]))
        stage.app.theme = "textual-light"
        await stage.pause()
        assert lines(view) == [" @"]


async def test_states_in_words() -> None:
    view = ImageView()
    async with showing(view, size=(30, 10)) as stage:
        assert lines(view) == ["reading the picture…"]
        view.refuse("truncated: the data ends before the picture does")
        await stage.pause()
        assert "".join(lines(view)).replace(" ", "") == (
            "nopicture:truncated:thedataendsbeforethepicturedoes"
        )
        assert len(lines(view)) == 2
        view.show(plain(2, 2))
        await stage.pause()
        assert lines(view) == ["▀▀"]


async def test_a_hostile_reason_is_shown_literally() -> None:
    view = ImageView()
    async with showing(view, size=(60, 10)) as stage:
        for hostile in PAYLOADS:
            view.refuse(hostile)
            await stage.pause()
            assert "".join(lines(view)).startswith("no picture: ")
            assert_harmless(stage.strips)


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
    async with showing(view, size=(8, 5)) as stage:
        assert wanted(stage) == [(8, 10)]
        view.show(plain(4, 2))
        await stage.pause()
        assert lines(view) == ["", "", "  ▀▀▀▀", "", ""]


async def test_frames_follow_each_other_until_told_to_stop() -> None:
    view = ImageView()
    async with showing(view, size=(20, 10)) as stage:
        assert not view.is_playing
        frames = [plain(2, 2, colour) for colour in (RED, GREEN, BLUE)]
        view.play(frames, [0.01, 0.01, 0.01])
        assert view.is_playing
        seen: set[object] = set()
        while len(seen) < 3:
            await stage.pilot.pause(0.005)
            seen.add(halves(view.render_line(0))[0][0])
        assert seen == {RED, GREEN, BLUE}
        view.stop()
        assert not view.is_playing
        now = view.render_line(0)
        await stage.pilot.pause(0.05)
        assert view.render_line(0) == now


async def test_nothing_is_played_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_view, "MAX_PLAY_SECONDS", 0.05)
    view = ImageView()
    async with showing(view, size=(20, 10)) as stage:
        view.play([plain(2, 2), plain(2, 2)], [0.01, 0.01])
        while view.is_playing:
            await stage.pilot.pause(0.01)
        await stage.pause()
        assert len(stage.posted(ImageView.Played)) == 1


async def test_what_was_played_is_over_when_something_else_is_shown() -> None:
    view = ImageView()
    async with showing(view, size=(20, 10)) as stage:
        view.play([plain(2, 2), plain(2, 2)], [0.01, 0.01])
        view.show(plain(2, 2))
        assert not view.is_playing
        view.play([plain(2, 2), plain(2, 2)], [0.01, 0.01])
        await view.remove()
        await stage.pilot.pause(0.05)
        assert not view.is_playing


def test_the_loudest_is_as_high_as_there_is_room() -> None:
    assert bars([0.0, 0.25, 0.5, 0.125], 2) == ["  █ ", " ██▄"]
    assert bars([0.01], 1) == ["█"]


def test_what_is_not_silent_is_seen() -> None:
    assert bars([1.0, 0.0001, 0.0], 2)[1] == "█▁ "
    assert bars([0.0, 0.0], 2) == ["  ", "  "]
    assert bars([], 2) == ["", ""]


@given(peaks=st.lists(st.floats(0, 1), max_size=50), rows=st.integers(1, 6))
def test_each_peak_is_one_column_without_holes(peaks: list[float], rows: int) -> None:
    lines = bars(peaks, rows)
    assert len(lines) == rows
    for column in zip(*lines, strict=True):
        heights = [BLOCKS.index(one) for one in reversed(column)]
        assert heights == sorted(heights, reverse=True)
        assert sum(0 < one < 8 for one in heights) <= 1
    assert all(len(line) == len(peaks) for line in lines)


async def test_it_asks_for_as_many_as_it_has_columns() -> None:
    async with showing(WaveformView(), size=(30, 10)) as stage:
        await stage.pilot.pause()
        assert [one.columns for one in stage.posted(WaveformView.Wanted)] == [30]
        stage.widget.show([0.5] * 30)
        await stage.pilot.pause()
        assert stage.widget.size.height == ROWS
        assert stage.widget.render_line(ROWS - 1).text == "█" * 30
        await stage.pilot.resize_terminal(20, 10)
        await stage.pilot.pause()
        assert [one.columns for one in stage.posted(WaveformView.Wanted)] == [30, 20]
        assert stage.widget.render_line(0).text == "█" * 20
