"""A definition that changes is not the one that was approved."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from signoff.app.approval.approval import Decision, approve
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.questions.questions import AboutCall, Question
from signoff.app.calls.call import Outcome, State
from signoff.app.cli.output.reports import exit_status
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine import definitions
from signoff.app.engine.definitions import Definitions
from signoff.app.engine.engine import Engine
from signoff.app.engine.events import QuestionVoided, ToolsChanged
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import Listing
from tests.approved import approved
from tests.engine.opened import Approves, Asked, Denies, opened
from tests.servers import recorded

PROSE = approved("engine-calls")


async def test_a_definition_that_changes_while_asked_voids_the_question(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--change-after", "1.5", "--record", str(record)) as one:
        one.engine.approver = asked = Asked()
        changed, gone = one.begin("delete_thing", name="x"), one.begin("add_thing")
        kept = one.begin("echo")
        await one.watch.until(lambda: len(one.watch.of(QuestionVoided)) == 2)
        reasons = {event.call.number: event.reason for event in one.watch.of(QuestionVoided)}
        assert set(reasons) == {changed, gone}
        PROSE.holds("voided: the definition changed", reasons[changed])
        PROSE.holds("voided: no longer listed", reasons[gone])
        for future in asked._answers:
            future.set_result(approve("you"))
        calls = [await one.ended(call_id) for call_id in (changed, gone, kept)]
    assert [call.outcome for call in calls] == [Outcome.NOT_SENT, Outcome.NOT_SENT, Outcome.OK]
    assert [call.status for call in calls[:2]] == ["not sent"] * 2
    assert [line["tool"] for line in recorded(record)] == ["echo"]


async def test_a_change_that_arrives_before_the_sending_stops_it(tmp_path: Path) -> None:
    record = tmp_path / "record"

    class ChangesThenApproves:
        async def ask(self, question: Question) -> Decision:
            assert isinstance(question, AboutCall)
            if question.request.name == "delete_thing":
                await one.call("change_silently")
                listing = await one.engine.link.list_tools()
                assert listing is not None
                one.engine._connection.take(listing)
            return approve("you")

    async with opened("--record", str(record)) as one:
        one.engine.approver = ChangesThenApproves()
        call = await one.call("delete_thing", name="x")
        assert len(one.watch.of(ToolsChanged)) == 2
        assert (await one.call("echo")).outcome is Outcome.OK
    assert call.outcome is Outcome.NOT_SENT
    assert call.decision is not None
    assert call.decision.by == "signoff"
    assert [line["tool"] for line in recorded(record)] == ["change_silently", "echo"]


STUBBORN_SERVER = """
import json, sys
tool = {"name": "thing", "inputSchema": {"type": "object"}}
answers = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {},
                   "serverInfo": {"name": "s", "version": "1"}},
    "tools/list": {"tools": [tool]},
    "tools/call": {"content": []},
}
lists = 0
def tell(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        lists += message["method"] == "tools/list"
        found = answers.get(message["method"])
        if lists > 1 and message["method"] == "tools/list":
            if sys.argv[1] == "silent":
                continue
            found = None
        body = {"error": {"code": -32603, "message": "no"}} if found is None else {"result": found}
        tell(id=message["id"], **body)
        if message["method"] == "tools/list":
            tell(method="notifications/tools/list_changed")
        if message["method"] == "tools/call":
            print("CALLED", file=sys.stderr, flush=True)
"""


async def told_of_changes(engine: Engine) -> None:
    async with asyncio.timeout(60):
        while not engine.definitions._told:
            await asyncio.sleep(0.01)


async def test_tools_that_changed_and_cannot_be_listed_again_are_not_called() -> None:
    argv = [sys.executable, "-S", "-c", STUBBORN_SERVER, "refuses"]
    async with opened(argv=argv) as one:
        await told_of_changes(one.engine)
        one.engine.approver = Approves()
        call = await one.call("thing")
    assert (call.outcome, call.status) == (Outcome.NOT_SENT, "not sent")
    PROSE.holds("not sent: not listed again", call.reason)
    assert call.decision == approve("you"), "a person approved it, and nobody denied it"
    assert exit_status(call) == 5
    assert one.engine.advice(call).is_offered
    assert "CALLED" not in one.engine.stderr


async def test_tools_that_are_not_listed_in_time_are_not_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    argv = [sys.executable, "-S", "-c", STUBBORN_SERVER, "silent"]
    async with opened(argv=argv, trust=Trust.TRUSTED) as one:
        await told_of_changes(one.engine)
        monkeypatch.setattr(definitions, "RECHECK_SECONDS", 0.2)
        one.engine.approver = Approves()
        asked = await one.call("thing")
        one.engine.consent.set_policy(built_in("allow-all"))
        unasked = await one.call("thing")
    PROSE.holds("not sent: not listed in time", asked.reason)
    PROSE.holds("not sent: changed and not listed in time", unasked.reason)
    for call in (asked, unasked):
        assert (call.outcome, call.sent, exit_status(call)) == (Outcome.NOT_SENT, False, 6)
    assert "CALLED" not in one.engine.stderr


async def test_what_was_not_sent_is_tried_again_by_the_same_rules() -> None:
    argv = [sys.executable, "-S", "-c", STUBBORN_SERVER, "refuses"]
    async with opened(argv=argv) as one:
        await told_of_changes(one.engine)
        one.engine.approver = approver = Approves()
        call = await one.call("thing")
        again = await one.ended(one.engine.retry(call.id))
        one.engine.approver = Denies()
        denied = await one.ended(one.engine.retry(call.id))
    assert len(approver.questions) == 2, "an approval that was not used approves nothing else"
    assert (again.outcome, again.retry_of) == (Outcome.NOT_SENT, call.id)
    assert (denied.outcome, denied.status) == (Outcome.DENIED, "denied by you")


async def test_a_call_that_waits_for_a_new_list_can_be_cancelled() -> None:
    argv = [sys.executable, "-S", "-c", STUBBORN_SERVER, "silent"]
    async with opened(argv=argv) as one:
        await told_of_changes(one.engine)
        one.engine.approver = Approves()
        call_id = one.begin("thing")
        await one.watch.call(call_id, lambda call: call.decision is not None)
        assert one.engine.calls[call_id].state is State.WAITING
        one.engine.cancel(call_id)
        call = await one.ended(call_id, 3)
    assert call.outcome is Outcome.CANCELLED
    PROSE.holds("cancelled: before it was sent", call.reason)
    assert "CALLED" not in one.engine.stderr


def test_the_same_list_once_more_is_not_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    entries: tuple[JsonValue, ...] = ({"name": "one", "inputSchema": {"maximum": 1}},)
    told: list[bool] = []

    async def never() -> None: ...

    known = Definitions(never, told.append)
    known.take(Listing(entries))
    with monkeypatch.context() as patched:
        patched.setattr(definitions, "read_tools", None)
        known.take(Listing(tuple(json.loads(json.dumps(entries)))))
    assert told == [True]
    # In Python 1.0 is 1, and true is 1, too.
    for other in (1.0, True):
        known.take(Listing(({"name": "one", "inputSchema": {"maximum": other}},)))
    assert told == [True, False, False]
