"""What is sent to a terminal that draws pictures, beside what is painted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

import pytest
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from signoff.app.content.media.images import ImageHeader, Pixels
from signoff.widgets.images import terminal_detection, terminal_images
from signoff.widgets.images.image_view import ImageView
from signoff.widgets.images.terminal_detection import Graphics, Protocol
from signoff.widgets.images.terminal_images import PLACEHOLDER
from tests.showing import Stage, showing

CELL = (10, 20)


Shown: TypeAlias = Stage[ImageView]


def show(
    max_rows: int = 30, size: tuple[int, int] = (40, 12)
) -> AbstractAsyncContextManager[Shown]:
    """A view among other things, which scroll."""
    return showing(ImageView(max_rows=max_rows), Static("\n" * 40), size=size, scrolls=True)


def alone(size: tuple[int, int]) -> AbstractAsyncContextManager[Shown]:
    view = ImageView(max_rows=None, is_alone=True)
    view.styles.height = "1fr"
    return showing(view, size=size)


def asked(stage: Shown) -> list[tuple[int, int, str]]:
    found = stage.posted(ImageView.Wanted)
    return [(one.max_width, one.max_height, one.form) for one in found]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A terminal of cells of 10 x 20 pixels that only listens."""
    written: list[str] = []
    monkeypatch.setattr(terminal_images, "terminal_writer", lambda app: written.append)
    monkeypatch.setattr(terminal_images, "cell_size", lambda: CELL)
    monkeypatch.setenv("COLORTERM", "truecolor")
    yield written
    terminal_detection._graphics = None


def use(protocol: Protocol) -> None:
    terminal_detection._graphics = Graphics(protocol)


def encoded(width: int, height: int, data: bytes = b"png") -> Pixels:
    return Pixels(width, height, b"", ImageHeader("PNG", width, height), data)


def ids(sequences: list[str], action: str) -> list[str]:
    return [
        found[1]
        for one in sequences
        if (found := re.search(rf"a={action}[^;\x1b]*?[,]i=(\d+)", one))
    ]


async def test_a_kitty_is_told_once_and_the_cells_are_text(sent: list[str]) -> None:
    use(Protocol.KITTY)
    async with show(max_rows=6) as stage:
        view = stage.widget
        ((width, height, form),) = asked(stage)
        assert (height, form) == (6 * 20, "png")
        assert width == view.size.width * 10
        view.show(encoded(95, 41))
        await stage.pause()
        assert view.size.height == 3
        assert [view.render_line(y).text.count(PLACEHOLDER) for y in range(3)] == [10] * 3
        assert len(sent) == 1
        assert "c=10,r=3" in sent[0]
        stage.app.query_one(VerticalScroll).scroll_to(y=2, animate=False)
        await stage.pause()
        assert len(sent) == 1
        (shown,) = ids(sent, "T")
        segment = next(one for one in view.render_line(0) if PLACEHOLDER in one.text)
        assert segment.style is not None
        assert segment.style.color is not None
        assert segment.style.color.triplet is not None
        assert int.from_bytes(bytes(segment.style.color.triplet), "big") == int(shown)


async def test_a_picture_that_is_gone_is_forgotten(sent: list[str]) -> None:
    use(Protocol.KITTY)
    async with show() as stage:
        view = stage.widget
        view.show(encoded(20, 20))
        await stage.pause()
        view.show(encoded(20, 20))
        await stage.pause()
        first, second = ids(sent, "T")
        assert ids(sent, "d") == [first]
        await view.remove()
        assert ids(sent, "d") == [first, second]


async def test_after_another_program_had_the_terminal_it_is_told_again(sent: list[str]) -> None:
    use(Protocol.KITTY)
    async with show() as stage:
        view = stage.widget
        view.show(encoded(20, 20))
        await stage.pause()
        stage.app.app_resume_signal.publish(stage.app)
        await stage.pause()
        first, second = ids(sent, "T")
        assert ids(sent, "d") == [first]
        assert view._frames[0].image_id == int(second)


