"""Tasks whose status cannot be read, or whose times make no sense: found, and quoted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.call import Call, CallLimits, Outcome
from signoff.app.content.text import visible
from signoff.app.protocol.answers.task_findings import task_fault, time_findings
from signoff.app.protocol.answers.task_states import read_task
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.server import Trust
from tests.engine.opened import Approves, opened
from tests.tiers import first_quick

SERVER = Path(__file__).parents[1] / "servers" / "odd_tasks.py"
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
OK: Any = {"+": {}}
DONE: Any = {"+": {"status": "completed"}}


async def called(era: str, *states: Any, limits: CallLimits | None = None) -> Call:
    argv = (sys.executable, str(SERVER), json.dumps(states), era)
    async with opened(argv=argv, trust=Trust.TRUSTED, limits=limits) as one:
        one.engine.approver = Approves()
        return await one.call("render")


def told(call: Call) -> list[tuple[Severity, str]]:
    return [(one.severity, one.message) for one in call.findings if one.code == "malformed-task"]


@ERAS
@pytest.mark.parametrize(
    ("states", "fault"),
    first_quick(
        [
            ([OK, {"+": {"status": "paused"}}], "`status` is “paused”, which is unknown"),
            ([OK, {"+": {"status": 7}}], "`status` is 7, which is unknown"),
            ([{"+": {"status": "pau\u202esed"}}], "`status` is “pau<U+202E>sed”, which is unknown"),
            ([OK, {"+": {"taskId": "t-2"}}], "`taskId` is “t-2”, the task is “t-1”"),
            (
                [OK, {"task": {"taskId": "t-1", "status": "completed"}}],
                "`taskId` is missing: the fields are inside `task`, where they are not allowed",
            ),
            ([{"+": {"taskId": "LEFT OUT"}}], "`taskId` is missing"),
        ],
        several=True,
    ),
)
async def test_a_status_that_cannot_be_read_is_quoted_and_a_finding(
    era: str, states: list[Any], fault: str
) -> None:
    call = await called(era, *states)
    assert call.outcome is Outcome.SERVER_FAILED
    words = f"the task cannot be followed: its status cannot be read ({fault})"
    assert call.reason == f"{words}; its effect is not known"
    assert told(call) == [(Severity.ERROR, f"a task cannot be read: {fault}")]


@ERAS
@pytest.mark.parametrize(
    ("poll", "severity", "words"),
    first_quick(
        [
            ("1000", Severity.WARNING, "“1000”, not a number of milliseconds"),
            (-5, Severity.WARNING, "-5, not a number of milliseconds"),
            (None, Severity.WARNING, "null, not a number of milliseconds"),
        ],
        several=True,
    ),
)
async def test_an_interval_that_is_none_is_a_finding_once(
    era: str, poll: Any, severity: Severity, words: str
) -> None:
    key = "pollIntervalMs" if era == "modern" else "pollInterval"
    odd = {"+": {key: poll}}
    call = await called(era, odd, {"+": {key: poll, "status": "completed"}})
    assert call.outcome is Outcome.OK
    assert told(call) == [(severity, f"`{key}` is {words}")]


@ERAS
async def test_a_task_that_is_to_be_polled_in_days_is_polled_before_the_limit_ends(
    era: str,
) -> None:
    key = "pollIntervalMs" if era == "modern" else "pollInterval"
    limits = CallLimits(idle=0.4, absolute=20)
    call = await called(era, {"+": {key: 10**9}}, OK, DONE, limits=limits)
    assert call.outcome is Outcome.OK
    words = (
        f"`{key}` is 1000000000: Signoff polls after 30,000 ms at the latest, since the server "
        "keeps the task for 60,000 ms only"
    )
    assert told(call) == [(Severity.WARNING, words)]


@ERAS
async def test_a_task_without_a_ttl_is_a_finding(era: str) -> None:
    key = "ttlMs" if era == "modern" else "ttl"
    call = await called(era, {"+": {key: "LEFT OUT"}}, DONE)
    assert call.outcome is Outcome.OK
    assert told(call) == [(Severity.WARNING, f"`{key}` is missing; null means without a limit")]


def test_a_number_of_thousands_of_digits_is_named_without_them() -> None:
    words = task_fault({"taskId": 10**5000})
    assert words == "`taskId` is a number of more than 30 digits, not a string"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["taskId", "status", "task", "ttl", "pollInterval"])


@given(st.dictionaries(KEYS, VALUES | st.sampled_from(["t-1", "working", 10**9])) | VALUES)
def test_a_fault_is_named_exactly_where_a_task_cannot_be_read(value: Any) -> None:
    task, fault = read_task(value), task_fault(value)
    assert (task is None) is bool(fault)
    assert fault == visible(fault)
    if task is not None:
        for one in time_findings(task, is_modern=False):
            assert one.message == visible(one.message)
