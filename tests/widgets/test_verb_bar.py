"""A row of words that can be clicked."""

from __future__ import annotations

from textual.app import App, ComposeResult

from signoff.widgets.bars import Verb, VerbBar


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.picked: list[str] = []

    def compose(self) -> ComposeResult:
        yield VerbBar([Verb("call", "Call", "f5", is_main=True), Verb("more", "schemas", "f4")])

    def on_verb_bar_picked(self, message: VerbBar.Picked) -> None:
        self.picked.append(message.name)

    @property
    def line(self) -> str:
        return self.screen._compositor.render_strips()[0].text


async def test_each_verb_is_picked_where_it_stands() -> None:
    app = Host()
    async with app.run_test(size=(60, 3)) as pilot:
        assert app.line.startswith("[ f5 Call ]   f4 schemas ")
        for x in (0, 10, 12, 14, 23, 24):
            await pilot.click(offset=(x, 0))
        assert app.picked == ["call", "call", "more", "more"]
        app.query_one(VerbBar).show([Verb("other", "Other")])
        await pilot.pause()
        assert app.line.strip() == "Other"
