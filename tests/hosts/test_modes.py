"""Modes of hosts: how they are written, found by name and turned."""

from __future__ import annotations

import pytest

from signoff.app.approval.policies.modes import (
    following_mode,
    host_of,
    modes_in_words,
    policy_named,
    unattended,
    unknown_mode,
)
from signoff.app.approval.policies.policy import Basis, Policy, PolicyKind
from signoff.app.approval.policies.policy_text import PolicyError, mode_text, read_policy
from signoff.app.approval.policies.verdicts import Case, VerdictAnswer
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.server import Trust
from tests.approval.policy_cases import tool
from tests.approved import approved

PROSE = approved("policies")
HOST = """\
name = "mine"
title = "Mine"
summary = "Asks."
source = "https://example.org"
version = "1"
date = 2026-11-20
default_mode = "careful"

[[rule]]
name = "read-only"
hints = { readOnly = true }
then = "allow"
reason = "it only reads"

[[rule]]
name = "the rest"
then = "ask"
reason = "it may write"
"""
HARMLESS = {"destructive": False, "openWorld": False}
PLAN = """
[[mode]]
name = "plan"
title = "plan"
summary = "Hides what destroys."
basis = "measured"
version = "2"

[[mode.rule]]
name = "destructive"
hints = { destructive = true }
then = "hide"
reason = "it destroys"
"""
FAST = """
[[mode]]
name = "fast"
title = "fast"
summary = "Runs everything."
date = 2026-11-21
notes = "Fast."

[[mode.rule]]
name = "everything"
then = "allow"
reason = "it is fast"
"""
HOSTS = [read_host(name) for name in host_names()]


def read(text: str) -> Policy:
    return read_policy(text, "mine.toml", kind=PolicyKind.HOST)


def mistakes(text: str, kind: PolicyKind = PolicyKind.HOST) -> str:
    with pytest.raises(PolicyError) as caught:
        read_policy(text, "mine.toml", kind=kind)
    return str(caught.value)


def answers(policy: Policy) -> list[VerdictAnswer]:
    every = (tool(readOnly=True), tool(destructive=True), tool())
    return [policy.judge(Case(one, Trust.UNTRUSTED)).answer for one in every]


def test_the_rules_of_a_mode_come_first_and_then_those_of_the_host() -> None:
    host = read(HOST + PLAN + FAST)
    plan, fast = host.modes
    assert answers(host) == [VerdictAnswer.ALLOW, VerdictAnswer.ASK, VerdictAnswer.ASK]
    assert answers(plan) == [VerdictAnswer.ALLOW, VerdictAnswer.HIDE, VerdictAnswer.ASK]
    assert answers(fast) == [VerdictAnswer.ALLOW] * 3
    labels = [one.label for one in plan.rules]
    assert labels == ["rule 1: destructive", "rule 2: read-only", "rule 3: the rest"]
    # A rule that matches everything leaves none of the host's.
    assert len(fast.rules) == 1


def test_what_a_mode_leaves_out_is_as_in_the_whole_file() -> None:
    plan, fast = read(HOST + PLAN + FAST).modes
    assert (plan.name, plan.title, plan.mode) == ("mine:plan", "Mine plan", "plan")
    assert (plan.version, plan.basis, str(plan.date)) == ("2", Basis.MEASURED, "2026-11-20")
    assert (fast.version, fast.basis, str(fast.date)) == ("1", Basis.READ, "2026-11-21")
    assert (plan.notes, fast.notes) == ("", "Fast.")
    assert plan.source == "https://example.org"
    verdict = plan.judge(Case(tool(destructive=True), Trust.UNTRUSTED))
    assert verdict.source == "https://example.org, measured on 2026-11-20"
    assert verdict.policy == "as Mine plan"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("modes: no name", PLAN.replace('name = "plan"\n', "", 1)),
        ("modes: a bad name", PLAN.replace('"plan"', '"Plan mode"', 1)),
        ("modes: no rule", PLAN.partition("\n[[mode.rule]]")[0]),
        ("modes: two of a name", PLAN + PLAN),
        ("modes: the name of the default", PLAN.replace('"plan"', '"careful"', 1)),
        ("modes: a basis", PLAN.replace("measured", "measurd")),
        ("modes: an unknown key", PLAN.replace("version", "verson")),
        (
            "modes: one bracket",
            PLAN.replace("[[mode]]", "[mode]").replace("[[mode.rule]]", "[mode.rule]"),
        ),
    ],
)
def test_a_mistake_in_a_mode_has_its_line(key: str, text: str) -> None:
    PROSE.holds(key, mistakes(HOST + text))


