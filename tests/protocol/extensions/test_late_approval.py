"""Dispositions and pending tasks of approvals on the server's side."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.task_states import AWAITS_APPROVAL, TaskState, read_task
from signoff.app.protocol.extensions.denials import ENVELOPE, read_denial
from signoff.app.protocol.extensions.late_approval import (
    DISPOSITION,
    Disposition,
    PendingApproval,
    disposition_findings,
    read_disposition,
)

PENDING: dict[str, JsonValue] = {
    "reason": "insufficient_authorization",
    "remediation": "available",
    "remediationHints": [{"type": "task"}],
}
FINAL: dict[str, JsonValue] = {"reason": "insufficient_authorization", "remediation": "unavailable"}


def result(disposition: JsonValue, *, is_error: bool, envelope: JsonValue = None) -> dict[str, Any]:
    meta = {} if disposition is None else {DISPOSITION: disposition}
    meta |= {} if envelope is None else {ENVELOPE: envelope}
    return {"content": [], "isError": is_error, "_meta": meta}


def codes(raw: dict[str, Any], *, was_pending: bool = True) -> list[str]:
    denial, _ = read_denial(raw)
    return [one.code for one in disposition_findings(raw, denial, was_pending=was_pending)]


@pytest.mark.parametrize(
    "raw",
    [
        result("approved-executed", is_error=False),
        result("denied-not-executed", is_error=True),
        result("denied-not-executed", is_error=True, envelope=FINAL),
        result("execution-error", is_error=True),
        result("outcome-unknown", is_error=True),
    ],
)
def test_the_rows_of_the_draft_agree(raw: dict[str, Any]) -> None:
    assert codes(raw) == []


@pytest.mark.parametrize(
    "raw",
    [
        result("approved-executed", is_error=True),
        result("approved-executed", is_error=False, envelope=FINAL),
        result("denied-not-executed", is_error=False),
        result("denied-not-executed", is_error=True, envelope=PENDING),
        result("execution-error", is_error=False),
        result("execution-error", is_error=True, envelope=FINAL),
        result("outcome-unknown", is_error=True, envelope=FINAL),
    ],
)
def test_a_disposition_that_contradicts_is_found(raw: dict[str, Any]) -> None:
    assert codes(raw) == ["disposition-contradicts"]


def test_a_missing_disposition_counts_after_a_pending_approval_alone() -> None:
    assert codes(result(None, is_error=False)) == ["disposition-missing"]
    assert codes(result(None, is_error=False), was_pending=False) == []


@pytest.mark.parametrize("value", ["done", "unrecognised", 7, None, ["approved-executed"]])
def test_an_unknown_value_means_that_it_may_have_run(value: JsonValue) -> None:
    raw: dict[str, JsonValue] = {"_meta": {DISPOSITION: value}}
    assert read_disposition(raw) is Disposition.UNRECOGNISED
    assert Disposition.UNRECOGNISED.may_have_run
    assert codes(raw) == ["disposition-unknown"]


def test_each_value_of_the_draft_is_known() -> None:
    known = {one.value: one.may_have_run for one in Disposition if one.value != "unrecognised"}
    assert known == {
        "approved-executed": False,
        "denied-not-executed": False,
        "execution-error": False,
        "outcome-unknown": True,
    }
    for value in known:
        assert read_disposition({"_meta": {DISPOSITION: value}}) == value


def status(word: str = "working", envelope: JsonValue = None) -> TaskState:
    meta: dict[str, JsonValue] = {} if envelope is None else {"_meta": {ENVELOPE: envelope}}
    found = read_task({"taskId": "t", "status": word, "ttlMs": None, **meta})
    assert found is not None
    return found


def seen(
    *states: TaskState, names: tuple[str, ...] = ("tool-approval",)
) -> tuple[list[bool], list[str]]:
    """Whether each status waits for an approval, and the codes that were found."""
    pending = PendingApproval(names)
    marked, found = [], []
    for one in states:
        shown, findings = pending.see(one)
        marked.append(shown.awaits_approval)
        found += [each.code for each in findings]
    return marked, found


def test_a_task_waits_for_an_approval_while_its_envelope_is_repeated() -> None:
    states = (status(envelope=PENDING), status("input_required", PENDING), status("completed"))
    assert seen(*states) == ([True, True, False], [])
    shown, _ = PendingApproval(["tool-approval"]).see(states[0])
    assert shown.words == AWAITS_APPROVAL


def test_an_envelope_that_is_not_repeated_or_changes_is_found() -> None:
    first = status(envelope={**PENDING, "authorizationContextId": "one"})
    second = status(envelope={**PENDING, "authorizationContextId": "two"})
    assert seen(first, second)[1] == ["denial-not-repeated"]
    assert seen(first, status()) == ([True, False], ["denial-not-repeated"])
    assert seen(first, first)[1] == []


def test_an_ordinary_task_and_drafts_that_are_not_turned_on_mark_nothing() -> None:
    assert seen(status(), status("completed")) == ([False, False], [])
    assert seen(status(envelope=PENDING), names=("tool-resolution",)) == ([False], [])
    assert seen(status(envelope=FINAL)) == ([False], [])
