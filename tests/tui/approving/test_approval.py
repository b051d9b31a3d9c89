"""How a call is approved or denied, and what is left of a question that is void."""

from __future__ import annotations

import pytest
from textual import events
from textual.geometry import Offset
from textual.widgets import Input

from signoff.app.approval.approval import NO_LIMIT, Decision, DecisionAnswer
from signoff.app.approval.questions.questions import Question
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.clocks import MovedClock
from tests.tui.stage import DESTRUCTIVE, LONG, TO_APPROVE, Host, Stage, ask, mouse_event, stage

PROSE = approved("tui-approval")
APPROVE, DENY, EDIT = DecisionAnswer.APPROVE, DecisionAnswer.DENY, DecisionAnswer.EDIT
LOST = "the connection was lost"


@pytest.mark.parametrize(
    ("deeds", "answer"),
    first_quick(
        [
            ("tab tab tab enter ~", APPROVE),
            ("right right right space ~ enter ~", APPROVE),
            ("ctrl+y ctrl+y ~", APPROVE),
            ("click:approve", APPROVE),
            ("click:approve enter ctrl+y ctrl+y ~", APPROVE),
            ("tab tab enter", EDIT),
            *((key, DENY) for key in ("enter", "space", "escape", "q", "ctrl+c", "click:deny")),
            ("right right right escape ~", DENY),
        ],
        8,
        several=True,
    ),
)
async def test_what_decides_and_how(deeds: str, answer: DecisionAnswer) -> None:
    async with stage() as scene:
        await scene.do(deeds)
        assert scene.told == [Decision(answer, "you")]


async def test_keys_that_are_not_enough_say_so() -> None:
    async with stage() as scene:
        await scene.press("ctrl+y")
        PROSE.holds("keys: the chord", scene.keys_said)
        for left in (2, 1):
            await scene.rest(1)
            assert f" within {left} s " in scene.keys_said
        await scene.rest(1.5)
        assert "within" not in scene.keys_said
        await scene.press("ctrl+y")
        PROSE.holds("keys: the chord, too late", scene.keys_said)
        await scene.press("x", "ctrl+y")
        PROSE.holds("keys: the chord, with another key", scene.keys_said)
        assert scene.decisions == []
    async with stage() as scene:
        await scene.do("right right right space ~")
        PROSE.holds("keys: space on Approve", scene.keys_said)


async def test_the_chord_pressed_as_a_double_click_says_that_it_was_too_quick() -> None:
    async with stage() as scene:
        for _ in range(2):
            await scene.do("ctrl+y ctrl+y@0.15")
            PROSE.holds("keys: the chord, too fast", scene.keys_said)
            await scene.rest(0.1)
        assert scene.decisions == []
        await scene.do("ctrl+y@1 ~")
        assert scene.answers == [APPROVE]


async def test_quitting_the_program_never_approves() -> None:
    async with stage() as scene:
        await scene.press("ctrl+q")
        assert APPROVE not in scene.answers


class TestTimeLimit:
    async def test_it_denies(self) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.clock.pass_by(62)
            await scene.until(lambda: "denies in 0:5" in scene.text)
            scene.clock.pass_by(61)
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]
            assert scene.decisions[0] is not None
            assert scene.decisions[0].seconds == pytest.approx(123.6)

    @pytest.mark.parametrize("is_armed", first_quick([True, False], 3))
    @pytest.mark.parametrize(
        "sign", first_quick(["key", "unbound", "down", "wheel", "paste", "click"], 3)
    )
    async def test_the_time_begins_anew_with_any_sign_of_a_person(
        self, sign: str, is_armed: bool
    ) -> None:
        async with stage(decision_seconds=120, is_armed=is_armed) as scene:
            scene.clock.pass_by(110)
            if not is_armed:
                # What is done at a deaf dialog is a sign, too.
                scene.dialog.disturb()
            await scene.until(lambda: "denies in 0:" in scene.text)
            for event in signs(sign):
                scene.app.post_message(event)
            await scene.until(lambda: "denies in 2:00" in scene.text)
            scene.clock.pass_by(119)
            await scene.looks()
            assert scene.decisions == []
            scene.clock.pass_by(2)
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]

    @pytest.mark.parametrize("what", ["move", "size", "focus"])
    async def test_what_comes_unasked_leaves_the_time_as_it_is(self, what: str) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.clock.pass_by(110)
            if what == "size":
                await scene.resize(100, 30)
            elif what == "focus":
                scene.app.post_message(events.AppBlur())
                scene.app.post_message(events.AppFocus())
            else:
                await scene.pilot.hover(offset=(20, 10))
            await scene.looks()
            assert "denies in 0:10" in scene.text
            scene.clock.pass_by(11)
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]

    async def test_a_limit_can_be_off_or_switched_off_while_it_is_open(self) -> None:
        async with stage(decision_seconds=NO_LIMIT) as scene:
            assert "no time limit" in scene.text
            assert "denies in" not in scene.text
            scene.clock.pass_by(1e8)
            await scene.looks()
            assert scene.decisions == []
            scene.dialog.set_waiting(2)
            await scene.until(lambda: "2 more waiting · no time limit" in scene.text)
            await scene.resize(44, 16)
            await scene.until(lambda: "+2" in scene.text)
            await scene.resize(120, 36)
            scene.dialog.set_waiting(0)
            scene.dialog.limit(120)
            scene.dialog.limit(NO_LIMIT)
            scene.clock.pass_by(121)
            await scene.until(lambda: "no time limit" in scene.text)
            scene.dialog.limit(120)
            await scene.until(lambda: "denies in 2:00" in scene.text)
            scene.clock.pass_by(121)
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]

    async def test_the_time_limit_with_something_on_top(self) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.app.action_command_palette()
            await scene.until(lambda: scene.app.screen.query(Input))
            scene.clock.pass_by(121)
            await scene.until(lambda: scene.decisions)
            assert scene.answers == [DENY]
            await scene.until(lambda: len(scene.app.screen_stack) == 1)


