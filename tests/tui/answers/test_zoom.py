from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.tui.answers.image import STEPS, Box, Zoom, crop_of, panned, scale_of, stepped

sides = st.integers(1, 10_000)
rooms = st.integers(1, 2_000)
boxes = st.builds(Box, sides, sides, rooms, rooms)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("zoom"), st.sampled_from([-1, 1]), st.just(0)),
        st.tuples(st.just("pan"), st.integers(-1, 1), st.integers(-1, 1)),
    ),
    max_size=20,
)


@given(box=boxes, moves=moves)
def test_whatever_is_pressed_a_piece_of_the_picture_is_seen(
    box: Box, moves: list[tuple[str, int, int]]
) -> None:
    zoom = Zoom()
    for kind, one, other in moves:
        zoom = stepped(zoom, box, one) if kind == "zoom" else panned(zoom, box, one, other)
        crop = crop_of(zoom, box)
        assert crop.left >= 0
        assert crop.top >= 0
        assert crop.left + crop.width <= box.width
        assert crop.top + crop.height <= box.height
        assert crop.width >= 1
        assert crop.height >= 1
        assert 1 <= crop.drawn_width <= box.room_width
        assert 1 <= crop.drawn_height <= box.room_height


def test_a_small_picture_is_not_enlarged_by_fitting() -> None:
    assert Box(10, 10, 80, 40).fitting == 1
    assert Box(160, 40, 80, 40).fitting == 0.5


def test_steps_go_up_to_the_last_and_down_to_fitting() -> None:
    box = Box(1_000, 1_000, 300, 300)
    zoom = stepped(Zoom(), box, 1)
    assert zoom.scale == 0.5
    for _ in range(20):
        zoom = stepped(zoom, box, 1)
    assert zoom.scale == STEPS[-1]
    for _ in range(20):
        zoom = stepped(zoom, box, -1)
    assert zoom == Zoom()
    assert scale_of(zoom, box) == 0.3


def test_moving_stops_at_the_edge() -> None:
    box = Box(1_000, 1_000, 100, 100)
    zoom = Zoom(1.0)
    for _ in range(100):
        zoom = panned(zoom, box, 1, -1)
    crop = crop_of(zoom, box)
    assert (crop.left, crop.top, crop.width, crop.height) == (900, 0, 100, 100)


def test_a_step_aside_keeps_most_of_what_is_seen() -> None:
    box = Box(1_000, 1_000, 100, 100)
    assert crop_of(Zoom(1.0), box).left == 450
    assert crop_of(panned(Zoom(1.0), box, 1, 0), box).left == 475
