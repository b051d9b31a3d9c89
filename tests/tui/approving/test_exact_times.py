"""One press of ctrl+y, the edges of the times of a dialog, and held keys, which never count."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from signoff.app.approval.approval import QUIET_SECONDS, DecisionAnswer
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.questions.question_words import takes_one_press
from signoff.app.approval.questions.questions import AboutCall
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import (
    CHORD_SECONDS,
    HELD_AFTER,
    STILL_AFTER,
    STILL_BEFORE,
    InputSettle,
    KeypressGuard,
)
from signoff.widgets.buttons import GuardedButton
from tests.approved import approved
from tests.tiers import examples, first_quick
from tests.tui.clocks import MovedClock, many_steps
from tests.tui.stage import HARMLESS, LONG, Host, Stage, ask, effect_on, readers, stage, trust_stage

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


GAPS = st.lists(st.floats(0.0, 2.0), max_size=30)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def hears(attention: InputSettle) -> bool:
    """Whether it hears once it has looked at the clock as often as it may want to."""
    for _ in range(3):
        attention.look(can_hear=True)
    return attention.is_armed


@given(GAPS, st.floats(0.1, 1.0))
def test_typing_ahead_never_gets_through_without_a_pause(gaps: list[float], quiet: float) -> None:
    clock = Clock()
    attention = InputSettle(clock, quiet)
    attention.restart()
    paused = False
    for gap in gaps:
        before, clock.now = clock.now, clock.now + gap
        paused = paused or clock.now - before >= quiet
        assert hears(attention) is paused
        attention.swallow()


def test_before_the_first_paint_it_is_deaf_however_long_that_takes() -> None:
    clock = Clock()
    attention = InputSettle(clock)
    clock.now = 1_000.0
    assert not hears(attention)


def test_it_takes_three_looks_in_a_row_after_the_last_key() -> None:
    clock = Clock()
    attention = InputSettle(clock, 0.5)
    attention.restart()
    clock.now = 1.0
    assert not attention.look(can_hear=True)
    assert not attention.look(can_hear=True)
    attention.swallow()
    clock.now = 2.0
    assert not attention.look(can_hear=True)
    assert not attention.look(can_hear=True)
    assert not attention.look(can_hear=False)
    assert attention.look(can_hear=True)
    attention.restart()
    assert not attention.is_armed


DELAYS = st.floats(0.15, 1.5)
"""Seconds until a held key begins to repeat."""
PERIODS = st.floats(0.01, STILL_AFTER - 0.01)


def _times(start: float, delay: float, period: float, repeats: int) -> list[float]:
    return [start, *(start + delay + period * index for index in range(repeats))]


@given(DELAYS, PERIODS, st.integers(2, 40))
def test_a_held_chord_never_counts(delay: float, period: float, repeats: int) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in zip(times, [*times[1:], 100], strict=True):
        keys.hear(now)
        keys.press_chord()
        assert not keys.is_settled(following)


@given(st.floats(0.15, HELD_AFTER - 0.01), PERIODS, st.integers(1, 40))
def test_a_held_key_on_a_button_never_counts(delay: float, period: float, repeats: int) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in pairwise(times):
        keys.hear(now)
        keys.press(focused_since=0)
        assert not keys.is_settled(following)


@given(DELAYS, PERIODS, st.integers(2, 40), st.floats(0, STILL_BEFORE - 0.01))
def test_a_held_key_on_a_button_never_counts_if_its_first_press_did_not(
    delay: float, period: float, repeats: int, after_focus: float
) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in zip(times, [*times[1:], 100], strict=True):
        keys.hear(now)
        keys.press(focused_since=10 - after_focus)
        assert not keys.is_settled(following)


@given(st.floats(STILL_BEFORE + 0.01, CHORD_SECONDS - 0.01))
def test_two_separate_presses_count(gap: float) -> None:
    keys = KeypressGuard()
    keys.hear(10)
    assert not keys.press_chord()
    assert keys.is_chord_open(10 + gap)
    keys.hear(10 + gap)
    assert keys.press_chord()
    assert not keys.is_settled(10 + gap + STILL_AFTER / 2)
    assert keys.is_settled(10 + gap + STILL_AFTER * 1.01)


@given(st.floats(0.15, HELD_AFTER - 0.01), PERIODS, st.integers(2, 40))
def test_a_held_key_that_approves_alone_never_counts(
    delay: float, period: float, repeats: int
) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in pairwise(times):
        keys.hear(now)
        keys.press_once()
        assert not keys.is_settled(following)
    keys.hear(times[-1])
    assert not keys.press_once(), "the last repeat comes too soon after the one before"
    assert not keys.is_settled(100)


@given(st.floats(0, STILL_BEFORE - 0.01), st.floats(0, HELD_AFTER - 0.01))
def test_a_key_right_before_or_after_one_that_approves_alone_takes_it_back(
    before: float, after: float
) -> None:
    keys = KeypressGuard()
    keys.hear(10 - before)
    keys.hear(10)
    assert not keys.press_once()
    keys.hear(20)
    assert keys.press_once()
    assert keys.share(20 + after) is not None
    keys.hear(20 + after)
    assert not keys.is_settled(100)
    assert keys.share(100) is None


@given(st.floats(STILL_BEFORE + 0.01, HELD_AFTER - 0.01))
def test_the_chord_works_where_one_press_would_do(gap: float) -> None:
    keys = KeypressGuard()
    keys.hear(10)
    assert keys.press_once()
    keys.hear(10 + gap)
    assert keys.press_once()
    assert keys.is_settled(10 + gap + STILL_AFTER * 1.01)


def test_a_press_on_a_button_counts_after_stillness() -> None:
    keys = KeypressGuard()
    keys.hear(10)
    keys.hear(11)
    assert keys.press(focused_since=10)
    assert keys.is_waiting()
    assert not keys.is_settled(11 + HELD_AFTER * 0.99)
    assert keys.is_settled(11 + HELD_AFTER * 1.01)


def test_reset_forgets() -> None:
    keys = KeypressGuard()
    keys.hear(10)
    keys.press_chord()
    keys.reset()
    assert not keys.is_chord_open(10)
    keys.hear(11)
    assert not keys.press_chord()


PROSE = approved("tui-approval")


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
