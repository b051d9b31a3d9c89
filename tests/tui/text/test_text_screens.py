"""Screens of text: the command, the keys, the server with its log, and the bundled sections."""

from __future__ import annotations

import re
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import pytest
from textual.app import App
from textual.widgets import Input

from signoff.app.cli.options.session import SessionOptions
from signoff.app.content.key_tables import Mark, key_rows
from signoff.app.demo.authorization import CLIENT, SECRET
from signoff.app.protocol.hints import Effect
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import Logged, Stderr
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.text.command_screen import CommandScreen
from signoff.app.tui.text.keys_screen import JOBS, MORE, KeysScreen
from signoff.app.tui.text.server_screen import ServerScreen
from signoff.widgets.bars import VerbBar
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.sheets import SheetView
from tests.approved import approved
from tests.demo.peer import COMMAND
from tests.engine.opened import opened
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.test_client_sign_in import Behind
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.drawn import flowing

TEXTS = approved("tui-text")


@pytest.mark.slow
async def test_what_is_in_the_form_is_copied_and_shown() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.choose("delete_file")
        await stage.press("Y")
        await stage.is_open(CommandScreen)
        await stage.sees("signoff call delete_file")
        (title,) = re.findall("╭─ (The [^─]*) ─", stage.text)
        TEXTS.holds("command: of the form", title)
        TEXTS.holds("command: copied", await stage.notice())
        copied = stage.app.clipboard
        assert copied.startswith("signoff call delete_file demo")
        # The command, and not what is drawn of it.
        stage.app.copy_to_clipboard("other")
        await stage.press("y")
        await stage.until(lambda: stage.app.clipboard == copied, "the copy")
        await stage.press("escape")
        await stage.is_open(MainScreen)
        # Trust and policy are those of now.
        assert "--no-trust" not in copied
        stage.engine.set_trust(Trust.UNTRUSTED)
        await stage.press("Y")
        await stage.until(lambda: "--no-trust" in stage.app.clipboard, "the trust of now")


@pytest.mark.slow
async def test_with_the_calls_it_is_the_selected_call_as_it_was_made() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        call = await stage.call("show_text")
        await stage.sees("show_text  answered")
        await stage.press("Y")
        await stage.sees("signoff call show_text", f"call {call.id}")
        words = shlex.split(stage.app.clipboard)
        assert words[:4] == ["signoff", "call", "show_text", "demo"]


@pytest.mark.slow
async def test_without_a_command_line_that_is_said_and_in_the_filter_y_is_a_letter() -> None:
    async with bench_stage() as stage:
        opening = stage.app._opening
        opening.session = replace(opening.session, start=None)
        await stage.press("Y")
        TEXTS.holds("command: none", await stage.notice())
        await stage.press("f3", "Y")
        assert isinstance(stage.app.screen, MainScreen)
        field = stage.app.focused
        await stage.until(lambda: isinstance(field, Input) and field.value == "Y", "the letter")


async def lines(stage: BenchStage) -> Sequence[str]:
    await stage.press("f1")
    await stage.is_open(KeysScreen)
    await stage.press("slash")
    told = [one.plain for one in stage.app.screen.query_one(SheetView)._lines]
    await stage.press("f1")
    await stage.has_left(KeysScreen)
    return told


@pytest.mark.slow
async def test_what_is_looked_at_comes_first_and_typing_last() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("echo")
        heads = ("Here", "On this screen", "Everywhere", "Moving about, and typing")
        for key, said in (("f3", "The server's tools"), ("escape", "Fold or unfold this group.")):
            await stage.press(key)
            told = await lines(stage)
            places = [told.index(head) for head in heads if head in told]
            assert places == sorted(places)
            assert "grouped by their declared hints" in told[0]
            assert told.index("On this screen") < told.index("Moving about, and typing")
            assert said in told or key == "f3"
        await stage.press("enter")
        told = await lines(stage)
        assert "as declared" in told[0]
        typing = told.index("Moving about, and typing")
        assert told.index("Ask for the call with these arguments.") < told.index("On this screen")
        assert not any("Cursor word" in one or "Page Left" in one for one in told[typing:])


