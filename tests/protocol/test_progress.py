from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.progress import MESSAGE_LIMIT, Progress, ProgressLog, advance, number
from tests.content.json_values import json_values

NUMBERS = st.integers() | st.floats() | st.sampled_from([0, 1, -1, 1e308, 10**400, -0.0])
PARAMS = (
    st.dictionaries(st.sampled_from(("progress", "total", "message")), NUMBERS | json_values())
    | json_values()
)


def told(*notifications: Any) -> tuple[Progress, list[list[str]]]:
    """The progress after these notifications, and the codes of the findings of each."""
    progress = Progress()
    codes = []
    for params in notifications:
        progress, findings = advance(progress, params)
        codes.append([finding.code for finding in findings])
    return progress, codes


def test_orderly_progress_has_no_findings() -> None:
    progress, codes = told(
        {"progress": 1, "total": 15, "message": "one"},
        {"progress": 9.5, "total": 15, "message": "two"},
    )
    assert progress == Progress(9.5, 15.0, "two", 2)
    assert codes == [[], []]
    assert progress.words == "9.5/15"


@pytest.mark.slow
@given(st.lists(PARAMS, max_size=6))
def test_nothing_raises_and_the_fraction_stays_between_0_and_1(notifications: list[Any]) -> None:
    progress = Progress()
    for count, params in enumerate(notifications, start=1):
        progress, _ = advance(progress, params)
        assert progress.count == count
        assert progress.fraction is None or 0.0 <= progress.fraction <= 1.0
        for kept in (progress.value, progress.total):
            assert kept is None or math.isfinite(kept)
        assert len(progress.words) < 40
        assert len(progress.message) <= 10 * MESSAGE_LIMIT


@pytest.mark.parametrize("bad", ["9", True, None, math.nan, math.inf, [1], 10**400])
def test_a_value_that_is_no_finite_number_keeps_the_previous_one(bad: Any) -> None:
    progress, codes = told({"progress": 3}, {"progress": bad, "message": "still here"})
    assert (progress.value, progress.message, progress.count) == (3, "still here", 2)
    assert codes == [[], ["progress-unreadable"]]


@pytest.mark.parametrize("second", [3, 2, -1])
def test_a_value_that_does_not_increase_is_a_finding_and_is_taken(second: float) -> None:
    progress, codes = told({"progress": 3, "total": 5}, {"progress": second})
    assert progress.value == second
    assert codes == [[], ["progress-not-increasing"]]


def test_more_than_the_total_is_a_finding_and_a_full_bar() -> None:
    progress, codes = told({"progress": 7, "total": 5})
    assert progress.fraction == 1.0
    assert codes == [["progress-over-total"]]


def test_a_total_that_is_not_repeated_stays_and_an_unreadable_one_is_dropped() -> None:
    progress, _ = told({"progress": 1, "total": 4}, {"progress": 2})
    assert progress.fraction == 0.5
    progress, codes = told({"progress": 1, "total": 4}, {"progress": 2, "total": "four"})
    assert progress.fraction is None
    assert codes == [[], ["progress-unreadable"]]


@pytest.mark.parametrize("total", [0, -5])
def test_a_total_of_nothing_or_less_makes_a_pulse(total: float) -> None:
    progress, _ = told({"progress": 1, "total": total})
    assert progress.fraction is None


def test_messages_are_made_visible_and_cut() -> None:
    progress, _ = told({"progress": 1, "message": "a\x1b[2J\u202eb" + "x" * 5_000})
    assert progress.message.startswith("a␛[2J<U+202E>b")
    assert len(progress.message) < 600
    assert told({"progress": 1, "message": 5})[0].message == ""


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (9, "9"),
        (9.0, "9"),
        (0.25, "0.25"),
        (1 / 3, "0.3333"),
        (-2.0, "-2"),
        (1.2e30, "1.2e+30"),
        (0.0, "0"),
    ],
)
def test_numbers_are_written_as_people_do(value: float, shown: str) -> None:
    assert number(value) == shown


def test_as_json_keeps_what_was_reported() -> None:
    assert Progress(1.0, None, "m", 3).as_json() == {"progress": 1.0, "total": None, "message": "m"}


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 700)), max_size=20))
def test_a_log_keeps_the_newest_reports_and_never_changes(steps: list[tuple[int, int]]) -> None:
    """Each step goes on from any of the logs that there are already."""
    logs: list[tuple[ProgressLog, list[Progress]]] = [(ProgressLog(), [])]
    count = 0
    for origin, many in steps:
        log, wanted = logs[origin % len(logs)]
        new = [Progress(count=count + one) for one in range(many)]
        count += many
        logs.append((log.later(new), [*wanted, *new][-ProgressLog.KEPT :]))
    for log, wanted in logs:
        assert list(log) == wanted
        assert len(log) == len(wanted)
        assert list(log[-3:]) == wanted[-3:]
        assert log == ProgressLog(wanted)
    assert logs[0][0] != ProgressLog([Progress()])


def test_a_log_has_the_reports_by_their_place() -> None:
    log = ProgressLog([Progress(1), Progress(2)]).later([Progress(3)])
    assert (log[0], log[-1]) == (Progress(1), Progress(3))
    with pytest.raises(IndexError):
        log[3]
