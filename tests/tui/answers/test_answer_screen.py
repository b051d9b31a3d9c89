"""Every way a call can end has its own words, and every kind of content is drawn."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from signoff.app.calls.call import Call, CallLimits, Outcome
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.widgets.images.image_view import ImageView
from tests.approved import approved
from tests.engine.opened import opened
from tests.tui.answer_stage import PaneStage, pane_stage
from tests.tui.bench_stage import NARROW, bench_stage
from tests.tui.drawn import drawn

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
