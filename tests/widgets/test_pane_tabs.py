"""One line of tabs."""

from __future__ import annotations

import pytest

from signoff.widgets.bars import PaneTabs
from tests.showing import showing
from tests.tiers import first_quick

LABELS = ("Tools 36", "Tool", "Calls 2", "Response")


@pytest.mark.parametrize("width", first_quick([80, 38, 20]))
@pytest.mark.parametrize("current", range(4))
async def test_the_current_tab_is_in_sight_and_every_seen_tab_is_picked(
    width: int, current: int
) -> None:
    async with showing(PaneTabs(), size=(width, 3)) as stage:
        stage.widget.show(LABELS, current)
        await stage.pilot.pause()
        assert LABELS[current] in stage.strips[0].text
        line = f"{stage.rows[0]} "
        seen = [index for index, label in enumerate(LABELS) if f" {label} " in line]
        for index in seen:
            await stage.click(line.index(f" {LABELS[index]} ") + 1, 0)
        assert [one.index for one in stage.posted(PaneTabs.Picked)] == seen


async def test_a_click_beside_the_tabs_picks_nothing() -> None:
    async with showing(PaneTabs(), size=(80, 3)) as stage:
        stage.widget.show(LABELS, 0)
        await stage.pilot.pause()
        await stage.pilot.click(offset=(70, 0))
        await stage.pilot.click(offset=(0, 0))
        assert [one.index for one in stage.posted(PaneTabs.Picked)] == []


@pytest.mark.parametrize(
    ("width", "current", "ends"), [(80, 0, (" ", " ")), (20, 0, (" ", "›")), (20, 3, ("‹", " "))]
)
async def test_a_sign_tells_of_tabs_that_are_out_of_sight(
    width: int, current: int, ends: tuple[str, str]
) -> None:
    async with showing(PaneTabs(), size=(width, 3)) as stage:
        stage.widget.show(LABELS, current)
        await stage.pilot.pause()
        assert (stage.strips[0].text[0], stage.strips[0].text[-1]) == ends
