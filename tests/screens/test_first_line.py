"""The line of the first screen that says what to do first, and the legend of the signs."""

from __future__ import annotations

import pytest

from app.core.trust import Trust
from app.screens.first_line import FirstLine
from tests.screens.bench_stage import NARROW, WIDE, bench_stage


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_it_is_there_until_the_first_call(size: tuple[int, int]) -> None:
    async with bench_stage(is_demo=True, size=size) as stage:
        await stage.sees("Try calculate_sum", "delete_file", "f5 calls")
        await stage.call("show_text")
        assert not stage.app.screen.query_one(FirstLine).display
        assert "Try calculate_sum" not in stage.text


async def test_it_follows_trust_and_is_another_for_other_servers() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.sees("calculate_sum, which runs at once")
        stage.bench.set_trust(Trust.UNTRUSTED)
        await stage.sees("calculate_sum, which asks first")
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.sees("Choose a tool, enter, fill in, f5 calls it:", "ask first")
        assert "calculate_sum" not in stage.text


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_signs_are_explained_where_they_stand(size: tuple[int, int]) -> None:
    async with bench_stage(is_demo=True, size=size) as stage:
        await stage.sees("◇ closed  ↗ open  = idempotent  * finding")
        assert "+ additive  ! destructive" not in stage.text
        await stage.press("g")
        await stage.sees("by world", "! destructive", "≠ contradictory")