class TestVoid:
    async def test_nothing_but_closing_is_left(self) -> None:
        async with stage(ask(trust=Trust.TRUSTED)) as scene:
            await scene.press(*TO_APPROVE, "enter")
            scene.dialog.void(LOST)
            await scene.rest()
            assert scene.decisions == []
            PROSE.holds("void: sheet", scene.sheet.split("\n\n")[0])
            PROSE.holds("void: keys", scene.keys_said)
            assert "Close" in scene.text
            assert "Approve once" not in scene.text
            await scene.arm()
            await scene.press(*TO_APPROVE, "ctrl+y", "ctrl+y")
            await scene.rest()
            assert scene.decisions == []
            await scene.press("enter")
            assert scene.told == [Decision(DENY, "you", LOST)]

    async def test_before_it_is_armed_and_twice(self) -> None:
        async with stage(is_armed=False) as scene:
            scene.dialog.void("the definition changed")
            scene.dialog.void("something else")
            await scene.arm()
            await scene.press("escape")
            assert scene.told == [Decision(DENY, "you", "the definition changed")]

    async def test_before_it_is_on_the_screen(self) -> None:
        app = Host()
        async with app.run_test() as pilot:
            clock = MovedClock()
            dialog = ApprovalDialog(ask(), clock=clock, quiet_seconds=0)
            scene = Stage(app, pilot, dialog, clock)
            app.push_screen(dialog, scene.decisions.append)
            dialog.set_waiting(3)
            dialog.void(LOST)
            await scene.until(lambda: dialog.is_armed)
            assert "No longer possible" in scene.text
            assert not dialog.query_one("#approve").display
            await scene.press("enter")
            assert scene.told == [Decision(DENY, "you", LOST)]

    async def test_after_the_answer_it_is_too_late(self) -> None:
        async with stage() as scene:
            await scene.press("escape")
            scene.dialog.void(LOST)
            assert scene.told == [Decision(DENY, "you")]


class TestQueue:
    async def test_the_count_moves_nothing(self) -> None:
        async with stage(waiting=2) as scene:
            await scene.press("tab")
            assert "2 more waiting" in scene.text
            scene.dialog.set_waiting(5)
            await scene.pilot.pause()
            assert "5 more waiting" in scene.text
            assert scene.dialog.is_armed
            assert scene.app.focused is scene.dialog.query_one("#deny-session")
            scene.dialog.set_waiting(0)
            await scene.pilot.pause()
            assert "waiting" not in scene.text


def signs(what: str) -> list[events.Event]:
    """What somebody who is there does, and what of it may not be meant for the dialog."""
    kinds: dict[str, list[events.Event]] = {
        "key": [events.Key("a", "a")],
        "unbound": [events.Key("f7", None)],
        "down": [events.Key("down", None)],
        "wheel": [mouse_event(events.MouseScrollDown, Offset(40, 12))],
        "paste": [events.Paste("yes")],
        "click": [mouse_event(events.MouseDown, Offset(40, 12), button=1)],
    }
    return kinds[what]


async def test_it_says_one_moment_until_it_listens() -> None:
    async with stage(ask(DESTRUCTIVE), is_armed=False) as scene:
        assert "moment" in scene.text
        await scene.arm()
        await scene.pilot.pause()
        assert "moment" not in scene.text


@pytest.mark.parametrize(
    ("key", "question", "entry"),
    [
        ("q", ask(), "keys: one moment"),
        ("enter", ask(arguments=LONG), "keys: one moment, and more below"),
        ("z", ask(), "keys: one moment"),
    ],
)
async def test_a_key_that_came_too_soon_is_said_to_have_done_nothing(
    key: str, question: Question, entry: str
) -> None:
    async with stage(question, size=(80, 24), is_armed=False) as scene:
        before = [row[:20] for row in scene.text.splitlines()]
        await scene.press(key)
        PROSE.holds(entry, scene.keys_said)
        await scene.arm()
        await scene.until(lambda: "too soon" in scene.text)
        if entry == "keys: one moment":
            PROSE.holds("keys: too soon", scene.keys_said)
        assert scene.decisions == []
        assert [row[:20] for row in scene.text.splitlines()][:-6] == before[:-6]
        await scene.press("down")
        await scene.until(lambda: "too soon" not in scene.text)
