from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import Approvals, QuietGuard, approve, deny
from signoff.app.approval.snapshot import Snapshot, take_snapshot
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.tool_reading import read_tool
from tests.content.json_values import TEXT, json_values

TOOL = read_tool(0, {"name": "delete_file", "inputSchema": {"type": "object"}})
ARGUMENTS = st.dictionaries(TEXT, json_values(), max_size=4)


def snapshot(**arguments: Any) -> Snapshot:
    return take_snapshot("server", ToolCall(TOOL), arguments)


@given(ARGUMENTS)
def test_a_snapshot_keeps_the_arguments_exactly_and_in_order(arguments: dict[str, Any]) -> None:
    taken = take_snapshot("server", ToolCall(TOOL), arguments)
    assert taken.arguments() == arguments
    assert list(taken.arguments()) == list(arguments)
    assert taken.same_arguments(arguments)


@given(ARGUMENTS)
def test_the_order_of_names_does_not_change_the_digest(arguments: dict[str, Any]) -> None:
    turned = dict(reversed(arguments.items()))
    one, other = (take_snapshot("server", ToolCall(TOOL), given) for given in (arguments, turned))
    assert one.digest == other.digest
    assert one.arguments_digest == other.arguments_digest


def test_a_snapshot_does_not_change_with_what_it_was_taken_from() -> None:
    paths = ["a"]
    taken = snapshot(paths=paths)
    paths.append("b")
    taken.arguments()["paths"] = "other"
    assert taken.arguments() == {"paths": ["a"]}


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_what_json_cannot_carry_is_not_frozen(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        snapshot(value=value)


@pytest.mark.parametrize(
    ("approved", "sent"),
    [(1, True), (0, False), (1, 1.0), (True, 1), ("1", 1), (None, 0), ([], {})],
)
def test_values_that_python_calls_equal_are_other_arguments(approved: Any, sent: Any) -> None:
    assert snapshot(value=approved).same_arguments({"value": approved})
    assert not snapshot(value=approved).same_arguments({"value": sent})
    assert snapshot(value=approved).digest != snapshot(value=sent).digest
    assert not snapshot().same_arguments({"value": sent})
    assert not snapshot().same_arguments(None)


def test_a_tool_with_the_name_of_a_method_is_another_thing() -> None:
    taken = snapshot(uri="a")
    assert replace(taken, method="resources/read").digest != taken.digest


def test_what_is_sent_as_a_task_is_covered() -> None:
    usual, task = snapshot(path="a"), replace(snapshot(path="a"), task_ttl=1)
    assert (usual.task, task.task) == (None, {"ttl": 1})
    digests = {one.digest for one in (usual, task, replace(task, task_ttl=2))}
    assert len(digests) == 3
    assert usual.same_task(None)
    assert task.same_task({"ttl": 1})
    others: tuple[Any, ...] = (None, {"ttl": 2}, {"ttl": True}, {"ttl": 1, "more": 1}, {})
    for other in others:
        assert not task.same_task(other)
    assert not usual.same_task({"ttl": 1})


def test_the_digest_is_over_server_definition_tool_and_arguments() -> None:
    renamed = read_tool(0, {"name": "other", "inputSchema": {"type": "object"}})
    changed = read_tool(0, {"name": "delete_file", "inputSchema": {"type": "object"}, "title": "x"})
    digests = {
        snapshot(path="a").digest,
        snapshot(path="b").digest,
        snapshot(path=1).digest,
        snapshot(path=True).digest,
        snapshot(path=None).digest,
        snapshot().digest,
        take_snapshot("another", ToolCall(TOOL), {"path": "a"}).digest,
        take_snapshot("server", ToolCall(renamed), {"path": "a"}).digest,
        take_snapshot("server", ToolCall(changed), {"path": "a"}).digest,
    }
    assert len(digests) == 9


def test_a_token_is_good_once() -> None:
    approvals, taken = Approvals(), snapshot(path="a")
    token = approvals.issue(taken)
    assert approvals.redeem(token, taken, TOOL.digest)
    assert not approvals.redeem(token, taken, TOOL.digest)


@pytest.mark.parametrize(
    ("other", "definition"),
    [
        (snapshot(path="b"), TOOL.digest),
        (take_snapshot("another", ToolCall(TOOL), {"path": "a"}), TOOL.digest),
        (snapshot(path="a"), "changed"),
        (snapshot(path="a"), None),
    ],
)
def test_a_token_is_for_one_snapshot_under_its_definition_and_is_spent_by_a_wrong_try(
    other: Snapshot, definition: str | None
) -> None:
    approvals, taken = Approvals(), snapshot(path="a")
    token = approvals.issue(taken)
    assert not approvals.redeem(token, other, definition)
    assert not approvals.redeem(token, taken, TOOL.digest)


def test_tokens_are_not_invented_and_do_not_repeat() -> None:
    approvals, taken = Approvals(), snapshot()
    assert not approvals.redeem("", taken, TOOL.digest)
    tokens = {approvals.issue(taken) for _ in range(50)}
    assert len(tokens) == 50
    assert all(approvals.redeem(token, taken, TOOL.digest) for token in tokens)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_no_number_of_tries_spends_more_than_was_issued(tries: list[tuple[int, int]]) -> None:
    approvals = Approvals()
    taken = [snapshot(number=number) for number in range(4)]
    tokens = [approvals.issue(one) for one in taken]
    accepted = [
        token
        for token, number in tries
        if approvals.redeem(tokens[token], taken[number], TOOL.digest)
    ]
    assert len(accepted) == len(set(accepted))
    first_tries = dict(reversed(tries))
    assert set(accepted) == {token for token, number in first_tries.items() if token == number}


def test_a_guard_is_not_armed_before_the_first_paint_however_long_it_takes() -> None:
    assert not QuietGuard().is_armed(1_000.0)


def test_a_guard_arms_after_quiet_and_stays_armed_until_restarted() -> None:
    guard = QuietGuard(quiet_seconds=0.5)
    guard.restart(10.0)
    assert not guard.is_armed(10.4)
    assert guard.is_armed(10.5)
    assert guard.is_armed(10.51)
    guard.restart(11.1)
    assert not guard.is_armed(11.5)
    assert guard.is_armed(11.6)


def test_decisions_say_who_and_why() -> None:
    assert approve("you").as_json() == {"answer": "approve", "by": "you"}
    assert deny("policy", "refused").as_json() == {
        "answer": "deny",
        "by": "policy",
        "reason": "refused",
    }
