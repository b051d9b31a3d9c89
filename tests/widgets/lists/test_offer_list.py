"""The list of offers: its columns are made for what stands in them."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from signoff.widgets.lists.resource_list import OfferList, OfferRow
from tests.showing import showing

NARROW, WIDE = 80, 120
RESEARCH = "simulate-research-query · call 26"
DOCUMENT = "demo://resource/static/document/architecture.md"


async def row_of(width: int, title: str, uri: str, kind: str) -> str:
    """How the row of an offer is drawn, with its blanks as one."""
    async with showing(OfferList[None](), size=(width, 24)) as stage:
        stage.widget.show([OfferRow(None, "a", title, uri, kind)])
        await stage.pause()
        assert cell_len(stage.drawn[0]) <= width
        return " ".join(stage.drawn[0].split())


@pytest.mark.parametrize(
    ("width", "title", "uri", "words"),
    [
        (NARROW, "architecture.md", "demo://" + "x" * 200, "… 4 min"),
        (NARROW, RESEARCH, "Generating report...", f"{RESEARCH} Generating report... 4 min"),
        (WIDE, "architecture.md", DOCUMENT, DOCUMENT),
        (NARROW, "a.md", DOCUMENT[:40], DOCUMENT[:40]),
    ],
    ids=["cut before the type", "a long title", "a long address", "a short title"],
)
async def test_columns_have_the_room_that_others_leave(
    width: int, title: str, uri: str, words: str
) -> None:
    assert words in await row_of(width, title, uri, "4 min")


async def test_a_list_that_somebody_scrolled_stays_there_when_it_is_drawn_again() -> None:
    rows = [OfferRow(None, str(at), f"title {at}", f"demo://{at}") for at in range(60)]
    async with showing(OfferList[None](), size=(WIDE, 12)) as stage:
        shown = stage.widget
        shown.show(rows)
        await stage.pause()
        shown.scroll_to(y=30, animate=False)
        await stage.pause()
        shown.show([OfferRow(None, "new", "new", "demo://new"), *rows[:-1]])
        await stage.pause()
        assert shown.highlighted is not None
        assert (shown.highlighted.key, shown.scroll_offset.y) == ("0", 31)
        shown.scroll_to(y=0, animate=False)
        shown.show(rows)
        await stage.pause()
        assert shown.scroll_offset.y == 0
