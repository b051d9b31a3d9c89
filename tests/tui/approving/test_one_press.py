"""One press of ctrl+y approves a harmless call, after the quiet time, and never by accident."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.questions.question_words import takes_one_press
from signoff.app.approval.questions.questions import AboutCall
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import (
    HELD_AFTER,
    STILL_AFTER,
    STILL_BEFORE,
    KeypressGuard,
)
from signoff.widgets.buttons import GuardedButton
from tests.approved import approved
from tests.tiers import examples, first_quick
from tests.tui.clocks import MovedClock, many_steps
from tests.tui.stage import HARMLESS, LONG, Host, Stage, ask, stage

PROSE = approved("tui-approval")
APPROVE = DecisionAnswer.APPROVE
MOMENT = 1 / 1024


def harmless(**changes: JsonValue) -> AboutCall:
    return ask({**HARMLESS, **changes})


def with_hints(**hints: JsonValue) -> AboutCall:
    return harmless(annotations=hints)


async def test_one_press_approves_once_a_held_key_would_have_come_again() -> None:
    async with stage(harmless()) as scene:
        PROSE.holds("keys: one press", scene.keys_said)
        await scene.strike("ctrl+y", 1)
        await scene.rest(HELD_AFTER - MOMENT)
        assert scene.decisions == []
        PROSE.holds("keys: one press, waiting", scene.keys_said)
        await scene.rest(2 * MOMENT)
        assert scene.answers == [APPROVE]


async def test_the_chord_approves_it_too() -> None:
    async with stage(harmless()) as scene:
        await scene.strike("ctrl+y", 1)
        await scene.strike("ctrl+y", STILL_BEFORE + MOMENT)
        await scene.rest(STILL_AFTER + MOMENT)
        assert scene.answers == [APPROVE]


HEAVY = [
    with_hints(),
    with_hints(destructiveHint=True),
    with_hints(readOnlyHint=False),
    with_hints(readOnlyHint="true"),
    with_hints(readOnlyHint=True, destructiveHint=True),
    harmless(inputSchema={"type": "objekt"}),
    replace(harmless(), seen=DefinitionStatus.CHANGED),
    replace(harmless(), overrides={"readOnly": False}),
    replace(harmless(), although_invalid="path is missing"),
    replace(harmless(), argument_problems=("path is missing",)),
    replace(harmless(), lets_later_calls_run=True),
]
LIGHT = [
    harmless(),
    with_hints(destructiveHint=False),
    with_hints(readOnlyHint=False, destructiveHint=False, openWorldHint=True),
    replace(harmless(), seen=DefinitionStatus.NEW),
]


@pytest.mark.parametrize(
    ("question", "is_one"), [*((one, False) for one in HEAVY), *((one, True) for one in LIGHT)]
)
def test_what_takes_one(question: AboutCall, is_one: bool) -> None:
    assert takes_one_press(question) is is_one


@pytest.mark.parametrize("question", first_quick(HEAVY, 2))
async def test_one_press_is_not_enough_for_it(question: AboutCall) -> None:
    async with stage(question, size=(120, 50)) as scene:
        await scene.press("end", "ctrl+y")
        await scene.rest(2)
        assert "again" in scene.keys_said
        assert scene.decisions == []


async def test_what_is_to_be_remembered_takes_two() -> None:
    async with stage(replace(harmless(), can_remember=True)) as scene:
        await scene.press("tab", "tab", "tab", "right")
        await scene.arm()
        await scene.press("ctrl+y")
        await scene.rest(2)
        assert scene.decisions == []
        await scene.press("ctrl+y")
        await scene.rest()
        (decision,) = scene.told
        assert decision is not None
        assert decision.remember == Remember(Scope.ARGUMENTS)


async def test_it_waits_for_the_end_too() -> None:
    async with stage(ask(HARMLESS, LONG), size=(80, 24)) as scene:
        await scene.press("ctrl+y")
        await scene.rest(2)
        assert scene.decisions == []


async def begun_before(keys: list[tuple[str, float]], *, before: float = 100.0) -> Stage:
    """A dialog that opens `before` seconds after ctrl+y was pressed elsewhere, and then keys."""
    app, clock = Host(), MovedClock()
    app.last_chord_at = clock.now() - before  # type: ignore[attr-defined]
    async with app.run_test(size=(80, 24)) as pilot:
        scene = Stage(app, pilot, ApprovalDialog(harmless(), clock=clock), clock)
        app.push_screen(scene.dialog, scene.decisions.append)
        await pilot.pause()
        for key, after in keys:
            # It listens as early as it may.
            clock.pass_by(after)
            await scene.looks()
            if key == "paste":
                app.post_message(events.Paste("\x19"))
                await many_steps()
            else:
                await scene.strike(key, 0)
        await scene.rest(2)
        return scene


async def test_a_press_right_before_it_opened_may_be_held_on() -> None:
    later = [("ctrl+y", 1.0)]
    assert APPROVE not in (await begun_before(later, before=HELD_AFTER - MOMENT)).answers
    assert (await begun_before(later, before=HELD_AFTER + MOMENT)).answers == [APPROVE]


@pytest.mark.parametrize("first", ["ctrl+y", "a", "enter", "paste"])
async def test_what_went_on_as_it_opened_may_go_on_after_a_pause(first: str) -> None:
    assert APPROVE not in (await begun_before([(first, 0.1), ("ctrl+y", 1.5)])).answers


async def test_a_held_key_that_repeats_late_stops_at_its_first_repeat() -> None:
    held = [("ctrl+y", 0.6), *[("ctrl+y", 0.033)] * 30]
    assert APPROVE not in (await begun_before(held)).answers


async def test_a_paste_in_pieces() -> None:
    pasted = [*[(char, 0.001) for char in "yes"], ("ctrl+y", 0.9)]
    assert APPROVE not in (await begun_before(pasted)).answers
    pasted = [("ctrl+y", 0.9), ("enter", 0.001)]
    assert APPROVE not in (await begun_before(pasted)).answers


@examples(20, deadline=None)
@given(
    st.floats(0, HELD_AFTER - 0.01),
    st.floats(0.2, 2.0),
    st.floats(0.01, STILL_AFTER - 0.01),
    st.integers(2, 20),
)
def test_a_key_held_since_before_it_opened_never_approves(
    before: float, delay: float, period: float, repeats: int
) -> None:
    """Whatever the keyboard's delay: the first repeat may come long after the dialog listens."""
    keys = [("ctrl+y", max(delay - before, 0.0)), *[("ctrl+y", period)] * repeats]
    assert APPROVE not in asyncio.run(begun_before(keys, before=before)).answers


