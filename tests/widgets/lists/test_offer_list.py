"""The list of offers: its columns are made for what stands in them."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import App, ComposeResult

from signoff.widgets.lists.resource_list import OfferList, OfferRow
from tests.widgets.tool_samples import drawn

NARROW, WIDE = 80, 120


class Shown(App[None]):
    def __init__(self, *rows: OfferRow[None]) -> None:
        super().__init__()
        self.rows = rows

    def compose(self) -> ComposeResult:
        yield OfferList()

    def on_mount(self) -> None:
        self.query_one(OfferList).show(self.rows)


async def rows_of(width: int, *rows: OfferRow[None]) -> list[str]:
    app = Shown(*rows)
    async with app.run_test(size=(width, 24)):
        return [line.rstrip() for line in drawn(app.query_one(OfferList))[: len(rows)]]


async def test_an_address_that_is_cut_does_not_run_into_the_type() -> None:
    row = OfferRow(None, "a", "architecture.md", "demo://" + "x" * 200, "text/markdown")
    (line,) = await rows_of(NARROW, row)
    assert line.endswith("… text/markdown")


async def test_a_long_title_has_the_room_that_short_addresses_leave() -> None:
    row = OfferRow(None, "a", "simulate-research-query · call 26", "Generating report...", "4 min")
    (line,) = await rows_of(NARROW, row)
    assert "simulate-research-query · call 26 Generating report... 4 min" in " ".join(line.split())


async def test_a_long_address_has_the_room_that_short_titles_leave() -> None:
    address = "demo://resource/static/document/architecture.md"
    (line,) = await rows_of(WIDE, OfferRow(None, "a", "architecture.md", address, "text/markdown"))
    assert address in line
    (line,) = await rows_of(NARROW, OfferRow(None, "a", "a.md", address[:40], "text/markdown"))
    assert address[:40] in line
    assert cell_len(line) <= NARROW


async def test_a_list_that_somebody_scrolled_stays_there_when_it_is_drawn_again() -> None:
    rows = [OfferRow(None, str(at), f"title {at}", f"demo://{at}") for at in range(60)]
    app = Shown(*rows)
    async with app.run_test(size=(WIDE, 12)) as pilot:
        shown = app.query_one(OfferList)
        shown.scroll_to(y=30, animate=False)
        await pilot.pause()
        shown.show([OfferRow(None, "new", "new", "demo://new"), *rows[:-1]])
        await pilot.pause()
        assert shown.highlighted is not None
        assert (shown.highlighted.key, shown.scroll_offset.y) == ("0", 31)
        shown.scroll_to(y=0, animate=False)
        shown.show(rows)
        await pilot.pause()
        assert shown.scroll_offset.y == 0
