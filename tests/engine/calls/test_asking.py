"""Who is asked, what an answer does, and what can no longer be answered."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, approve, deny
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.approval.questions.questions import AboutCall, Question
from signoff.app.calls.call import Outcome, State
from signoff.app.engine.engine import Engine
from signoff.app.engine.memory import Memory
from signoff.app.engine.policy_state import PolicyState
from signoff.app.protocol.server import Phase, Trust
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.engine.opened import Approves, Asked, opened
from tests.servers import raw, recorded

PROSE = approved("engine-calls")

ODD: dict[str, Any] = {"text": "a\n\x1b[2J\u202e half \ud83d", "number": 1e22, "null": None, "": []}


async def test_an_untrusted_server_is_asked_about_even_when_it_claims_to_read_only(
    tmp_path: Path,
) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record)) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("read_thing", name="x")
        question = await asked.question()
        assert one.engine.calls[call_id].state is State.ASKING
        assert question.server_name == "the server"
        assert question.server_calls_itself == "raw 1.0"
        assert question.verdict.answer is VerdictAnswer.ASK
        assert not question.verdict.strong
        assert recorded(record) == []
        asked.answer(deny("you"))
        call = await one.ended(call_id)
        assert not one.engine.memory.denied, "it was this call that was denied, and no other"
    assert (call.outcome, call.sent, call.status) == (Outcome.DENIED, False, "denied by you")
    assert recorded(record) == []


async def test_a_trusted_server_runs_what_claims_to_read_only_and_nothing_else() -> None:
    async with opened("--with", "all", trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        call = await one.call("read_thing", name="x")
        assert call.outcome is Outcome.OK
        assert call.decision is not None
        assert (call.decision.answer, call.decision.by) == (DecisionAnswer.APPROVE, "policy")
        assert approver.questions == []
        for name in ("add_thing", "delete_thing", "undeclared_thing"):
            assert (await one.call(name)).outcome is Outcome.OK
    strong = {question.request.name: question.verdict.strong for question in approver.questions}
    assert strong == {"add_thing": False, "delete_thing": True, "undeclared_thing": True}


@pytest.mark.parametrize(("policy", "runs"), [("first-use", True), ("cautious", False)])
async def test_a_question_tells_that_the_policy_then_runs_later_calls(
    policy: str, runs: bool
) -> None:
    async with opened("--with", "all", policy=built_in(policy)) as one:
        one.engine.approver = approver = Approves()
        await one.call("delete_thing", path="a")
        later = await one.call("delete_thing", path="b")
        assert later.sent
    first = approver.questions[0]
    assert isinstance(first, AboutCall)
    assert first.lets_later_calls_run is runs
    assert len(approver.questions) == 2 - runs, "what was told is what happened"


async def test_a_definition_that_changed_is_no_promise_for_later_calls() -> None:
    async with opened(policy=built_in("cautious"), trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        await one.call("add_thing")
    (question,) = approver.questions
    assert isinstance(question, AboutCall)
    assert not question.lets_later_calls_run


async def test_arguments_that_break_the_schema_are_asked_about_even_when_trusted() -> None:
    async with opened(trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        call = await one.call("read_thing", name=5)
    (question,) = approver.questions
    PROSE.holds("verdict: arguments of another schema", "\n".join(question.verdict.reasons))
    assert [finding.code for finding in call.findings] == ["arguments-break-schema"]
    assert call.outcome is Outcome.OK


SCHEMA_SERVER = """
import json, sys
tool = {"name": "evil", "annotations": {"readOnlyHint": True}, "inputSchema":
        {"type": "object", "properties": {"text": {"pattern": "^(a+)+$"}}}}
answers = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {},
                   "serverInfo": {"name": "s", "version": "1"}},
    "tools/list": {"tools": [tool]},
    "tools/call": {"content": []},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        found = answers.get(message["method"])
        body = {"error": {"code": -32601, "message": "no"}} if found is None else {"result": found}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)