async def test_the_quiet_time_fills_the_button_and_moves_nothing() -> None:
    async with stage(harmless(), size=(80, 24), is_armed=False) as scene:
        button = scene.dialog.query_one("#approve", GuardedButton)
        region = button.region
        seen = []
        for _ in range(5):
            scene.clock.look(1)
            await scene.pilot.pause()
            seen.append(button.render().plain.count("\u25b0"))
            scene.clock.pass_by(0.1)
        assert seen == [0, 1, 2, 3, 4]
        assert button.region == region
        await scene.arm()
        assert "\u25b0" not in scene.text
        await scene.press("end")
        await scene.strike("ctrl+y", 1)
        scene.clock.pass_by(HELD_AFTER / 2)
        scene.clock.look(1)
        await scene.pilot.pause()
        assert 0 < button.render().plain.count("\u25b0") < 5
        assert button.region == region


async def test_a_key_empties_the_bar() -> None:
    async with stage(harmless(), is_armed=False) as scene:
        button = scene.dialog.query_one("#approve", GuardedButton)
        scene.clock.pass_by(0.4)
        await scene.strike("a", 0)
        assert button.filled == 0


def test_a_key_between_two_presses_breaks_the_chord_though_the_clock_stands_still() -> None:
    keys = KeypressGuard()
    keys.hear(1.0)
    assert not keys.press_chord()
    keys.hear(1.0)
    keys.hear(1.5)
    assert not keys.press_chord()
    assert not keys.is_waiting()
    keys.hear(2.0)
    assert keys.press_chord()
