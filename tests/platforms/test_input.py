"""Lines as plain mode reads them on Windows; most of a POSIX terminal is tested in `e2e`."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from signoff.app.cli.approving import keyboard as keyboard_module
from signoff.app.cli.approving.keyboard import Interrupted, Keyboard
from signoff.app.platforms.input import Input


@pytest.fixture
def console(windows: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A keyboard at a console of Windows; `type` is what a person does."""
    module = windows.load("input")
    monkeypatch.setattr(keyboard_module, "Input", module.Input)
    monkeypatch.setattr(keyboard_module, "is_gone", windows.load("vanishing").is_gone)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: 0))
    monkeypatch.setattr(os, "isatty", lambda descriptor: True)
    msvcrt = windows.msvcrt
    return SimpleNamespace(
        keyboard=Keyboard(), type=lambda text: msvcrt.keys.extend(text), msvcrt=msvcrt
    )


@pytest.fixture
def pipe(windows: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Iterator[io.FileIO]:
    """The writing end of a pipe that is standard input, as it is read on Windows."""
    monkeypatch.setattr(keyboard_module, "Input", windows.load("input").Input)
    reading, writing = os.pipe()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: reading))
    with open(writing, "wb", buffering=0) as end:
        yield end
    os.close(reading)


def test_keys_that_came_while_a_terminal_was_deaf_are_lost() -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    keys, terminal = os.openpty()
    try:
        source = Input(terminal)
        source.make_deaf()
        os.write(keys, b"approve\n")
        assert source.is_ready()
        source.hear_again()
        assert not source.is_ready()
        os.write(keys, b"deny\n")
        assert source.read() == b"deny\n"
    finally:
        os.close(keys)
        os.close(terminal)


async def test_a_line_is_edited_and_shown(console: SimpleNamespace) -> None:
    console.type("yx\b\bn\xe0H\x00Po\xe9\r")
    assert await console.keyboard.line() == "noé"
    assert console.msvcrt.shown == "yx\b \b\b \bnoé\r\n"


async def test_a_line_comes_when_it_is_ended(console: SimpleNamespace) -> None:
    console.type("call")
    reading = asyncio.create_task(console.keyboard.line())
    await asyncio.sleep(0.1)
    assert not reading.done()
    console.type(" it\rmore")
    assert await reading == "call it"
    assert await console.keyboard.is_more_coming()
    console.type("\r")
    assert await console.keyboard.line() == "more"
    assert not await console.keyboard.is_more_coming()


async def test_the_end_is_ctrl_z(console: SimpleNamespace) -> None:
    console.type("half\x1a")
    assert await console.keyboard.line() is None


async def test_what_was_typed_ahead_is_swallowed(console: SimpleNamespace) -> None:
    console.type("approve")
    reading = asyncio.create_task(console.keyboard.line())
    await asyncio.sleep(0.05)
    reading.cancel()
    await asyncio.wait([reading])
    console.type("\rapprove\r")
    deaf = asyncio.create_task(console.keyboard.quiet(0.3))
    await asyncio.sleep(0.15)
    console.type("approve")
    await asyncio.sleep(0.2)
    assert not deaf.done(), "every key begins the silence anew"
    shown = console.msvcrt.shown
    assert await deaf
    assert console.msvcrt.shown == shown == "approve"
    console.type("deny\r")
    assert await console.keyboard.line() == "deny"
    assert not await console.keyboard.quiet(0.05)


async def test_ctrl_c_is_the_signal_and_whoever_waits_can_be_interrupted(
    console: SimpleNamespace,
) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        reading = asyncio.create_task(console.keyboard.line())
        console.type("\x03")
        await asyncio.sleep(0.1)
        assert heard == [signal.SIGINT]
        console.keyboard.interrupt()
        with pytest.raises(Interrupted):
            await reading
    finally:
        signal.signal(signal.SIGINT, before)


async def test_an_interrupt_is_for_whoever_waits_next_where_nobody_waits(pipe: io.FileIO) -> None:
    keyboard = Keyboard()
    pipe.write(b"one\n")
    keyboard.interrupt()
    with pytest.raises(Interrupted):
        await keyboard.line()
    assert await keyboard.line() == "one"
    keyboard.interrupt()
    keyboard.forget_interrupts()
    pipe.write(b"two\nthree\n")
    assert await keyboard.line() == "two"
    keyboard.interrupt()
    with pytest.raises(Interrupted):
        # What is read already waits no less.
        await keyboard.line()
    assert await keyboard.line() == "three"


async def test_a_pipe_is_read_to_its_end(pipe: io.FileIO) -> None:
    keyboard = Keyboard()
    pipe.write(b"one\r\ntwo\nthr")
    assert await keyboard.line() == "one"
    assert await keyboard.line() == "two"
    reading = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0.05)
    pipe.write(b"ee")
    pipe.close()
    assert await reading == "three"
    assert await keyboard.line() is None
    assert await keyboard.line() is None
