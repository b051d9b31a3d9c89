"""Calls of a host whose hints are resolved before the policy decides (a draft)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, deny
from signoff.app.approval.questions.questions import AboutCall
from signoff.app.engine.calls import resolving
from signoff.app.protocol.extensions.tool_resolution import ResolutionStatus
from signoff.app.protocol.server import Trust
from tests.features.proxy.stage import (
    Person,
    Stage,
    approved,
    asked,
    events,
    proxied,
    until,
    watching,
)
from tests.servers import raw
from tests.servers.resolving import EXTENSION
from tests.tiers import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
ON = frozenset({"tool-resolution"})
READS = {"name": "manage", "arguments": {"action": "read", "path": "a"}}
DELETES = {"name": "manage", "arguments": {"action": "delete", "path": "a"}}
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "new-host", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def received(stage: Stage, method: str) -> list[dict[str, Any]]:
    """The requests of a method that the server got."""
    lines = [json.loads(one) for one in stage.record.read_text(encoding="utf-8").splitlines()]
    return [one for one in lines if one.get("method") == method]


def arguments_of(stage: Stage, method: str = "tools/resolve") -> list[Any]:
    return [one["params"]["arguments"] for one in received(stage, method)]


def declared(message: dict[str, Any]) -> Any:
    params = message["params"]
    given = (
        params.get("capabilities") or params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    )
    return given.get("extensions", {}).get(EXTENSION)


@pytest.mark.parametrize("over_http", first_quick([False, True]))
@pytest.mark.parametrize("era", first_quick(["legacy", "modern"]))
async def test_a_held_call_that_is_resolved_as_read_only_runs_without_a_question(
    tmp_path: Path, era: str, over_http: bool
) -> None:
    switches = ("--resolution", "honest", "--era", era)
    meta = {"_meta": META} if era == "modern" else {}
    async with (
        proxied(
            tmp_path,
            *switches,
            policy="cautious",
            experimental=ON,
            trust=Trust.TRUSTED,
            over_http=over_http,
        ) as stage,
        watching(person := Person(deny("you"))) as found,
    ):
        if era == "legacy":
            await stage.begin()
        # A host of 2026-07-28 may begin with its call: nothing is listed or discovered yet.
        stage.call(1, {**READS, **meta})
        assert "result" in await stage.line()
        assert person.asked == []
        stage.call(2, {**DELETES, **meta})
        answer = await stage.line()
        assert "The server got the arguments for tools/resolve alone." in str(answer)
        assert arguments_of(stage) == [READS["arguments"], DELETES["arguments"]]
        assert [one["params"] for one in stage.got] == [{**READS, **meta}]
        for one in received(stage, "tools/resolve") if meta else received(stage, "initialize"):
            assert declared(one) == {}
        ids = [one["id"] for one in received(stage, "tools/resolve")]
        assert all(str(one).startswith(stage.link.ours) for one in ids)
        (proxy,) = found.proxies
        await until(lambda: len(proxy.calls) == 2 and proxy.calls[2]["is_over"])
        resolution = proxy.calls[1]["resolution"]
        assert (resolution["status"], resolution["arguments_sent"]) == ("resolved", True)
        assert "readOnly" in resolution["differs"]
        assert proxy.calls[1]["outcome"] == "ok"
        assert proxy.calls[2]["outcome"] == "denied"
    named = [one["event"] for one in events(tmp_path)]
    assert named.index("resolving") < named.index("decided")


async def test_the_question_of_a_watcher_has_both_hints_and_no_milder_decision(
    tmp_path: Path,
) -> None:
    async with (
        proxied(tmp_path, "--resolution", "honest", policy="cautious", experimental=ON) as stage,
        watching(person := Person(approved())),
    ):
        await stage.begin()
        stage.call(1, READS)
        assert "result" in await stage.line()
        question = asked(person)
        assert isinstance(question, AboutCall)
        assert question.resolution is not None
        assert question.resolution.status is ResolutionStatus.RESOLVED
        assert question.resolution.was_sent
        assert question.is_strong
        assert question.resolution.words(question.tool.hints) == "read-only (static: destructive)"


async def test_a_secret_is_not_sent_to_an_untrusted_server(tmp_path: Path) -> None:
    async with (
        proxied(tmp_path, "--resolution", "honest", policy="cautious", experimental=ON) as stage,
        watching(person := Person(deny("you"))),
    ):
        await stage.begin()
        given = {"action": "read", "password": "hunter2-and-more"}
        stage.call(1, {"name": "manage", "arguments": given})
        assert "The server got nothing." in str(await stage.line())
        assert arguments_of(stage) == []
        question = asked(person)
        assert isinstance(question, AboutCall)
        assert question.resolution is not None
        assert question.resolution.status is ResolutionStatus.NOT_SENT


async def test_arguments_that_a_person_changed_are_resolved_again(tmp_path: Path) -> None:
    person = Person(Decision(DecisionAnswer.EDIT, "you"))
    person.edited = {"action": "read", "path": "a"}
    async with (
        proxied(
            tmp_path,
            *("--resolution", "honest"),
            policy="cautious",
            experimental=ON,
            trust=Trust.TRUSTED,
        ) as stage,
        watching(person),
    ):
        await stage.begin()
        stage.call(1, DELETES)
        assert "result" in await stage.line()
        assert arguments_of(stage) == [DELETES["arguments"], READS["arguments"]]
        assert arguments_of(stage, "tools/call") == [READS["arguments"]]


@pytest.mark.parametrize("mode", first_quick(["-32602", "-32601", "-32603"]))
async def test_refused_arguments_end_the_call_and_other_errors_leave_the_static_hints(
    tmp_path: Path, mode: str
) -> None:
    is_sent = mode != "-32602"
    async with (
        proxied(tmp_path, "--resolution", mode, policy="cautious", experimental=ON) as stage,
        watching(person := Person(approved())),
    ):
        await stage.begin()
        stage.call(1, READS)
        answer = await stage.line()
        assert len(arguments_of(stage)) == 1
        assert len(stage.got) == len(person.asked) == is_sent
        assert ("Signoff did not send this call" in str(answer)) is not is_sent


async def test_a_policy_that_refuses_even_the_mildest_sends_nothing(tmp_path: Path) -> None:
    async with (
        proxied(
            tmp_path, "--resolution", "honest", policy="read-only-loop", experimental=ON
        ) as stage,
    ):
        await stage.begin()
        stage.call(1, READS)
        assert "The server got nothing." in str(await stage.line())
        assert arguments_of(stage) == []


@pytest.mark.parametrize(("policy", "on"), [("", ON), ("cautious", frozenset())])
async def test_without_the_draft_or_a_policy_no_byte_changes(
    tmp_path: Path, policy: str, on: frozenset[str]
) -> None:
    async with (
        proxied(tmp_path, "--resolution", "honest", policy=policy, experimental=on) as stage,
        watching(Person(approved())),
    ):
        await stage.begin()
        stage.call(1, READS)
        assert "result" in await stage.line()
        assert arguments_of(stage) == []
        assert [one["params"]["capabilities"] for one in received(stage, "initialize")] == [{}]


async def test_what_the_host_declares_itself_stays_as_it_wrote_it(tmp_path: Path) -> None:
    async with proxied(
        tmp_path, "--resolution", "honest", policy="cautious", experimental=ON
    ) as stage:
        await stage.begin(capabilities={"extensions": {EXTENSION: {}, "x/y": {"a": 1}}})
        assert not stage.link.has_declared
        stage.host.send(id="r", method="tools/resolve", params=READS)
        assert (await stage.line())["id"] == "r"
        # The host's own resolution passes without a question, and decides nothing here.
        assert received(stage, "tools/resolve")[0]["id"] == "r"


async def test_a_request_of_the_server_during_a_resolution_gets_an_error(tmp_path: Path) -> None:
    async with (
        proxied(tmp_path, "--resolution", "asks", policy="cautious", experimental=ON) as stage,
        watching(person := Person(deny("you"))),
    ):
        await stage.begin()
        stage.call(1, READS)
        answer = await stage.line()
        assert answer["id"] == 1
        question = asked(person)
        assert isinstance(question, AboutCall)
        assert question.resolution is not None
        assert question.resolution.status is ResolutionStatus.FAILED
        await until(lambda: "asks-1" in stage.record.read_text(encoding="utf-8"))
        lines = [json.loads(one) for one in stage.record.read_text().splitlines()]
        (reply,) = [one for one in lines if one.get("id") == "asks-1"]
        assert "error" in reply


async def test_a_silent_resolution_shortens_the_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "RESOLVE_SECONDS", 0.3)
    async with (
        proxied(tmp_path, "--resolution", "silent", policy="cautious", experimental=ON) as stage,
        watching(person := Person()) as found,
    ):
        await stage.begin()
        stage.call(1, READS)
        await until(lambda: person.asked)
        # The host has waited for the resolution, too: 30 seconds less 0.3.
        assert found.proxies[0].ends[1] - time.monotonic() < 29.8
        assert found.proxies[0].hello["experimental"] == ["tool-resolution"]


def test_a_host_that_writes_all_at_once_is_declared_from_its_first_line(tmp_path: Path) -> None:
    received_by = tmp_path / "received"
    options = ("--policy", "cautious", "--trust", "--experimental", "tool-resolution")
    server = raw("--resolution", "honest", "--received", str(received_by))
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "h"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": params},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": READS},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages)
    ended = subprocess.run(
        [sys.executable, "-m", "signoff.app", "proxy", *options, "--", *server],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answer = json.loads(ended.stdout.splitlines()[-1])
    assert answer["id"] == 2
    assert "isError" not in answer["result"]
    methods = [json.loads(one).get("method") for one in received_by.read_text().splitlines()]
    assert methods.index("tools/resolve") < methods.index("tools/call")