"""


@pytest.mark.usefixtures("_short_judging")
async def test_a_schema_that_never_ends_is_asked_about_as_not_checked() -> None:
    argv = [sys.executable, "-S", "-c", SCHEMA_SERVER]
    async with opened(argv=argv, trust=Trust.TRUSTED) as one:
        one.engine.approver = approver = Approves()
        call = await one.call("evil", text="a" * 60 + "!")
    (question,) = approver.questions
    PROSE.holds("verdict: arguments not checked", "\n".join(question.verdict.reasons))
    assert call.outcome is Outcome.OK


async def test_one_approval_sends_exactly_what_was_shown_exactly_once(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record)) as one:
        one.engine.approver = approver = Approves()
        call = await one.call("echo", **ODD)
    (question,) = approver.questions
    (line,) = recorded(record)
    sent = json.loads(line["line"])["params"]
    assert (sent["name"], line["tool"]) == ("echo", "echo")
    assert json.dumps(sent["arguments"]) == question.snapshot.arguments_json
    assert repr(sent["arguments"]) == repr(ODD)
    assert call.outcome is Outcome.OK
    assert not one.engine.approvals._open


async def test_changing_the_arguments_after_the_call_began_changes_nothing(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record)) as one:
        one.engine.approver = asked = Asked()
        arguments: dict[str, Any] = {"name": "mine", "deep": {"list": [1]}}
        call_id = one.engine.call(one.tool("delete_thing"), arguments)
        question = await asked.question()
        arguments["name"] = "yours"
        arguments["deep"]["list"].append(2)
        question.snapshot.arguments()["name"] = "theirs"
        asked.answer(approve("you"))
        await one.ended(call_id)
    assert [line["arguments"] for line in recorded(record)] == [
        {"name": "mine", "deep": {"list": [1]}}
    ]


async def test_a_lost_connection_voids_the_question(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--crash-after", "0.4", "--record", str(record)) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("delete_thing")
        await asked.question()
        call = await one.ended(call_id)
        assert one.engine.server.phase is Phase.LOST
        asked.answer(approve("you"))
        await asyncio.sleep(0)
        after = await one.ended(one.begin("echo"))
    assert call.outcome is Outcome.NOT_SENT
    PROSE.holds("not sent: the connection was lost", call.reason)
    assert call.status == "not sent"
    assert (after.outcome, after.sent) == (Outcome.NOT_SENT, False)
    assert recorded(record) == []


async def test_an_approval_after_the_connection_was_lost_is_not_blamed_on_the_person() -> None:
    async with opened("--crash-after", "0.2", trust=Trust.TRUSTED) as one:
        await one.watch.until(lambda: one.engine.server.phase is Phase.LOST)
        one.engine.approver = Approves()
        call = await one.call("add_thing")
    assert call.status == "not sent"
    PROSE.holds("not sent: not connected", call.reason)


async def test_closing_while_asked_sends_nothing(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record)) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("delete_thing")
        await asked.question()
    call = one.engine.calls[call_id]
    assert (call.outcome, call.reason) == (Outcome.NOT_SENT, "Signoff is closing")
    assert recorded(record) == []


async def test_an_approver_that_fails_sends_nothing(tmp_path: Path) -> None:
    record = tmp_path / "record"

    class Fails:
        async def ask(self, question: Question) -> Decision:
            assert isinstance(question, AboutCall)
            raise RuntimeError(f"[/] {question.request.name} and what was typed")

    async with opened("--record", str(record)) as one:
        one.engine.approver = Fails()
        call = await one.call("delete_thing")
    assert call.outcome is Outcome.NOT_SENT
    words = (
        "the approval dialog could not be opened: internal error (RuntimeError); its trace is in "
    )
    assert call.reason.startswith(words)
    trace = Path(call.reason.removeprefix(words)).read_text()
    assert "in test_an_approver_that_fails_sends_nothing.<locals>.Fails.ask" in trace
    assert "delete_thing and" not in trace
    assert recorded(record) == []


@pytest.mark.parametrize("decision", [deny("you"), Decision(DecisionAnswer.EDIT, "you")])
async def test_only_an_approval_sends(decision: Decision, tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record)) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("delete_thing")
        await asked.question()
        asked.answer(decision)
        call = await one.ended(call_id)
    assert call.outcome is Outcome.DENIED
    assert recorded(record) == []


async def test_a_bench_that_does_not_send_denies_even_what_is_allowed(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with opened("--record", str(record), trust=Trust.TRUSTED) as one:
        one.engine.sends = False
        call = await one.call("read_thing")
    assert call.outcome is Outcome.DENIED
    assert recorded(record) == []


async def test_an_entry_without_a_name_is_refused() -> None:
    async with opened("--malformed-tool", trust=Trust.TRUSTED) as one:
        one.engine.approver = Approves()
        nameless = next(tool for tool in one.engine.tools if not tool.callable)
        call = await one.ended(one.engine.call(nameless, {}))
        assert (call.outcome, call.status) == (Outcome.DENIED, "denied by policy")
        twice = await one.call("duplicate")
        assert twice.verdict.answer is VerdictAnswer.ASK
        PROSE.holds("verdict: of the same name", "\n".join(twice.verdict.reasons))


async def test_what_remembers_is_made_once_and_on_the_loop(tmp_path: Path) -> None:
    """It is asked for by the look at what runs, and by the comparing of definitions, at once."""
    made: list[bool] = []

    def make() -> PolicyState:
        made.append(threading.current_thread() is threading.main_thread())
        return PolicyState(Memory("stdio:test", "test"))

    link = StdioLink(raw("--only", "echo"))
    link.begin()
    engine = Engine(link, "test", make_consent=make)
    engine.open()
    engine.prepare()
    try:
        async with asyncio.timeout(60):
            while not engine.is_listed:
                await asyncio.sleep(0.01)
            await asyncio.gather(engine.compared(), engine.fingerprint())
    finally:
        await engine.close()
    assert made == [True]
