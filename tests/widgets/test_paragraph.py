"""Text of a server behind its gutter."""

from __future__ import annotations

from signoff.widgets.labels import Paragraph
from tests.showing import Stage, showing
from tests.widgets.hostile import PAYLOADS, assert_harmless


def rows(stage: Stage[Paragraph]) -> list[str]:
    assert_harmless(stage.strips)
    return [row for row in stage.rows if row]


async def test_every_row_stands_behind_the_gutter() -> None:
    words = "one two three four five six seven\n┃ not ours"
    async with showing(Paragraph(words), size=(20, 12)) as stage:
        assert len(rows(stage)) > 2
        assert all(row.startswith("┃ ") for row in rows(stage))
        assert "┃ ┃ not ours" in rows(stage)


async def test_a_notice_of_our_own_ends_it() -> None:
    async with showing(Paragraph(""), size=(40, 8)) as stage:
        stage.widget.show("words", "cut: 5 of 9 characters")
        await stage.pilot.pause()
        assert rows(stage) == ["┃ words", "┃ cut: 5 of 9 characters"]


async def test_hostile_text() -> None:
    async with showing(Paragraph(""), size=(60, 16)) as stage:
        for payload in PAYLOADS:
            stage.widget.show(payload)
            await stage.pilot.pause()
            assert rows(stage)
