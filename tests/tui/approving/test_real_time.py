"""By the real clock: no dialog listens too soon, and no press counts too soon."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from signoff.app.approval.approval import QUIET_SECONDS, DecisionAnswer
from signoff.app.protocol.server import Server, Trust
from signoff.app.tui.answers.exporting import Openable, ViewerDialog
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.clock import REAL, Clock
from signoff.app.tui.approving.guarded_dialog import HELD_AFTER, STILL_AFTER, GuardedDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.app.tui.base.window import NeedsRoom
from tests.tui.bench_stage import PATIENCE
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


@pytest.mark.parametrize("make", [about_call, about_trust, about_file])
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
