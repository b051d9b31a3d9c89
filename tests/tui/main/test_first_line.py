"""What the first screen says to do first, with tools and without, and the legend of the signs."""

from __future__ import annotations

import sys

import pytest
from textual.widgets import Static

from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.main.hint_line import HintLine, lesson_words, server_words
from signoff.app.tui.main.panes import PANES
from signoff.app.tui.main.workplace import Workplace
from tests.approved import approved
from tests.engine.opened import Denies
from tests.servers import offering
from tests.tui.bench_stage import NARROW, WIDE, bench_stage

TEXTS = approved("tui-start")


def words_of(shown: Static) -> str:
    """Its words in one line, whatever pops up in front of it."""
    return " ".join(str(shown.render()).split())


@pytest.mark.slow
async def test_it_is_there_until_the_first_call_and_the_signs_are_explained() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.sees("New here? T: tour", "f5")
        await stage.sees("* finding")
        legend = stage.app.screen.query_one("#legend", Static)
        TEXTS.holds("legend: by effect", words_of(legend))
        await stage.press("g")
        await stage.sees("by world", "≠ contradictory")
        TEXTS.holds("legend: by world", words_of(legend))
        await stage.call("show_text")
        assert not stage.app.screen.query_one(HintLine).display
        assert "New here?" not in stage.text


@pytest.mark.slow
async def test_it_follows_trust_and_is_another_for_other_servers() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.sees("calculate_sum (runs)", "delete_file")
        stage.engine.set_trust(Trust.UNTRUSTED)
        await stage.sees("calculate_sum (asks first)")
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.sees("f5 calls it:", "ask first")
        assert "calculate_sum" not in stage.text


@pytest.mark.slow
async def test_f6_goes_through_every_pane_that_there_is_and_back() -> None:
    """What its help says holds side by side, as tabs and on the whole screen."""
    async with bench_stage(size=WIDE) as stage:
        place = stage.app.screen.query_one(Workplace)

        async def walked(key: str, steps: int) -> list[str]:
            seen = []
            for _ in range(steps):
                await stage.press(key)
                focused = stage.app.focused
                assert focused is not None
                panes = {one.id for one in focused.ancestors_with_self if one.id in PANES}
                assert panes == {place.current}
                seen.append(place.current)
            return seen

        assert await walked("f6", 2) == ["tool", "tools"]
        await stage.call("echo")
        answer = stage.app.screen.query_one(AnswerPane)
        # On a small screen its end leads to the answer.
        await stage.until(lambda: answer.call is not None and answer.call.is_over, "the answer")
        await stage.press("escape")
        await stage.until(lambda: place.current == "tools", "the tools")
        assert await walked("f6", 3) == ["tool", "answer", "tools"]
        assert await walked("shift+f6", 3) == ["answer", "tool", "tools"]
        await stage.press("c")
        await stage.until(lambda: place.current == "calls", "the calls")
        assert await walked("f6", 4) == ["answer", "tools", "tool", "calls"]
        assert await walked("shift+f6", 4) == ["tool", "tools", "answer", "calls"]
        await stage.press("f7")
        assert await walked("f6", 4) == ["answer", "tools", "tool", "calls"]


@pytest.mark.slow
async def test_the_verdict_follows_what_was_denied_for_the_session() -> None:
    async with bench_stage(is_demo=True, keeps=True) as stage:
        stage.engine.approver = Denies()
        await stage.choose("delete_file")
        await stage.sees("with a warning")
        tool = stage.tool("delete_file")
        await stage.engine.ended(stage.engine.call(tool, {"path": "a"}))
        await stage.sees("is refused", "you denied")


@pytest.mark.slow
async def test_it_names_the_way_to_the_tour_from_where_the_focus_is() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.sees("New here? T: tour")
        await stage.choose("calculate_sum")
        await stage.press("enter")
        await stage.sees("esc, then T: tour")
        await stage.press("escape")
        await stage.sees("New here? T: tour")


KEYS = {"call": "f5", "filter": "f3"}
ALLOW, ASK, REFUSE = VerdictAnswer.ALLOW, VerdictAnswer.ASK, VerdictAnswer.REFUSE


def tools(**hints: JsonValue) -> tuple[ToolDefinition, ...]:
    return read_tools(
        [
            {"name": name, "inputSchema": {"type": "object"}, "annotations": one}
            for name, one in hints.items()
        ]
    )


LESSONS = tools(
    other={"readOnlyHint": True},
    calculate_sum={"readOnlyHint": True},
    wipe={"destructiveHint": True},
    delete_file={"destructiveHint": True},
)
SAYS = {"calculate_sum": ALLOW, "delete_file": ASK}


def test_the_bundled_server_names_one_that_reads_one_that_destroys_and_the_tour() -> None:
    words = lesson_words(LESSONS, {**KEYS, "tour": "T"}, SAYS)
    TEXTS.holds("lessons: with a tour", "\n".join(words))
    long, short, least = words
    assert len(long) <= 118
    assert len(short) <= 78
    assert len(least) <= 38


def test_without_a_tour_nothing_is_said_of_one() -> None:
    assert all("T:" not in one and "tour" not in one for one in lesson_words(LESSONS, KEYS, SAYS))


def test_what_it_says_of_them_is_what_the_policy_says_now() -> None:
    says = {"calculate_sum": ASK, "delete_file": REFUSE}
    TEXTS.holds("lessons: by another policy", lesson_words(LESSONS, KEYS, says)[0])


def test_the_keys_are_those_that_are_bound() -> None:
    words = lesson_words(LESSONS, {"call": "^k", "tour": "f7"}, SAYS)[0]
    TEXTS.holds("lessons: other keys", words)
    assert "f3" not in words
    assert lesson_words(LESSONS, {}, SAYS) == ()


def test_other_tools_stand_for_those_that_are_not_there() -> None:
    words = lesson_words(tools(look={"readOnlyHint": True}), KEYS, {"look": ALLOW})[0]
    TEXTS.holds("lessons: other tools", words)


def test_another_server_says_how_many_of_its_tools_ask() -> None:
    TEXTS.holds("server: all ask", "\n".join(server_words([ASK] * 13, KEYS)))
    TEXTS.holds("server: some ask", "\n".join(server_words([ALLOW, ASK, ASK], KEYS)))
    TEXTS.holds("server: one asks", "\n".join(server_words([ASK], KEYS)))
    unknown = [ASK, VerdictAnswer.UNKNOWN]
    TEXTS.holds("server: one is not judged yet", "\n".join(server_words(unknown, KEYS)))
    assert server_words([], KEYS) == ()
    assert server_words([ASK], {}) == ()


async def test_nothing_at_all() -> None:
    async with bench_stage("--only", "", size=NARROW, is_listed=False) as stage:
        await stage.sees("Tools 0")
        await stage.press("f6")
        await stage.sees("no resources and no prompts either", "f9: show")


async def test_what_it_has_instead() -> None:
    argv = (sys.executable, "-S", offering.__file__, "", "toolless")
    async with bench_stage(argv=argv, size=NARROW, is_listed=False) as stage:
        await stage.sees("Resources and prompts")
        await stage.press("escape")
        await stage.sees("no tools; P: ")
        await stage.press("f6")
        await stage.sees("This server lists no tools.", "P: show them.")
        assert "no resources" not in stage.text
