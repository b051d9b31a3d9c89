"""Reading a resource: asked like a call, sent once with the very URI, never taken for a tool."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import approve
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.policy_text import built_ins, read_policy
from signoff.app.approval.policies.verdicts import ONLY_READS
from signoff.app.approval.questions.questions import offers
from signoff.app.calls.call import Outcome
from signoff.app.engine.calls.evaluate_policy import first_verdict
from signoff.app.engine.events import ToolsChanged
from signoff.app.protocol.answers.content import TextResourcePart
from signoff.app.protocol.requests import ResourceRead
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.auditing.chain import read_record
from signoff.app.storage.policy_files import find_hosts
from tests.engine.opened import Approves, Asked, Opened, Remembers, opened
from tests.servers import library
from tests.tiers import first_quick

NOTE = "library://notes/1"
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
SERVER = [sys.executable, "-S", library.__file__]


def server(record: Path, *more: str) -> list[str]:
    return [*SERVER, str(record), *more]


def sent(record: Path) -> list[dict[str, Any]]:
    """What reached the server of reads and calls."""
    if not record.exists():
        return []
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["method"] in ("resources/read", "tools/call")]


def namesake(engine: Opened) -> ToolDefinition:
    return engine.tool("resources/read")


@ERAS
async def test_an_approved_read_sends_exactly_one_request_with_the_very_uri(
    tmp_path: Path, era: str
) -> None:
    record, log = tmp_path / "record", tmp_path / "audit.log"
    async with opened(argv=server(record, era), log=log) as at:
        at.engine.approver = approver = Approves()
        call = await at.ended(at.engine.read(NOTE))
    assert call.outcome is Outcome.OK
    assert call.answer is not None
    assert call.answer.parts == (TextResourcePart(NOTE, "text/plain", "read"),)
    assert not call.findings
    assert sent(record) == [{"method": "resources/read", "params": {"uri": NOTE}}]
    [question] = approver.questions
    assert question.request == ResourceRead(NOTE)
    assert question.snapshot.arguments() == {"uri": NOTE}
    records = [read_record(line) or {} for line in log.read_bytes().splitlines()]
    told = [one for one in records if one["event"] in ("asked", "decided", "sent", "ended")]
    assert [one["event"] for one in told] == ["asked", "decided", "sent", "ended"]
    assert {one["method"] for one in told} == {"resources/read"}


@ERAS
@pytest.mark.parametrize("uri", [library.ODD, library.HALF], ids=["odd", "half a character"])
async def test_odd_characters_reach_the_server_as_they_came(
    tmp_path: Path, era: str, uri: str
) -> None:
    record = tmp_path / "record"
    async with opened(argv=server(record, era)) as at:
        at.engine.approver = Approves()
        call = await at.ended(at.engine.read(uri))
    assert call.outcome is Outcome.OK
    assert [one["params"]["uri"] for one in sent(record)] == [uri]


@pytest.mark.parametrize(
    "policy", first_quick([*built_ins(), *find_hosts().hosts], 6), ids=lambda one: one.name
)
async def test_what_every_policy_says_of_a_read(policy: Policy) -> None:
    """Trust takes the alarm out of the question, and never the question itself."""
    silent = read_tool(0, {"name": "x", "inputSchema": {"type": "object"}})
    said = {}
    for trust in Trust:
        async with opened(argv=[*SERVER, os.devnull], policy=policy, trust=trust) as at:
            said[trust] = first_verdict(at.engine, ResourceRead(NOTE))
            of_a_tool = at.engine.verdict(silent)
        # Whatever runs, is asked or is refused of a tool that says nothing, is so of a read.
        assert said[trust].answer is of_a_tool.answer
    trusted, untrusted = said[Trust.TRUSTED], said[Trust.UNTRUSTED]
    assert not trusted.strong
    assert not any("may destroy" in reason for reason in trusted.reasons)
    assert not any("it says it" in reason for reason in trusted.reasons)
    if policy.name == "cautious":
        assert untrusted.strong
        assert trusted.reasons == (ONLY_READS,)
        assert trusted.rule == "", "no rule of the policy is about reads"
    if policy.name == "ask-always":
        assert trusted.reasons[1:] == (ONLY_READS,)


async def test_a_rule_that_names_it_can_still_ask_with_a_warning() -> None:
    text = """name = "mine"
