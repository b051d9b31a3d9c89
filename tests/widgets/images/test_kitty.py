from __future__ import annotations

import base64
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

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
