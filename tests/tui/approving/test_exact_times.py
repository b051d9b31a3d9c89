"""The edges of the times of a dialog: a moment before them nothing counts, and at them it does."""

from __future__ import annotations

import pytest

from signoff.app.approval.approval import QUIET_SECONDS, DecisionAnswer
from signoff.app.tui.approving.guarded_dialog import (
    CHORD_SECONDS,
    HELD_AFTER,
    STILL_AFTER,
    STILL_BEFORE,
)
from tests.tui.stage import Stage, effect_on, readers, stage, trust_stage

APPROVE = DecisionAnswer.APPROVE
MOMENT = 1 / 1024


def test_the_times_are_those_that_were_agreed_on() -> None:
    assert (QUIET_SECONDS, STILL_BEFORE, STILL_AFTER) == (0.5, 0.3, 0.25)
    assert (HELD_AFTER, CHORD_SECONDS) == (0.75, 3.0)


async def test_it_listens_at_the_third_look_after_the_quiet_time() -> None:
    async with stage(is_armed=False) as scene:
        scene.clock.pass_by(QUIET_SECONDS - MOMENT)
        scene.clock.look(100)
        assert not scene.dialog.is_armed
        scene.clock.pass_by(MOMENT)
        scene.clock.look(2)
        assert not scene.dialog.is_armed
        scene.clock.look(1)
        assert scene.dialog.is_armed


async def test_a_key_that_is_ignored_begins_the_quiet_time_again() -> None:
    async with stage(is_armed=False) as scene:
        await scene.strike("a", QUIET_SECONDS - MOMENT)
        await scene.rest(QUIET_SECONDS - MOMENT)
        assert not scene.dialog.is_armed
        await scene.rest(MOMENT)
        assert scene.dialog.is_armed


async def at_approve(scene: Stage) -> None:
    """Move the focus there; the last key is a while ago."""
    await scene.press("right", "right", "right")
    assert scene.app.focused is scene.dialog.query_one("#approve")


@pytest.mark.parametrize(
    ("before", "counts"), [(STILL_BEFORE - MOMENT, False), (STILL_BEFORE + MOMENT, True)]
)
async def test_a_press_counts_after_stillness(before: float, counts: bool) -> None:
    async with stage() as scene:
        await at_approve(scene)
        await scene.strike("enter", before)
        assert scene.dialog.keys.is_waiting() is counts
        await scene.rest(HELD_AFTER)
        assert scene.answers == [APPROVE] * counts


async def test_a_press_counts_once_a_held_key_would_have_come_again() -> None:
    async with stage() as scene:
        await at_approve(scene)
        await scene.strike("enter", 1)
        await scene.rest(HELD_AFTER - MOMENT)
        assert scene.decisions == []
        await scene.rest(2 * MOMENT)
        assert scene.answers == [APPROVE]


async def test_trust_counts_at_the_same_time() -> None:
    async with trust_stage(effect_on(readers(2))) as scene:
        await scene.press("tab")
        await scene.strike("enter", 1)
        await scene.rest(HELD_AFTER - MOMENT)
        assert scene.decisions == []
        await scene.rest(2 * MOMENT)
        assert len(scene.decisions) == 1


@pytest.mark.parametrize(
    ("between", "counts"),
    [
        *((STILL_BEFORE - MOMENT, False), (STILL_BEFORE + MOMENT, True)),
        *((CHORD_SECONDS - MOMENT, True), (CHORD_SECONDS + MOMENT, False)),
    ],
)
async def test_the_chord_has_a_pause_of_its_own(between: float, counts: bool) -> None:
    async with stage() as scene:
        await scene.strike("ctrl+y", 1)
        await scene.strike("ctrl+y", between)
        await scene.rest(STILL_AFTER - MOMENT)
        assert scene.decisions == []
        await scene.rest(2 * MOMENT)
        assert scene.answers == [APPROVE] * counts
