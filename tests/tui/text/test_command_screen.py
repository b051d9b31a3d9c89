"""`c` copies what is on the screen as a command, and shows it."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import pytest
from textual.widgets import Input

from signoff.app.protocol.server import Trust
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.text.command_screen import CommandScreen
from tests.approved import approved
from tests.tui.bench_stage import NARROW, bench_stage

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
async def test_in_the_filter_c_is_a_letter() -> None:
    async with bench_stage() as stage:
        await stage.press("f3", "Y")
        assert isinstance(stage.app.screen, MainScreen)
        field = stage.app.focused
        await stage.until(lambda: isinstance(field, Input) and field.value == "Y", "the letter")


@pytest.mark.slow
async def test_without_a_command_line_that_is_said() -> None:
    async with bench_stage() as stage:
        opening = stage.app._opening
        opening.session = replace(opening.session, start=None)
        await stage.press("Y")
        TEXTS.holds("command: none", await stage.notice())
