"""The line of the first screen that says what to do first, and the legend of the signs."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.main.hint_line import HintLine
from signoff.app.tui.main.panes import PANES
from signoff.app.tui.main.workplace import Workplace
from tests.approved import approved
from tests.engine.opened import Denies
from tests.tui.bench_stage import NARROW, WIDE, bench_stage

TEXTS = approved("tui-start")


def words_of(shown: Static) -> str:
    """Its words in one line, whatever pops up in front of it."""
    return " ".join(str(shown.render()).split())


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_it_is_there_until_the_first_call_and_the_signs_are_explained(
    size: tuple[int, int],
) -> None:
    async with bench_stage(is_demo=True, size=size) as stage:
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
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_f6_goes_through_every_pane_that_there_is_and_back(size: tuple[int, int]) -> None:
    """What its help says holds side by side, as tabs and on the whole screen."""
    async with bench_stage(size=size) as stage:
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
