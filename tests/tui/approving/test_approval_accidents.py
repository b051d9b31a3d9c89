"""All the ways in which keys, time and a small screen do not approve a call."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events

from signoff.app.approval.approval import DecisionAnswer
from tests.approved import approved
from tests.tui.clocks import many_steps
from tests.tui.stage import LONG, TO_APPROVE, ask, stage

PROSE = approved("tui-approval")
APPROVE, DENY = DecisionAnswer.APPROVE, DecisionAnswer.DENY


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
                scene.clock.pass_by(0.4)
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
            # Nothing was looked at for ten seconds; then two looks come before the keys.
            scene.clock.pass_by(10)
            for key in (*TO_APPROVE, "enter", "ctrl+y", "ctrl+y"):
                scene.app.post_message(events.Key(key, None))
            scene.clock.look(2)
            await many_steps()
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
            assert "more lines" in scene.text
            PROSE.holds("keys: scroll first", scene.keys_said)
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


async def test_a_key_that_comes_while_it_is_taken_away_does_nothing() -> None:
    async with stage() as scene:
        await scene.dialog._box.remove()
        await scene.press("tab", "right", "left", "shift+tab")
        assert scene.app._exception is None
        assert scene.decisions == []
