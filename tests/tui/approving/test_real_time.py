"""By the real clock and without a person: times that count, and one who is simulated."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from signoff.app.approval.approval import QUIET_SECONDS, DecisionAnswer
from signoff.app.calls.call import Call, Outcome
from signoff.app.cli.approving.people import Person
from signoff.app.cli.approving.person import ScriptedPerson, read_simulated
from signoff.app.protocol.server import Server, Trust
from signoff.app.tui.answers.exporting import Openable, ViewerDialog
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.clock import REAL, Clock
from signoff.app.tui.approving.guarded_dialog import HELD_AFTER, STILL_AFTER, GuardedDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.app.tui.base.window import NeedsRoom
from signoff.app.tui.main.main_screen import MainScreen
from tests.tiers import first_quick
from tests.tui.bench_stage import PATIENCE, BenchStage, bench_stage
from tests.tui.clocks import arm
from tests.tui.stage import Host, ask, effect_on, readers


def about_call() -> ApprovalDialog:
    return ApprovalDialog(ask())


def about_trust() -> TrustDialog:
    server = Server("demo", "python -m signoff.app.demo", "stdio:demo", Trust.UNTRUSTED)
    return TrustDialog(server, effect_on(readers(2)))


def about_file() -> ViewerDialog:
    found = Openable("text/plain", ".txt")
    return ViewerDialog("a part", found, Path("part.txt"), 3, "/usr/bin/xdg-open")


async def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


async def listens(dialog: GuardedDialog[Any]) -> float:
    """Wait until the dialog listens; returns the time."""
    await until(lambda: dialog.is_armed)
    return time.monotonic()


async def presses(pilot: Pilot[None], dialog: GuardedDialog[Any], key: str) -> float:
    """Press a key until it is one that waits to count; returns the time before it."""
    while True:
        await asyncio.sleep(0.35)
        began = time.monotonic()
        await pilot.press(key)
        if dialog.keys.is_waiting():
            return began


@pytest.mark.parametrize("make", first_quick([about_call, about_trust, about_file]))
async def test_it_listens_and_takes_a_press_after_their_real_times(
    make: Callable[[], GuardedDialog[Any]],
) -> None:
    app = Host()
    async with app.run_test(size=(120, 36)) as pilot:
        began = time.monotonic()
        dialog, results = make(), list[Any]()
        app.push_screen(dialog, results.append)
        assert await listens(dialog) - began >= QUIET_SECONDS
        began = time.monotonic()
        dialog.disturb()
        assert await listens(dialog) - began >= QUIET_SECONDS
        await pilot.press("right", "right", "right")
        began = await presses(pilot, dialog, "enter")
        await until(lambda: results)
        assert time.monotonic() - began >= HELD_AFTER
        assert results[0] not in (None, False)


async def test_the_chord_counts_after_its_real_time() -> None:
    app = Host()
    async with app.run_test(size=(120, 36)) as pilot:
        dialog, results = about_call(), list[Any]()
        app.push_screen(dialog, results.append)
        await until(lambda: dialog.is_armed)
        began = await presses(pilot, dialog, "ctrl+y")
        await until(lambda: results)
        assert time.monotonic() - began >= STILL_AFTER
        assert results[0].answer is DecisionAnswer.APPROVE


async def test_the_time_limit_is_one_of_real_seconds() -> None:
    app = Host()
    async with app.run_test(size=(120, 36)):
        dialog, results = ApprovalDialog(ask(), decision_seconds=0.4), list[Any]()
        began = time.monotonic()
        app.push_screen(dialog, results.append)
        await until(lambda: results)
        assert time.monotonic() - began >= 0.4
        assert results[0].answer is DecisionAnswer.DENY


async def test_a_program_has_the_real_clock_unless_code_gives_it_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNOFF_DIALOG_CLOCK", "10")
    assert type(REAL) is Clock
    assert NeedsRoom.dialog_clock is REAL
    async with Host().run_test() as pilot:
        dialog = about_call()
        pilot.app.push_screen(dialog)
        assert dialog.clock is REAL
        before = time.monotonic()
        now = dialog.now()
        assert before <= now <= time.monotonic()


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


@pytest.mark.slow
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
