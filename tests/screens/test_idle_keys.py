"""A key of the bench that does nothing at the moment says why."""

from __future__ import annotations

import pytest

from signoff.app.screens.idle_keys import WHY
from signoff.app.screens.keys import AT_TIMES
from tests.screens.bench_stage import bench_stage

KEYS = {"tasks": "K", "cancel": "ctrl+x", "retry": "R", "again": "C", "successor": "alt+s"}


@pytest.mark.parametrize("name", KEYS)
async def test_it_says_why(name: str) -> None:
    async with bench_stage() as stage:
        await stage.press(KEYS[name])
        await stage.is_told(WHY[name])


async def test_a_server_without_anything_beside_its_tools() -> None:
    async with bench_stage() as stage:
        assert not stage.bench.offers.has_any
        await stage.press("P")
        await stage.is_told(WHY["offers"])


async def test_a_letter_that_is_typed_and_a_key_that_does_something_say_nothing() -> None:
    async with bench_stage() as stage:
        await stage.press("slash", "K", "P", "R", "C")
        await stage.press("escape", "escape", "W")
        await stage.press("escape")
        await stage.rests()
        assert not any(words in stage.toasts for words in WHY.values())


def test_every_verb_that_is_there_at_times_only_has_its_words() -> None:
    assert set(AT_TIMES) < set(WHY)
