"""Rules of a policy on what a server asks: before any person, file or script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import read_policy
from signoff.app.calls.call import Call
from signoff.app.cli.approving.approvers import AnswersFromFile, ScriptApproves, WrittenAnswer
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.server_requests import WAITING_MAX
from signoff.app.protocol.server import Trust
from signoff.app.protocol.server_requests.capabilities import Root
from signoff.app.transport.events import Requested
from tests.approved import approved
from tests.engine.opened import Approves, opened
from tests.engine.test_asked_by_server import ERAS, Answers, text

PROSE = approved("engine-calls")

HEAD = 'name = "mine"\nsummary = "A test."\n'


def policy(*rules: str) -> Policy:
    calls = '[[rule]]\non = ["call", "read", "prompt"]\nthen = "allow"\n'
    written = "".join(f"[[rule]]\n{one}\n" for one in rules)
    return read_policy(f"{HEAD}{calls}{written}", "mine.toml")


def refusing(on: str, *more: str) -> Policy:
    lines = [f'on = "{on}"', 'name = "not that"', 'reason = "never"', 'then = "refuse"', *more]
    return policy("\n".join(lines))


def on_server(era: str, rules: Policy, log: Path | None = None) -> Any:
    switches = ("--with", "all", "--era", era)
    return opened(*switches, trust=Trust.TRUSTED, policy=rules, log=log)


def findings(call: Call) -> list[str]:
    return [one.message for one in call.findings if one.code == "asked-by-server"]


@ERAS
async def test_what_a_rule_refuses_is_declined_and_nobody_is_asked(
    era: str, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    async with on_server(era, refusing("elicitation"), log) as one:
        approver = one.engine.approver = Answers({"sure": True})
        call = await one.call("asks_elicitation")
    assert approver.questions == []
    assert "decline" in text(call)
    assert "content" not in text(call)
    words = "this request was declined by policy: rule 2: not that (mine.toml line 6): never"
    assert words in findings(call)[-1]
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert not [one for one in records if one["event"] == "server-request"]
    (answered,) = (one for one in records if one["event"] == "server-request-answered")
    assert (answered["decision"]["answer"], answered["decision"]["by"]) == ("deny", "policy")
    assert answered["verdict"]["rule"] == "rule 2: not that"
    assert answered["verdict"]["source"] == "mine.toml line 6"


@ERAS
async def test_refused_roots_are_not_told(era: str, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    async with on_server(era, refusing("roots"), log) as one:
        one.engine.approver = Approves()
        one.engine.set_roots([Root("file:///home/sam/secret", "work")])
        call = await one.call("asks_roots")
    if era == "legacy":
        assert "Roots not supported" in text(call)
    else:
        PROSE.holds("input: roots refused", call.reason)
    assert "secret" not in json.dumps(call.raw)
    [found] = findings(call)
    assert "rule 2: not that" in found
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    (answered,) = (one for one in records if one["event"] == "server-request-answered")
    assert answered["method"] == "roots/list"
    assert answered["verdict"]["rule"] == "rule 2: not that"


@ERAS
async def test_a_file_of_answers_says_nothing_against_a_rule(era: str) -> None:
    written = WrittenAnswer("accept", {"sure": True})
    answers = AnswersFromFile({"elicitation": [written]}, ScriptApproves())
    rules = policy('on = "elicitation"\nserver = "the server"\nthen = "refuse"')
    async with on_server(era, rules) as one:
        one.engine.approver = answers
        call = await one.call("asks_elicitation")
        assert "decline" in text(call)
        # What was refused took no entry.
        one.engine.consent.set_policy(policy('on = "elicitation"\nthen = "ask"'))
        call = await one.call("asks_elicitation")
    assert "'sure': True" in text(call)


@pytest.mark.parametrize(
    ("rule", "is_refused"),
    [
        ('mode = "url"', False),
        ("asks_for_secret = true", False),
        ('trust = "untrusted"', False),
        ('server = "other"', False),
        ('host = "*"', False),
        ('mode = "form"', True),
        ("asks_for_secret = false", True),
        ('trust = "trusted"', True),
        ('server = "the *"', True),
    ],
)
async def test_a_rule_refuses_only_where_all_of_it_holds(rule: str, is_refused: bool) -> None:
    async with on_server("legacy", refusing("elicitation", rule)) as one:
        approver = one.engine.approver = Answers({"sure": True})
        await one.call("asks_elicitation")
    assert (approver.questions == []) is is_refused


async def test_a_visit_goes_by_its_host() -> None:
    from signoff.app.transport.events import Requested

    rules = policy(
        'on = "elicitation"\nhost = "*.example.com"\nthen = "ask"',
        'on = "elicitation"\nmode = "url"\nthen = "refuse"',
    )
    async with on_server("legacy", rules) as one:
        approver = one.engine.approver = Answers()
        told: list[Any] = []
        one.engine.link.answer = lambda request, answer: told.append(answer)
        urls = ("https://a.example.com/", "https://evil.test/?https://a.example.com/", "mailto:x")
        for at, url in enumerate(urls):
            params: JsonValue = {"mode": "url", "message": "?", "url": url, "elicitationId": "1"}
            one.engine._connection.take(Requested(f"their-{at}", "elicitation/create", params))
            await one.watch.until(lambda wanted=at + 1: len(told) == wanted)
    assert told == [{"action": "accept"}, {"action": "decline"}, {"action": "decline"}]
    assert len(approver.questions) == 1


async def test_a_flood_that_a_rule_refuses_is_not_said_to_wait_for_a_person() -> None:
    async with on_server("legacy", refusing("elicitation")) as one:
        told: list[object] = []
        one.engine.link.answer = lambda request, answer: told.append(request.id)
        params: JsonValue = {"message": "?", "requestedSchema": {"properties": {}}}
        for at in range(WAITING_MAX + 1):
            one.engine._connection.take(Requested(f"their-{at}", "elicitation/create", params))
        await one.watch.until(lambda: len(told) == WAITING_MAX + 1)
        (found,) = (one for one in one.engine.findings if one.code == "asks-too-much")
    PROSE.holds("finding: a flood", found.message)
