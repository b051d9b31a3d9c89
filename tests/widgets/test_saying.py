"""A line that is told the same once more leaves the screen as it is laid out."""

from __future__ import annotations

import pytest
from textual.content import Content
from textual.widgets import Static

from signoff.widgets.labels import say
from tests.showing import showing


class _Said(Static):
    layouts = 0

    def refresh(self, *regions: object, layout: bool = False, **more: bool) -> _Said:
        self.layouts += layout
        return super().refresh(*regions, layout=layout, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("style", ["bold", "$text-error"])
async def test_the_same_words_cost_nothing_and_other_ones_are_shown(style: str) -> None:
    async with showing(_Said(markup=False)) as stage:
        line = stage.widget
        say(line, Content("plain"))
        await stage.pause()
        before = line.layouts
        say(line, Content("plain"))
        assert line.layouts == before
        # The same letters in another style are something else.
        say(line, Content.styled("plain", style))
        assert line.layouts == before + 1
        say(line, Content("other"))
        assert line.layouts == before + 2
        assert str(line.content) == "other"