async def test_no_key_is_told_twice_and_the_last_line_names_the_manual() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("echo")
        told = await lines(stage)
        assert told[-1] == MORE
        assert "signoff manual" in MORE
        told = [one for one in told if one.endswith(".")]
        assert len(told) == len(set(told))


async def test_the_first_page_is_five_jobs_and_fits() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("echo")
        await stage.press("f1")
        await stage.sees("ask the hosts", "f2 All hosts", "shift+f5 Restart", "/ All keys")
        sheet = stage.app.screen.query_one(SheetView)
        jobs = [line.label for line in sheet._lines if line.label in JOBS.values()]
        assert jobs == list(JOBS.values())
        assert sheet.max_scroll_y <= 6
        await stage.press("slash")
        await stage.until(lambda: sheet.max_scroll_y > 20, "every key")
        await stage.press("slash", "escape")
        await stage.has_left(KeysScreen)


def test_every_job_has_keys_of_the_tables() -> None:
    jobs = {row.marks[Mark.JOB] for row in key_rows() if Mark.JOB in row.marks}
    assert jobs == set(JOBS)


@pytest.mark.slow
async def test_all_effects_and_sections_are_in_sight_at_once() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.sees(*(f"{one.sign} {one.value} " for one in Effect))
        await stage.sees("Gallery 33 ▸", "Conversation 22 ▸")
        await stage.sees("calculate_sum", "create_record", "delete_file", "contradictory_tool")
        await stage.press("end", "enter")
        assert stage.app.screen.query_one(ToolList).highlighted is None
        await stage.press("down")
        await stage.sees_tool("ask_every_field")
        await stage.press("up", "left", "up", "enter")
        assert stage.app.screen.query_one(ToolList).highlighted is None
        await stage.press("down")
        await stage.sees_tool("list_repositories")


@pytest.mark.slow
async def test_the_filter_finds_what_is_folded_away_and_the_choice_outlives_it() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.press("slash")
        await stage.type("shape")
        await stage.sees("Gallery 2", "shape_shifter", "change_definition")
        await stage.press("enter")
        await stage.sees_tool("shape_shifter")
        await stage.press("escape", "escape")
        await stage.sees("Tools 89")
        tools = stage.app.screen.query_one(ToolList)
        assert tools.highlighted is not None
        assert tools.highlighted.name == "shape_shifter"
        assert "shape_shifter" in stage.text


@pytest.mark.slow
async def test_another_server_with_the_same_words_hides_nothing() -> None:
    async with bench_stage(argv=COMMAND, size=(120, 96)) as stage:
        assert not stage.engine.server.is_bundled
        reading = sum(tool.effect is Effect.READ_ONLY for tool in stage.engine.tools)
        await stage.sees(f"○ read-only {reading}", "shape_shifter", "github_repo_summary")
        assert "Gallery" not in stage.text
        assert "more ▸" not in stage.text


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


GIVEN = SessionOptions(client_id=CLIENT, client_secret_env="DEMO_SECRET")


async def test_f9_says_as_whom_by_whom_for_what_and_until_when(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DEMO_SECRET", SECRET)
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        async with bench_stage(url=url, options=GIVEN, size=NARROW) as stage:
            await stage.press("f9")
            await stage.sees(f"signed in     as {CLIENT}, by client credentials")
            await stage.sees(f"issuer        {server.issuer}", "scopes        demo:read")
            await stage.sees("token until   20", "UTC")
            assert not any(one in stage.text for one in (SECRET, *behind.tokens))


async def test_a_refusal_is_on_the_screen_of_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_SECRET", SECRET)
    with signing_in_with("client-refused") as (url, _):
        async with bench_stage(url=url, options=GIVEN, is_listed=False) as stage:
            await stage.sees("the server requires a sign-in", "invalid_client")
            assert SECRET not in stage.text
