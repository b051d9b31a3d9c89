"""What is sent to a terminal that draws pictures: whether it does, and the words of Kitty."""

from __future__ import annotations

import base64
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from subprocess import run
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from signoff.app.content.media.images import ImageHeader, Pixels
from signoff.widgets.images import terminal_detection, terminal_images
from signoff.widgets.images.image_view import ImageView
from signoff.widgets.images.terminal_detection import (
    Graphics,
    Mode,
    Protocol,
    at_cell,
    iterm2,
    known_graphics,
)
from signoff.widgets.images.terminal_images import (
    CHUNK,
    MARKS,
    MAX_SIDE,
    PLACEHOLDER,
    forget,
    new_id,
    placeholders,
    transmit,
)
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


COMMAND = re.compile(r"\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\")


def commands(sequence: str) -> list[tuple[dict[str, str], str]]:
    """The commands as a terminal takes them apart; nothing else may stand between them."""
    assert COMMAND.sub("", sequence) == ""
    return [
        (dict(key.split("=") for key in found[1].split(",")), found[2] or "")
        for found in COMMAND.finditer(sequence)
    ]


@given(png=st.binary(max_size=20_000))
def test_the_terminal_gets_the_picture_in_pieces_that_it_takes(png: bytes) -> None:
    sent = commands(transmit(png, 0x123456, 30, 9))
    keys = dict(sent[0][0])
    del keys["m"]
    wanted = {"a": "T", "U": "1", "f": "100", "t": "d", "q": "2", "c": "30", "r": "9"}
    assert keys == wanted | {"i": str(0x123456)}
    assert all(set(later) == {"q", "m"} for later, _ in sent[1:])
    assert [keys["m"] for keys, _ in sent] == ["1"] * (len(sent) - 1) + ["0"]
    assert all(len(piece) <= CHUNK and len(piece) % 4 == 0 for _, piece in sent)
    assert base64.b64decode("".join(piece for _, piece in sent)) == png


def test_a_picture_is_forgotten_with_its_data() -> None:
    assert commands(forget(7)) == [({"a": "d", "d": "I", "i": "7", "q": "2"}, "")]


def test_through_tmux_each_command_is_wrapped() -> None:
    sent = transmit(bytes(9_000), 7, 2, 2, in_tmux=True) + forget(7, in_tmux=True)
    wrapped = re.findall(r"\x1bPtmux;((?:\x1b\x1b|[^\x1b])*)\x1b\\", sent)
    assert "".join(f"\x1bPtmux;{one}\x1b\\" for one in wrapped) == sent
    assert len(wrapped) == 4
    inner = "".join(one.replace("\x1b\x1b", "\x1b") for one in wrapped)
    assert inner == transmit(bytes(9_000), 7, 2, 2) + forget(7)


def test_each_cell_names_its_row_and_column_and_the_picture() -> None:
    strips = placeholders(0x0A141E, 3, 2)
    assert [strip.text for strip in strips] == [
        # The example of the protocol text, one column wider.
        "\U0010eeee\u0305\u0305\U0010eeee\u0305\u030d\U0010eeee\u0305\u030e",
        "\U0010eeee\u030d\u0305\U0010eeee\u030d\u030d\U0010eeee\u030d\u030e",
    ]
    for strip in strips:
        (segment,) = strip
        assert segment.style is not None
        assert segment.style.color is not None
        assert segment.style.color.triplet == (10, 20, 30)


def test_a_cell_is_one_cell_wide_and_can_be_cut_anywhere() -> None:
    for mark in MARKS:
        assert cell_len(PLACEHOLDER + MARKS[0] + mark) == 1
    strip = placeholders(7, MAX_SIDE, 1)[0]
    assert strip.cell_length == MAX_SIDE
    assert strip.crop(100, 103).text == "".join(
        PLACEHOLDER + MARKS[0] + MARKS[column] for column in (100, 101, 102)
    )


def test_the_marks_are_those_of_the_protocol() -> None:
    # Its list: combining class 230, no decomposition, in order; its length, and some of it.
    assert len(set(MARKS)) == len(MARKS) == 297
    assert list(MARKS) == sorted(MARKS)
    assert [f"{ord(MARKS[n]):04X}" for n in (0, 1, 2, 3, 4, 42, 200, 296)] == (
        ["0305", "030D", "030E", "0310", "0312", "059C", "20D4", "1D244"]
    )
    for mark in MARKS:
        assert unicodedata.combining(mark) == 230
        assert not unicodedata.decomposition(mark)


def test_more_than_can_be_named_is_not_drawn() -> None:
    strips = placeholders(7, 400, 400)
    assert len(strips) == MAX_SIDE
    assert strips[0].cell_length == MAX_SIDE


def test_numbers_have_no_byte_of_zero() -> None:
    for _ in range(200):
        assert 0 not in new_id().to_bytes(3, "big")


KITTY, ITERM2, SIXEL = (Graphics(one) for one in Protocol)


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-kitty"}, KITTY),
        ({"TERM": "xterm-kitty", "SSH_CONNECTION": "1"}, KITTY),
        ({"TERM": "xterm-ghostty"}, KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, ITERM2),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, ITERM2),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, ITERM2),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, None),
        ({"TERM": "foot"}, SIXEL),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "230401"}, SIXEL),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "210401"}, None),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "new"}, None),
        # Started from a shell in another terminal, whose variables came along.
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm", "VTE_VERSION": "7"}, None),
        ({"TERM": "xterm", "TERM_PROGRAM": "WezTerm", "XTERM_VERSION": "XTerm(379)"}, None),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, None),
        ({"TERM": "xterm-kitty", "STY": "1"}, None),
        ({}, None),
    ],
)
def test_what_the_environment_says(environ: dict[str, str], found: Graphics | None) -> None:
    assert known_graphics("auto", environ, is_terminal=True) == found
    if "TMUX" not in environ:
        assert known_graphics("on", environ, is_terminal=True) == found


