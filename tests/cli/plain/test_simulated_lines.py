"""A simulated person in plain mode: one question after the other, each said to its end."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from dataclasses import replace

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.server_questions import AboutElicitation, AskName
from signoff.app.cli.approving.keyboard import Keyboard
from signoff.app.cli.plain.console import Console
from signoff.app.cli.plain.run import SimulatedOnLines
from tests.approved import approved
from tests.questions import of_server

PROSE = approved("cli-plain")


def asks(number: int, message: str) -> AboutElicitation:
    return replace(of_server(message), call=AskName("demo", number))


def person(words: str) -> tuple[SimulatedOnLines, io.StringIO]:
    shown = io.StringIO()
    return SimulatedOnLines(words, None, Console(shown).say, Keyboard()), shown


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.01)


async def test_a_question_that_is_void_is_said_to_be_closed_and_not_to_be_answered() -> None:
    who, shown = person("absent")
    asking = asyncio.create_task(who.ask(asks(1, "First?")))
    await until(lambda: "First?" in shown.getvalue())
    who.void(AskName("demo", 1), "the connection was lost")
    assert (await asking).answer is DecisionAnswer.WITHDRAWN
    PROSE.holds("closed: connection lost", shown.getvalue().splitlines()[-1])
    assert "answered" not in shown.getvalue()


async def test_a_question_that_is_taken_back_is_said_to_be_closed() -> None:
    who, shown = person("absent")
    asking = asyncio.create_task(who.ask(asks(1, "First?")))
    await until(lambda: "First?" in shown.getvalue())
    asking.cancel()
    await asyncio.wait({asking})
    PROSE.holds("closed: taken back", shown.getvalue().splitlines()[-1])


async def test_a_question_is_not_shown_before_its_turn_nor_once_it_is_void() -> None:
    who, shown = person("absent")
    first, second, third = (
        asyncio.create_task(who.ask(asks(number, f"Question {number}?"))) for number in (1, 2, 3)
    )
    await until(lambda: "Question 1?" in shown.getvalue())
    who.void(AskName("demo", 2), "cancelled")
    who.void(AskName("demo", 1), "cancelled")
    assert (await second).answer is DecisionAnswer.WITHDRAWN
    await until(lambda: "Question 3?" in shown.getvalue())
    assert first.done()
    assert "Question 2?" not in shown.getvalue()
    assert [one.question.call.number for one in who.asked] == [1]
    who.void(AskName("demo", 3), "cancelled")
    await third
