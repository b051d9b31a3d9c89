"""An answer that is one page of several: the next is asked for like any call, the last is kept."""

from __future__ import annotations

from app.core.calls import Outcome, Page
from app.core.trust import Trust
from app.screens.answers.pane import AnswerPane
from app.screens.tool_pane import ToolPane
from tests.screens.bench_stage import NARROW, BenchStage, bench_stage

NEXT, BEFORE = "greater_than_sign", "less_than_sign"
TOOL = "list_repositories"


async def turn(stage: BenchStage, calls: int) -> None:
    await stage.press(NEXT)
    await stage.until(lambda: len(stage.bench.calls) == calls, f"call {calls}")
    await stage.end()


def shown(stage: BenchStage) -> int:
    call = stage.app.screen.query_one(AnswerPane).call
    assert call is not None
    return call.id


async def test_pages_are_turned_and_kept_together() -> None:
    async with bench_stage(is_demo=True, size=(120, 44)) as stage:
        await stage.call(TOOL)
        await stage.sees("more: next page with > (cursor “cmVwb3MtYWZ0ZXI6NQ==”)")
        stage.app.screen.query_one(AnswerPane).focus()
        await turn(stage, 2)
        await stage.sees("page 2 of call 1", "< goes back to call 1")
        for number in (3, 4, 5):
            await turn(stage, number)
        await stage.sees("page 5 of call 1", "the last page   < goes back to call 4")
        pages = [call.page for call in stage.bench.calls.values()]
        assert pages == [None, *(Page(1, number, number - 1) for number in (2, 3, 4, 5))]
        first, second = (stage.bench.calls[one].snapshot.arguments() for one in (1, 2))
        assert second == {**first, "cursor": "cmVwb3MtYWZ0ZXI6NQ=="}
        form = stage.app.screen.query_one(ToolPane).arguments
        assert form == stage.bench.calls[5].snapshot.arguments()

        await stage.press(NEXT)
        await stage.sees("No next page is offered.")
        await stage.press(BEFORE, BEFORE)
        await stage.until(lambda: shown(stage) == 3, "page 3")
        # A page that is there is gone to, and not asked for once more.
        await stage.press(NEXT)
        await stage.until(lambda: shown(stage) == 4, "page 4")
        assert len(stage.bench.calls) == 5
        await stage.press(BEFORE, BEFORE, BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
        await stage.press(BEFORE)
        await stage.sees("This is the first page.")


async def test_the_next_page_is_asked_about_like_any_call() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.call(TOOL)
        await stage.sees("more: next page with >")
        stage.bench.set_trust(Trust.UNTRUSTED)
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(NEXT)
        await stage.sees("Approve this call?", '"cursor": "cmVwb3MtYWZ0ZXI6NQ=="')
        await stage.no_longer_sees("one moment")
        await stage.press("escape")
        assert (await stage.end()).outcome is Outcome.DENIED
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
        # What was denied is no page: it is asked about anew.
        await stage.press(NEXT)
        await stage.sees("Approve this call?")
        await stage.no_longer_sees("one moment")
        await stage.press("escape")
        assert (await stage.end()).id == 3


async def test_in_tabs_the_answer_stays_in_sight() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.call(TOOL)
        await stage.sees("╭─ Answer", "more: next page with >")
        await turn(stage, 2)
        await stage.sees("╭─ Answer", "page 2 of call 1")
