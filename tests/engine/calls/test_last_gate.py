"""The last gate before the wire: what is written is what was approved, whatever came between."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.calls.call import Outcome
from signoff.app.transport.events import ListChanged, Reply
from signoff.app.transport.peer import PendingRequest
from tests.approved import approved
from tests.engine.opened import Approves, opened
from tests.servers import recorded

PROSE = approved("engine-calls")

GIVEN: dict[str, Any] = {"name": "a", "really": True}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_thing", GIVEN),
        ("delete_thing", {**GIVEN, "name": "b"}),
        ("delete_thing", {**GIVEN, "really": 1}),
        ("delete_thing", {"name": "a"}),
        ("delete_thing", {**GIVEN, "note": ""}),
        ("delete_thing", {}),
    ],
)
async def test_nothing_but_what_was_approved_passes(
    tool: str, arguments: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "calls"
    async with opened("--record", str(record)) as one:
        one.engine.approver = Approves()
        assert (await one.call("delete_thing", **GIVEN)).outcome is Outcome.OK
        really = one.engine.link.request

        async def other(pending: PendingRequest, params: dict[str, Any]) -> Reply:
            return await really(pending, {"name": tool, "arguments": arguments})

        monkeypatch.setattr(one.engine.link, "request", other)
        call = await one.call("delete_thing", **GIVEN)
        assert not call.sent
        PROSE.holds("not sent: not the approved one", call.reason)
    assert [one["arguments"] for one in recorded(record)] == [GIVEN]


async def test_one_approval_is_one_sending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = tmp_path / "calls"
    async with opened("--record", str(record)) as one:
        one.engine.approver = Approves()
        really = one.engine.link.request

        async def twice(pending: PendingRequest, params: dict[str, Any]) -> Reply:
            await really(pending, params)
            return await really(pending, params)

        monkeypatch.setattr(one.engine.link, "request", twice)
        await one.call("delete_thing", **GIVEN)
    assert len(recorded(record)) == 1


async def test_news_on_the_way_to_the_wire_are_listed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server says that its tools changed while the call is on its way."""
    record = tmp_path / "calls"
    async with opened("--record", str(record)) as one:
        one.engine.approver = Approves()
        really, list_tools, tries = one.engine.link.request, one.engine.link.list_tools, []
        may_list = asyncio.Event()
        may_list.set()

        async def late_news(pending: PendingRequest, params: dict[str, Any]) -> Reply:
            tries.append(one.engine.definitions.has_news)
            if len(tries) == 1:
                may_list.clear()
                one.engine._connection.take(ListChanged())
            reply = await really(pending, params)
            may_list.set()
            return reply

        async def list_later() -> Any:
            await may_list.wait()
            return await list_tools()

        monkeypatch.setattr(one.engine.link, "request", late_news)
        monkeypatch.setattr(one.engine.link, "list_tools", list_later)
        call = await one.call("delete_thing", **GIVEN)
        assert call.outcome is Outcome.OK
        assert tries == [False, False], "listed once more, and tried again"
    assert len(recorded(record)) == 1


async def test_a_log_that_breaks_later_is_noticed_before_the_verdict(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    async with opened(log=log, policy=built_in("allow-all")) as one:
        assert (await one.call("delete_thing", **GIVEN)).outcome is Outcome.OK
        log.unlink()
        log.symlink_to(tmp_path / "elsewhere")
        call = await one.call("delete_thing", **GIVEN)
        assert not call.sent
        assert call.verdict.answer is not VerdictAnswer.ALLOW
        assert "symbolic link" in " ".join(call.verdict.reasons)
    assert not (tmp_path / "elsewhere").exists()
