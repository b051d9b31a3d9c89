"""Hints resolved before the decision: what leaves, what counts, and what ends the call."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import approve
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Call, Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.calls import resolving
from signoff.app.engine.calls.evaluate_policy import RESOLVED_BEFORE
from signoff.app.protocol.extensions.tool_resolution import (
    Resolution,
    ResolutionStatus,
    is_resolvable,
)
from signoff.app.protocol.rpc import RESOLVE_METHOD, RpcError
from signoff.app.protocol.server import Trust
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.transport.gate import only
from tests.engine.opened import Approves, Asked, Denies, Opened, opened
from tests.tiers import first_quick

NAME = "tool-resolution"
READS: dict[str, JsonValue] = {"action": "read", "path": "a"}


@asynccontextmanager
async def resolving_server(
    mode: str = "honest",
    *switches: str,
    trust: Trust = Trust.TRUSTED,
    experimental: tuple[str, ...] = (NAME,),
    **more: Any,
) -> AsyncIterator[Opened]:
    async with opened(
        "--resolution", mode, *switches, trust=trust, experimental=experimental, **more
    ) as one:
        yield one


def sent(one: Opened, method: str = RESOLVE_METHOD) -> list[dict[str, Any]]:
    frames = (frame for frame in one.engine.link.wire.since(0) if frame.sender == CLIENT)
    messages = (json.loads(frame.raw) for frame in frames if frame.raw[:1] == b"{")
    return [message["params"] for message in messages if message.get("method") == method]


def resolution(call: Call) -> Resolution:
    assert call.resolution is not None
    return call.resolution


def codes(call: Call) -> list[str]:
    return [one.code for one in call.findings]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_call_that_is_resolved_as_read_only_runs(era: str) -> None:
    async with resolving_server("honest", "--era", era) as one:
        call = await one.call("manage", **READS)
        assert call.outcome is Outcome.OK
        assert resolution(call).status is ResolutionStatus.RESOLVED
        (params,) = sent(one)
        assert {key: params[key] for key in ("name", "arguments")} == {
            "name": "manage",
            "arguments": READS,
        }
        (called,) = sent(one, "tools/call")
        assert called["arguments"] == params["arguments"]


async def test_each_call_is_resolved_by_itself() -> None:
    async with resolving_server() as one:
        one.engine.approver = approver = Approves()
        for action in ("read", "read", "delete"):
            await one.call("manage", action=action)
        assert [params["arguments"]["action"] for params in sent(one)] == ["read", "read", "delete"]
        (question,) = approver.questions
        assert question.is_strong
        assert question.resolution.was_sent


async def test_an_untrusted_server_makes_nothing_milder() -> None:
    async with resolving_server(trust=Trust.UNTRUSTED) as one:
        one.engine.approver = approver = Denies()
        call = await one.call("manage", **READS)
        (question,) = approver.questions
        assert question.is_strong
        assert question.resolution.status is ResolutionStatus.RESOLVED
        assert call.outcome is Outcome.DENIED


@pytest.mark.parametrize("is_on", [True, False])
async def test_nothing_is_resolved_that_is_not_turned_on_and_marked(is_on: bool) -> None:
    experimental = (NAME,) if is_on else ()
    async with resolving_server(experimental=experimental) as one:
        one.engine.approver = Approves()
        call = await one.call("echo" if is_on else "manage", **({} if is_on else READS))
        assert call.resolution is None
        assert not sent(one)


@pytest.mark.parametrize("trust", [Trust.UNTRUSTED, Trust.TRUSTED])
async def test_a_secret_is_not_sent_to_an_untrusted_server_before_the_approval(
    trust: Trust,
) -> None:
    async with resolving_server(trust=trust) as one:
        one.engine.approver = Denies()
        call = await one.call("manage", action="read", password="hunter2-and-more")
        is_trusted = trust is Trust.TRUSTED
        assert bool(sent(one)) is is_trusted
        assert ("resolution-not-sent" in codes(call)) is not is_trusted


async def test_a_call_that_would_be_refused_in_any_case_is_not_resolved() -> None:
    policy = built_in("read-only-loop")
    async with resolving_server(trust=Trust.UNTRUSTED, policy=policy) as one:
        call = await one.call("manage", **READS)
        assert call.outcome is Outcome.DENIED
        assert not sent(one)
        assert resolution(call).status is ResolutionStatus.NOT_SENT


async def test_a_call_denied_for_the_session_is_not_resolved_again() -> None:
    async with resolving_server(policy=built_in("ask-always")) as one:
        one.engine.approver = Denies()
        await one.call("manage", **READS)
        await one.call("manage", **READS)
        assert len(sent(one)) == 1


async def test_a_policy_without_a_person_runs_what_is_resolved_as_read_only() -> None:
    async with resolving_server(policy=built_in("read-only-loop")) as one:
        read, delete = [await one.call("manage", action=action) for action in ("read", "delete")]
        assert (read.outcome, delete.outcome) == (Outcome.OK, Outcome.DENIED)


async def test_a_resolution_without_a_comparison_is_blocked() -> None:
    async with resolving_server() as one:
        answer = await one.engine.link.ask(RESOLVE_METHOD, {"name": "manage", "arguments": {}})
        assert isinstance(answer, RpcError)
        assert answer.code is None
        gate = only(RESOLVE_METHOD, {"name": "manage", "arguments": READS})
        other: dict[str, JsonValue] = {"name": "manage", "arguments": {"action": "delete"}}
        assert isinstance(await one.engine.link.ask(RESOLVE_METHOD, other, 5, gate), RpcError)
        assert not sent(one)


async def test_invalid_arguments_are_not_resolved() -> None:
    async with resolving_server() as one:
        one.engine.approver = Denies()
        call = await one.call("manage", action="eat")
        assert not sent(one)
        assert "resolution-not-sent" in codes(call)


async def test_refused_arguments_end_the_call() -> None:
    async with resolving_server("-32602") as one:
        one.engine.approver = approver = Approves()
        call = await one.call("manage", **READS)
        assert call.outcome is Outcome.NOT_SENT
        assert not approver.questions
        assert not sent(one, "tools/call")


@pytest.mark.parametrize(
    ("mode", "code"),
    first_quick(
        [
            ("-32601", "resolution-failed"),
            ("-32603", "resolution-failed"),
            ("-32021", "resolution-not-negotiated"),
            ("other-name", "resolution-other-tool"),
            ("titled", "resolution-malformed"),
            ("missing-hint", "resolution-malformed"),
            ("not-boolean", "resolution-malformed"),
            ("input", "resolution-asks"),
            ("silent", "resolution-failed"),
        ],
        3,
        several=True,
    ),
)
async def test_after_a_failed_resolution_the_static_hints_decide(
    mode: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mode == "silent":
        monkeypatch.setattr(resolving, "RESOLVE_SECONDS", 0.2)
    async with resolving_server(mode) as one:
        one.engine.approver = approver = Approves()
        call = await one.call("manage", **READS)
        assert code in codes(call)
        assert resolution(call).status is ResolutionStatus.FAILED
        (question,) = approver.questions
        assert question.is_strong
        assert call.outcome is Outcome.OK


async def test_worse_hints_than_the_listed_ones_count_as_a_warning() -> None:
    async with resolving_server("weakens", policy=built_in("confirm-destructive")) as one:
        one.engine.approver = approver = Denies()
        call = await one.call("manage", **READS)
        assert "resolution-weakens" in codes(call)
        (question,) = approver.questions
        assert question.is_strong


async def test_a_request_of_the_server_is_refused_while_it_resolves() -> None:
    async with resolving_server("asks") as one:
        one.engine.approver = approver = Approves()
        call = await one.call("manage", **READS)
        assert "resolution-asks" in codes(call)
        # The one question is about the call: by its static hints.
        (question,) = approver.questions
        assert question.call == call.name
        assert resolution(call).status is ResolutionStatus.FAILED


async def test_a_change_of_the_tools_voids_the_resolution() -> None:
    async with resolving_server("news") as one:
        one.engine.approver = approver = Approves()
        call = await one.call("manage", **READS)
        assert resolution(call).status is ResolutionStatus.STALE
        (question,) = approver.questions
        assert question.is_strong


async def test_a_milder_approval_ends_with_a_change_of_the_tools() -> None:
    async with resolving_server(policy=built_in("ask-always")) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("manage", **READS)
        question = await asked.question()
        assert not question.is_strong
        one.engine.definitions.tell_changed()
        asked.answer(approve("you"))
        call = await one.ended(call_id)
        assert call.outcome is Outcome.NOT_SENT
        assert not sent(one, "tools/call")


async def test_the_log_has_the_resolution_before_it_leaves(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    async with resolving_server(log=log) as one:
        await one.call("manage", **READS)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    events = [record["event"] for record in records]
    assert events.index("resolving") < events.index("decided")
    decided = records[events.index("decided")]
    assert decided["resolution"]["arguments_sent"] is True
    assert decided["resolution"]["differs"] == ["readOnly", "destructive", "idempotent"]


@pytest.mark.parametrize("is_on", [True, False])
async def test_the_forecast_names_a_resolution_to_come(is_on: bool) -> None:
    async with resolving_server(experimental=(NAME,) if is_on else ()) as one:
        engine = one.engine
        for tool in engine.tools:
            is_marked = is_on and is_resolvable(tool.raw)
            verdict = engine.foreseen(tool, READS, (), engine.verdict(tool, READS))
            assert (RESOLVED_BEFORE in verdict.reasons) is is_marked
        assert any(is_resolvable(tool.raw) for tool in engine.tools)
