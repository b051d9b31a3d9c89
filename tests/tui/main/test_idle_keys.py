"""Keys of the bench: one that does nothing at the moment says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.app import CommandsInOrder
from signoff.app.tui.main.actions import CONDITIONS
from signoff.app.tui.main.keys import NO_TOOLS, OFFERED, ROWS
from signoff.widgets.lists.call_list import CallList
from tests.approved import approved
from tests.features.policies.test_desk_follows import Listed
from tests.tiers import first_quick
from tests.tui.bench_stage import BenchStage, bench_stage

TEXTS = approved("tui-main")
WHY = {name: row.why for name, row in ROWS.items() if row.why}
KEYS = {
    "tasks": "K",
    "cancel": "ctrl+x",
    "restart": "shift+f5",
    "retry": "R",
    "again": "C",
    "successor": "alt+s",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", first_quick(KEYS))
async def test_it_says_why(name: str) -> None:
    async with bench_stage() as stage:
        await stage.press(KEYS[name])
        await stage.is_told(WHY[name])


async def test_a_cancel_that_comes_too_late_changes_no_argument() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.choose("wait_without_total")
        pane = stage.pane
        pane.focus_form()
        await stage.press("home", "shift+end", "2")
        await stage.until(lambda: pane.form.arguments == {"seconds": 2}, "the argument")
        await stage.press("home", "shift+end", "ctrl+x")
        await stage.is_told(WHY["cancel"])
        assert pane.form.arguments == {"seconds": 2}


@pytest.mark.slow
async def test_a_server_without_anything_beside_its_tools() -> None:
    async with bench_stage() as stage:
        assert not stage.engine.offers.has_any
        await stage.press("P")
        await stage.is_told(WHY["offers"])


@pytest.mark.slow
async def test_a_letter_that_is_typed_and_a_key_that_does_something_say_nothing() -> None:
    async with bench_stage() as stage:
        await stage.press("slash", "K", "P", "R", "C")
        await stage.press("escape", "escape", "W")
        await stage.press("escape")
        await stage.rests()
        assert not any(words in stage.toasts for words in WHY.values())


def footer(stage: BenchStage) -> str:
    return stage.text.split("\n")[-1]


@pytest.mark.slow
async def test_every_key_for_a_tool_says_that_the_server_lists_none(tmp_path: Path) -> None:
    listed = Listed(tmp_path)
    listed.write("get_one")
    async with bench_stage(argv=listed.argv) as stage:
        await stage.until(lambda: "f5 Call" in footer(stage), "the key")
        listed.write()
        await stage.engine.definitions.recheck()
        await stage.until(lambda: "f5 Call" not in footer(stage), "the key to go")
        for key in ("f5", "f4", "f11", "f12", "enter", "ctrl+j", "ctrl+g", "alt+s"):
            stage.app.clear_notifications()
            await stage.until(lambda: not stage.toasts, "the words to go")
            await stage.press(key)
            await stage.is_told(NO_TOOLS)
        listed.write("get_two")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: "f5 Call" in footer(stage), "the key to come back")


@pytest.mark.slow
async def test_enter_says_that_the_list_is_narrowed() -> None:
    async with bench_stage() as stage:
        await stage.press("slash", *"zzz", "down", "enter")
        TEXTS.holds("enter: the filter hides all", await stage.notice())


def test_every_verb_that_is_there_at_times_only_has_its_words() -> None:
    assert {row.can for row in OFFERED} < set(CONDITIONS)
    words = [f"{verb}: {why}" for verb, why in sorted(WHY.items())]
    TEXTS.holds("why a key does nothing", "\n".join([*words, f"for a tool: {NO_TOOLS}"]))


async def test_enter_on_a_call_goes_to_its_response() -> None:
    async with bench_stage() as stage:
        await stage.call("read_thing")
        calls = stage.app.screen.query_one(CallList)
        calls.focus()
        await stage.press("f1")
        await stage.sees("Go to the response of this call.")
        await stage.press("escape", "enter")
        answer = stage.app.screen.query_one(AnswerPane)
        await stage.until(lambda: answer.has_focus_within, "the response")


async def test_the_palette_finds_a_command_by_its_description() -> None:
    async with bench_stage() as stage:
        provider = CommandsInOrder(stage.app.screen)
        found = {
            query: [hit async for hit in provider.search(query)] for query in ("FINDINGS", "wire")
        }
        assert any("Server" in str(hit.text) for hit in found["FINDINGS"])
        best = max(found["wire"], key=lambda hit: hit.score)
        assert str(best.text).startswith("Wire")
