"""A line that is told the same once more leaves the screen as it is laid out."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from signoff.widgets.labels import say


class _Said(Static):
    layouts = 0

    def refresh(self, *regions: object, layout: bool = False, **more: bool) -> _Said:
        self.layouts += layout
        return super().refresh(*regions, layout=layout, **more)  # type: ignore[arg-type]


class _App(App[None]):
    def compose(self) -> ComposeResult:
        yield _Said(markup=False)


@pytest.mark.parametrize("style", ["bold", "$text-error"])
async def test_the_same_words_cost_nothing_and_other_ones_are_shown(style: str) -> None:
    app = _App()
    async with app.run_test() as pilot:
        line = app.query_one(_Said)
        say(line, Content("plain"))
        await pilot.pause()
        before = line.layouts
        say(line, Content("plain"))
        assert line.layouts == before
        # The same letters in another style are something else.
        say(line, Content.styled("plain", style))
        assert line.layouts == before + 1
        say(line, Content("other"))
        assert line.layouts == before + 2
        assert str(line.content) == "other"
