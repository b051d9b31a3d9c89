"""Lists that know their rows by a key, and lists of findings and offers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from signoff.app.protocol.findings.findings import Finding, Severity, error, note, warning
from signoff.widgets.lists.finding_list import MOST, FindingList, finding_lines, wrap
from signoff.widgets.lists.resource_list import OfferList, OfferRow
from signoff.widgets.lists.row_list import Heading, KeyedList, RowList
from tests.approved import approved
from tests.showing import Stage, showing
from tests.tiers import examples
from tests.widgets.tool_samples import HOSTILE, assert_inert


@dataclass(frozen=True)
class Fruit:
    name: str
    count: int = 0


class FruitList(KeyedList[Fruit]):
    empty = "no fruit"
    DEFAULT_CSS = "FruitList { height: 5; }"

    def key(self, row: Fruit) -> Hashable:
        return row.name

    def paint(self, row: Fruit, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        return [Segment(f"{'›' if under_cursor else ' '} {row.name} {row.count}", base)]


class PlainList(FruitList):
    """Knows no row again."""

    def key(self, row: Fruit) -> Hashable:
        return None


Fruits = Stage[FruitList]


@asynccontextmanager
async def listed(names: str = "abcde", *others: FruitList) -> AsyncIterator[Fruits]:
    async with showing(FruitList(id="first"), *others) as stage:
        stage.widget.focus()
        stage.widget.show(fruits(names))
        await stage.pause()
        yield stage


def fruits(names: str) -> list[Fruit]:
    return [Fruit(name) for name in names]


def rows(stage: Fruits) -> list[str]:
    return [line.strip() for line in stage.drawn if line]


@pytest.mark.parametrize(
    ("after", "at"),
    [("xabcde", "c"), ("cde", "c"), ("edcba", "c"), ("abcc", "c"), ("abde", "d"), ("a", "a")],
    ids=["inserted", "removed", "reordered", "twice", "gone", "shorter"],
)
async def test_the_cursor_stays_on_its_row(after: str, at: str) -> None:
    async with listed() as stage:
        await stage.press("down", "down")
        assert stage.widget.highlighted == Fruit("c")
        stage.messages.clear()
        stage.widget.show([Fruit(name, 1) for name in after])
        assert stage.widget.highlighted == Fruit(at, 1)
        await stage.pause()
        assert [one.row for one in stage.posted(RowList.Highlighted)] == [Fruit(at, 1)]


async def test_of_several_rows_of_a_key_the_nearest_is_taken() -> None:
    async with listed() as stage:
        await stage.press("down", "down", "down")
        stage.widget.show(fruits("dabcedd"))
        assert stage.widget.cursor == 5


async def test_the_row_under_the_cursor_keeps_its_line_unless_shown_anew() -> None:
    async with listed("abcdefghij") as stage:
        await stage.press("end", "up")
        for names in ("abcdefghij", "xyabcdefghij"):
            stage.widget.show(fruits(names))
            await stage.pause()
            assert rows(stage) == ["f 0", "g 0", "h 0", "› i 0", "j 0"]
        for key, name, top in ((None, "a", 0), ("i", "i", 4), ("z", "a", 0)):
            stage.widget.show_anew(fruits("abcdefghij"), key)
            assert (stage.widget.highlighted, stage.widget.scroll_offset.y) == (Fruit(name), top)


async def test_without_a_key_the_cursor_stays_at_its_place() -> None:
    async with showing(PlainList()) as stage:
        stage.widget.focus()
        stage.widget.show(fruits("abc"))
        await stage.press("down")
        stage.widget.show(fruits("xab"))
        assert stage.widget.highlighted == Fruit("a")


async def test_the_row_that_is_opened_is_told_of_its_own_list() -> None:
    second = FruitList(id="second")
    async with listed("ab", second) as stage:
        second.show(fruits("xy"))
        await stage.press("down", "enter")
        second.focus()
        await stage.press("enter")
        await stage.pilot.double_click("#second", offset=(2, 1))
        opened = [(one.control.id, one.row.name) for one in stage.posted(RowList.Chosen)]
        assert opened == [("first", "b"), ("second", "x"), ("second", "y")]


async def test_the_cursor_passes_headings_over() -> None:
    async with listed() as stage:
        shown = stage.widget
        shown.show_anew([Heading("one"), *fruits("ab"), Heading("two"), *fruits("cd")])
        assert shown.highlighted == Fruit("a")
        await stage.pause()
        assert rows(stage)[:2] == ["one", "› a 0"]
        seen = []
        for key in ("down", "down", "up", "up", "up", "end", "home"):
            await stage.press(key)
            seen.append(shown.highlighted)
        assert seen == fruits("bcbaada")
        await stage.click(2, 4)
        assert shown.highlighted == Fruit("c")
        assert shown.rows == tuple(fruits("abcd"))
        shown.show([Heading("one"), Heading("two")])
        await stage.press("down", "enter")
        assert not stage.posted(RowList.Chosen)
        assert shown.cursor == 1
        assert stage.posted(RowList.Highlighted)[-1].row is None


async def test_an_empty_list() -> None:
    async with listed("ab") as stage:
        shown = stage.widget
        await stage.press("down")
        shown.show([])
        await stage.press("down", "up", "end", "enter")
        assert (shown.cursor, shown.highlighted) == (None, None)
        assert not stage.posted(RowList.Chosen)
        assert stage.posted(RowList.Highlighted)[-1].row is None
        assert rows(stage) == ["no fruit"]
        shown.show_at(fruits("ab"), "b")
        assert shown.highlighted == Fruit("b")


PROSE = approved("widgets")

SAMPLE = (
    error("unknown-content", "a content block without a type", "$.content[0]"),
    warning("duplicate-name", "2 tools have this name", "$.name"),
    note("empty-answer", "the answer is empty"),
)


def plain(findings: tuple[Finding, ...], width: int) -> list[str]:
    return [line.plain for line in finding_lines(findings, width)]


@pytest.mark.parametrize(
    ("findings", "width", "key"),
    [
        (SAMPLE, 100, "findings: wide"),
        (SAMPLE[:2], 40, "findings: narrow"),
        ((), 40, "findings: none"),
    ],
)
def test_all_lines(findings: tuple[Finding, ...], width: int, key: str) -> None:
    PROSE.holds(key, "\n".join(plain(findings, width)))


def test_many_findings_are_cut_and_counted() -> None:
    lines = plain(SAMPLE[1:2] * (MOST + 1_234), 100)
    assert len(lines) == MOST + 1
    assert lines[-1] == "and 1,234 more"


@pytest.mark.parametrize("width", [30, 40, 71, 72, 120])
def test_no_line_is_wider_than_asked_and_no_word_is_lost(width: int) -> None:
    message = " ".join(f"word{i}" for i in range(60))
    lines = plain((warning("a-code", message, "$.a.long.path[3].to.somewhere"),), width)
    assert all(cell_len(line) <= width for line in lines)
    assert [word for line in lines for word in line.split() if word.startswith("word")] == (
        message.split()
    )


@given(st.text(max_size=200), st.integers(1, 60))
@examples(100)
def test_wrapping_loses_nothing_but_blanks(text: str, width: int) -> None:
    assert "".join(wrap(text, width)).replace(" ", "") == text.replace(" ", "")


async def test_hostile_texts_are_literal() -> None:
    findings = [Finding(text, Severity.WARNING, text, text) for text in HOSTILE]
    async with showing(FindingList(findings), size=(120, 60)) as stage:
        for width in (120, 80, 30):
            await stage.resize(width, 60)
            assert_inert(stage.widget)
            assert "[@click=app.quit]x[/]" in stage.text
            for y in range(1, 8, 2):
                await stage.click(12, y)
        assert stage.app.is_running


async def test_the_height_follows_the_findings_and_the_width() -> None:
    async with showing(FindingList(SAMPLE), size=(100, 20)) as stage:
        assert stage.widget.size.height == 3
        await stage.resize(40, 20)
        assert stage.widget.size.height == 6
        stage.widget.show(())
        await stage.pause()
        PROSE.holds("findings: none", "\n".join(stage.drawn))


async def test_without_colour_the_severity_is_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with showing(FindingList(SAMPLE), size=(100, 20)) as stage:
        assert [line.split()[1] for line in stage.drawn] == ["error", "warning", "note"]


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
