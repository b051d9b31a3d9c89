"""Two servers that ask at once, and a person who types on: nothing is approved by it."""

from __future__ import annotations

import random

import pytest

from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.tui.clocks import MovedClock
from tests.tui.servers.servers_stage import servers_stage

KEYS = (
    "enter",
    "enter",
    "ctrl+y",
    "ctrl+y",
    "space",
    "tab",
    "right",
    "right",
    "end",
    "y",
    "a",
    "1",
)
TWO = {"one": ("--with", "all"), "two": ("--with", "all")}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
async def test_a_stream_of_keys_approves_nothing_on_either_server(seed: int) -> None:
    dice = random.Random(seed)
    asked = set()
    async with servers_stage(TWO, trust=Trust.UNTRUSTED) as stage:
        await stage.listed("one", "two")
        # It does not depend on the speed of the machine how quickly the keys come.
        stage.app.dialog_clock = clock = MovedClock()
        engines = {name: stage.member(name).engine for name in TWO}
        for number in range(200):
            if number % 8 == 0:
                for engine in engines.values():
                    engine.call(dice.choice(engine.tools), {})
            screen = stage.app.screen
            if isinstance(screen, ApprovalDialog):
                asked.add(screen.question.server_name)
            await stage.press(dice.choice(KEYS))
            clock.pass_by(dice.choice((0.02, 0.1, 0.25)))
            clock.look(dice.choice((0, 1, 3)))
        calls = [call for engine in engines.values() for call in engine.calls.values()]
        assert len(calls) == 50
        assert not [call for call in calls if call.sent]
        assert asked
