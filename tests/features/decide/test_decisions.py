"""Decisions of hosts: verdicts of the matrix as outcomes, and what one hint would change."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.features.decide.decisions import (
    DEFAULT_HOSTS,
    HostOutcome,
    ToolDecision,
    deciding_hints,
    decision_of,
    decision_words,
    suggestion,
)
from signoff.app.hosts.rules import host_names
from signoff.app.protocol.hints import Claim
from signoff.app.protocol.server import Trust
from tests.decision_cases import columns, decide, entry

NOT_SET = (Claim.NOT_SET,) * 4


def by_host(*entries: object, at: int = 0) -> dict[str, str]:
    found = decide(*entries)
    decisions = found.decisions(found.rows[at])
    return {host: one.word for host, one in zip(found.hosts, decisions, strict=True)}


def test_the_usual_hosts_exist_and_each_is_named_once() -> None:
    assert len(set(DEFAULT_HOSTS)) == len(columns())
    assert {name.partition(":")[0] for name in DEFAULT_HOSTS} <= set(host_names())


def test_a_destructive_tool_asks_is_refused_or_is_hidden() -> None:
    found = by_host(entry("drop", destructive=True))
    assert found["vscode"] == "asks"
    assert found["codex:exec"] == "refused"
    assert found["copilot-review"] == "hidden"
    assert "runs" not in found.values()


def test_a_response_that_asks_is_part_of_the_decision() -> None:
    found = by_host(entry("search", readOnly=True, openWorld=True))
    assert found["vscode"] == "runs+response"
    assert decision_of("runs+response") == ToolDecision(HostOutcome.RUNS, True)


@pytest.mark.parametrize("word", decision_words())
def test_each_word_is_read_back(word: str) -> None:
    assert decision_of(word).word == word


@pytest.mark.parametrize("word", ["", "run", "refused+response", "runs+", "RUNS"])
def test_any_other_word_is_none(word: str) -> None:
    with pytest.raises(ValueError, match=r"^.*$"):
        decision_of(word)


def test_trust_chooses_the_side_of_the_matrix() -> None:
    hosts = ("gemini-cli",)
    tool = entry("drop", destructive=True)
    before, after = decide(tool, hosts=hosts), decide(tool, hosts=hosts, trust=Trust.TRUSTED)
    assert before.decisions(before.rows[0])[0].outcome is HostOutcome.ASKS
    assert after.decisions(after.rows[0])[0].outcome is HostOutcome.RUNS


def test_a_host_asks_before_harm_if_nothing_that_may_destroy_runs() -> None:
    found = decide(entry("drop", destructive=True), hosts=("vscode", "vscode:full-access"))
    assert found.asking_hosts == ("VS Code",)
    assert not decide(entry("look", readOnly=True)).has_harmful


def test_the_hint_that_is_missing_is_suggested_with_the_hosts_that_it_gains() -> None:
    found = decide(entry("list_items"))
    one = suggestion(found, found.rows[0])
    assert one is not None
    assert (one.hint, one.value) == ("readOnly", True)
    assert "codex:exec" in [found.hosts[at] for at in one.columns]


@pytest.mark.parametrize(
    "hints", [{"destructive": True}, {"readOnly": True}, {"readOnly": True, "destructive": True}]
)
def test_nothing_is_suggested_against_a_declared_hint(hints: dict[str, Any]) -> None:
    found = decide(entry("a", **hints))
    assert suggestion(found, found.rows[0]) is None


def test_a_hint_that_is_declared_is_no_suggestion() -> None:
    found = decide(entry("add", readOnly=False, openWorld=False))
    one = suggestion(found, found.rows[0])
    assert one is not None
    assert (one.hint, one.value) == ("destructive", False)


def test_an_additive_tool_lacks_the_closed_world() -> None:
    found = decide(entry("add", readOnly=False, destructive=False))
    one = suggestion(found, found.rows[0])
    assert one is not None
    assert (one.hint, one.value) == ("openWorld", False)


def test_the_one_hint_that_restores_a_decision_is_found() -> None:
    found = decide(entry("drop", destructive=False, openWorld=False), hosts=("codex",))
    old = (Claim.NOT_SET, Claim.TRUE, Claim.NOT_SET, Claim.FALSE)
    ways = deciding_hints(found, found.rows[0], 0, ToolDecision(HostOutcome.ASKS), old)
    assert ways == ({"destructive": Claim.TRUE},)


def test_hints_that_only_decide_together_are_one_way() -> None:
    # Either of them alone would still ask.
    found = decide(entry("drop"), hosts=("codex",))
    old = (Claim.NOT_SET, Claim.FALSE, Claim.NOT_SET, Claim.FALSE)
    ways = deciding_hints(found, found.rows[0], 0, ToolDecision(HostOutcome.RUNS), old)
    assert ways == ({"destructive": Claim.FALSE, "openWorld": Claim.FALSE},)


def test_no_hint_explains_a_decision_that_the_rules_never_gave() -> None:
    found = decide(entry("drop"), hosts=("vscode",))
    assert deciding_hints(found, found.rows[0], 0, ToolDecision(HostOutcome.HIDDEN), NOT_SET) == ()
