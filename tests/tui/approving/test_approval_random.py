"""Random keys, clicks, pastes and wheel turns at the dialogs: nothing approves but what is meant.

A small model of what was done, and when, says after each approval whether it was one of the three
that count. The marker `thorough` makes it 20,000 deeds instead of some hundreds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pytest
from textual import events
from textual.geometry import Offset

from signoff.app.approval.approval import QUIET_SECONDS, DecisionAnswer
from signoff.app.tui.approving.guarded_dialog import (
    CHORD_SECONDS,
    HELD_AFTER,
    STILL_AFTER,
    STILL_BEFORE,
)
from tests.tiers import first_quick
from tests.tui.clocks import MovedClock, many_steps
from tests.tui.stage import (
    DESTRUCTIVE,
    HARMLESS,
    LONG,
    Scene,
    ask,
    effect_on,
    readers,
    stage,
    trust_stage,
)

THOROUGH = [pytest.mark.thorough, pytest.mark.timeout(3_000)]
SLOW = pytest.param(300, marks=pytest.mark.slow)
DEEDS = pytest.mark.parametrize("deeds", [60, SLOW, pytest.param(20_000, marks=THOROUGH)])
PER_DIALOG = 50
SEEDS = range(2)
KEYS = (
    *("enter", "enter", "enter", "ctrl+y", "ctrl+y", "ctrl+y", "space", "tab", "right", "right"),
    *("left", "shift+tab", "a", "y", "1", "end", "pagedown", "home", "up", "down", "v", "x"),
)
PAUSES = (0.0, 0.033, 0.1, 0.26, 0.31, 0.45, 0.55, 0.8, 0.9, 1.5)
WHEEL = (events.MouseScrollDown, events.MouseScrollUp)


@dataclass(frozen=True)
class Deed:
    """Something done, `at` seconds; `on`: the widget that had the focus, or lay under the mouse."""

    at: float
    what: str
    on: str

    @property
    def is_key(self) -> bool:
        return self.what not in ("paste", "wheel", "mouse down", "mouse up", "opened")


def was_ignored(deeds: list[Deed]) -> bool:
    """Whether the dialog ignored any key, or was pasted into: such input may go on."""
    deaf_since = deeds[0].at
    for deed in deeds:
        if not deed.is_key:
            deaf_since = deed.at
        elif deed.at - deaf_since < QUIET_SECONDS:
            return True
    return any(deed.what == "paste" for deed in deeds)


def is_meant(
    deeds: list[Deed], now: float, button: str = "approve", *, is_light: bool = False
) -> bool:
    """Whether the newest of these deeds approve, as `app/tui/approving/guarded_dialog.py` has it.

    Only the dialog about a call, whose button is `approve`, knows the chord. `is_light`: one press
    of it is enough.
    """
    last, before = deeds[-1], deeds[-2]
    if last.what == "mouse up":
        quiet_since = max(deed.at for deed in deeds[:-2] if not deed.is_key)
        is_click = before.what == "mouse down" and before.on == last.on == button
        return is_click and before.at - quiet_since >= QUIET_SECONDS
    quiet_since = max(deed.at for deed in deeds if not deed.is_key)
    keys = [deed for deed in deeds if deed.is_key]
    if last.what == "enter":
        is_alone = all(last.at - deed.at >= STILL_BEFORE for deed in deeds[:-1])
        is_quiet = last.at - quiet_since >= QUIET_SECONDS
        return last.on == button and is_alone and is_quiet and now - last.at >= HELD_AFTER
    if is_light and last.what == "ctrl+y" and not was_ignored(deeds):
        is_alone = all(last.at - deed.at >= STILL_BEFORE for deed in keys[:-1])
        is_quiet = last.at - quiet_since >= QUIET_SECONDS
        if is_alone and is_quiet and now - last.at >= HELD_AFTER:
            return True
    is_chord = [deed.what for deed in keys[-2:]] == ["ctrl+y", "ctrl+y"] and before.is_key
    if is_chord and button == "approve":
        gap = last.at - before.at
        is_quiet = before.at - quiet_since >= QUIET_SECONDS
        return is_quiet and STILL_BEFORE <= gap <= CHORD_SECONDS and now - last.at >= STILL_AFTER
    return False


class Hand:
    """Does random things at one dialog, and writes them down."""

    def __init__(
        self,
        scene: Scene,
        dice: random.Random,
        button: str = "approve",
        *,
        is_light: bool = False,
    ) -> None:
        self.scene = scene
        self.is_light = is_light
        self.button = button
        self.dice = dice
        opened = Deed(MovedClock().now(), "opened", "")
        self.deeds = [opened, opened]
        self.done_before = 2

    @property
    def is_meant(self) -> bool:
        """Whether what was done last approves, or what was done before it and had been long enough
        ago by then: on a busy machine the program looks at the clock just before the key comes.
        """
        now = self.scene.clock.now()
        earlier = self.deeds[: self.done_before]
        return any(
            is_meant(deeds, now, self.button, is_light=self.is_light)
            for deeds in (self.deeds, earlier)
        )

    async def do(self) -> None:
        self.done_before = len(self.deeds)
        self.scene.clock.pass_by(self.dice.choice(PAUSES))
        # The program may look in this time, and take what it waited for as meant.
        self.scene.clock.look(self.dice.choice((0, 1, 3)))
        await self.scene.pilot.pause()
        if self.scene.decisions:
            return
        for event, what, on in self._events():
            self.deeds.append(Deed(self.scene.clock.now(), what, on))
            self.scene.app.post_message(event)
        await many_steps()

    def _events(self) -> Iterator[tuple[events.Event, str, str]]:
        roll = self.dice.random()
        if roll < 0.75:
            key = self.dice.choice(KEYS)
            focused = self.scene.app.focused
            character = {"enter": "\r", "space": " "}.get(key, key if len(key) == 1 else None)
            yield events.Key(key, character), key, (focused.id or "") if focused else ""
        elif roll < 0.8:
            yield events.Paste(self.dice.choice(["\r\n", "y", "\x19\x19"])), "paste", ""
        elif roll < 0.87:
            yield self._mouse(self.dice.choice(WHEEL), *self._spot()), "wheel", ""
        else:
            spot, on = self._spot()
            yield self._mouse(events.MouseDown, spot, on), "mouse down", on
            if self.dice.random() < 0.2:
                spot, on = self._spot()
            yield self._mouse(events.MouseUp, spot, on), "mouse up", on

    def _spot(self) -> tuple[Offset, str]:
        name = self.dice.choice([self.button, self.button, "deny-nothing", "remember"])
        if name == self.button:
            region = self.scene.dialog.query_one(f"#{self.button}").region
            return Offset(region.x + 1, region.y), name
        return (Offset(40, 8), "") if name == "deny-nothing" else (Offset(3, 1), "")

    @staticmethod
    def _mouse(kind: type[events.MouseEvent], at: Offset, on: str) -> events.MouseEvent:
        return kind(None, at.x, at.y, 0, 0, 1, False, False, False)


@DEEDS
@pytest.mark.parametrize("is_light", [False, True], ids=["may destroy", "harmless"])
@pytest.mark.parametrize("seed", first_quick(SEEDS))
async def test_nothing_approves_but_what_is_meant(seed: int, is_light: bool, deeds: int) -> None:
    dice = random.Random(seed)
    done = approved = 0
    raw = HARMLESS if is_light else DESTRUCTIVE
    while done < deeds // len(SEEDS):
        question = ask(raw, LONG) if dice.random() < 0.3 else ask(raw)
        async with stage(question, size=(80, 24), is_armed=dice.random() < 0.7) as scene:
            hand = Hand(scene, dice, is_light=is_light)
            for _ in range(PER_DIALOG):
                await hand.do()
                done += 1
                if scene.decisions:
                    break
            if scene.answers == [DecisionAnswer.APPROVE]:
                approved += 1
                assert hand.is_meant, hand.deeds[-8:]
    # Of a few hundred deeds it may be that none is meant.
    assert approved or deeds < 1_000, "nothing was approved at all: the deeds are too tame"


@DEEDS
@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_makes_trusted_but_what_is_meant(seed: int, deeds: int) -> None:
    dice = random.Random(seed)
    done = trusted = 0
    while done < deeds // len(SEEDS):
        effect = effect_on(readers(40 if dice.random() < 0.3 else 3))
        async with trust_stage(effect, size=(80, 24), is_armed=dice.random() < 0.7) as scene:
            hand = Hand(scene, dice, "trust")
            for _ in range(PER_DIALOG):
                await hand.do()
                done += 1
                if scene.decisions:
                    break
                if dice.random() < 0.02:
                    other = effect_on(readers(dice.randrange(50)))
                    # What changes nothing is not laid out anew, and what is answered is over.
                    if other.key != scene.dialog.effect.key and not scene.dialog.is_answered:
                        hand.deeds.append(Deed(scene.clock.now(), "opened", ""))
                    scene.dialog.show(other)
            if scene.decisions and scene.decisions[0] is not None:
                trusted += 1
                assert hand.is_meant, hand.deeds[-8:]
    assert trusted or deeds < 1_000, "nothing was trusted at all: the deeds are too tame"


def test_the_model_knows_what_is_meant() -> None:
    opened = [Deed(0, "opened", ""), Deed(0, "opened", "")]
    enter = [*opened, Deed(5, "tab", "deny"), Deed(6, "enter", "approve")]
    assert is_meant(enter, 7)
    assert not is_meant(enter, 6.5)
    assert not is_meant([*opened, Deed(5.9, "wheel", ""), Deed(6, "enter", "approve")], 7)
    chord = [*opened, Deed(5, "ctrl+y", ""), Deed(6, "ctrl+y", "")]
    assert is_meant(chord, 7)
    assert not is_meant([*chord[:-1], Deed(5.5, "a", ""), chord[-1]], 7)
    once = [*opened, Deed(5, "ctrl+y", "")]
    assert is_meant(once, 6, is_light=True)
    assert not is_meant(once, 6)
    assert not is_meant(once, 5.5, is_light=True)
    assert not is_meant([*opened, Deed(0.4, "a", ""), *once[2:]], 6, is_light=True)
    click = [*opened, Deed(5, "mouse down", "approve"), Deed(5, "mouse up", "approve")]
    assert is_meant(click, 5)
    assert all(one.at <= other.at for one, other in pairwise(click))
