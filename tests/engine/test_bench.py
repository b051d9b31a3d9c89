"""The bench: lists, changes of lists, ends, and the memory of calls."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from signoff.app.engine import definitions
from signoff.app.engine.calls import manager
from signoff.app.engine.events import FindingAdded, ToolsChanged
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Phase, Trust
from tests.approved import approved
from tests.e2e.processes import is_alive
from tests.engine.opened import opened
from tests.servers import pids
from tests.tiers import first_quick
from tests.transport.linked import methods

PROSE = approved("engine")


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "RELIST_SECONDS", 0.1)
    monkeypatch.setattr(definitions, "RELIST_SECONDS_MAX", 0.4)


@pytest.mark.parametrize("era", first_quick(["legacy", "modern"]))
@pytest.mark.usefixtures("_hasty")
async def test_a_burst_of_changes_costs_few_lists(era: str, tmp_path: Path) -> None:
    wire = tmp_path / "wire"
    async with opened("--burst", "--era", era, "--received", str(wire)) as one:
        await one.watch.until(lambda: one.watch.of(ToolsChanged))
        await asyncio.sleep(0.5)
        assert one.watch.of(ToolsChanged) == [ToolsChanged(True)]
    assert 2 <= methods(wire).count("tools/list") <= 3


@pytest.mark.slow
@pytest.mark.usefixtures("_hasty")
async def test_a_server_that_changes_all_the_time_is_listed_ever_slower(tmp_path: Path) -> None:
    wire = tmp_path / "wire"
    async with opened("--change-every", "0.02", "--received", str(wire)) as one:
        began = time.monotonic()
        await one.watch.until(lambda: methods(wire).count("tools/list") >= 5)
        assert time.monotonic() - began > 0.6
        assert one.engine.server.phase is Phase.CONNECTED


@pytest.mark.slow
async def test_five_thousand_tools_are_listed_quickly() -> None:
    start = time.monotonic()
    async with opened("--only", "", "--tools", "5000", "--page-size", "500") as one:
        assert len(one.engine.tools) == 5_000
        assert time.monotonic() - start < 45
        assert one.engine.definitions.digest(ToolCall(one.engine.tools[4_999])) == (
            one.engine.tools[4_999].digest
        )


async def test_tools_of_one_name_are_told_apart_by_their_place() -> None:
    async with opened("--malformed-tool") as one:
        first, second = [tool for tool in one.engine.tools if tool.name == "duplicate"]
        assert one.engine.definitions.digest(ToolCall(first)) == first.digest
        assert one.engine.definitions.digest(ToolCall(second)) == second.digest
        assert first.digest != second.digest


async def test_findings_and_stderr_are_bounded(tmp_path: Path) -> None:
    async with opened("--noise-at-start", "--stderr-flood") as one:
        await one.watch.until(lambda: len(one.watch.of(FindingAdded)) == 3)
        assert {finding.code for finding in one.engine.findings} == {"noise-on-stdout"}
        assert one.engine.stderr_count >= 200
        assert one.engine.findings.maxlen is not None
        assert one.engine.stderr.maxlen is not None


async def test_only_so_many_ended_calls_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager, "CALLS_KEPT", 3)
    async with opened(trust=Trust.TRUSTED) as one:
        ids = [one.begin("echo", text=str(number)) for number in range(6)]
        for call_id in ids:
            await one.ended(call_id)
        newest = one.begin("echo")
        await one.ended(newest)
        assert list(one.engine.calls) == [*ids[-2:], newest]


async def test_a_server_that_fails_is_told_with_its_last_words() -> None:
    async with opened("--die-at-start", "9") as one:
        server = one.engine.server
        assert server.phase is Phase.FAILED
        assert server.exit_code == 9
        assert server.last_words[-1].startswith("RuntimeError: ")


async def test_a_lost_server_stays_lost() -> None:
    async with opened("--crash-after", "0.1") as one:
        await one.watch.until(lambda: one.engine.server.phase is Phase.LOST)
        await asyncio.sleep(0.2)
        assert one.engine.server.phase is Phase.LOST
        PROSE.holds("server: exited", one.engine.server.ended_words)


@pytest.mark.parametrize("switch", ["--die-after-init", "--list-error"])
async def test_a_server_that_ends_after_its_greeting_is_not_shown_as_connected(switch: str) -> None:
    async with opened(switch, *(["6"] if switch == "--die-after-init" else [])) as one:
        await one.watch.until(lambda: one.engine.server.phase is Phase.LOST)
        words = one.engine.server.ended_words
    # Whether the end or the request comes first is up to the system.
    PROSE.holds(switch, words.replace(" during tools/list", ""))


async def test_closing_leaves_no_process_and_no_task(tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    before = asyncio.all_tasks()
    async with opened("--ignore-eof", "--grandchild", "--pid-file", str(noted)) as one:
        await one.call("read_thing")
    found = pids(noted)
    assert not any(is_alive(pid) for pid in [*found["server"], *found["grandchild"]])
    assert asyncio.all_tasks() == before


async def test_trust_counts_from_the_next_call_on() -> None:
    async with opened() as one:
        assert one.engine.verdict(one.tool("read_thing")).answer == "ask"
        one.engine.set_trust(Trust.TRUSTED)
        assert one.engine.verdict(one.tool("read_thing")).answer == "allow"
        assert (await one.call("read_thing")).sent
