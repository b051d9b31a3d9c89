"""All the ways in which keys, mouse, time and a small screen do not approve a call."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.geometry import Offset

from signoff.app.approval.approval import DecisionAnswer
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.clocks import many_steps
from tests.tui.stage import LONG, TO_APPROVE, Stage, ask, middle, mouse_event, stage

PROSE = approved("tui-approval")
APPROVE, DENY = DecisionAnswer.APPROVE, DecisionAnswer.DENY
AT = "right right right "
"""From Deny to Approve."""


@pytest.mark.parametrize(
    "deeds",
    [
        "y@0.2 y@0.2 y@0.2 a@0.2 a@0.2 1@0.2 space@0.2",
        "h@0.2 e@0.2 l@0.2 l@0.2 o@0.2 enter@0.2",
        "enter@0.2 enter@0.2 enter@0.2",
        "a@0.2 1@0.2 y@0.2 space@0.2 Y@0.2 enter@0.2",
        "enter@0 ~0.3",
        "enter*300",
        "paste ~0.3 paste ~0.3",
    ],
)
async def test_what_comes_while_it_is_deaf_keeps_it_deaf(deeds: str) -> None:
    async with stage(is_armed=False) as scene:
        await scene.do(deeds)
        assert scene.decisions == []
        assert not scene.dialog.is_armed
        await scene.arm()


@pytest.mark.parametrize(
    "deeds",
    [
        f"{AT} y y y y a a a 1 a A 1 ! z ~",
        f"{AT} space ~",
        f"{AT} enter@0.1 ~",
        f"{AT} paste ~",
        f"{AT} enter paste ~2",
        f"{AT} ctrl+y paste ~1 ctrl+y ~2",
        f"{AT} enter@2 ~0.25 enter*40 ~2",
        f"{AT} enter@2 ~0.5 enter*40 ~2",
        f"{AT} enter@2 ~0.66 enter*40 ~2",
        "tab*11 enter*20 ~",
        "ctrl+y ~3.5 ctrl+y ~3.5",
        "ctrl+y ctrl+y@0.5 ctrl+y*30 ~2",
        "ctrl+y x ctrl+y ~",
    ],
)
async def test_what_approves_nothing(deeds: str) -> None:
    async with stage() as scene:
        await scene.do(deeds)
        assert scene.decisions == []


@pytest.mark.parametrize("keys", ["left", "shift+tab", "left left shift+tab", f"{AT} tab"])
async def test_nothing_leads_backwards_from_deny_to_approve(keys: str) -> None:
    async with stage() as scene:
        await scene.do(keys)
        assert scene.app.focused is scene.dialog.query_one("#deny")
        await scene.do("space ~")
        assert scene.answers == [DENY]


@pytest.mark.parametrize(
    ("deeds", "answer"),
    [
        (f"{AT} right right enter ~", APPROVE),
        (f"{AT} enter@0.1 ~ enter ~", APPROVE),
        (f"{AT} enter escape@0.1", DENY),
    ],
    ids=["right stops at Approve", "again after too soon", "a key right after takes it back"],
)
async def test_what_counts_after_all(deeds: str, answer: DecisionAnswer) -> None:
    async with stage() as scene:
        await scene.do(deeds)
        assert scene.answers == [answer]


async def test_a_busy_program_hears_what_was_typed_meanwhile() -> None:
    async with stage(is_armed=False) as scene:
        # Nothing was looked at for ten seconds; then two looks come before the keys.
        scene.clock.pass_by(10)
        for key in (*TO_APPROVE, "enter", "ctrl+y", "ctrl+y"):
            scene.app.post_message(events.Key(key, None))
        scene.clock.look(2)
        await many_steps()
        await scene.looks()
        assert scene.decisions == []
        assert not scene.dialog.is_armed


@pytest.mark.parametrize("way", ["palette", "terminal", "size"])
async def test_what_was_elsewhere_ends_the_attention(way: str) -> None:
    async with stage() as scene:
        await scene.press(*TO_APPROVE)
        if way == "palette":
            scene.app.action_command_palette()
            await scene.until(lambda: scene.app.screen is not scene.dialog)
            await scene.press("escape", after=0)
            await scene.until(lambda: scene.app.screen is scene.dialog)
        elif way == "terminal":
            for event in (events.AppBlur(), events.AppFocus()):
                scene.app.post_message(event)
                await scene.pilot.pause()
        else:
            await scene.resize(80, 24)
        assert not scene.dialog.is_armed
        await scene.do("enter@0 ~0.3")
        assert scene.decisions == []
        await scene.arm()
        assert way == "palette" or scene.app.focused is scene.dialog.query_one("#deny")


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


async def test_tiny_and_back() -> None:
    async with stage(ask(arguments=LONG)) as scene:
        await scene.resize(20, 5)
        await scene.arm()
        await scene.do(f"ctrl+y ctrl+y ~ {AT} enter ~ click:approve")
        assert scene.decisions == []
        await scene.resize(120, 36)
        await scene.arm()
        assert "Arguments" in scene.text
        await scene.press("escape")
        assert scene.answers == [DENY]


async def test_no_row_to_see_the_arguments_in() -> None:
    async with stage() as scene:
        assert scene.dialog.can_approve
        await scene.resize(20, 3)
        await scene.arm()
        await scene.do(f"end {AT} enter ctrl+y ctrl+y ~")
        assert scene.decisions == []
        assert not scene.dialog.can_approve, "seen once, but out of sight now"


async def test_approve_waits_for_the_end_of_long_arguments() -> None:
    async with stage(ask(arguments=LONG), size=(80, 24)) as scene:
        assert "more lines" in scene.text
        PROSE.holds("keys: scroll first", scene.keys_said)
        await scene.do(f"{AT} enter ctrl+y ctrl+y ~ click:approve")
        assert scene.decisions == []
        await scene.arm()
        while not scene.dialog.can_approve:
            await scene.press("pagedown")
        await scene.pilot.pause()
        assert '"key199": 199' in scene.text
        assert "more lines" not in scene.text
        await scene.do("home ctrl+y ctrl+y ~")
        assert scene.answers == [APPROVE]


async def test_the_end_of_a_single_long_string_is_seen_by_one_key() -> None:
    async with stage(ask(arguments={"text": "0123456789" * 500}), size=(80, 24)) as scene:
        assert not scene.dialog.can_approve
        await scene.press("end")
        await scene.until(lambda: scene.dialog.can_approve)


async def test_the_wheel_does_nothing_before_it_is_armed() -> None:
    async with stage(ask(arguments=LONG), size=(80, 24), is_armed=False) as scene:
        before = scene.text
        await scene.pilot._post_mouse_events(
            [events.MouseScrollDown], widget=None, offset=(40, 12), button=0
        )
        await scene.looks()
        assert scene.text == before


async def test_a_key_that_comes_while_it_is_taken_away_does_nothing() -> None:
    async with stage() as scene:
        await scene.dialog._box.remove()
        await scene.press("tab", "right", "left", "shift+tab")
        assert scene.app._exception is None
        assert scene.decisions == []


@pytest.mark.parametrize(("down", "up"), [("deny", "approve"), ("approve", "edit")])
async def test_half_a_click_or_another_button_approves_nothing(down: str, up: str) -> None:
    async with stage() as scene:
        await scene.pilot.click("#approve", button=3)
        await scene.pilot.mouse_down(f"#{down}")
        assert scene.app.focused is scene.dialog.query_one("#deny"), "it moves no focus"
        await scene.pilot.hover(f"#{up}")
        await scene.pilot.mouse_up(f"#{up}")
        await scene.rest()
        assert scene.decisions == []


async def test_a_click_before_it_is_armed_begins_the_wait_anew() -> None:
    async with stage(is_armed=False) as scene:
        await scene.pilot.click("#approve", times=2)
        await scene.rest(0.4)
        assert not scene.dialog.is_armed
        await scene.pilot.mouse_down("#approve")
        await scene.rest(0.4)
        assert not scene.dialog.is_armed
        await scene.arm()
        await scene.pilot.mouse_up("#approve")
        await scene.rest()
        assert scene.decisions == []


async def test_never_where_the_last_click_was() -> None:
    async with stage(size=(80, 24), is_armed=False) as scene:
        spot = middle(scene.dialog.query_one("#approve"))
    async with stage(size=(80, 24), is_armed=False, last_click=spot) as scene:
        deny, approve = scene.dialog.query_one("#deny"), scene.dialog.query_one("#approve")
        await scene.until(lambda: not approve.region.contains_point(spot))
        assert approve.region.x < deny.region.x
        assert scene.app.focused is deny
        # A double click that had opened the dialog, and then some more.
        await scene.pilot.click(offset=spot, times=2)
        await scene.arm()
        await scene.pilot.click(offset=spot, times=2)
        assert APPROVE not in scene.answers


async def test_a_last_click_elsewhere_changes_nothing() -> None:
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
async def test_being_busy_with_it_makes_it_deaf(kind: type[events.MouseEvent], begun: str) -> None:
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


async def test_a_click_right_after_the_wheel() -> None:
    async with stage() as scene:
        spot = middle(scene.dialog.query_one("#approve"))
        for kind in (events.MouseScrollDown, events.MouseDown, events.MouseUp):
            scene.app.post_message(mouse_event(kind, spot, button=1))
        await scene.rest()
        assert scene.decisions == []


async def test_the_wheel_goes_on_scrolling_while_it_makes_it_deaf() -> None:
    async with stage(ask(arguments=LONG), size=(80, 24)) as scene:
        sheet = scene.dialog.query_one("#body SheetView")
        for turns in range(1, 5):
            await mouse(scene, events.MouseScrollDown)
            assert sheet.scroll_offset.y >= turns
            assert not scene.dialog.is_armed
        await scene.arm()


async def mouse(scene: Stage, kind: type[events.MouseEvent]) -> None:
    """Something that the mouse does on the sheet, and what comes of it."""
    scene.app.post_message(mouse_event(kind, Offset(40, 12)))
    await scene.pilot.pause()
