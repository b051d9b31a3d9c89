"""One line at a time, and what happens to it when whoever asks has to look up."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Iterator

import pytest

from signoff.app.flows.keyboard import Keyboard
from signoff.app.plain.console import Console
from signoff.app.plain.dialogue import Dialogue


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.FileIO]:
    """What is written here is typed on a terminal."""
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    master, slave = os.openpty()
    with os.fdopen(slave, "r") as stdin, io.FileIO(master, "w") as typing:
        monkeypatch.setattr("sys.stdin", stdin)
        yield typing


async def asked(dialogue: Dialogue, shown: io.StringIO) -> asyncio.Task[str]:
    """A word is asked for, and the prompt stands there."""
    asking = asyncio.create_task(dialogue.ask_word("Type trust>"))
    while "Type trust>" not in shown.getvalue():
        assert not asking.done()
        await asyncio.sleep(0.01)
    return asking


async def test_who_comes_back_before_the_prompt_is_asked_all_the_same(typed: io.FileIO) -> None:
    shown = io.StringIO()
    dialogue = Dialogue(Console(shown), Keyboard())
    typed.write(b"trust\n")
    asking = asyncio.create_task(asked(dialogue, shown))
    await asyncio.sleep(0.1)
    dialogue.keyboard.interrupt()
    word = await asking
    await asyncio.sleep(0.05)
    assert not word.done(), "what was typed ahead answers nothing"
    typed.write(b"trust\n")
    assert await word == "trust"


async def test_who_comes_back_at_the_prompt_sees_it_again(typed: io.FileIO) -> None:
    shown = io.StringIO()
    dialogue = Dialogue(Console(shown), Keyboard())
    word = await asked(dialogue, shown)
    dialogue.keyboard.interrupt()
    while shown.getvalue().count("Type trust>") < 2:
        await asyncio.sleep(0.01)
    typed.write(b"trust\n")
    assert await word == "trust"


async def test_a_word_that_somebody_was_interrupted_behind_is_none(typed: io.FileIO) -> None:
    shown = io.StringIO()
    dialogue = Dialogue(Console(shown), Keyboard())
    dialogue.console.typed = lambda line: dialogue.keyboard.interrupt()  # type: ignore[method-assign]
    word = await asked(dialogue, shown)
    typed.write(b"trust\n")
    assert await word == ""
