from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.widgets.images.image_view import BLOCKS, ROWS, WaveformView, bars
from tests.showing import showing


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
