"""No string of a server acts on a screen: each screen is opened on a server of hostile strings."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any

import pytest
from textual.screen import Screen

from signoff.app.calls.call import Outcome
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.cli.running import ROOT
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import arm, press_slowly

ARGV = (sys.executable, str(ROOT / "tests" / "servers" / "hostile_server.py"))
BEFORE = ("f4", "f2", "A", "P", "D", "f9", "W", "ctrl+o", "Y")
AFTER = ("f8", "M", "W")
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def acting(stage: BenchStage) -> set[str]:
    """Characters on the screen that a terminal would obey, hide or turn around."""
    return {char for char in stage.text if char != "\n" and unicodedata.category(char) in UNSEEN}


async def holds_on(stage: BenchStage, key: str) -> None:
    """Open a screen and turn all its sections."""
    main = stage.app.screen
    await stage.press(key)
    await stage.until(lambda: stage.app.screen is not main, f"the screen of {key}")
    for more in ((), ("tab",), ("tab",), ("down",)):
        await stage.press(*more)
        await stage.pilot.pause(0.1)
        assert not acting(stage), f"{key} {more}:\n{stage.text}"
    while stage.app.screen is not main:
        await stage.press("escape")
        await stage.pilot.pause(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["result", "error"])
async def test_no_string_of_a_server_acts_on_a_screen(mode: str) -> None:
    async with bench_stage(argv=(*ARGV, mode)) as stage:
        await stage.choose("plain")
        assert not acting(stage)
        for key in BEFORE:
            await holds_on(stage, key)
        call = await stage.call("plain")
        assert call.outcome in (Outcome.TOOL_ERROR, Outcome.PROTOCOL_ERROR)
        await stage.rests()
        assert not acting(stage)
        for key in AFTER if mode == "result" else ("f8", "W"):
            await holds_on(stage, key)


async def test_no_string_of_a_server_acts_on_the_question() -> None:
    async with bench_stage(argv=ARGV, trust=Trust.UNTRUSTED) as stage:
        await stage.choose("plain")
        await stage.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        assert not acting(stage)
        for key in ("v", "end"):
            await stage.press(key)
            assert not acting(stage), stage.text
        await arm(stage, dialog)
        await press_slowly(stage, "escape")
        call = await stage.end()
        assert call.outcome is Outcome.DENIED


async def denied(stage: BenchStage, question: Screen[Any]) -> None:
    await stage.press("escape")
    await stage.has_left(question)


@pytest.mark.slow
async def test_no_string_of_a_question_acts_on_a_screen() -> None:
    async with bench_stage(argv=(*ARGV, "asks")) as stage:
        await stage.choose("plain")
        main = stage.app.screen
        await stage.press("f5")
        for _ in range(3):
            await stage.has_left(main)
            assert not acting(stage), stage.text
            await stage.no_longer_sees("moment")
            await denied(stage, stage.app.screen)
            await stage.rests()
        await stage.end()
        assert not acting(stage)
