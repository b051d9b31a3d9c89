"""Every way a call can end has its own words; pages of a response are turned and kept."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.containers import Vertical
from textual.content import Content

from signoff.app.calls.call import Call, CallLimits, Outcome, Page
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.pages import PageParameterScreen
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.widgets.images.image_view import ImageView
from tests.approved import approved
from tests.engine.opened import opened
from tests.tui.answer_stage import PaneStage, pane_stage
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.drawn import Notices, drawn, flowing

TEXTS = approved("tui-outcomes")


async def shows(stage: PaneStage, call: Call, *, waits_for: str = "") -> None:
    """Show a call of an engine as if it had taken a tenth of a second."""
    await stage.shows(replace(call, sent_at=0.0, ended_at=0.1))
    await stage.until(lambda: stage.pane.drawn == call.id, "the parts")
    await stage.sees(waits_for)


def response(stage: PaneStage) -> str:
    """The headline and the parts, without the findings between them."""
    shown = [stage.pane.query_one(".headline"), *stage.views]
    return "\n".join(drawn(one) for one in shown)


OUTCOMES = (
    ("is_error", Outcome.TOOL_ERROR, "did not work", "outcome: tool error"),
    ("error", Outcome.PROTOCOL_ERROR, "boom", "outcome: protocol error"),
    ("too_big", Outcome.UNREADABLE, "64,000,000", "outcome: too large"),
    ("not_an_object", Outcome.UNREADABLE, '"just text"', "outcome: not an object"),
    ("unknown_block", Outcome.OK, "after the video", "outcome: an unknown block"),
    ("no_content", Outcome.OK, "3 findings", "outcome: no content"),
    ("structured", Outcome.OK, "the text ", "outcome: structured"),
    ("structured_mismatch", Outcome.OK, "not a list", "outcome: structured, invalid"),
    ("structured_missing", Outcome.OK, "MISSING", "outcome: structured, missing"),
)


@pytest.mark.slow
async def test_outcomes_in_words() -> None:
    async with (
        pane_stage(size=(120, 44)) as stage,
        opened("--with", "all", trust=Trust.TRUSTED) as at,
    ):
        for tool, outcome, words, key in OUTCOMES:
            call = await at.call(tool)
            assert call.outcome is outcome, tool
            await shows(stage, call, waits_for=words)
            TEXTS.holds(key, response(stage))


async def test_a_call_that_was_silent_too_long() -> None:
    limits = CallLimits(idle=0.5)
    async with (
        pane_stage(size=(120, 44)) as stage,
        opened("--with", "never", trust=Trust.TRUSTED, limits=limits) as at,
    ):
        call = await at.call("never")
        assert call.outcome is Outcome.TIMEOUT
        await shows(stage, call)
        TEXTS.holds("outcome: time limit", response(stage))


@pytest.mark.slow
async def test_f8_has_the_call_from_beginning_to_end() -> None:
    async with bench_stage("--with", "structured_missing", size=(120, 44)) as stage:
        await stage.call("structured_missing")
        await stage.press("f8")
        await stage.sees("call 1  structured_missing", "steps", "raw result", "all of it")
        await stage.press("tab")
        await stage.sees('┃       "text": "sorry"')


@pytest.mark.slow
async def test_f8_of_a_running_call_shows_its_end() -> None:
    async with bench_stage("--with", "late_after_cancel", size=(120, 44)) as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.sees("ctrl+x Cancel")
        await stage.until(lambda: stage.engine.calls[stage.newest].sent, "the sending")
        await stage.press("f8")
        await stage.sees("outcome     running")
        await stage.press("slash", *"decision")
        stage.engine.cancel(stage.newest)
        await stage.end()
        await stage.sees("outcome     running")
        await stage.press("escape")
        await stage.sees("outcome     cancelled (a late reply came", "steps    late response")


@pytest.mark.slow
async def test_cancelled_with_a_late_answer() -> None:
    async with bench_stage("--with", "late_after_cancel") as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.sees("ctrl+x Cancel", "ctrl+x Cancel")
        await stage.until(lambda: stage.engine.calls[max(stage.engine.calls)].sent, "the sending")
        await stage.press("ctrl+x")
        await stage.sees("late_after_cancel  cancelled", "finished anyway")
        call = await stage.end()
        assert call.outcome is Outcome.CANCELLED
        assert "ctrl+x Cancel" not in stage.text


@pytest.mark.slow
async def test_denied_sends_nothing() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.choose("read_thing")
        await stage.press("f5")
        await stage.asks(ApprovalDialog)
        await stage.press("escape")
        call = await stage.end()
        assert call.outcome is Outcome.DENIED
        assert not call.sent
        await stage.sees("nothing was sent")
        pane = stage.app.screen.query_one(AnswerPane)
        TEXTS.holds("outcome: denied", drawn(pane.query_one(".headline")))


BUNDLED = (
    ("show_markdown", "• asks before", "kind: Markdown"),
    ("show_resource_link", "demo://config/settings.json", "kind: resource link"),
    ("play_audio", "peak", "kind: sound"),
    ("show_binary", "0000  00 01 02 03", "kind: binary"),
    ("show_text", "demo://texts/sample.diff", "kind: text of a resource"),
    ("hidden_characters", "pay<U+200B>pal", "kind: text"),
    ("strange_content", "hologram", "kind: unknown"),
    ("show_image", "▀", "kind: picture"),
)


@pytest.mark.slow
async def test_every_kind_of_content_of_the_bundled_server() -> None:
    async with (
        pane_stage(size=(120, 44)) as stage,
        opened(argv=read_target(SessionOptions(is_bundled=True)).argv, trust=Trust.TRUSTED) as at,
    ):
        for tool, words, key in BUNDLED:
            await shows(stage, await at.call(tool), waits_for=words)
            headers = "\n".join(stage.header(one) for one in range(len(stage.views)))
            # How well a picture is packed depends on the library.
            TEXTS.holds(key, re.sub(r"(160 x 100  ).*", r"\1SIZE", headers))
            if tool == "hidden_characters":
                assert "[@click=app.quit]not a link[/]" in stage.text
        assert stage.pane.query(ImageView)


@pytest.mark.slow
async def test_in_tabs_the_answer_is_gone_to_and_read_by_keyboard() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.call("show_markdown")
        await stage.sees("─Response─", "• asks before")
        await stage.press("m")
        await stage.sees("**2.1** is *mostly*")
        await stage.press("m")
        await stage.no_longer_sees("**2.1**")
        await stage.press("end")
        await stage.no_longer_sees("1  show_markdown  answered")
        await stage.press("escape")
        await stage.sees("╭─ Tools ")
        await stage.call("list_repositories")
        await stage.sees("─Response─", "✓ structuredContent", "╭─ list_repositories")
        await stage.press("f7")
        await stage.sees("3 members")
        await stage.press("tab", "tab", "home", "left")
        await stage.until(lambda: "3 members" not in stage.text.split("▾ text")[0], "the fold")


PAGES = approved("tui-paging")
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
        PAGES.holds("line: the first page", line(stage))
        stage.app.screen.query_one(AnswerPane).focus()
        await turn(stage, 2)
        await stage.sees("page 2 of call 1")
        PAGES.holds("line: the second page", line(stage))
        for number in (3, 4, 5):
            await turn(stage, number)
        await stage.sees("page 5 of call 1")
        PAGES.holds("line: the last page", line(stage))
        pages = [call.page for call in stage.engine.calls.values()]
        assert pages == [None, *(Page(1, number, number - 1, "cursor") for number in (2, 3, 4, 5))]
        first, second = (stage.engine.calls[one].snapshot.arguments() for one in (1, 2))
        assert second == {**first, "cursor": "cmVwb3MtYWZ0ZXI6NQ=="}
        form = stage.pane.arguments
        assert form == stage.engine.calls[5].snapshot.arguments()

        await stage.press(NEXT)
        notices = Notices(stage.app)
        PAGES.holds("told: no next page", await notices.next(stage.until))
        await stage.press(BEFORE, BEFORE)
        await stage.until(lambda: shown(stage) == 3, "page 3")
        # A page that is there is gone to, and not asked for once more.
        await stage.press(NEXT)
        await stage.until(lambda: shown(stage) == 4, "page 4")
        assert len(stage.engine.calls) == 5
        await stage.press(BEFORE, BEFORE, BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
        await stage.press(BEFORE)
        PAGES.holds("told: the first page", await notices.next(stage.until))


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
        PAGES.holds("question: no name fits", await is_asked(stage))
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
        PAGES.holds("question: a hostile cursor", await is_asked(stage))
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
        PAGES.holds("line: a cursor that is too long", line(stage))
        stage.app.screen.query_one(AnswerPane).focus()
        await stage.press(NEXT)
        PAGES.holds("told: a cursor that is too long", await stage.notice())
        assert len(stage.engine.calls) == 1


@pytest.mark.slow
async def test_pages_are_turned_from_the_list_of_tools_too() -> None:
    async with bench_stage("--with", "all") as stage:
        await stage.press(NEXT)
        PAGES.holds("told: no response yet", await stage.notice())
        await stage.call("list_by_position")
        await stage.sees("next page with >")
        await stage.press(NEXT)
        await is_asked(stage)
        await stage.press("down", "enter")
        second = await stage.end(after=1)
        assert second.snapshot.arguments() == {"position": "page-1"}
        await stage.press(BEFORE)
        await stage.until(lambda: shown(stage) == 1, "page 1")
