"""How a call is approved, and all the ways in which it is not."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.geometry import Offset

from signoff.app.approval.approval import NO_LIMIT, Decision, DecisionAnswer
from signoff.app.protocol.server import Trust
from signoff.app.questions.questions import Question
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.tiers import first_quick
from tests.tui.stage import DESTRUCTIVE, LONG, Clock, Host, Stage, ask, middle, stage

TO_APPROVE = ("right", "right", "right")
"""To the end, at which it stops."""
APPROVE, DENY, EDIT = DecisionAnswer.APPROVE, DecisionAnswer.DENY, DecisionAnswer.EDIT


class TestApproving:
    async def test_tab_to_approve_and_enter(self) -> None:
        async with stage() as scene:
            await scene.press("tab", "tab", "tab", "enter")
            await scene.rest()
            assert scene.told == [Decision(APPROVE, "you")]

    async def test_forwards_only_and_by_enter_only(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE, "space")
            await scene.rest()
            assert scene.decisions == []
            assert "press enter, not space" in scene.text
            await scene.press("enter")
            await scene.rest()
            assert scene.answers == [APPROVE]

    async def test_the_chord_twice(self) -> None:
        async with stage() as scene:
            await scene.press("ctrl+y")
            assert "press ctrl+y again to approve" in scene.text
            await scene.press("ctrl+y")
            await scene.rest()
            assert scene.answers == [APPROVE]

    async def test_the_chord_pressed_as_a_double_click_says_that_it_was_too_quick(self) -> None:
        async with stage() as scene:
            for _ in range(2):
                await scene.press("ctrl+y")
                await scene.press("ctrl+y", after=0.15)
                assert "Too fast. Wait, then press ctrl+y again to approve" in scene.text
                await scene.rest(0.1)
            assert scene.decisions == []
            await scene.press("ctrl+y", after=1)
            await scene.rest()
            assert scene.answers == [APPROVE]

    async def test_a_click(self) -> None:
        async with stage() as scene:
            await scene.pilot.click("#approve")
            assert scene.answers == [APPROVE]

    async def test_once_only(self) -> None:
        async with stage() as scene:
            await scene.pilot.click("#approve", times=3)
            await scene.press("enter", "ctrl+y", "ctrl+y")
            await scene.rest()
            assert scene.answers == [APPROVE]

    async def test_edit(self) -> None:
        async with stage() as scene:
            await scene.press("tab", "tab", "enter")
            assert scene.told == [Decision(EDIT, "you")]


class TestDenying:
    @pytest.mark.parametrize("key", ["enter", "space", "escape", "q", "ctrl+c"])
    async def test_keys(self, key: str) -> None:
        async with stage() as scene:
            await scene.press(key)
            assert scene.told == [Decision(DENY, "you")]

    async def test_escape_denies_from_approve_too(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE, "escape")
            await scene.rest()
            assert scene.answers == [DENY]

    async def test_click(self) -> None:
        async with stage() as scene:
            await scene.pilot.click("#deny")
            assert scene.answers == [DENY]

    async def test_quitting_the_program_never_approves(self) -> None:
        async with stage() as scene:
            await scene.press("ctrl+q")
            assert APPROVE not in scene.answers

    async def test_the_time_limit(self) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.clock.now += 62
            await scene.until(lambda: "denies in 0:5" in scene.text)
            scene.clock.now += 61
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]
            assert scene.decisions[0] is not None
            assert scene.decisions[0].seconds == pytest.approx(123.6)

    @pytest.mark.parametrize("is_armed", first_quick([True, False]))
    @pytest.mark.parametrize("sign", ["key", "unbound", "down", "wheel", "paste", "click"])
    async def test_the_time_begins_anew_with_any_sign_of_a_person(
        self, sign: str, is_armed: bool
    ) -> None:
        async with stage(decision_seconds=120, is_armed=is_armed) as scene:
            scene.clock.now += 110
            if not is_armed:
                # What is done at a deaf dialog is a sign, too.
                scene.dialog.disturb()
            await scene.until(lambda: "denies in 0:" in scene.text)
            for event in signs(sign):
                scene.app.post_message(event)
            await scene.until(lambda: "denies in 2:00" in scene.text)
            scene.clock.now += 119
            await scene.looks()
            assert scene.decisions == []
            scene.clock.now += 2
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]

    @pytest.mark.parametrize("what", ["move", "size", "focus"])
    async def test_what_comes_unasked_leaves_the_time_as_it_is(self, what: str) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.clock.now += 110
            if what == "size":
                await scene.resize(100, 30)
            elif what == "focus":
                scene.app.post_message(events.AppBlur())
                scene.app.post_message(events.AppFocus())
            else:
                await scene.pilot.hover(offset=(20, 10))
            await scene.looks()
            assert "denies in 0:10" in scene.text
            scene.clock.now += 11
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]

    async def test_a_limit_that_is_off_never_denies(self) -> None:
        async with stage(decision_seconds=NO_LIMIT) as scene:
            assert "no time limit" in scene.text
            assert "denies in" not in scene.text
            scene.clock.now += 1e8
            await scene.looks()
            assert scene.decisions == []
            scene.dialog.set_waiting(2)
            await scene.until(lambda: "2 more waiting · no time limit" in scene.text)
            await scene.resize(44, 16)
            await scene.until(lambda: "+2" in scene.text)

    async def test_a_limit_can_be_switched_off_while_it_is_open(self) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.dialog.limit(NO_LIMIT)
            scene.clock.now += 121
            await scene.until(lambda: "no time limit" in scene.text)
            scene.dialog.limit(120)
            await scene.until(lambda: "denies in 2:00" in scene.text)
            scene.clock.now += 121
            await scene.until(lambda: scene.decisions)
            assert scene.told == [Decision(DENY, "time limit")]

    async def test_the_time_limit_with_something_on_top(self) -> None:
        async with stage(decision_seconds=120) as scene:
            scene.app.action_command_palette()
            await scene.until(lambda: scene.app.screen is not scene.dialog)
            scene.clock.now += 121
            await scene.until(lambda: scene.decisions)
            assert scene.answers == [DENY]
            await scene.until(lambda: len(scene.app.screen_stack) == 1)


class TestAccidents:
    @pytest.mark.parametrize("typed", ["yyyyaaa1 ", "hello\n", "approve", "\n\n\n", "a1y Y\n"])
    async def test_typing_ahead(self, typed: str) -> None:
        async with stage(is_armed=False) as scene:
            for char in typed:
                key = {"\n": "enter", " ": "space"}.get(char, char)
                await scene.strike(key, 0.2)
            assert scene.decisions == []
            await scene.rest(0.2)
            assert not scene.dialog.is_armed
            await scene.arm()

    @pytest.mark.parametrize("typed", ["yyyyaaa1", "approve", "aA1!", "z"])
    async def test_letters_and_numbers_never_approve(self, typed: str) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            await scene.press(*typed)
            await scene.rest()
            assert scene.decisions == []

    async def test_enter_at_once(self) -> None:
        async with stage(is_armed=False) as scene:
            await scene.press("enter", after=0)
            await scene.rest(0.3)
            assert scene.decisions == []

    async def test_enter_held_while_it_opens(self) -> None:
        async with stage(is_armed=False) as scene:
            await scene.hold("enter", 300)
            assert scene.decisions == []
            assert not scene.dialog.is_armed

    @pytest.mark.parametrize("keys", [("left",), ("shift+tab",), ("left", "left", "shift+tab")])
    async def test_nothing_leads_backwards_from_deny_to_approve(
        self, keys: tuple[str, ...]
    ) -> None:
        async with stage() as scene:
            await scene.press(*keys)
            assert scene.app.focused is scene.dialog.query_one("#deny")
            await scene.press("space")
            await scene.rest()
            assert scene.answers == [DENY]

    async def test_right_stops_at_approve_and_tab_goes_on_to_deny(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE, "right", "right")
            assert scene.app.focused is scene.dialog.query_one("#approve")
            await scene.press("tab")
            assert scene.app.focused is scene.dialog.query_one("#deny")

    @pytest.mark.parametrize("delay", [0.25, 0.5, 0.66])
    async def test_enter_held_on_approve(self, delay: float) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            await scene.press("enter", after=2)
            await scene.rest(delay)
            await scene.hold("enter", 40)
            await scene.rest(2)
            assert scene.decisions == []

    async def test_held_tab_and_then_held_enter(self) -> None:
        async with stage() as scene:
            await scene.hold("tab", 11)
            assert scene.app.focused is scene.dialog.query_one("#approve")
            await scene.hold("enter", 20)
            assert "too soon" in scene.text
            await scene.rest()
            assert scene.decisions == []

    async def test_enter_again_after_one_that_came_too_soon(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            await scene.press("enter", after=0.1)
            await scene.rest()
            assert scene.decisions == []
            await scene.press("enter")
            await scene.rest()
            assert scene.answers == [APPROVE]

    async def test_the_chord_once(self) -> None:
        async with stage() as scene:
            await scene.press("ctrl+y")
            await scene.rest(3.5)
            await scene.press("ctrl+y")
            await scene.rest(3.5)
            assert scene.decisions == []

    async def test_the_chord_held(self) -> None:
        async with stage() as scene:
            await scene.press("ctrl+y")
            await scene.press("ctrl+y", after=0.5)
            await scene.hold("ctrl+y", 30)
            await scene.rest(2)
            assert scene.decisions == []

    async def test_the_chord_with_another_key_in_between(self) -> None:
        async with stage() as scene:
            await scene.press("ctrl+y", "x", "ctrl+y")
            await scene.rest()
            assert scene.decisions == []

    async def test_a_key_right_after_takes_it_back(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE, "enter")
            await scene.press("escape", after=0.1)
            assert scene.answers == [DENY]

    async def test_pasting(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            scene.app.post_message(events.Paste("\n\n yes\r\n\x19\x19"))
            await scene.rest()
            assert scene.decisions == []

    async def test_pasting_starts_the_wait_anew(self) -> None:
        async with stage(is_armed=False) as scene:
            for _ in range(4):
                scene.clock.now += 0.4
                scene.app.post_message(events.Paste("\n"))
                await scene.looks()
                assert not scene.dialog.is_armed

    async def test_pasting_makes_it_deaf_and_forgets_what_was_begun(self) -> None:
        for begun, after in (("ctrl+y", "ctrl+y"), ("enter", None)):
            async with stage() as scene:
                await scene.press(*TO_APPROVE, begun)
                scene.app.post_message(events.Paste("x"))
                await scene.pilot.pause()
                assert not scene.dialog.is_armed
                assert scene.app.focused is scene.dialog.query_one("#approve")
                await scene.arm()
                if after:
                    await scene.press(after)
                await scene.rest(2)
                assert scene.decisions == []

    async def test_a_busy_program_hears_what_was_typed_meanwhile(self) -> None:
        async with stage(is_armed=False) as scene:
            # Nothing was looked at for ten seconds; then the first look comes before the keys.
            scene.clock.now += 10
            scene.dialog._tick()
            for key in (*TO_APPROVE, "enter", "ctrl+y", "ctrl+y"):
                scene.app.post_message(events.Key(key, None))
            await scene.looks()
            assert scene.decisions == []
            assert not scene.dialog.is_armed

    async def test_the_palette_on_top_ends_the_attention(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            scene.app.action_command_palette()
            await scene.until(lambda: scene.app.screen is not scene.dialog)
            await scene.press("escape", after=0)
            await scene.until(lambda: scene.app.screen is scene.dialog)
            assert not scene.dialog.is_armed
            await scene.press("enter", after=0)
            await scene.rest(0.3)
            assert scene.decisions == []

    async def test_coming_back_to_the_terminal_ends_the_attention(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            scene.app.post_message(events.AppBlur())
            await scene.pilot.pause()
            scene.app.post_message(events.AppFocus())
            await scene.pilot.pause()
            assert not scene.dialog.is_armed
            await scene.arm()
            assert scene.app.focused is scene.dialog.query_one("#deny")


async def _approves(keys: list[tuple[str, float]], *, is_armed: bool) -> bool:
    async with stage(is_armed=is_armed, size=(80, 24)) as scene:
        for key, after in keys:
            await scene.strike(key, after)
        await scene.rest()
        return APPROVE in scene.answers


_TYPED = st.sampled_from([*"aAyY1!.~ä", "enter", "space", "backspace"])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(_TYPED, st.floats(0, 0.49)), max_size=10))
def test_typing_faster_than_the_quiet_time_never_approves(keys: list[tuple[str, float]]) -> None:
    assert not asyncio.run(_approves(keys, is_armed=False))


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(_TYPED, st.floats(0, 5)), max_size=10))
def test_typing_at_any_speed_never_approves(keys: list[tuple[str, float]]) -> None:
    assert not asyncio.run(_approves(keys, is_armed=True))


class TestMouse:
    async def test_down_and_up_before_it_is_armed(self) -> None:
        async with stage(is_armed=False) as scene:
            await scene.pilot.click("#approve", times=2)
            await scene.rest(0.4)
            assert scene.decisions == []
            assert not scene.dialog.is_armed

    async def test_pressing_starts_the_wait_anew(self) -> None:
        async with stage(is_armed=False) as scene:
            scene.clock.now += 0.4
            await scene.pilot.mouse_down("#approve")
            await scene.rest(0.4)
            assert not scene.dialog.is_armed

    async def test_down_before_and_up_after(self) -> None:
        async with stage(is_armed=False) as scene:
            await scene.pilot.mouse_down("#approve")
            await scene.arm()
            await scene.pilot.mouse_up("#approve")
            await scene.rest()
            assert scene.decisions == []

    async def test_down_outside_and_up_inside(self) -> None:
        async with stage() as scene:
            await scene.pilot.mouse_down("#deny")
            await scene.pilot.mouse_up("#approve")
            await scene.rest()
            assert scene.decisions == []

    async def test_down_inside_and_up_outside(self) -> None:
        async with stage() as scene:
            await scene.pilot.mouse_down("#approve")
            await scene.pilot.hover("#edit")
            await scene.pilot.mouse_up("#edit")
            await scene.rest()
            assert scene.decisions == []

    async def test_other_buttons_of_the_mouse(self) -> None:
        async with stage() as scene:
            await scene.pilot.click("#approve", button=3)
            await scene.rest()
            assert scene.decisions == []

    async def test_a_click_moves_no_focus(self) -> None:
        async with stage() as scene:
            await scene.pilot.mouse_down("#approve")
            assert scene.app.focused is scene.dialog.query_one("#deny")

    @pytest.mark.parametrize("size", first_quick([(120, 36), (80, 24), (60, 18)]))
    async def test_never_where_the_last_click_was(self, size: tuple[int, int]) -> None:
        async with stage(size=size, is_armed=False) as scene:
            spot = middle(scene.dialog.query_one("#approve"))
        async with stage(size=size, is_armed=False, last_click=spot) as scene:
            deny, approve = scene.dialog.query_one("#deny"), scene.dialog.query_one("#approve")
            await scene.until(lambda: not approve.region.contains_point(spot))
            assert approve.region.x < deny.region.x
            assert scene.app.focused is deny
            # A double click that had opened the dialog, and then some more.
            await scene.pilot.click(offset=spot, times=2)
            await scene.arm()
            await scene.pilot.click(offset=spot, times=2)
            assert APPROVE not in scene.answers

    async def test_a_last_click_elsewhere_changes_nothing(self) -> None:
        async with stage(last_click=Offset(2, 2)) as scene:
            deny, approve = (scene.dialog.query_one(one).region for one in ("#deny", "#approve"))
            assert deny.x < approve.x

    @pytest.mark.parametrize(
        "kind",
        [
            *(events.MouseScrollDown, events.MouseScrollUp, events.MouseScrollLeft),
            *(events.MouseScrollRight, events.MouseUp, events.MouseDown),
        ],
    )
    @pytest.mark.parametrize("begun", first_quick(["enter", "ctrl+y"]))
    async def test_being_busy_with_it_makes_it_deaf(
        self, kind: type[events.MouseEvent], begun: str
    ) -> None:
        async with stage(ask(arguments=LONG), size=(80, 24)) as scene:
            await scene.press("end", *TO_APPROVE, begun)
            await mouse(scene, kind)
            await scene.pilot.click("#approve")
            assert not scene.dialog.is_armed
            assert scene.app.focused is scene.dialog.query_one("#approve")
            await scene.arm()
            if begun == "ctrl+y":
                await scene.press("ctrl+y")
            await scene.rest(2)
            assert scene.decisions == []

    async def test_a_click_right_after_the_wheel(self) -> None:
        async with stage() as scene:
            spot = middle(scene.dialog.query_one("#approve"))
            for kind in (events.MouseScrollDown, events.MouseDown, events.MouseUp):
                scene.app.post_message(mouse_event(kind, spot, button=1))
            await scene.rest()
            assert scene.decisions == []

    async def test_the_wheel_goes_on_scrolling_while_it_makes_it_deaf(self) -> None:
        async with stage(ask(arguments=LONG), size=(80, 24)) as scene:
            sheet = scene.dialog.query_one("#body SheetView")
            for turns in range(1, 5):
                await mouse(scene, events.MouseScrollDown)
                assert sheet.scroll_offset.y >= turns
                assert not scene.dialog.is_armed
            await scene.arm()


class TestLayoutChanges:
    async def test_resizing_makes_it_deaf_and_goes_back_to_deny(self) -> None:
        async with stage() as scene:
            await scene.press(*TO_APPROVE)
            await scene.resize(80, 24)
            assert not scene.dialog.is_armed
            assert scene.app.focused is scene.dialog.query_one("#deny")
            await scene.press("enter", after=0)
            await scene.rest(0.3)
            assert scene.decisions == []

    async def test_tiny_and_back(self) -> None:
        async with stage(ask(arguments=LONG)) as scene:
            await scene.resize(20, 5)
            await scene.arm()
            await scene.press("ctrl+y", "ctrl+y")
            await scene.rest()
            await scene.press(*TO_APPROVE, "enter")
            await scene.rest()
            await scene.pilot.click("#approve")
            assert scene.decisions == []
            await scene.resize(120, 36)
            await scene.arm()
            assert "Arguments" in scene.text
            await scene.press("escape")
            assert scene.answers == [DENY]

    async def test_no_row_to_see_the_arguments_in(self) -> None:
        async with stage(size=(20, 3)) as scene:
            await scene.press("end", *TO_APPROVE, "enter", "ctrl+y", "ctrl+y")
            await scene.rest()
            assert scene.decisions == []
            assert not scene.dialog.can_approve

    async def test_seen_once_but_out_of_sight_now(self) -> None:
        async with stage() as scene:
            assert scene.dialog.can_approve
            await scene.resize(20, 3)
            await scene.arm()
            assert not scene.dialog.can_approve


class TestLongArguments:
    async def test_approve_waits_for_the_end(self) -> None:
        async with stage(ask(arguments=LONG), size=(80, 24)) as scene:
            assert "more lines - PgDn/End" in scene.text
            assert "scroll to the end to enable Approve" in scene.text
            await scene.press(*TO_APPROVE, "enter", "ctrl+y", "ctrl+y")
            await scene.rest()
            await scene.pilot.click("#approve")
            assert scene.decisions == []
            await scene.arm()
            await scene.press("end")
            await scene.until(lambda: scene.dialog.can_approve)
            assert "more lines" not in scene.text
            await scene.press("home")
            await scene.press("ctrl+y", "ctrl+y")
            await scene.rest()
            assert scene.answers == [APPROVE]

    async def test_page_by_page(self) -> None:
        async with stage(ask(arguments=LONG), size=(80, 24)) as scene:
            for _ in range(40):
                if scene.dialog.can_approve:
                    break
                await scene.press("pagedown")
                await scene.pilot.pause()
            assert '"key199": 199' in scene.text
            assert scene.dialog.can_approve

    async def test_the_wheel_does_nothing_before_it_is_armed(self) -> None:
        async with stage(ask(arguments=LONG), size=(80, 24), is_armed=False) as scene:
            before = scene.text
            await scene.pilot._post_mouse_events(
                [events.MouseScrollDown], widget=None, offset=(40, 12), button=0
            )
            await scene.looks()
            assert scene.text == before

    async def test_a_single_long_string(self) -> None:
        async with stage(ask(arguments={"text": "0123456789" * 500}), size=(80, 24)) as scene:
            assert not scene.dialog.can_approve
            await scene.press("end")
            await scene.until(lambda: scene.dialog.can_approve)


class TestVoid:
    async def test_nothing_but_closing_is_left(self) -> None:
        async with stage(ask(trust=Trust.TRUSTED)) as scene:
            await scene.press(*TO_APPROVE, "enter")
            scene.dialog.void("the connection was lost")
            await scene.rest()
            assert scene.decisions == []
            assert "No longer possible: the connection was lost" in scene.text
            assert "Close" in scene.text
            assert "Approve once" not in scene.text
            await scene.arm()
            await scene.press(*TO_APPROVE, "ctrl+y", "ctrl+y")
            await scene.rest()
            assert scene.decisions == []
            await scene.press("enter")
            assert scene.told == [Decision(DENY, "you", "the connection was lost")]

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
            dialog = ApprovalDialog(ask(), quiet_seconds=0)
            scene = Stage(app, pilot, dialog, Clock())
            app.push_screen(dialog, scene.decisions.append)
            dialog.set_waiting(3)
            dialog.void("the connection was lost")
            await scene.until(lambda: dialog.is_armed)
            assert "No longer possible: the connection was lost" in scene.text
            assert not dialog.query_one("#approve").display
            await scene.press("enter")
            assert scene.told == [Decision(DENY, "you", "the connection was lost")]

    async def test_after_the_answer_it_is_too_late(self) -> None:
        async with stage() as scene:
            await scene.press("escape")
            scene.dialog.void("the connection was lost")
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


def mouse_event(kind: type[events.MouseEvent], at: Offset, *, button: int = 0) -> events.MouseEvent:
    return kind(None, at.x, at.y, 0, 0, button, False, False, False)


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


async def mouse(scene: Stage, kind: type[events.MouseEvent]) -> None:
    """Something that the mouse does on the sheet, and what comes of it."""
    scene.app.post_message(mouse_event(kind, Offset(40, 12)))
    await scene.pilot.pause()


async def test_it_says_one_moment_until_it_listens() -> None:
    async with stage(ask(DESTRUCTIVE), is_armed=False) as scene:
        assert "moment" in scene.text
        await scene.arm()
        await scene.pilot.pause()
        assert "moment" not in scene.text


@pytest.mark.parametrize(
    ("key", "question", "words"),
    [
        ("escape", ask(), "buttons unlock in a moment: half a second without keys"),
        ("enter", ask(arguments=LONG), "buttons unlock in a moment"),
        ("z", ask(), "buttons unlock in a moment: half a second without keys"),
    ],
)
async def test_a_key_that_came_too_soon_is_said_to_have_done_nothing(
    key: str, question: Question, words: str
) -> None:
    async with stage(question, size=(80, 24), is_armed=False) as scene:
        before = [row[:20] for row in scene.text.splitlines()]
        await scene.press(key)
        assert words in scene.text
        await scene.arm()
        await scene.until(lambda: "that key came too soon: press it again" in scene.text)
        assert scene.decisions == []
        assert [row[:20] for row in scene.text.splitlines()][:-6] == before[:-6]
        await scene.press("down")
        await scene.until(lambda: "too soon" not in scene.text)


async def test_a_key_that_comes_while_it_is_taken_away_does_nothing() -> None:
    async with stage() as scene:
        await scene.dialog._box.remove()
        await scene.press("tab", "right", "left", "shift+tab")
        assert scene.app._exception is None
        assert scene.decisions == []
