"""`V` shows what client libraries make of the selected answer and of the tools."""

from __future__ import annotations

import pytest

from signoff.app.protocol.clients.table import clients
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.text.pager import PagerScreen
from tests.tiers import first_quick
from tests.tui.bench_stage import NARROW, WIDE, bench_stage


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([WIDE, NARROW]))
async def test_an_answer_is_shown_with_the_clients_that_reject_it(size: tuple[int, int]) -> None:
    async with bench_stage(is_demo=True, size=size) as stage:
        call = await stage.call("play_audio")
        await stage.sees("play_audio  answered")
        await stage.press("V")
        await stage.until(lambda: isinstance(stage.app.screen, PagerScreen), "the clients")
        await stage.sees(f"response {call.id}", "rejects it", "$.content[0].type")
        assert [one.words in stage.text for one in clients().values()] == [True] * 5
        assert stage.text.count("rejects it") == 1
        assert "specification allows" in stage.text
        await stage.press("tab")
        await stage.sees("lists 89 of 89")
        await stage.press("tab")
        await stage.sees("Measured on")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen), "the bench")


@pytest.mark.slow
async def test_before_any_call_the_tools_are_judged() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.press("V")
        await stage.sees("lists 89 of 89")
        assert "response" not in stage.text.split("\n")[3]
