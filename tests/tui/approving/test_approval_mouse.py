"""What a mouse does at the dialog, and what of it approves nothing."""

from __future__ import annotations

import pytest
from textual import events
from textual.geometry import Offset

from signoff.app.approval.approval import DecisionAnswer
from tests.tiers import first_quick
from tests.tui.stage import LONG, TO_APPROVE, Stage, ask, middle, mouse_event, stage

APPROVE = DecisionAnswer.APPROVE


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