def test_a_policy_of_ones_own_has_no_modes() -> None:
    own = HOST.replace('title = "Mine"\n', "") + PLAN
    PROSE.holds("modes: in a policy", mistakes(own, PolicyKind.OWN))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("codex", "codex"),
        ("codex:exec", "codex:exec"),
        ("Codex:EXEC", "codex:exec"),
        ("Codex exec", None),
        ("codex:auto", "codex"),
        ("VS Code:full access", "vscode:full-access"),
        ("codex:", None),
        ("codex:none", None),
        ("none:exec", None),
        (":exec", None),
        ("spec:plan", None),
        ("spec:", None),
    ],
)
def test_a_mode_is_found_by_host_and_mode(name: str, found: str | None) -> None:
    policy = policy_named(HOSTS, name)
    assert (policy.name if policy else None) == found


def test_an_unknown_mode_is_told_apart_from_an_unknown_host() -> None:
    PROSE.holds("modes: an unknown one", unknown_mode(HOSTS, "goose:smrat"))
    PROSE.holds("modes: of a host without any", unknown_mode(HOSTS, "spec:plan"))
    assert unknown_mode(HOSTS, "gose:smart") == ""
    assert unknown_mode(HOSTS, "goose") == ""


def test_the_modes_of_a_host_in_words() -> None:
    assert modes_in_words(read(HOST)) == ""
    assert modes_in_words(read(HOST + PLAN + FAST)) == "careful (the default), plan, fast"
    assert modes_in_words(read_host("cursor")) == "default, reads, smart"


def test_turning_goes_through_every_mode_and_back() -> None:
    host = read(HOST + PLAN + FAST)
    names = []
    current = host
    for _ in range(3):
        current = following_mode(host, current)
        names.append(current.name)
    assert names == ["mine:plan", "mine:fast", "mine"]
    assert following_mode(read(HOST), host).name == "mine"


def test_the_host_of_a_mode() -> None:
    codex = read_host("codex")
    assert host_of(HOSTS, codex.modes[0]) is codex
    assert host_of(HOSTS, codex) is codex
    assert host_of(HOSTS, read(HOST)) is None


def test_the_text_of_a_mode_can_be_copied_to_another_file() -> None:
    text = HOST + PLAN + FAST
    assert mode_text(text, "plan") == PLAN.strip() + "\n"
    assert mode_text(text, "fast") == FAST.strip() + "\n"
    for host in HOSTS:
        assert len({one.name for one in host.variants}) == len(host.variants)
    with pytest.raises(KeyError):
        mode_text(text, "slow")


@pytest.mark.parametrize("name", host_names())
def test_a_host_without_a_person_never_asks(name: str) -> None:
    host = read_host(name)
    alone = policy_named([host], f"{name}:unattended")
    assert alone is not None
    for claims in ({}, {"readOnly": True}, {"destructive": True}, HARMLESS):
        for trust in Trust:
            case = Case(tool("x", **claims), trust)
            verdict = alone.judge(case)
            assert verdict.answer is not VerdictAnswer.ASK
            if not alone.has_person and host.judge(case).answer is not VerdictAnswer.ASK:
                assert verdict.answer is host.judge(case).answer


def test_what_would_ask_is_refused_with_the_rule_and_the_reason() -> None:
    alone = unattended(read_host("vscode"))
    verdict = alone.judge(Case(tool("x"), Trust.UNTRUSTED))
    assert verdict.answer is VerdictAnswer.REFUSE
    assert verdict.rule == "rule 4: the rest"
    assert any("no person" in one for one in verdict.reasons)
    assert following_mode(read_host("vscode"), alone).name == "vscode"


def test_a_measured_mode_without_a_person_is_the_unattended_one() -> None:
    assert unattended(read_host("codex")).name == "codex:exec"
    assert unattended(read_host("gemini-cli")).name == "gemini-cli:headless"
    assert unattended(read_host("vscode")).name == "vscode:unattended"


def test_the_unattended_mode_of_a_constant_host_is_constant() -> None:
    assert unattended(read_host("zed")).is_constant
    assert not unattended(read_host("vscode")).is_constant
