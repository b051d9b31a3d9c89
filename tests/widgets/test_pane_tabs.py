"""One line of tabs."""

from __future__ import annotations

from signoff.widgets.bars import PaneTabs
from tests.showing import showing

LABELS = ("Tools 36", "Tool", "Calls 2", "Response")


async def test_the_current_tab_is_in_sight_and_every_seen_tab_is_picked() -> None:
    async with showing(PaneTabs()) as stage:
        for width in (80, 38, 20):
            await stage.resize(width, 3)
            for current, name in enumerate(LABELS):
                stage.widget.show(LABELS, current)
                await stage.pause()
                assert name in stage.strips[0].text
                line = f"{stage.rows[0]} "
                seen = [index for index, label in enumerate(LABELS) if f" {label} " in line]
                stage.messages.clear()
                for index in seen:
                    await stage.click(line.index(f" {LABELS[index]} ") + 1, 0)
                assert [one.index for one in stage.posted(PaneTabs.Picked)] == seen


async def test_a_sign_tells_of_tabs_that_are_out_of_sight_and_a_click_beside_picks_nothing() -> (
    None
):
    async with showing(PaneTabs()) as stage:
        for width, current, ends in ((20, 0, " ›"), (20, 3, "‹ "), (80, 0, "  ")):
            await stage.resize(width, 3)
            stage.widget.show(LABELS, current)
            await stage.pause()
            assert stage.strips[0].text[0] + stage.strips[0].text[-1] == ends
        for x in (70, 0):
            await stage.click(x, 0)
        assert not stage.posted(PaneTabs.Picked)
