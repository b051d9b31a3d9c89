"""The panel of the tour, on a stage whose letters are large."""

from __future__ import annotations

import pytest

from signoff.app.features.tour.course import begin
from signoff.app.features.tour.list_screen import tour_words
from signoff.app.features.tour.steps import STEPS
from signoff.widgets.tour_panel import TourPanel
from tests.showing import showing
from tests.tiers import first_quick


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([(80, 24), (100, 30), (120, 36)]))
async def test_presenting_every_answer_and_what_can_be_done_is_in_sight(
    size: tuple[int, int],
) -> None:
    async with showing(TourPanel(is_presenting=True), size=size) as stage:
        panel = stage.widget
        for step in STEPS:
            words = tour_words(begin(STEPS, step.id))
            panel.show(words)
            await stage.pilot.pause()
            for choice in words.choices:
                assert choice in stage.text, step.id
            assert "s Skip" in stage.text, step.id
            assert panel.max_scroll_y == 0, step.id
        assert panel.has_class("-roomy") == (size != (80, 24))


async def test_only_the_answers_that_there_are_have_keys() -> None:
    async with showing(TourPanel(is_presenting=True), size=(100, 30)) as stage:
        panel = stage.widget
        words = tour_words(begin(STEPS, STEPS[0].id))
        panel.show(words)
        await stage.pilot.pause()
        keys = [number for number in range(4) if panel.check_action("guess", (number,))]
        assert keys == list(range(len(words.choices)))
        assert 0 < len(keys) < 4
