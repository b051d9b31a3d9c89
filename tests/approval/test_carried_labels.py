"""Labels of earlier results: which later calls they are a doubt about, and what policies do."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.approval.carried_labels import (
    RESULTS_MAX,
    LabelledResult,
    LabelMemory,
    carried_doubts,
)
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import PolicyError, built_in, read_policy
from signoff.app.approval.policies.verdicts import Case, VerdictAnswer, grant_obstacle
from signoff.app.protocol.extensions.on_tools import with_drafts
from signoff.app.protocol.extensions.trust_annotations import TrustLabel, TrustLabels
from signoff.app.protocol.rpc import READ_METHOD
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool

SENSITIVE, UNTRUSTED = frozenset({TrustLabel.SENSITIVE}), frozenset({TrustLabel.UNTRUSTED})
READ_CLOSED = {"readOnlyHint": True, "openWorldHint": False}
READ_OPEN = {"readOnlyHint": True, "openWorldHint": True}
ADD_CLOSED = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
DESTROY_CLOSED = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}


def tool(hints: dict[str, bool], **meta: Any) -> ToolDefinition:
    entry: dict[str, Any] = {"name": "later", "inputSchema": {"type": "object"}}
    entry |= {"annotations": hints, **meta}
    return read_tool(0, entry)


def after(labels: frozenset[TrustLabel], hints: dict[str, bool], **more: Any) -> Case:
    earlier = (LabelledResult("s", "read_mail", labels),)
    return Case(tool(hints), Trust.TRUSTED, "s", {}, carried=earlier, **more)


@pytest.mark.parametrize(
    ("labels", "hints", "words"),
    [
        (SENSITIVE, READ_CLOSED, ""),
        (SENSITIVE, READ_OPEN, "open world"),
        (SENSITIVE, ADD_CLOSED, "not read-only"),
        (SENSITIVE, {}, "open world"),
        (UNTRUSTED, READ_CLOSED, ""),
        (UNTRUSTED, READ_OPEN, "open world"),
        (UNTRUSTED, ADD_CLOSED, ""),
        (UNTRUSTED, DESTROY_CLOSED, "may destroy"),
    ],
)
def test_a_label_is_a_doubt_about_calls_that_could_harm(
    labels: frozenset[TrustLabel], hints: dict[str, bool], words: str
) -> None:
    case = after(labels, hints)
    found = list(carried_doubts(case.tool, case.carried, "s"))
    assert bool(found) == bool(words)
    assert all(words in one and "“read_mail”" in one for one in found)
    assert bool(grant_obstacle(case)) == bool(words)


def test_the_server_is_named_if_it_is_another() -> None:
    earlier = (LabelledResult("mail", "read_mail", SENSITIVE),)
    (found,) = carried_doubts(tool(READ_OPEN), earlier, "web")
    assert "on mail" in found


def test_a_policy_asks_for_what_it_would_run() -> None:
    policy = built_in("cautious")
    assert policy.judge(Case(tool(READ_OPEN), Trust.TRUSTED, "s", {})).answer is VerdictAnswer.ALLOW
    assert policy.judge(after(SENSITIVE, READ_OPEN)).answer is VerdictAnswer.ASK
    assert policy.judge(after(SENSITIVE, READ_CLOSED)).answer is VerdictAnswer.ALLOW
    assert policy.judge(Case(tool(READ_OPEN), Trust.TRUSTED, "s", {})).answer is VerdictAnswer.ALLOW


def test_a_read_of_a_resource_has_no_hints_to_doubt() -> None:
    case = after(SENSITIVE, {}, method=READ_METHOD)
    assert not grant_obstacle(case)


def mine(condition: str) -> Policy:
    head = 'name = "mine"\nsummary = "A test."\n'
    rest = '[[rule]]\nthen = "allow"\n'
    return read_policy(f'{head}[[rule]]\n{condition}\nthen = "refuse"\n{rest}', "mine.toml")


@pytest.mark.parametrize(
    ("condition", "refused"),
    [
        ('carried = "sensitive"', True),
        ('carried = ["untrusted", "sensitive"]', True),
        ('carried = "untrusted"', False),
        ('carried = "sensitive"\neffect = "destructive"', False),
    ],
)
def test_a_rule_may_demand_a_label(condition: str, refused: bool) -> None:
    policy, case = mine(condition), after(SENSITIVE, READ_CLOSED)
    assert (policy.judge(case).answer is VerdictAnswer.REFUSE) == refused
    outcome = policy.explain(case).outcomes[0]
    assert bool(outcome.why) != refused
    plain = Case(tool(READ_CLOSED), Trust.TRUSTED, "s", {})
    assert policy.judge(plain).answer is VerdictAnswer.ALLOW


def test_an_unknown_label_is_a_mistake_in_the_file() -> None:
    with pytest.raises(PolicyError):
        mine('carried = "private"')


def test_a_review_that_a_server_asks_for_makes_a_policy_ask() -> None:
    meta = {"_meta": {"io.modelcontextprotocol/action-metadata": {"requiresReview": True}}}
    plain = tool(READ_CLOSED, **meta)
    (on,) = with_drafts((plain,), ("action-metadata",))
    policy = built_in("cautious")
    assert policy.judge(Case(plain, Trust.TRUSTED)).answer is VerdictAnswer.ALLOW
    assert policy.judge(Case(on, Trust.TRUSTED)).answer is VerdictAnswer.ASK
    assert grant_obstacle(Case(on, Trust.TRUSTED))


def test_a_memory_unites_and_finds_labels_that_vanish() -> None:
    memory, one = LabelMemory(), tool(READ_CLOSED)
    assert memory.take("s", one, "digest", TrustLabels(SENSITIVE)) == frozenset()
    assert memory.take("s", one, "other", TrustLabels()) == frozenset()
    assert memory.take("s", one, "digest", TrustLabels(UNTRUSTED)) == SENSITIVE
    assert memory.take("s", one, "digest", TrustLabels()) == SENSITIVE | UNTRUSTED
    assert memory.take("t", one, "digest", TrustLabels()) == frozenset()
    (kept,) = memory.results
    assert kept.labels == memory.all == SENSITIVE | UNTRUSTED


def test_a_memory_is_bounded_and_keeps_each_label() -> None:
    memory, one = LabelMemory(), tool(READ_CLOSED)
    for number in range(RESULTS_MAX + 5):
        memory.take(f"s{number}", one, "d", TrustLabels(SENSITIVE))
    memory.take("last", one, "d", TrustLabels(UNTRUSTED))
    assert len(memory.results) == RESULTS_MAX + 1
    assert memory.all == set(TrustLabel)


def test_one_label_is_not_judged_as_another() -> None:
    policy = mine('carried = "sensitive"')
    for labels, answer in ((UNTRUSTED, VerdictAnswer.ALLOW), (SENSITIVE, VerdictAnswer.REFUSE)):
        assert policy.judge(after(labels, READ_CLOSED)).answer is answer