@pytest.mark.parametrize(
    ("mode", "environ", "found"),
    [
        ("off", {"TERM": "xterm-kitty"}, None),
        ("on", {"TERM": "tmux-256color", "TMUX": "x"}, Graphics(Protocol.KITTY, in_tmux=True)),
        ("kitty", {"TERM": "tmux-256color", "TMUX": "x"}, Graphics(Protocol.KITTY, in_tmux=True)),
        ("kitty", {"TERM": "dumb"}, KITTY),
        ("iterm2", {"TERM": "xterm"}, ITERM2),
        ("sixel", {"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, SIXEL),
        ("sixel", {"NO_COLOR": "1"}, None),
    ],
)
def test_what_was_asked_for(mode: Mode, environ: dict[str, str], found: Graphics | None) -> None:
    assert known_graphics(mode, environ, is_terminal=True) == found
    assert known_graphics(mode, environ, is_terminal=False) is None


def test_without_a_terminal_half_blocks_remain() -> None:
    script = (
        "from signoff.widgets.images.terminal_detection import *;"
        "from signoff.app.platforms.terminal import pixel_size;"
        "found = [prepare_graphics(mode, pixel_size) for mode in ('auto', 'on', 'kitty')];"
        "print(found, graphics())"
    )
    done = run([sys.executable, "-c", script], capture_output=True, text=True, stdin=-3)
    assert done.stdout == "[False, False, False] None\n", done.stderr


def test_an_inline_image_has_its_size_in_cells() -> None:
    sequence = at_cell(4, 2, iterm2(b"png", 12, 5))
    found = re.fullmatch(r"\x1b7\x1b\[3;5H\x1b\]1337;File=([^:]*):([^\x07]*)\x07\x1b8", sequence)
    assert found is not None
    keys = dict(one.split("=") for one in found[1].split(";"))
    assert (keys["inline"], keys["width"], keys["height"]) == ("1", "12", "5")
    assert keys["size"] == "3"
    assert base64.b64decode(found[2]) == b"png"
