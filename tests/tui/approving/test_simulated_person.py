"""A simulated person answers the dialogs of the screen; whoever is there may be quicker."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.calls.call import Call, Outcome
from signoff.app.cli.approving.people import Person
from signoff.app.cli.approving.person import ScriptedPerson, read_simulated
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.main_screen import MainScreen
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import arm


@asynccontextmanager
async def watched(who: str) -> AsyncIterator[BenchStage]:
    people = read_simulated(who).people()
    person = ScriptedPerson(Person(), {}, math.inf, people=people, by="script", reason=who)
    async with bench_stage(is_demo=True) as stage:
        screen = stage.app.screen
        assert isinstance(screen, MainScreen)
        screen._opening.person = person.ask
        yield stage


async def delete(stage: BenchStage) -> int:
    (tool,) = [one for one in stage.engine.tools if one.name == "delete_file"]
    return stage.engine.call(tool, {"path": "notes/todo.txt"})


async def ended(stage: BenchStage, call: int) -> Call:
    await stage.until(lambda: stage.engine.calls[call].is_over, "the end of the call")
    await stage.has_left(ApprovalDialog)
    return stage.engine.calls[call]


async def test_one_who_is_slow_approves_what_the_dialog_shows() -> None:
    async with watched("slow:2") as stage:
        first, second = await delete(stage), await delete(stage)
        await stage.sees("notes/todo.txt", "Deny")
        one, other = await ended(stage, first), await ended(stage, second)
        for call in (one, other):
            assert call.sent
            assert call.decision is not None
            assert (call.decision.by, call.decision.reason) == ("script", "slow:2")


@pytest.mark.slow
async def test_one_who_denies() -> None:
    async with watched("denies") as stage:
        call = await ended(stage, await delete(stage))
        assert call.outcome is Outcome.DENIED
        assert not call.sent


@pytest.mark.slow
async def test_whoever_sits_there_is_quicker_than_one_who_is_absent() -> None:
    async with watched("absent") as stage:
        number = await delete(stage)
        await stage.is_open(ApprovalDialog)
        assert isinstance(stage.app.screen, ApprovalDialog)
        await arm(stage, stage.app.screen)
        await stage.press("escape")
        call = await ended(stage, number)
        assert call.decision is not None
        assert (call.decision.answer, call.decision.by) == (DecisionAnswer.DENY, "you")
        # Nobody holds the next question up.
        number = await delete(stage)
        await stage.is_open(ApprovalDialog)
        assert isinstance(stage.app.screen, ApprovalDialog)
        await arm(stage, stage.app.screen)
        await stage.press("escape")
        assert (await ended(stage, number)).outcome is Outcome.DENIED
