"""The output of a command in plain mode waits for an open question; its work can be cancelled."""

from __future__ import annotations

import asyncio
import io
import sys

import pytest

from signoff.app.cli.approving.keyboard import Keyboard
from signoff.app.cli.plain.commands import carry_out
from signoff.app.cli.plain.console import Console, Dialogue, InputCancelled
from signoff.app.cli.plain.running import printed
from signoff.app.cli.plain.session import NotDone, PlainSession
from signoff.app.cli.targets.targets import UsageError
from signoff.app.engine.engine import Engine
from signoff.app.engine.session_config import SessionConfig, Target
from tests.engine.opened import Approves, opened


def session_of(engine: Engine) -> tuple[PlainSession, io.StringIO]:
    shown = io.StringIO()
    console = Console(shown)
    config = SessionConfig(Target("raw", ("server",)))
    return PlainSession(engine, console, Dialogue(console, Keyboard()), config), shown


async def test_nothing_is_printed_while_a_question_is_open() -> None:
    async with opened() as bench:
        session, shown = session_of(bench.engine)

        async def work() -> None:
            print("a line")
            print("an error", file=sys.stderr)

        async with session.dialogue.keyboard.turn(of_question=True):
            printing = asyncio.create_task(printed(session, work()))
            await asyncio.sleep(0.05)
            assert shown.getvalue() == ""
            assert not printing.done()
        await printing
        assert shown.getvalue() == "a line\nan error\n"


async def test_work_that_is_cancelled_keeps_its_lines_and_the_session() -> None:
    async with opened() as bench:
        session, shown = session_of(bench.engine)

        async def work() -> None:
            print("begun")
            await asyncio.Event().wait()

        printing = asyncio.create_task(printed(session, work()))
        await asyncio.sleep(0.01)
        assert session.work is not None
        session.work.cancel()
        with pytest.raises(InputCancelled):
            await printing
        assert shown.getvalue() == "begun\n"
        assert session.work is None
        await carry_out(session, "list")
        assert "1  echo" in shown.getvalue()


async def test_work_ends_with_the_session() -> None:
    ended = asyncio.Event()
    async with opened() as bench:
        session, _ = session_of(bench.engine)

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        printing = asyncio.create_task(printed(session, work()))
        await asyncio.sleep(0.01)
        printing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await printing
    assert ended.is_set()


async def test_an_error_comes_after_the_lines() -> None:
    async with opened() as bench:
        session, shown = session_of(bench.engine)

        async def work() -> None:
            print("\x1b[31ma line\u202e")
            raise UsageError("no “x” (signoff grants list shows them)")

        with pytest.raises(NotDone, match=r"^no “x” \(grants shows them\)$"):
            await printed(session, work())
        assert "\x1b" not in shown.getvalue()
        assert "\u202e" not in shown.getvalue()
        assert "a line" in shown.getvalue()
        assert sys.stdout is not shown


async def test_the_words_of_one_list_are_not_those_of_the_next() -> None:
    async with opened() as bench:
        session, shown = session_of(bench.engine)
        count = len(bench.engine.tools)
        await carry_out(session, "tools echo")
        assert f"1 of {count} tools" in shown.getvalue()
        await carry_out(session, "tools")
        assert f" {count} tools, untrusted" in shown.getvalue()


async def test_a_call_of_a_command_is_the_one_that_is_selected() -> None:
    async with opened() as bench:
        session, shown = session_of(bench.engine)
        await carry_out(session, "call read_thing --args '{\"name\": 5}' --although-invalid")
        assert session.selected == 1
        assert shown.getvalue().startswith("call 1\n")
        with pytest.raises(NotDone, match="invalid arguments for read_thing"):
            await carry_out(session, 'call read_thing !{"name": 5}')
        assert session.running is None


@pytest.mark.parametrize("option", ["--twice", "--pages 2", "--json", ""])
async def test_whoever_answers_in_the_session_answers_for_a_command(option: str) -> None:
    async with opened() as bench:
        session, _ = session_of(bench.engine)
        bench.engine.approver = approver = Approves()
        line = f'call delete_thing --args \'{{"name": "x"}}\' {option}'
        await carry_out(session, line)
        assert len(approver.questions) == (2 if option == "--twice" else 1)
        assert bench.engine.approver is approver
        assert bench.engine.sends


async def test_a_session_that_ends_waits_for_no_question() -> None:
    async with opened() as bench:
        session, shown = session_of(bench.engine)

        async def work() -> None:
            print("a line")
            await asyncio.Event().wait()

        async with session.dialogue.keyboard.turn(of_question=True):
            printing = asyncio.create_task(printed(session, work()))
            await asyncio.sleep(0.01)
            printing.cancel()
            async with asyncio.timeout(60):
                with pytest.raises(asyncio.CancelledError):
                    await printing
        assert shown.getvalue() == ""
