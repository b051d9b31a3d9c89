"""Deprecated tools: a badge in words everywhere, and the way to the tool named in their place."""

from __future__ import annotations

import pytest
from textual import events

from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.approved import approved
from tests.tui.bench_stage import NARROW, bench_stage
from tests.tui.drawn import Notices

TEXTS = approved("tui-main")
ONLY = ("--only", "old_echo,old_look,old_silent,echo,delete_thing")


@pytest.mark.slow
async def test_the_badge_is_words_in_list_and_pane_and_dialog() -> None:
    for size in (NARROW, (120, 36)):
        async with bench_stage(*ONLY, size=size, trust=Trust.UNTRUSTED) as stage:
            rows = [line for line in stage.text.split("\n") if " old_echo " in line]
            assert any(" depr " in row for row in rows)
            await stage.choose("old_echo")
            await stage.press("enter")
            await stage.sees("old_echo", "deprecated", "[DEPRECATED] Use echo")
            await stage.press("f12")
            await stage.is_open(ApprovalDialog)
            await stage.sees("tool ", "   deprecated", "as deprecated: “[DEPRECATED]")


@pytest.mark.slow
async def test_to_the_successor_with_what_was_typed() -> None:
    async with bench_stage(*ONLY) as stage:
        await stage.choose("old_echo")
        pane = stage.pane
        pane.fill({"text": "hello", "style": "loud"})
        await stage.sees("hello")
        await stage.press("alt+s")
        await stage.sees_tool("echo")
        TEXTS.holds("successor: arguments are carried", await stage.notice())
        assert pane.arguments == {"text": "hello"}
        # What stands there already is not written over.
        pane.fill({"text": "mine"})
        await stage.choose("old_echo")
        assert pane.arguments == {"text": "hello", "style": "loud"}
        await stage.press("alt+s")
        await stage.sees_tool("echo")
        assert pane.arguments == {"text": "mine"}


@pytest.mark.slow
async def test_the_successor_is_shown_although_a_filter_hides_it() -> None:
    async with bench_stage(*ONLY) as stage:
        await stage.press("f3", *"old_e", "down")
        await stage.sees_tool("old_echo")
        await stage.press("alt+s")
        await stage.sees_tool("echo")
        await stage.sees("Tools 5")


@pytest.mark.slow
async def test_the_key_types_no_letter_where_text_is_typed() -> None:
    async with bench_stage(*ONLY) as stage:
        pane = stage.pane
        for where in ("down", "enter"):
            await stage.press("f3", *"old_e", where)
            await stage.sees_tool("old_echo")
            if where == "enter":
                await stage.in_field()
                await stage.type("hello")
            # A terminal sends the letter with the key.
            stage.app.post_message(events.Key("alt+s", "s"))
            await stage.sees_tool("echo")
            await stage.sees("Tools 5")
        assert pane.arguments == {"text": "hello"}


@pytest.mark.slow
async def test_no_successor_is_said_honestly() -> None:
    async with bench_stage(*ONLY) as stage:
        await stage.choose("old_look")
        await stage.press("alt+s")
        notices = Notices(stage.app)
        TEXTS.holds("successor: not there", await notices.next(stage.until))
        assert "\x1b" not in stage.text
        await stage.choose("old_silent")
        await stage.press("alt+s")
        TEXTS.holds("successor: none is named", await notices.next(stage.until))
        await stage.sees_tool("old_silent")


@pytest.mark.slow
async def test_the_footer_offers_it_only_for_a_deprecated_tool() -> None:
    async with bench_stage(*ONLY, size=(160, 40)) as stage:
        await stage.choose("old_silent")
        await stage.sees("Successor")
        await stage.choose("echo")
        await stage.no_longer_sees("Successor")
