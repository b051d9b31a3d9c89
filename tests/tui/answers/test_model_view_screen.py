"""`M` shows what the model of each host would get of the selected response."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from signoff.app.hosts.model_view.response import read_response
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.tui.answers.model_view_screen import (
    NO_RESPONSE,
    HostViewList,
    ModelViewScreen,
    rows_of,
)
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.text.pager import PagerScreen
from tests.tui.bench_stage import NARROW, bench_stage
from tests.tui.screen_stage import screen_stage

HOSTILE = "\x1b[31mred[/] [b]\u202eevil\u0007"


@pytest.mark.slow
async def test_each_host_is_shown_with_its_losses() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.call("count_stock")
        await stage.rests()
        await stage.press("M")
        await stage.is_open(ModelViewScreen)
        rows = stage.app.screen.query_one(HostViewList).rows
        ids = [one.host.id for one in rows]
        assert sorted(ids) == sorted(model_hosts())
        await stage.sees("What the model gets", "lose a part", "Claude Code", "loses text")
        await stage.sees("as above", "lost       ▲ text", "model gets one text")
        losing = next(at for at, one in enumerate(rows) if "result" in [x.name for x in one.losses])
        await stage.press(*["down"] * losing)
        await stage.sees("lost       ▲ the whole result: it becomes an error of the host")
        await stage.press(*["up"] * losing, "enter")
        await stage.is_open(PagerScreen)
        await stage.sees('"warehouse":"north"')
        await stage.press("escape", "M")
        await stage.is_open(MainScreen)


@pytest.mark.slow
async def test_without_a_response_there_is_a_notice() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.press("M")
        await stage.sees(NO_RESPONSE.split(":")[0])
        assert isinstance(stage.app.screen, MainScreen)


async def test_hostile_texts_are_harmless_and_a_copy_is_raw() -> None:
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": HOSTILE}] * 3,
        "structuredContent": {HOSTILE: [HOSTILE]},
    }
    async with screen_stage(size=NARROW) as stage:
        await stage.opens(ModelViewScreen(read_response(result), "call 1 x"))
        for _ in model_hosts():
            await stage.press("down")
            shown = stage.text
            assert all(char.isprintable() or char == "\n" for char in shown)
            assert "\u202e" not in shown
        assert "<U+202E>" in stage.whole("SheetView")
        rows = stage.app.screen.query_one(HostViewList).rows
        place = [one.host.id for one in rows].index("gemini-cli")
        await stage.press("home", *["down"] * place, "y")
        await stage.is_told("copied the text of Gemini CLI's model")


def test_rows_with_the_same_texts_follow_each_other() -> None:
    rows = rows_of(read_response({"content": [{"type": "text", "text": "a"}]}))
    assert rows[0].begins.startswith("1 character: a") or not rows[0].is_same
    for before, row in pairwise(rows):
        if row.is_same:
            assert (before.begins, before.losses) == (row.begins, row.losses)
    texts = [one for one in rows if one.begins == "1 character: a"]
    assert sum(not one.is_same for one in texts if one.host.kind == "host") == 1
    assert len(texts) > 3


def test_texts_of_a_long_response_are_not_made_for_the_list() -> None:
    rows = rows_of(read_response({"content": [{"type": "text", "text": "a" * 300_000}]}))
    assert {(one.begins, one.is_same) for one in rows} == {("", False)}


async def test_a_large_response_opens() -> None:
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": "word " * 50_000}],
        "structuredContent": {"rows": [{"at": one} for one in range(20_000)]},
    }
    async with screen_stage(size=NARROW) as stage:
        await stage.opens(ModelViewScreen(read_response(result), "call 1 x"))
        await stage.sees("lost       ▲ text", "shown here: the first 400 of 250,000 characters")
