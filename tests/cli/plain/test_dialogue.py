"""One line at a time, and what happens to it when whoever asks has to look up."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.server_questions import AskName
from signoff.app.cli.approving.approvers import LineApprover
from signoff.app.cli.approving.keyboard import Keyboard
from signoff.app.cli.plain.console import Console, Dialogue, InputCancelled
from tests.approved import approved
from tests.questions import of_server

PROSE = approved("cli-plain")


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


@pytest.mark.slow
async def test_who_comes_back_at_the_prompt_sees_it_again(typed: io.FileIO) -> None:
    shown = io.StringIO()
    dialogue = Dialogue(Console(shown), Keyboard())
    word = await asked(dialogue, shown)
    dialogue.keyboard.interrupt()
    while shown.getvalue().count("Type trust>") < 2:
        await asyncio.sleep(0.01)
    typed.write(b"trust\n")
    assert await word == "trust"


@pytest.mark.slow
async def test_a_word_that_somebody_was_interrupted_behind_is_none(typed: io.FileIO) -> None:
    shown = io.StringIO()
    dialogue = Dialogue(Console(shown), Keyboard())
    dialogue.console.typed = lambda line: dialogue.keyboard.interrupt()  # type: ignore[method-assign]
    word = await asked(dialogue, shown)
    typed.write(b"trust\n")
    assert await word == ""


async def until(shown: io.StringIO, words: str, times: int = 1) -> None:
    async with asyncio.timeout(60):
        while shown.getvalue().count(words) < times:
            await asyncio.sleep(0.01)


async def test_a_question_goes_before_the_prompt_that_stands_there(typed: io.FileIO) -> None:
    shown = io.StringIO()
    console, keyboard = Console(shown), Keyboard()
    dialogue = Dialogue(console, keyboard)
    command = asyncio.create_task(dialogue.ask("raw>"))
    await until(shown, "raw>")
    approver = LineApprover(keyboard=keyboard, say=console.say, prompt=console.prompt)
    asking = asyncio.create_task(approver.ask(of_server()))
    await until(shown, "Type send")
    typed.write(b"no\n")
    assert (await asking).answer is DecisionAnswer.DENY
    assert not command.done()
    await until(shown, "raw>", 2)
    typed.write(b"list\n")
    async with asyncio.timeout(60):
        assert await command == "list"


async def test_a_prompt_that_comes_to_its_turn_gives_way_as_well(typed: io.FileIO) -> None:
    shown = io.StringIO()
    keyboard = Keyboard()
    dialogue = Dialogue(Console(shown), keyboard)
    async with keyboard.turn(of_question=True):
        command = asyncio.create_task(dialogue.ask("raw>"))
        await asyncio.sleep(0.01)
    # The prompt has the turn, and does not know it yet.
    async with asyncio.timeout(60), keyboard.turn(of_question=True):
        assert "raw>" not in shown.getvalue()
    await until(shown, "raw>")
    typed.write(b"list\n")
    assert await command == "list"


async def test_ctrl_c_is_no_answer_to_what_is_asked_after_it(typed: io.FileIO) -> None:
    """While a word is not waited for yet, since it was not quiet for long enough."""
    dialogue = Dialogue(Console(io.StringIO()), Keyboard())
    word = asyncio.create_task(dialogue.ask_word("Type trust>"))
    await asyncio.sleep(0.1)
    assert dialogue.is_asking
    dialogue.cancel()
    with pytest.raises(InputCancelled):
        await word


@pytest.fixture
def server_asks() -> tuple[io.StringIO, LineApprover]:
    shown = io.StringIO()
    console = Console(shown)
    return shown, LineApprover(say=console.say, prompt=console.prompt)


async def test_ctrl_c_closes_what_a_server_asks(
    typed: io.FileIO, server_asks: tuple[io.StringIO, LineApprover]
) -> None:
    shown, approver = server_asks
    assert not approver.cancel(), "nothing is asked"
    asking = asyncio.create_task(approver.ask(of_server()))
    await until(shown, "Type send")
    assert approver.cancel()
    assert (await asking).answer is DecisionAnswer.CANCEL


async def test_a_question_that_is_taken_back_says_so(
    typed: io.FileIO, server_asks: tuple[io.StringIO, LineApprover]
) -> None:
    shown, approver = server_asks
    asking = asyncio.create_task(approver.ask(of_server()))
    await until(shown, "Type send")
    asking.cancel()
    await asyncio.wait({asking})
    PROSE.holds("closed: taken back", shown.getvalue().splitlines()[-1])


async def test_what_is_taken_back_while_it_waits_leaves_the_open_question_as_it_is(
    typed: io.FileIO, server_asks: tuple[io.StringIO, LineApprover]
) -> None:
    shown, approver = server_asks
    asking = asyncio.create_task(approver.ask(of_server()))
    await until(shown, "Type send")
    waiting = asyncio.create_task(approver.ask(replace(of_server(), call=AskName("demo", 2))))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    approver.void(AskName("demo", 1), "the connection was lost")
    async with asyncio.timeout(60):
        assert (await asking).answer is DecisionAnswer.WITHDRAWN
    PROSE.holds("closed: connection lost", shown.getvalue().splitlines()[-1])
