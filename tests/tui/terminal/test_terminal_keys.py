"""What is read from a terminal: keys in their order, and the answer about its background."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.events import Key
from textual.message import Message

from signoff.app.platforms import terminal
from signoff.app.storage.settings.actions import actions
from signoff.app.tui.terminal import posix_driver
from signoff.app.tui.terminal.background import (
    AnsweredParser,
    AnswerFilter,
    may_be_asked,
    said_by_environment,
)

assert sys.platform != "win32"


class Waits(terminal.Waking):
    """Keeps how long each wait for input may last; None: without end."""

    def __init__(self) -> None:
        super().__init__()
        self.limits: list[float | None] = []

    def has_input(self, descriptor: int, seconds: float | None) -> bool:
        self.limits.append(seconds)
        return super().has_input(descriptor, seconds)


class Reader:
    def __init__(self) -> None:
        self.terminal, self._keys = os.pipe()
        self.is_over = Waits()
        self.told: list[Message] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def press(self, keys: bytes) -> None:
        os.write(self._keys, keys)

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.told if isinstance(one, Key)]

    def wait_for(self, keys: list[str]) -> None:
        deadline = time.monotonic() + 10
        while self.keys != keys:
            assert time.monotonic() < deadline, self.keys
            time.sleep(0.005)

    def end(self) -> float:
        since = time.monotonic()
        self.is_over.set()
        self._thread.join(10)
        assert not self._thread.is_alive()
        return time.monotonic() - since

    def _run(self) -> None:
        posix_driver.read_keys(self.terminal, XTermParser(), self.told.append, self.is_over)


@pytest.fixture
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.end()


def test_keys_are_told_in_their_order(reader: Reader) -> None:
    reader.press(b"ab\x1b[A")
    reader.press("é".encode()[:1])
    reader.wait_for(["a", "b", "up"])
    reader.press("é".encode()[1:])
    reader.wait_for(["a", "b", "up", "é"])


def test_an_escape_alone_is_a_key_after_a_while(reader: Reader) -> None:
    reader.press(b"\x1b")
    reader.wait_for(["escape"])


def test_without_input_it_waits_without_waking(reader: Reader) -> None:
    reader.press(b"\x1b")
    reader.wait_for(["escape"])
    deadline = time.monotonic() + 10
    while reader.is_over.limits[-1] is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert reader.is_over.limits[0] is None
    assert posix_driver.TICK_SECONDS in reader.is_over.limits


def test_bytes_that_are_no_utf_8_end_nothing(reader: Reader) -> None:
    reader.press(b"\xffa")
    reader.wait_for(["replacement_character", "a"])


def test_nobody_waits_for_the_end_of_reading() -> None:
    # The quickest of several: the machine may be busy.
    assert min(Reader().end() for _ in range(5)) < posix_driver.TICK_SECONDS / 2


def test_what_has_come_by_the_end_is_told() -> None:
    reader = Reader()
    reader.press(b"x")
    reader.end()
    assert reader.keys == ["x"]


def test_reading_can_begin_again_after_its_end() -> None:
    is_over = terminal.Waking()
    is_over.set()
    is_over.clear()
    ended = threading.Event()
    read_end, _ = os.pipe()

    def run() -> None:
        posix_driver.read_keys(read_end, XTermParser(), lambda _: None, is_over)
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    assert not ended.wait(2 * posix_driver.TICK_SECONDS)
    is_over.set()
    assert ended.wait(10)


def test_keys_with_alt_are_told_where_a_terminal_writes_escape_before_the_letter(
    reader: Reader,
) -> None:
    pressed = {key for one in actions().values() for key in one.keys if len(key) == len("alt+x")}
    keys = sorted(key for key in pressed if key.startswith("alt+"))
    assert keys
    for number, key in enumerate(keys, 1):
        reader.press(b"\x1b" + key[-1].encode())
        reader.wait_for(keys[:number])


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
