"""Text of a server behind its gutter."""

from __future__ import annotations

from textual.app import App, ComposeResult

from signoff.widgets.labels import Paragraph
from tests.widgets.hostile import PAYLOADS, assert_harmless


class Host(App[None]):
    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield Paragraph(self._text)

    @property
    def rows(self) -> list[str]:
        strips = self.screen._compositor.render_strips()
        assert_harmless(strips)
        return [strip.text.rstrip() for strip in strips if strip.text.strip()]


async def test_every_row_stands_behind_the_gutter() -> None:
    app = Host("one two three four five six seven\n┃ not ours")
    async with app.run_test(size=(20, 12)):
        assert len(app.rows) > 2
        assert all(row.startswith("┃ ") for row in app.rows)
        assert "┃ ┃ not ours" in app.rows


async def test_a_notice_of_our_own_ends_it() -> None:
    app = Host("")
    async with app.run_test(size=(40, 8)) as pilot:
        app.query_one(Paragraph).show("words", "cut: 5 of 9 characters")
        await pilot.pause()
        assert app.rows == ["┃ words", "┃ cut: 5 of 9 characters"]


async def test_hostile_text() -> None:
    app = Host("")
    async with app.run_test(size=(60, 16)) as pilot:
        for payload in PAYLOADS:
            app.query_one(Paragraph).show(payload)
            await pilot.pause()
            assert app.rows