summary = "x"
[[rule]]
tool = "resources/read"
then = "ask with a warning"
reason = "I say so"
"""
    policy = read_policy(text, "mine.toml", kind=PolicyKind.OWN)
    async with opened(argv=[*SERVER, os.devnull], policy=policy, trust=Trust.TRUSTED) as at:
        verdict = first_verdict(at.engine, ResourceRead(NOTE))
    assert verdict.strong
    assert verdict.reasons[0] == "I say so"


async def test_no_approval_of_the_tool_of_that_name_covers_a_read_nor_the_other_way(
    tmp_path: Path,
) -> None:
    async with opened(argv=server(tmp_path / "record"), store=tmp_path / "store") as at:
        at.engine.approver = for_tool = Remembers(Scope.SESSION)
        assert (await at.call("resources/read", uri=NOTE)).outcome is Outcome.OK
        assert (await at.call("resources/read", uri=NOTE)).outcome is Outcome.OK
        assert len(for_tool.questions) == 1
        at.engine.approver = for_read = Approves()
        read = await at.ended(at.engine.read(NOTE))
        assert len(for_read.questions) == 1
        assert read.decision is not None
        assert read.decision.by == "you"
    async with opened(argv=server(tmp_path / "record"), store=tmp_path / "other") as at:
        at.engine.approver = for_read = Remembers(Scope.ARGUMENTS)
        uris = (NOTE, NOTE, "library://folder")
        decided = [(await at.ended(at.engine.read(uri))).decision for uri in uris]
        assert [one and one.by for one in decided] == ["you", "remembered approval", "you"]
        assert len(for_read.questions) == 2
        at.engine.approver = by_tool = Approves()
        await at.call("resources/read", uri=NOTE)
        assert len(by_tool.questions) == 1
        # Nothing wider than the URI is remembered.
        at.engine.approver = Remembers(Scope.UNTIL, 30)
        before = at.engine.memory.grants()
        call = await at.ended(at.engine.read("library://notes/2"))
        assert at.engine.memory.grants() == before
        assert "not-remembered" in [one.code for one in call.findings]


async def test_the_read_and_the_tool_of_its_name_differ_in_everything_that_is_approved(
    tmp_path: Path,
) -> None:
    async with opened(argv=server(tmp_path / "record")) as at:
        tool, read = namesake(at), ResourceRead(NOTE)
        at.engine.approver = Approves()
        one = await at.ended(at.engine.read(NOTE))
        other = await at.ended(at.engine.call(tool, {"uri": NOTE}))
    assert tool.name == read.name
    assert tool.digest != read.definition.digest
    assert one.snapshot.digest != other.snapshot.digest
    token = at.engine.approvals.issue(one.snapshot)
    assert not at.engine.approvals.redeem(token, other.snapshot, tool.digest)


async def test_a_change_of_the_tools_does_not_void_the_question() -> None:
    async with opened("--change-after", "0.3") as at:
        at.engine.approver = asked = Asked()
        call_id = at.engine.read(NOTE)
        await asked.question()
        await at.watch.until(lambda: len(at.watch.of(ToolsChanged)) > 1)
        asked.answer(approve("you"))
        call = await at.ended(call_id)
    assert call.error is not None
    assert call.error.code == -32601


def test_only_two_scopes_are_offered_for_a_read() -> None:
    assert offers(ResourceRead(NOTE)) == (Remember(), Remember(Scope.ARGUMENTS))