async def test_frames_are_sent_when_they_are_first_shown(sent: list[str]) -> None:
    use(Protocol.KITTY)
    async with show() as stage:
        view = stage.widget
        view.play([encoded(20, 20), encoded(20, 20)], [0.01, 0.01])
        assert len(ids(sent, "T")) == 1
        colours = set()
        for _ in range(40):
            await stage.pilot.pause(0.01)
            colours.add(str(view.render_line(0)._segments[0].style))
        assert len(colours) == 2
        assert len(ids(sent, "T")) == 2
        view.show(encoded(20, 20))
        assert sorted(ids(sent, "d")) == sorted(ids(sent, "T")[:2])


@pytest.mark.parametrize(("name", "value"), [("COLORTERM", ""), ("NO_COLOR", "1")])
async def test_where_a_colour_cannot_be_a_number_half_blocks_remain(
    sent: list[str], monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(name, value)
    use(Protocol.KITTY)
    async with show() as stage:
        app = stage.app
        if app.console.color_system != "truecolor" or app.no_color:
            assert asked(stage)[0][2] == "rgb"
        assert sent == []


@pytest.mark.parametrize(
    ("protocol", "data", "picture"),
    [
        (Protocol.ITERM2, b"png", "\x1b]1337;File=inline=1;size=3;width=4;height=2;"),
        (Protocol.SIXEL, b"\x1bPq#0~\x1b\\", "\x1bPq#0~\x1b\\"),
    ],
)
async def test_a_view_that_is_alone_is_drawn_over(
    sent: list[str], protocol: Protocol, data: bytes, picture: str
) -> None:
    use(protocol)
    async with alone((20, 10)) as stage:
        view = stage.widget
        assert asked(stage)[-1] == (200, 200, "png" if protocol is Protocol.ITERM2 else "sixel")
        view.show(encoded(40, 40, data))
        await stage.pause()
        assert sent
        # Four columns and two rows, in the middle of 20 x 10 cells; counted from 1.
        assert sent[-1].startswith(f"\x1b7\x1b[5;9H{picture}")
        assert sent[-1].endswith("\x1b8")
        assert view.render_line(4).text.strip() == ""


async def test_nothing_is_drawn_over_what_stands_in_front(sent: list[str]) -> None:
    use(Protocol.ITERM2)
    async with alone((60, 20)) as stage:
        view = stage.widget
        view.show(encoded(40, 40))
        await stage.pause()
        stage.app.push_screen(ModalScreen())
        await stage.pause()
        sent.clear()
        view.refresh()
        await stage.pause()
        await stage.pause()
        assert sent == []
        stage.app.pop_screen()
        await stage.pause()
        await stage.pause()
        assert sent
        stage.app.notify("in front", timeout=30)
        await stage.pause()
        await stage.pause()
        sent.clear()
        view.refresh()
        await stage.pause()
        assert sent == []


@pytest.mark.parametrize("protocol", [Protocol.ITERM2, Protocol.SIXEL])
async def test_a_view_that_scrolls_is_not_drawn_over(sent: list[str], protocol: Protocol) -> None:
    use(protocol)
    async with show() as stage:
        assert asked(stage)[0][2] == "rgb"


async def test_sixels_need_to_know_the_size_of_a_cell(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal_images, "cell_size", lambda: None)
    use(Protocol.SIXEL)
    async with alone((40, 12)) as stage:
        assert asked(stage)[0] == (40, 24, "rgb")


@pytest.mark.parametrize("protocol", list(Protocol))
async def test_without_a_terminal_nothing_is_sent(protocol: Protocol) -> None:
    terminal_detection._graphics = Graphics(protocol)
    try:
        async with alone((40, 12)) as stage:
            assert asked(stage)[0][2] == "rgb"
    finally:
        terminal_detection._graphics = None
