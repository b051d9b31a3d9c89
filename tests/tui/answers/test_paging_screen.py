"""An answer that is one page of several: the next is asked for like any call, the last is kept."""

from __future__ import annotations

import pytest
from textual.containers import Vertical
from textual.content import Content

from signoff.app.calls.call import Outcome, Page
from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.pages import PageParameterScreen
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.approved import approved
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.drawn import Notices, drawn, flowing

TEXTS = approved("tui-paging")
NEXT, BEFORE = "greater_than_sign", "less_than_sign"
TOOL = "list_repositories"


async def turn(stage: BenchStage, calls: int) -> None:
    """Ask for a page; the first time for a tool it is asked where the cursor goes."""
    await stage.press(NEXT)
    if calls == 2:
        await is_asked(stage)
        await stage.press("enter")
    await stage.until(lambda: len(stage.engine.calls) == calls, f"call {calls}")
    await stage.end()
    # A key means the page that is on the screen.
    await stage.until(lambda: is_shown(stage, calls), f"the answer of call {calls}")


async def is_asked(stage: BenchStage) -> str:
    """Wait for the question which parameter takes the cursor; what it says."""
    await stage.is_open(PageParameterScreen)
    await stage.sees("esc Cancel")
    box = stage.app.screen.query_one(Vertical)
    title = Content.from_markup(box.border_title or "").plain
    keys = Content.from_markup(box.border_subtitle or "").plain
    return f"{title}\n{drawn(box)}\n{keys}"


def line(stage: BenchStage) -> str:
    """What is said of the page before and the next one."""
    return flowing(stage.app.screen.query_one(AnswerPane).query_one(".pages"))


def shown(stage: BenchStage) -> int:
    call = stage.app.screen.query_one(AnswerPane).call
    assert call is not None
    return call.id


def is_shown(stage: BenchStage, number: int) -> bool:
    call = stage.app.screen.query_one(AnswerPane).call
    return call is not None and call.id == number and call.is_over


@pytest.mark.slow
async def test_pages_are_turned_and_kept_together() -> None:
    async with bench_stage(is_demo=True, size=(140, 44)) as stage:
        await stage.call(TOOL)
        await stage.sees("next page with >")
        TEXTS.holds("line: the first page", line(stage))
        stage.app.screen.query_one(AnswerPane).focus()
        await turn(stage, 2)
        await stage.sees("page 2 of call 1")
        TEXTS.holds("line: the second page", line(stage))
        for number in (3, 4, 5):
            await turn(stage, number)
        await stage.sees("page 5 of call 1")
        TEXTS.holds("line: the last page", line(stage))
        pages = [call.page for call in stage.engine.calls.values()]
        assert pages == [None, *(Page(1, number, number - 1, "cursor") for number in (2, 3, 4, 5))]
        first, second = (stage.engine.calls[one].snapshot.arguments() for one in (1, 2))
        assert second == {**first, "cursor": "cmVwb3MtYWZ0ZXI6NQ=="}
        form = stage.pane.arguments
        assert form == stage.engine.calls[5].snapshot.arguments()

        await stage.press(NEXT)
        notices = Notices(stage.app)
        TEXTS.holds("told: no next page", await notices.next(stage.until))
        await stage.press(BEFORE, BEFORE)
        await stage.until(lambda: shown(stage) == 3, "page 3")
        # A page that is there is gone to, and not asked for once more.
        await stage.press(NEXT)
        await stage.until(lambda: shown(stage) == 4, "page 4")
        assert len(stage.engine.calls) == 5
        await stage.press(BEFORE, BEFORE, BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
        await stage.press(BEFORE)
        TEXTS.holds("told: the first page", await notices.next(stage.until))


async def test_the_next_page_is_asked_about_like_any_call() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.call(TOOL)
        await stage.sees("next page with >")
        stage.engine.set_trust(Trust.UNTRUSTED)
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(NEXT)
        await is_asked(stage)
        await stage.press("enter")
        await stage.is_open(ApprovalDialog)
        await stage.sees('"cursor": "cmVwb3MtYWZ0ZXI6NQ=="')
        await stage.no_longer_sees("moment")
        await stage.press("escape")
        assert (await stage.end()).outcome is Outcome.DENIED
        await stage.sees("denied by you")
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
        # What was denied is no page: it is asked about anew.
        await stage.press(NEXT)
        await stage.asks(ApprovalDialog)
        await stage.press("escape")
        assert (await stage.end()).id == 3


@pytest.mark.slow
async def test_in_tabs_the_answer_stays_in_sight() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.call(TOOL)
        await stage.sees("─Response─", "next page with >")
        await turn(stage, 2)
        await stage.sees("─Response─", "page 2 of")


@pytest.mark.slow
async def test_where_a_cursor_goes_is_asked_once_for_a_tool() -> None:
    async with bench_stage("--with", "all") as stage:
        await stage.call("list_by_position")
        await stage.sees("(cursor “page-1”)")
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(NEXT)
        TEXTS.holds("question: no name fits", await is_asked(stage))
        asked = stage.app.screen
        await stage.press("escape")
        await stage.has_left(asked)
        assert len(stage.engine.calls) == 1
        await stage.press(NEXT)
        await is_asked(stage)
        await stage.press("down", "enter")
        await stage.until(lambda: len(stage.engine.calls) == 2, "the second page")
        second = await stage.end()
        assert second.snapshot.arguments() == {"position": "page-1"}
        assert second.page == Page(1, 2, 1, "position")
        await stage.sees("item 3", "(cursor “page-2”)")
        await stage.press(NEXT)
        await stage.until(lambda: len(stage.engine.calls) == 3, "the third page, unasked")
        assert (await stage.end()).snapshot.arguments() == {"position": "page-2"}
        await stage.sees("the last page")


@pytest.mark.slow
async def test_a_hostile_cursor_is_shown_and_sent_as_it_is() -> None:
    async with bench_stage("--with", "all") as stage:
        await stage.choose("list_pages")
        stage.engine.call(stage.tool("list_pages"), {"kind": "escape"})
        await stage.end()
        await stage.sees("(cursor “␛]0;owned␇")
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(NEXT)
        TEXTS.holds("question: a hostile cursor", await is_asked(stage))
        assert not any(control in stage.text for control in "\x1b\x07\u202e")
        await stage.press("enter")
        await stage.until(lambda: len(stage.engine.calls) == 2, "the second page")
        second = await stage.end()
        assert second.snapshot.arguments()["cursor"] == "\x1b]0;owned\x07\u202epage-1"
        await stage.sees("item 3")


@pytest.mark.slow
async def test_a_cursor_of_a_megabyte_is_not_offered() -> None:
    async with bench_stage("--with", "all") as stage:
        tool = stage.tool("list_pages")
        stage.engine.call(tool, {"kind": "huge"})
        await stage.end()
        await stage.sees("no next page")
        TEXTS.holds("line: a cursor that is too long", line(stage))
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(NEXT)
        TEXTS.holds("told: a cursor that is too long", await stage.notice())
        assert len(stage.engine.calls) == 1


@pytest.mark.slow
async def test_pages_are_turned_from_the_list_of_tools_too() -> None:
    async with bench_stage("--with", "all") as stage:
        await stage.press(NEXT)
        TEXTS.holds("told: no response yet", await stage.notice())
        await stage.call("list_by_position")
        await stage.sees("next page with >")
        await stage.press(NEXT)
        await is_asked(stage)
        await stage.press("down", "enter")
        second = await stage.end(after=1)
        assert second.snapshot.arguments() == {"position": "page-1"}
        await stage.press(BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
