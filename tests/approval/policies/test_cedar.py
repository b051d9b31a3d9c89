"""Cedar policies of Docker's gateway and of ToolHive: hints, approval, and what is not known."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.cedar import (
    DEEPEST,
    DIALECTS,
    DOCKER,
    TOOLHIVE,
    CedarPolicy,
    CedarProblem,
    read_cedar,
    split_statements,
)
from signoff.app.approval.policies.verdicts import Case, Verdict, VerdictAnswer
from signoff.app.protocol.rpc import READ_METHOD
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool

ALLOW, ASK, REFUSE, HIDE, _, UNKNOWN = VerdictAnswer
ANY = {DOCKER: "action, resource", TOOLHIVE: 'action == Action::"call_tool", resource'}


def policy(dialect: str, *statements: str, entities: Any = ()) -> CedarPolicy:
    places = [(text, f"line {at}") for at, text in enumerate(statements, start=1)]
    return read_cedar(dialect, "a.cedar", places, entities)


def judged(
    of: CedarPolicy,
    name: str = "a_tool",
    *,
    arguments: Mapping[str, Any] | None = None,
    trust: Trust = Trust.UNTRUSTED,
    **hints: Any,
) -> Verdict:
    tool = read_tool(0, {"name": name, "inputSchema": {"type": "object"}, "annotations": hints})
    return of.judge(Case(tool, trust, "files", arguments))


def permit(dialect: str, condition: str = "", head: str = "") -> str:
    when = f" when {{ {condition} }}" if condition else ""
    return f"permit (principal, {head or ANY[dialect]}){when};"


@pytest.mark.parametrize(
    ("attribute", "default"),
    [("readOnly", False), ("destructive", True), ("idempotent", False), ("openWorld", True)],
)
def test_docker_has_every_hint_by_the_defaults_of_the_specification(
    attribute: str, default: bool
) -> None:
    of = policy(DOCKER, permit(DOCKER, f"resource.{attribute} == true"))
    assert judged(of).answer is (ALLOW if default else REFUSE)
    for value in (True, False):
        hints: dict[str, Any] = {f"{attribute}Hint": value}
        found = judged(of, **hints)
        assert found.answer is (ALLOW if value else REFUSE)


def test_toolhive_has_only_the_hints_that_are_declared() -> None:
    unguarded = policy(TOOLHIVE, permit(TOOLHIVE, "resource.readOnlyHint == true"))
    guarded = permit(TOOLHIVE, "resource has readOnlyHint && resource.readOnlyHint")
    assert judged(unguarded, readOnlyHint=True).answer is ALLOW
    assert judged(unguarded, readOnlyHint=False).answer is HIDE
    missing = judged(unguarded)
    assert missing.answer is HIDE
    assert "readOnlyHint" in missing.reasons[0]
    # An error denies, whatever else permits; with a guard there is none.
    both = policy(TOOLHIVE, permit(TOOLHIVE), permit(TOOLHIVE, "resource.readOnlyHint"))
    assert judged(both).answer is HIDE
    assert judged(policy(TOOLHIVE, permit(TOOLHIVE), guarded)).answer is ALLOW


def test_an_undeclared_tool_is_decided_differently_by_the_two() -> None:
    docker = policy(DOCKER, permit(DOCKER, "resource.destructive"))
    toolhive = policy(TOOLHIVE, permit(TOOLHIVE, "resource.destructiveHint"))
    assert judged(docker).answer is ALLOW
    assert judged(toolhive).answer is HIDE


@pytest.mark.parametrize(("dialect", "denied"), [(DOCKER, REFUSE), (TOOLHIVE, HIDE)])
def test_what_no_permit_allows_is_denied_and_a_forbid_goes_first(
    dialect: str, denied: VerdictAnswer
) -> None:
    head = ANY[dialect]
    forbid = f'forbid (principal, {head}) when {{ resource.name == "bad" }};'
    of = policy(dialect, permit(dialect), forbid)
    assert judged(of, "good").answer is ALLOW
    assert judged(of, "bad").answer is denied
    assert judged(of, "bad").source == "line 2"
    assert judged(policy(dialect, forbid), "good").answer is denied
    for trust in Trust:
        assert judged(of, "good", trust=trust).answer is ALLOW


def test_an_approval_goes_before_a_plain_permit_and_after_a_forbid() -> None:
    asks = f'@requireApproval("a write") {permit(DOCKER, "resource.readOnly == false")}'
    of = policy(DOCKER, permit(DOCKER), asks)
    found = judged(of)
    assert (found.answer, found.source) == (ASK, "line 2")
    assert "a write" in found.reasons[0]
    assert judged(of, readOnlyHint=True).answer is ALLOW
    assert judged(policy(DOCKER, asks, "forbid (principal, action, resource);")).answer is REFUSE
    # ToolHive does not know the annotation, and Docker knows no other one.
    other = f'@requireApproval("x") {permit(TOOLHIVE)}'
    assert judged(policy(TOOLHIVE, other)).answer is ALLOW
    consent = f'@requireConsent("x") {permit(DOCKER)}'
    assert judged(policy(DOCKER, consent)).answer is ALLOW


def test_arguments_decide_once_they_are_known() -> None:
    limit = "context has args && context.args has amount && context.args.amount <= 500"
    of = policy(DOCKER, permit(DOCKER, limit))
    assert judged(of).answer is UNKNOWN
    assert judged(of, arguments={"amount": 500}).answer is ALLOW
    assert judged(of, arguments={"amount": 501}).answer is REFUSE
    assert judged(of, arguments={}).answer is REFUSE
    # Arguments with a type that Cedar lacks are left out, and Cedar's own keys are no way in.
    assert judged(of, arguments={"amount": 5, "more": 0.5}).answer is REFUSE
    escape = {"amount": 5, "x": {"__extn": {"fn": "unknown", "arg": "x"}}}
    assert judged(of, arguments=escape).answer is REFUSE
    own = policy(TOOLHIVE, permit(TOOLHIVE, 'resource has arg_city && resource.arg_city == "A"'))
    assert judged(own).answer is UNKNOWN
    assert judged(own, arguments={"city": "A"}).answer is ALLOW
    assert judged(own, arguments={"city": "B"}).answer is HIDE
    assert judged(own, arguments={"city": ["A"]}).answer is HIDE
    complex_one = policy(TOOLHIVE, permit(TOOLHIVE, "resource has arg_city_present"))
    assert judged(complex_one, arguments={"city": ["A"]}).answer is ALLOW


def test_who_calls_is_not_known_to_toolhive_and_is_no_condition_for_docker() -> None:
    group = 'permit (principal in THVGroup::"ops", action, resource == Tool::"risky");'
    of = policy(TOOLHIVE, group)
    assert judged(of, "risky").answer is UNKNOWN
    # The head is on another tool, so the person makes no difference.
    assert judged(of, "other").answer is HIDE
    assert judged(policy(TOOLHIVE, group, permit(TOOLHIVE)), "risky").answer is ALLOW
    docker = policy(DOCKER, 'permit (principal in MCP::Team::"a", action, resource);')
    assert judged(docker).answer is REFUSE


def test_a_server_is_the_parent_of_its_tools() -> None:
    docker = policy(DOCKER, permit(DOCKER, head='action, resource in MCP::Server::"files"'))
    toolhive = policy(TOOLHIVE, permit(TOOLHIVE, head='action, resource in MCP::"files"'))
    elsewhere = policy(DOCKER, permit(DOCKER, head='action, resource in MCP::Server::"other"'))
    assert judged(docker).answer is ALLOW
    assert judged(toolhive).answer is ALLOW
    assert judged(elsewhere).answer is REFUSE


def test_static_entities_add_attributes_and_no_hint() -> None:
    entities = [{"uid": "Tool::weather", "attrs": {"owner": "me", "readOnlyHint": True}}]
    of = policy(TOOLHIVE, permit(TOOLHIVE, 'resource.owner == "me"'), entities=entities)
    assert judged(of, "weather").answer is ALLOW
    assert judged(of, "other").answer is HIDE
    declared = policy(TOOLHIVE, permit(TOOLHIVE, "resource.readOnlyHint"), entities=entities)
    assert judged(declared, "weather", readOnlyHint=False).answer is HIDE
    with pytest.raises(CedarProblem):
        policy(TOOLHIVE, permit(TOOLHIVE), entities=[{"attrs": {}}])


@given(name=st.text(min_size=1, max_size=20), dialect=st.sampled_from(DIALECTS))
def test_any_name_of_a_tool_is_itself_and_no_other(name: str, dialect: str) -> None:
    of = policy(dialect, permit(dialect), permit(dialect, 'resource.name == "other"'))
    assert judged(of, name).answer is ALLOW
    forbid = f'forbid (principal, {ANY[dialect]}) when {{ resource.name == "x" }};'
    apart = policy(dialect, permit(dialect), forbid)
    assert (judged(apart, name).answer is ALLOW) is (name != "x")


def test_only_calls_are_judged_and_a_tool_without_a_name_is_refused() -> None:
    of = policy(DOCKER, permit(DOCKER))
    tool = read_tool(0, {"name": "a", "inputSchema": {"type": "object"}})
    read = of.judge(Case(tool, Trust.TRUSTED, method=READ_METHOD))
    assert read.answer is ASK
    nameless = read_tool(0, {"inputSchema": {"type": "object"}})
    assert of.judge(Case(nameless, Trust.TRUSTED)).answer is REFUSE
    denied = of.judge(Case(tool, Trust.TRUSTED, denied_for_session=True))
    assert denied.answer is REFUSE
    assert of.is_loud
    assert not policy(DOCKER, permit(DOCKER, "resource.readOnly")).is_loud


PIECES = st.lists(
    st.sampled_from(
        [
            'permit (principal, action, resource) when { resource.a == "; // no end" };',
            '// a comment with ; and "\nforbid (principal, action, resource);',
            '\n\n@id("x;y") permit (principal, action, resource);',
        ]
    ),
    max_size=6,
)


@given(pieces=PIECES)
def test_statements_are_split_at_their_ends_alone(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = list(split_statements(text))
    assert "".join(one for one, _ in found) == text
    assert len(found) == len(pieces)
    for one, line in found:
        first = next(part for part in one.split("\n") if part and not part.startswith("//"))
        assert text.split("\n")[line - 1].endswith(first) or first in text.split("\n")[line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "permit (",
        "permit (principal, action, resource)",
        "permit (principal == ?principal, action, resource);",
        "permit (principal, action, resource); forbid (principal, action, resource);",
        f"permit (principal, action, resource) when {{ {'(' * DEEPEST}true{')' * DEEPEST} }};",
        "permit (principal, action, resource) when { " + "if true then " * (DEEPEST + 1) + "};",
    ],
)
def test_what_is_no_statement_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(CedarProblem, match="line 1"):
        policy(DOCKER, text)


@pytest.mark.parametrize(
    "condition",
    [
        "context" + ".a" * 20_000,
        "+".join(["1"] * 45_000) + " == 1",
        " || ".join(["true"] * 12_000),
        'context["a"]' + '["a"]' * 15_000 + " == 1",
    ],
    ids=["dots", "sums", "alternatives", "indices"],
)
def test_a_chain_that_is_too_long_for_the_parser_is_refused(condition: str) -> None:
    with pytest.raises(CedarProblem, match="times"):
        policy(DOCKER, permit(DOCKER, condition))


def test_a_long_list_of_names_is_judged() -> None:
    names = [f'resource.name == "tool_{number}"' for number in range(900)]
    of = policy(DOCKER, permit(DOCKER, " || ".join(names)))
    assert judged(of, "tool_899").answer is ALLOW
    assert judged(of, "tool_900").answer is REFUSE
    # What stays open is a long chain, too.
    opens = " || ".join(f"context.args.a == {number}" for number in range(400))
    assert judged(policy(DOCKER, permit(DOCKER, opens))).answer is UNKNOWN


def test_a_misspelt_attribute_is_named_where_it_decides() -> None:
    of = policy(DOCKER, permit(DOCKER, "resource.readonly"))
    found = judged(of, readOnlyHint=True)
    assert found.answer is REFUSE
    assert "readonly" in found.reasons[-1]
    assert "readOnly" in found.reasons[-1]
    assert of.unknown_attributes() == ["readonly"]
    assert policy(DOCKER, permit(DOCKER, "resource.readOnly")).unknown_attributes() == []


@pytest.mark.parametrize(
    "entity",
    [
        {"uid": "Tool::a", "parents": 5},
        {"uid": "Tool::a", "attrs": []},
        {"uid": "Tool::a", "attrs": {"x": None}},
        {"uid": "Tool::a", "attrs": {"x": {"__extn": {"fn": "nope", "arg": "1"}}}},
        {"uid": "A::b", "parents": [{"type": "A", "id": "b"}]},
    ],
)
def test_entities_that_cedar_cannot_read_are_refused_when_they_are_read(entity: Any) -> None:
    with pytest.raises(CedarProblem, match="entities_json"):
        policy(TOOLHIVE, permit(TOOLHIVE), entities=[entity])


def test_without_the_extra_the_message_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cedarpy", None)
    with pytest.raises(CedarProblem, match=r"pip'? install"):
        policy(DOCKER, permit(DOCKER))
