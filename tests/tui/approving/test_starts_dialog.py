"""Several configured servers are asked about at once: what is ticked starts, and nothing else."""

from __future__ import annotations

import random
from contextlib import AbstractAsyncContextManager

import pytest

from signoff.app.hosts.files.starting import ServerStart
from signoff.app.tui.approving.starts_dialog import StartsDialog
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.approving.test_approval_random import Hand
from tests.tui.clocks import MovedClock
from tests.tui.stage import Scene, on_stage

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
