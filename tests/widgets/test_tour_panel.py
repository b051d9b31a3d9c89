"""The panel of the tour, on a stage whose letters are large."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from signoff.app.features.tour.course import begin
from signoff.app.features.tour.list_screen import tour_words
from signoff.app.features.tour.steps import STEPS
from signoff.widgets.tour_panel import TourPanel
from tests.tiers import first_quick


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield TourPanel(is_presenting=True)

    @property
    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([(80, 24), (100, 30), (120, 36)]))
async def test_presenting_every_answer_and_what_can_be_done_is_in_sight(
    size: tuple[int, int],
) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        panel = app.query_one(TourPanel)
        for step in STEPS:
            words = tour_words(begin(STEPS, step.id))
            panel.show(words)
            await pilot.pause()
            for choice in words.choices:
                assert choice in app.text, step.id
            assert "s Skip" in app.text, step.id
            assert panel.max_scroll_y == 0, step.id
        assert panel.has_class("-roomy") == (size != (80, 24))


async def test_only_the_answers_that_there_are_have_keys() -> None:
    app = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        panel = app.query_one(TourPanel)
        words = tour_words(begin(STEPS, STEPS[0].id))
        panel.show(words)
        await pilot.pause()
        keys = [number for number in range(4) if panel.check_action("guess", (number,))]
        assert keys == list(range(len(words.choices)))
        assert 0 < len(keys) < 4
