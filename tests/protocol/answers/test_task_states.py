"""What a server says of a task, however odd."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.protocol.answers.task_findings import task_fault
from signoff.app.protocol.answers.task_states import STATUSES, TaskState, created_in, read_task


def task(**more: Any) -> TaskState | None:
    return read_task({"taskId": "t", "status": "working", **more})


@pytest.mark.parametrize("status", STATUSES)
def test_a_task_is_read_with_its_words(status: str) -> None:
    one = read_task({"taskId": "t-1", "status": status, "statusMessage": "a\x1b\nb"})
    assert one is not None
    assert (one.id, one.words, one.message) == ("t-1", status.replace("_", " "), "a␛⏎b")
    assert one.is_ended is (status in ("completed", "failed", "cancelled"))


@pytest.mark.parametrize(
    "odd",
    [
        *(None, [], "t", 7, {}, {"taskId": "t"}, {"status": "working"}),
        *({"taskId": 1, "status": "working"}, {"taskId": "t", "status": "resting"}),
        {"taskId": "t", "status": ["working"]},
    ],
)
def test_what_is_no_task_is_none(odd: Any) -> None:
    assert read_task(odd) is None
    assert task_fault(odd)
    # With content beside it, the response is a result.
    assert created_in({"task": odd, "content": []}) is None


def test_a_created_task_is_found_in_either_era() -> None:
    whole: Any = {"taskId": "t", "status": "resting"}
    assert created_in({"task": whole}) == whole
    assert created_in({"task": whole, "content": []}) is None
    assert created_in({**whole, "resultType": "task"})
    others: list[Any] = [None, [], {"content": []}, {"task": "t"}]
    assert [created_in(one) for one in others] == [None] * 4


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        *((1_000, 1.0), (250.0, 0.25), (0, 0.2), (-5, 0.2), (1, 0.2), (10**400, 30.0)),
        *((float("inf"), 30.0), (float("nan"), 0.2), (None, 1.0), (True, 1.0), ("5", 1.0)),
    ],
)
def test_a_task_is_polled_within_reason(said: Any, seconds: float) -> None:
    one = task(pollInterval=said)
    assert one is not None
    assert one.poll_seconds == seconds


def test_a_long_message_is_cut() -> None:
    one = task(statusMessage="x" * 100_000)
    assert one is not None
    assert len(one.message) < 600
