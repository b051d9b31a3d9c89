"""Guarded dialogs about starts, and `esc`, which leaves each of them at any moment."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.hosts.files.starting import ServerStart
from signoff.app.protocol.server import Server, Trust
from signoff.app.tui.answers.audio import PlayDialog
from signoff.app.tui.answers.exporting import Openable, ViewerDialog
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.sheet_dialog import StartDialog
from signoff.app.tui.approving.starts_dialog import StartsDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from tests.approved import approved
from tests.tiers import examples, first_quick
from tests.tui.approving.test_approval_random import Hand
from tests.tui.clocks import MovedClock, many_steps
from tests.tui.stage import Host, Scene, ask, effect_on, on_stage, readers

PROSE = approved("tui-approval")


def start(name: str) -> ServerStart:
    argv = ("node", f"/x/{name}.js")
    return ServerStart(name, "cursor", "Cursor", "user", "/x/mcp.json", 1, "stdio", argv, "/x")


STARTS = [start(name) for name in ("one", "two", "three")]
DIGESTS = [one.digest for one in STARTS]


def starts_stage(
    size: tuple[int, int] = (120, 36), *, is_armed: bool = True
) -> AbstractAsyncContextManager[Scene]:
    clock = MovedClock()
    dialog = StartsDialog([(one, None) for one in STARTS], clock=clock)
    return on_stage(Scene, dialog, clock, size=size, is_armed=is_armed)


async def test_all_are_ticked_and_the_last_button_starts_them() -> None:
    async with starts_stage() as scene:
        PROSE.holds("starts: keys", f"{scene.title}\n{scene.keys_said}")
        await scene.press("tab", "enter")
        await scene.rest()
        assert scene.decisions == [frozenset(DIGESTS)]


async def test_only_what_is_ticked_starts() -> None:
    async with starts_stage((80, 24)) as scene:
        await scene.press("down", "x")
        assert "› [ ] two" in scene.text
        assert "Start 2 of 3" in scene.text
        await scene.press("end", "tab", "enter")
        await scene.rest()
        assert scene.decisions == [frozenset((DIGESTS[0], DIGESTS[2]))]


async def test_nothing_ticked_starts_nothing() -> None:
    async with starts_stage() as scene:
        await scene.press("x", "down", "x", "down", "x", "tab", "enter")
        await scene.rest()
        assert scene.decisions == []
        assert "Start 0 of 3" in scene.text
        await scene.press("x", "tab", "enter")
        assert scene.decisions == [frozenset()]


@pytest.mark.parametrize("key", ["enter", "space", "escape", "q", "ctrl+c"])
async def test_every_way_out_starts_none(key: str) -> None:
    async with starts_stage() as scene:
        await scene.press(key)
        assert scene.decisions == [frozenset()]


async def test_a_tick_takes_back_a_press_that_waits() -> None:
    async with starts_stage() as scene:
        await scene.press("tab", "enter")
        await scene.strike("x", 0.1)
        await scene.rest(2)
        assert scene.decisions == []


async def test_the_end_has_to_be_seen() -> None:
    async with starts_stage((60, 14)) as scene:
        await scene.press("tab", "enter")
        await scene.rest(2)
        assert scene.decisions == []


@pytest.mark.parametrize("seed", first_quick(range(6)))
async def test_nothing_starts_but_what_is_meant(seed: int) -> None:
    dice = random.Random(seed)
    async with starts_stage((80, 24), is_armed=False) as scene:
        hand = Hand(scene, dice, "start")
        for _ in range(60):
            await hand.do()
            if scene.decisions:
                break
        if scene.decisions and scene.decisions[0]:
            assert hand.is_meant, hand.deeds[-8:]


Make = Callable[..., GuardedDialog[Any]]


def about_call(**guard: Any) -> ApprovalDialog:
    return ApprovalDialog(ask(), **guard)


def about_trust(**guard: Any) -> TrustDialog:
    server = Server("demo", "python -m signoff.app.demo", "stdio:demo", Trust.UNTRUSTED)
    return TrustDialog(server, effect_on(readers(2)), **guard)


def about_start(**guard: Any) -> StartDialog:
    start = ServerStart("demo", "cursor", "Cursor", "user", "mcp.json", 1, "stdio", ("python",))
    return StartDialog(start, None, **guard)


def about_file(**guard: Any) -> ViewerDialog:
    found = Openable("text/plain", ".txt")
    return ViewerDialog("a part", found, Path("part.txt"), 3, "/usr/bin/xdg-open", **guard)


def about_sound(**guard: Any) -> PlayDialog:
    return PlayDialog("a sound", "/usr/bin/play", **guard)


def about_starts(**guard: Any) -> StartsDialog:
    start = ServerStart("demo", "cursor", "Cursor", "user", "mcp.json", 1, "stdio", ("python",))
    return StartsDialog([(start, None), (start, None)], **guard)


DIALOGS = (about_call, about_trust, about_start, about_starts, about_file, about_sound)
OTHERS = ("enter", "space", "q", "ctrl+c", "ctrl+y", "tab", "right", "y", "a")


def is_no(result: Any) -> bool:
    """Whether a dialog was left without doing anything."""
    if isinstance(result, Decision):
        return result.answer is DecisionAnswer.DENY
    return not result


async def results(make: Make, keys: list[tuple[str, float]]) -> list[Any]:
    """What a dialog that has just opened gives for keys with pauses before them."""
    app, clock, found = Host(), MovedClock(), list[Any]()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(make(clock=clock), found.append)
        await pilot.pause()
        for key, after in keys:
            clock.pass_by(after)
            clock.look(1)
            app.post_message(events.Key(key, None))
            await many_steps()
        await pilot.pause()
        return found


@pytest.mark.parametrize("make", DIALOGS)
async def test_only_esc_does_anything_before_it_hears(make: Make) -> None:
    assert await results(make, [(key, 0.1) for key in OTHERS]) == []
    for keys in ([("escape", 0.0)], [("a", 0.4), ("enter", 0.4), ("escape", 0.1)]):
        (result,) = await results(make, keys)
        assert is_no(result)


@examples(20, deadline=None)
@given(
    st.sampled_from(DIALOGS),
    st.lists(st.tuples(st.sampled_from((*OTHERS, "escape")), st.floats(0, 0.49)), max_size=8),
)
def test_only_esc_ends_a_dialog_that_does_not_hear(
    make: Make, keys: list[tuple[str, float]]
) -> None:
    found = asyncio.run(results(make, keys))
    assert len(found) == any(key == "escape" for key, _ in keys)
    assert all(map(is_no, found))
