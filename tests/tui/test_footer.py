"""The keys at the foot of the screen: the most important ones are there at any width."""

from __future__ import annotations

import pytest

from signoff.widgets import key_footer
from tests.bindings import bindings
from tests.tui.bench_stage import BenchStage, bench_stage

ALWAYS = ("f5 Call", "f1 Help", "ctrl+q Quit")


def footer(stage: BenchStage) -> str:
    return stage.text.split("\n")[-1]


async def has_keys(stage: BenchStage, where: str) -> None:
    await stage.until(lambda: all(key in footer(stage) for key in ALWAYS), f"{ALWAYS} in {where}")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 18), (44, 12), (120, 36)])
async def test_call_help_and_quit_stay_in_every_pane(size: tuple[int, int]) -> None:
    async with bench_stage(size=size) as stage:
        await has_keys(stage, "the list")
        await stage.choose("slow")
        await stage.press("f5")
        await stage.until(lambda: stage.engine.calls, "a call")
        for _ in range(5):
            await stage.press("f6")
            await has_keys(stage, f"{stage.app.focused} with a running call")
        await stage.press("f3")
        await has_keys(stage, "the filter")
        await stage.press("ctrl+x")
        await stage.end()
        await has_keys(stage, "the end")


@pytest.mark.slow
async def test_no_key_is_cut_and_a_wider_window_shows_more() -> None:
    async with bench_stage(size=(44, 18)) as stage:
        await has_keys(stage, "44 columns")
        assert "g Regroup" not in footer(stage)
        await stage.resize(120, 36)
        await stage.until(lambda: "g Regroup" in footer(stage), "more keys")
        await stage.resize(44, 18)
        await stage.until(lambda: "g Regroup" not in footer(stage), "fewer keys")
        await has_keys(stage, "44 columns again")


@pytest.mark.slow
async def test_the_matrix_is_named_at_eighty_columns() -> None:
    async with bench_stage(size=(80, 24)) as stage:
        await has_keys(stage, "80 columns")
        assert "f2 All hosts" in footer(stage)
        assert "ctrl+t" in stage.text.split("\n")[0]


def test_every_action_with_a_rank_of_its_own_has_a_key() -> None:
    known = {binding.action for _, binding in bindings()}
    ranked = [name for names in key_footer.ALWAYS for name in names]
    assert [one for one in ranked if one.removeprefix("app.") not in known] == []
