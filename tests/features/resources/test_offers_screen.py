"""Resources, templates and prompts: lists, forms, and the way to the question."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.app.engine.calls.context import Approver
from signoff.app.engine.events import OffersChanged
from signoff.app.features.resources.form import OfferFormScreen
from signoff.app.features.resources.screen import OffersScreen, show_offers
from signoff.app.protocol.resources.offers import OfferKind
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.widgets.lists.call_list import CallList
from signoff.widgets.lists.resource_list import OfferList
from tests.approved import approved
from tests.engine.opened import Approves, opened
from tests.servers import offering, reported
from tests.tiers import first_quick
from tests.tui import regions
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.clocks import press_slowly
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-browse")
SIZES = pytest.mark.parametrize("size", [WIDE, NARROW])


def server(record: Path | str = "", *words: str) -> tuple[str, ...]:
    return (sys.executable, "-S", offering.__file__, str(record), *words)


def asked(record: Path, method: str) -> list[dict[str, Any]]:
    if not record.exists():
        return []
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return [line["params"] for line in lines if line["method"] == method]


@asynccontextmanager
async def on_offers(
    record: Path | str = "",
    *words: str,
    size: tuple[int, int] = WIDE,
    approver: Approver | None = None,
) -> AsyncIterator[ScreenStage]:
    """The lists over an empty program; what is chosen there is approved, at once by default."""
    async with (
        opened(argv=server(record, *words), trust=Trust.TRUSTED) as it,
        screen_stage(it.engine, size=size) as stage,
    ):
        it.engine.approver = approver or Approves()
        await it.engine.offers.listed()
        screen = show_offers(stage.screen, it.engine)
        it.engine.subscribe(
            lambda event: screen.show_changes() if isinstance(event, OffersChanged) else None
        )
        await stage.is_open(OffersScreen)
        yield stage


async def enter(stage: BenchStage, *keys: str) -> None:
    """Open the lists, and go on from there."""
    await stage.until(lambda: len(stage.engine.offers.kinds) == len(OfferKind), "the lists")
    await stage.press("P")
    await stage.is_open(OffersScreen)
    await stage.sees("resources 3", "templates 2", "prompts 3")
    await stage.press(*keys)


async def offers_line(stage: BenchStage, begin: str) -> str:
    """The line of the screen of the server that counts what it has."""
    await stage.press("f9")
    await stage.sees(begin)
    (line,) = (one for one in stage.text.split("\n") if "2 tools" in one)
    return line.strip("│┃ ")


async def approve(stage: BenchStage) -> None:
    dialog = await stage.asks(ApprovalDialog)
    await press_slowly(stage, "ctrl+y", "ctrl+y")
    await stage.until(lambda: stage.app.screen is not dialog, "the bench")


@pytest.mark.parametrize("size", first_quick([NARROW, WIDE]))
async def test_a_resource_is_read_through_the_approval_that_reads_have(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    record = tmp_path / "record"
    argv = server(record)
    async with bench_stage(argv=argv, size=size, trust=Trust.UNTRUSTED) as stage:
        await enter(stage)
        await stage.sees(offering.NOTE)
        PROSE.holds("offers: a resource", regions.frame(stage.app.screen.query_one("#detail")))
        await stage.press("down", "down")
        await stage.sees("␛]0;owned␇<U+202E>evil", "[b]not markup[/b]")
        await stage.press("home", "enter")
        await stage.is_open(ApprovalDialog)
        await stage.sees(f'"uri": "{offering.NOTE}"')
        assert not asked(record, "resources/read")
        await approve(stage)
        assert isinstance(stage.app.screen, OffersScreen)
        await stage.sees("┃ ", "call 1", offering.NOTE)
        assert asked(record, "resources/read") == [{"uri": offering.NOTE}]
        await stage.press("enter")
        await approve(stage)
        await stage.sees("call 2")
        await stage.press("escape")
        await stage.sees(f"of {offering.NOTE}")


@pytest.mark.slow
@SIZES
async def test_a_template_is_filled_in_and_read(tmp_path: Path, size: tuple[int, int]) -> None:
    record = tmp_path / "record"
    async with on_offers(record, size=size) as stage:
        await stage.press("tab", "enter")
        await stage.is_open(OfferFormScreen)
        await stage.press("escape")
        await stage.is_open(OffersScreen)
        await stage.sees("templates 2")
        await stage.press("down", "enter")
        PROSE.holds("offers notice: invalid template", stage.notices)
        assert not stage.engine.calls
        await stage.press("up", "enter")
        await stage.is_open(OfferFormScreen)
        await stage.press("f5")
        await stage.sees("2 problems")
        await stage.type("a/b")
        await stage.press("tab")
        await stage.type("Ü")
        await stage.sees("%C3%9C")
        PROSE.holds("offer form: the address", stage.whole(".status"))
        await stage.press("f5")
        await stage.is_open(OffersScreen)
        await stage.until(lambda: asked(record, "resources/read"), "the request")
        assert asked(record, "resources/read") == [{"uri": "shelf://books/a%2Fb/%C3%9C"}]
        await stage.press("escape")
        await stage.is_back()


@pytest.mark.slow
async def test_a_prompt_is_filled_in_and_its_messages_shown_by_role(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with bench_stage(argv=server(record), size=NARROW, trust=Trust.UNTRUSTED) as stage:
        await enter(stage, "tab", "tab", "down", "enter")
        await stage.is_open(OfferFormScreen)
        await stage.type("Anna")
        await stage.press("f5")
        await stage.is_open(ApprovalDialog)
        await stage.sees('"name": "Anna"')
        await approve(stage)
        await stage.sees("user", "┃ greet Anna")
        await stage.press("escape")
        await stage.sees("part 1 of 2  user", "greet Anna")
        assert asked(record, "prompts/get") == [{"name": "greet", "arguments": {"name": "Anna"}}]


@pytest.mark.slow
async def test_the_filter_a_list_that_changes_and_a_lost_server() -> None:
    async with on_offers() as stage:
        await stage.press("down")
        rows = stage.screen.query_one(OfferList)
        assert rows.highlighted is not None
        assert rows.highlighted.key == "shelf://notes/2"
        await stage.engine.ended(stage.engine.call(stage.engine.tools[0], {}))
        await stage.sees("resources 4")
        assert (rows.highlighted.key, rows.cursor) == ("shelf://notes/2", 2)
        await stage.press("slash")
        await stage.type("first")
        await stage.until(lambda: rows.row_count == 1, "one row")
        await stage.type("q")
        await stage.until(lambda: not rows.row_count, "no row")
        PROSE.holds("offers: nothing passes the filter", stage.seen("OfferList"))
        await stage.press("escape")
        await stage.until(lambda: rows.row_count == 4, "all rows")
        assert isinstance(stage.screen, OffersScreen)
        await stage.press("p")
        await stage.until(lambda: stage.notices, "the answer")
        took = re.findall(r"[\d,.]+(?= ms)", stage.notices)
        PROSE.holds("offers notice: ping", stage.notices, NUMBER=took[0])
        stage.app.clear_notifications()
        stage.engine.link.kill()
        await stage.until(lambda: not stage.engine.server.is_open, "the end")
        await stage.press("enter")
        pid = re.findall(r"pid (\d+)", stage.notices) or ["no pid"]
        PROSE.holds("offers notice: no server", stage.notices, PID=pid[0])
        assert len(stage.engine.calls) == 1


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_an_update_is_marked_on_the_row_and_in_the_answer(era: str) -> None:
    async with bench_stage(argv=server("", era)) as stage:
        stage.engine.approver = Approves()
        await enter(stage, "s")
        await stage.sees("subscribed")
        await stage.press("enter")
        await stage.sees("call 1")
        await stage.press("escape")
        await stage.sees(f"of {offering.NOTE}")
        call_id = stage.engine.call(stage.engine.tools[1], {})
        await stage.engine.ended(call_id)
        await stage.is_told(f"Updated: {offering.NOTE}")
        stage.app.screen.query_one(CallList).focus()
        await stage.press("down")
        await stage.sees("updated on the")
        await enter(stage)
        await stage.sees("updated", "Unsubscribe")
        frame = regions.frame(stage.app.screen.query_one("#detail"))
        PROSE.holds("offers: an updated resource", frame)
        await stage.press("escape")
        await stage.is_open(MainScreen)
        await stage.press("R")
        await stage.until(lambda: not stage.engine.offers.updated, "no mark")
        await stage.no_longer_sees("updated since")


@pytest.mark.slow
async def test_the_key_is_offered_only_where_there_is_anything() -> None:
    async with bench_stage(argv=server("", "bare")) as stage:
        await stage.engine.offers.listed()
        await stage.press("P")
        assert isinstance(stage.app.screen, MainScreen)
        PROSE.holds("server screen: no offers", await offers_line(stage, "2 tools, no"))


@pytest.mark.slow
async def test_lists_may_change_while_their_screen_is_being_opened() -> None:
    async with bench_stage(argv=server()) as stage:
        await stage.engine.offers.listed()
        PROSE.holds("server screen: offers", await offers_line(stage, "2 tools, 3 resources"))
        await stage.press("escape")
        bench_screen = stage.app.screen
        assert isinstance(bench_screen, MainScreen)
        bench_screen._others.open("offers")
        bench_screen._others.follow()
        await stage.sees("resources 3", "templates 2", "prompts 3")


@pytest.mark.slow
async def test_a_server_with_prompts_only_opens_where_it_has_something() -> None:
    # It opens as soon as it is listed, perhaps before the tools were drawn.
    argv = tuple(reported("prompts-only"))
    async with bench_stage(argv=argv, size=NARROW, is_listed=False) as stage:
        await stage.sees("greet")
        assert isinstance(stage.app.screen, OffersScreen)
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, OffersScreen), "the bench")
        assert not [one for one in stage.engine.observed.all() if one.code == "no-tools"]
