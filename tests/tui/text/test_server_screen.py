"""The screen of the server: its log messages, which go on while they are read."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from textual.app import App

from signoff.app.transport.events import Logged, Stderr
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.text.server_screen import ServerScreen
from signoff.widgets.bars import VerbBar
from tests.approved import approved
from tests.engine.opened import opened
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.drawn import flowing

TEXTS = approved("tui-text")


def about(stage: BenchStage) -> str:
    """The rows that count the messages."""
    rows = stage.text.split("\n")
    found = [(at, re.search(r"\d+ log messages", row)) for at, row in enumerate(rows)]
    at, first = next((at, match.start()) for at, match in found if match)
    return " ".join(row[first:].strip("│╮ ") for row in rows[at : at + 2])


@asynccontextmanager
async def server_screen(size: tuple[int, int] = WIDE) -> AsyncIterator[BenchStage]:
    """The screen alone, on the scripted server in memory."""
    app: App[None] = App()
    async with opened("--only", "echo") as at, app.run_test(size=size) as pilot:
        await app.push_screen(ServerScreen(at.engine))
        yield BenchStage(cast(SignoffApp, app), pilot, at.engine)


@pytest.mark.slow
async def test_log_messages_come_while_they_are_read_and_the_level_is_asked_for() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.press("f9", "L")
        assert isinstance(stage.app.screen, ServerScreen)
        await stage.sees("0 log messages", "from debug on")
        call = stage.engine.call(stage.tool("log_every_level"), {})
        await stage.engine.ended(call)
        await stage.sees("8 log messages", "notice    demo.door", "emergency Leave")
        await stage.press("L", "L")
        await stage.sees("from notice on")
        await stage.no_longer_sees("181.4 degrees")
        await stage.press("escape")
        assert not isinstance(stage.app.screen, ServerScreen)


async def test_all_that_can_be_done_with_the_log_has_room_on_80_columns() -> None:
    async with server_screen(NARROW) as stage:
        await stage.press("L")
        await stage.sees("L Level", "esc Close")
        verbs = flowing(stage.app.screen.query_one(VerbBar))
        TEXTS.holds("server: verbs of the log on 80 columns", verbs)


async def test_only_the_messages_of_one_logger_are_shown_and_then_all_again() -> None:
    async with server_screen() as stage:
        log = stage.engine.log
        await stage.press("L")
        for logger, text in (("b", "first"), (None, "second"), ("a[b]\x1b", "third"), ("b", "4th")):
            log.take(Logged("info", logger, text))
        await stage.press("o")
        await stage.sees("4 log messages", "(1 of 3)", "second")
        TEXTS.holds("server: messages without a logger", about(stage))
        await stage.no_longer_sees("first")
        await stage.press("o")
        await stage.sees("“a[b]␛”", "(2 of 3)", "third")
        await stage.press("o")
        await stage.sees("“b”", "(3 of 3)", "first", "4th")
        TEXTS.holds("server: messages of a logger", about(stage))
        await stage.no_longer_sees("third")
        log.take(Logged("info", "b", "fifth"))
        log.take(Logged("info", "z", "sixth"))
        await stage.sees("6 log messages", "(3 of 4)", "fifth")
        assert "sixth" not in stage.text
        await stage.press("o", "o")
        await stage.sees("first", "second", "third", "fifth", "sixth")
        await stage.no_longer_sees("of the logger")


async def test_what_changes_is_shown_as_it_is_by_then() -> None:
    async with server_screen() as stage:
        await stage.sees("state         connected")
        stage.engine.link.kill()
        await stage.sees("state         lost", "ended ")


@pytest.mark.slow
async def test_stderr_goes_on_while_it_is_read() -> None:
    async with server_screen() as stage:
        await stage.press("tab", "tab")
        await stage.sees("nothing")
        stage.engine._connection.take(Stderr(("the flux capacitor is empty",)))
        await stage.sees("┃ the flux capacitor")
        stage.engine._connection.take(Stderr(("and so is the tank",)))
        await stage.sees("┃ and so")
