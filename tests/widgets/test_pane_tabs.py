"""One line of tabs."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from signoff.widgets.bars import PaneTabs
from tests.tiers import first_quick

LABELS = ("Tools 36", "Tool", "Calls 2", "Response")


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.picked: list[int] = []

    def compose(self) -> ComposeResult:
        yield PaneTabs()

    def on_pane_tabs_picked(self, message: PaneTabs.Picked) -> None:
        self.picked.append(message.index)

    @property
    def line(self) -> str:
        return self.screen._compositor.render_strips()[0].text


@pytest.mark.parametrize("width", first_quick([80, 38, 20]))
@pytest.mark.parametrize("current", range(4))
async def test_the_current_tab_is_in_sight_and_every_seen_tab_is_picked(
    width: int, current: int
) -> None:
    app = Host()
    async with app.run_test(size=(width, 3)) as pilot:
        app.query_one(PaneTabs).show(LABELS, current)
        await pilot.pause()
        assert LABELS[current] in app.line
        seen = [index for index, label in enumerate(LABELS) if f" {label} " in f"{app.line} "]
        for index in seen:
            await pilot.click(offset=(f"{app.line} ".index(f" {LABELS[index]} ") + 1, 0))
        assert app.picked == seen


async def test_a_click_beside_the_tabs_picks_nothing() -> None:
    app = Host()
    async with app.run_test(size=(80, 3)) as pilot:
        app.query_one(PaneTabs).show(LABELS, 0)
        await pilot.pause()
        await pilot.click(offset=(70, 0))
        await pilot.click(offset=(0, 0))
        assert app.picked == []


@pytest.mark.parametrize(
    ("width", "current", "ends"), [(80, 0, (" ", " ")), (20, 0, (" ", "›")), (20, 3, ("‹", " "))]
)
async def test_a_sign_tells_of_tabs_that_are_out_of_sight(
    width: int, current: int, ends: tuple[str, str]
) -> None:
    app = Host()
    async with app.run_test(size=(width, 3)) as pilot:
        app.query_one(PaneTabs).show(LABELS, current)
        await pilot.pause()
        assert (app.line[0], app.line[-1]) == ends
