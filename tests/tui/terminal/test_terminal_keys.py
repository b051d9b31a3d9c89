"""Reading keys: in what order they are told, and that nobody waits for the reader to end."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key
from textual.message import Message

from signoff.app.platforms import terminal
from signoff.app.storage.settings.actions import actions
from signoff.app.tui.terminal import posix_driver

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
