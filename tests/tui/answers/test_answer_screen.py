"""Every way a call can end has its own words, and every kind of content is drawn."""

from __future__ import annotations

import pytest

from signoff.app.calls.call import CallLimits, Outcome
from signoff.app.protocol.server import Trust
from signoff.widgets.images.image_view import ImageView
from tests.tui.bench_stage import NARROW, bench_stage


@pytest.mark.slow
async def test_outcomes_in_words() -> None:
    async with bench_stage("--with", "all", limits=CallLimits(idle=10.0), size=(120, 44)) as stage:
        expected = [
            ("is_error", Outcome.TOOL_ERROR, ["tool error (isError)", "it did not work"]),
            ("error", Outcome.PROTOCOL_ERROR, ["protocol error", "boom [/] ␛[31mred", "(code -32"]),
            ("never", Outcome.TIMEOUT, ["time limit", "idle time limit of 10 s"]),
            (
                "too_big",
                Outcome.UNREADABLE,
                ["unreadable response", "over the limit of 64,000,000"],
            ),
            ("not_an_object", Outcome.UNREADABLE, ["the raw answer", '"just text"']),
            ("unknown_block", Outcome.OK, ["unknown type “video”", "after the video"]),
            ("no_content", Outcome.OK, ["missing-content", "the response is empty"]),
            ("structured", Outcome.OK, ["matches its output schema", "text copy is the same"]),
            (
                "structured_mismatch",
                Outcome.OK,
                [
                    "INVALID (2)",
                    "text copy DIFFERS: $.names",
                    "1  $.names must be an array, but is the string “not a list”",
                ],
            ),
            (
                "structured_missing",
                Outcome.OK,
                ["MISSING", "structuredContent  missing", "sent no"],
            ),
        ]
        for tool, outcome, words in expected:
            call = await stage.call(tool)
            assert call.outcome is outcome, tool
            await stage.sees(f"{call.id}  {tool}", *words)
        await stage.press("f8")
        await stage.sees("call 10  structured_missing", "steps", "raw result", "approval")
        await stage.press("tab")
        await stage.sees('┃       "text": "sorry"')


async def test_cancelled_with_a_late_answer() -> None:
    async with bench_stage("--with", "late_after_cancel") as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.sees("cancel ctrl+x", "^x Cancel")
        await stage.until(lambda: stage.engine.calls[max(stage.engine.calls)].sent, "the sending")
        await stage.press("ctrl+x")
        await stage.sees("■ late answer", "finished anyway")
        call = await stage.end()
        assert call.outcome is Outcome.CANCELLED
        assert "^x Cancel" not in stage.text


async def test_denied_sends_nothing() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.choose("read_thing")
        await stage.press("f5")
        await stage.sees("Approve this call?")
        await stage.no_longer_sees("moment")
        await stage.press("escape")
        call = await stage.end()
        assert call.outcome is Outcome.DENIED
        assert not call.sent
        await stage.sees("denied by you", "nothing was sent")


@pytest.mark.slow
async def test_every_kind_of_content_of_the_bundled_server() -> None:
    async with bench_stage(is_demo=True, size=(120, 44)) as stage:
        await stage.call("show_markdown")
        await stage.sees("characters  Markdown", "• asks before it deletes")
        await stage.press("m")
        await stage.sees("Version **2.1** is *mostly*")
        await stage.press("m")
        await stage.sees("• asks before it deletes")

        await stage.call("show_resource_link")
        await stage.sees("resource link", "demo://config/settings.json")
        await stage.call("play_audio")
        await stage.sees("audio  ", "Hz")
        await stage.call("show_binary")
        await stage.sees("application/octet-stream  256 B", "0000  00 01 02 03")
        await stage.call("show_text")
        await stage.sees("resource  text/x-diff", "uri  demo://texts/sample.diff")
        await stage.call("hidden_characters")
        await stage.sees("pay<U+200B>pal", "[@click=app.quit]not a link[/]")
        await stage.call("strange_content")
        await stage.sees("unknown type “hologram”")

        await stage.call("show_image")
        await stage.sees("image  PNG  160 x 100")
        await stage.until(lambda: "▀" in stage.text or "▄" in stage.text, "the picture")
        assert stage.app.screen.query(ImageView)


@pytest.mark.slow
async def test_in_tabs_the_answer_is_gone_to_and_read_by_keyboard() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.call("show_markdown")
        await stage.sees("╭─ Answer", "Version 2.1 is mostly about approvals. See the notes")
        await stage.press("end")
        await stage.no_longer_sees("1  show_markdown  answered")
        await stage.press("escape")
        await stage.sees("╭─ Tools ")
        await stage.call("list_repositories")
        await stage.sees("╭─ Answer", "matches its output schema", "╭─ list_repositories")
        await stage.press("f7")
        await stage.sees("3 members")
        await stage.press("tab", "tab", "home", "left")
        await stage.until(lambda: "3 members" not in stage.text.split("▾ text")[0], "the fold")
