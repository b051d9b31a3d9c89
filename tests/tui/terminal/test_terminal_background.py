"""What a terminal answers about its background is never a key, whenever and however it comes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from signoff.app.tui.terminal.background import (
    AnsweredParser,
    AnswerFilter,
    may_be_asked,
    said_by_environment,
)

LIGHT = "\x1b]11;rgb:ffff/ffff/eeee\x1b\\"
DARK = "\x1b]11;rgb:00/00/10\x07"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def read(*pieces: str, pause: float = 0.0, after: float = 0.0) -> tuple[str, list[bool]]:
    """What is left of pieces that come so many seconds apart, and what was told."""
    clock, told = Clock(), list[bool]()
    one = AnswerFilter(told.append, clock)
    clock.now += after
    left = ""
    for piece in pieces:
        left += one.take(piece) + one.give_up()
        clock.now += pause
        left += one.give_up()
    clock.now += 10
    return left + one.give_up(), told


@pytest.mark.parametrize(
    ("answer", "is_light"),
    [
        (LIGHT, True),
        (DARK, False),
        ("\x1b]11;rgb:f/f/f\x07", True),
        ("\x1b]11;rgba:fdfd/f6f6/e3e3/ffff\x1b\\", True),
        ("\x1b]11;rgb:2828/2828/2828\x1b\\", False),
    ],
)
def test_an_answer_is_told_and_taken_out(answer: str, is_light: bool) -> None:
    assert read(f"ab{answer}cd") == ("abcd", [is_light])


# Whoever types the beginning of an answer by hand is taken for the terminal.
TYPED = st.text("a\x1b]1;[\\~", max_size=8).filter(lambda typed: "\x1b]11;" not in typed)


@given(TYPED, st.sampled_from([LIGHT, DARK]), st.data())
def test_in_however_many_pieces_it_comes_no_part_of_it_is_a_key(
    typed: str, answer: str, data: st.DataObject
) -> None:
    before, after = ("a", typed) if typed[:1] in "\\~;" else (typed + "a", "b")
    text = before + answer + after
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
    pieces = [text[one:two] for one, two in itertools.pairwise([0, *cuts, len(text)])]
    assert read(*pieces, pause=0.01) == (before + after, [answer is LIGHT])


def test_a_late_answer_is_no_key_either() -> None:
    assert read(f"a{LIGHT}b", after=1000)[0] == "ab"
    assert read("a\x1b]11;rgb:ff", "ff/ffff/ffff\x1b\\b", after=1000)[0] == "ab"


@pytest.mark.parametrize("answer", ["\x1b]11;black\x07", "\x1b]11;?\x1b\\", "\x1b]11;\x07"])
def test_an_answer_without_a_colour_says_nothing(answer: str) -> None:
    assert read(f"a{answer}b") == ("ab", [])


def test_half_an_answer_is_dropped() -> None:
    assert read("a\x1b]11;rgb:ff", pause=5) == ("a", [])


@pytest.mark.parametrize("typed", ["\x1b", "\x1b]", "\x1b]1", "a\x1b", "\x1b]x", "\x1b[A"])
def test_keys_that_only_begin_like_one_arrive(typed: str) -> None:
    assert read(typed, pause=0.2) == (typed, [])
    assert read(*typed, pause=0.001) == (typed, [])


def test_the_key_of_escape_does_not_wait_once_no_answer_is_awaited() -> None:
    clock = Clock()
    one = AnswerFilter(lambda _: None, clock)
    assert one.take("\x1b") == ""
    clock.now += 0.1
    assert one.give_up() == "\x1b"
    clock.now += 10
    assert one.take("\x1b") == "\x1b"


@given(st.text(max_size=40))
def test_any_other_text_arrives_as_it_is(text: str) -> None:
    if "\x1b]11;" not in text:
        assert read(text, pause=5) == (text, [])


def test_the_parser_makes_keys_of_the_rest_alone() -> None:
    told: list[bool] = []
    parser = AnsweredParser(False, told.append)
    found = [*parser.feed("a\x1b]11;rgb:ffff/"), *parser.tick(), *parser.feed("ffff/ffff\x1b\\b")]
    assert [one.key for one in found if isinstance(one, events.Key)] == ["a", "b"]
    assert told == [True]


@pytest.mark.parametrize(
    ("said", "is_light"),
    [("0;15", True), ("0;default;15", True), ("15;0", False), ("12;7", True), ("0;8", False)],
)
def test_the_environment_says(said: str, is_light: bool) -> None:
    assert said_by_environment({"COLORFGBG": said}) is is_light


@pytest.mark.parametrize("said", ["", "0;default", "15", "0;99", "x;y", "0;-1"])
def test_the_environment_says_nothing(said: str) -> None:
    expected = True if said == "15" else None
    assert said_by_environment({"COLORFGBG": said}) is expected
    assert said_by_environment({}) is None


@pytest.mark.parametrize("term", ["", "dumb", "linux", "vt100", "screen.xterm-256color"])
def test_a_terminal_that_would_print_the_question_is_not_asked(term: str) -> None:
    assert not may_be_asked({"TERM": term})


def test_others_are_asked() -> None:
    assert may_be_asked({"TERM": "xterm-256color"})
    assert may_be_asked({"TERM": "tmux-256color"})
    assert not may_be_asked({"TERM": "xterm", "STY": "1.pts"})
