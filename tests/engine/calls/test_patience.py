"""How long a call may take: two limits, and what does not count for them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.call import CallLimits
from signoff.app.engine.timing import CallTimer, Overdue

LIMITS = CallLimits(idle=10, absolute=100)


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def started() -> tuple[CallTimer, Clock]:
    clock = Clock()
    return CallTimer(LIMITS, clock), clock


def test_the_idle_limit_begins_with_the_sending() -> None:
    patience, clock = started()
    clock.now += 50
    assert patience.overdue is None
    patience.hear()
    clock.now += 9.9
    assert patience.overdue is None
    clock.now += 0.1
    assert patience.overdue == Overdue("idle", 10)


def test_what_comes_renews_the_idle_limit_and_not_the_absolute_one() -> None:
    patience, clock = started()
    for _ in range(19):
        clock.now += 5
        patience.hear()
        assert patience.overdue is None
    clock.now += 5
    patience.hear()
    assert patience.overdue == Overdue("absolute", 100)


def test_neither_limit_runs_while_a_person_is_asked() -> None:
    patience, clock = started()
    patience.hear()
    clock.now += 4
    with patience.paused():
        clock.now += 1_000
        with patience.paused():
            clock.now += 1_000
        assert patience.overdue is None
        clock.now += 1_000
    assert patience.overdue is None
    # The time spent is that of the server.
    assert patience.spent == 4
    clock.now += 5.9
    assert patience.overdue is None
    clock.now += 0.1
    assert patience.overdue == Overdue("idle", 10)
    patience.delay(1)
    assert patience.spent == 9


def test_time_that_the_program_stood_still_counts_once_however_it_did() -> None:
    patience, clock = started()
    patience.hear()
    with patience.paused():
        clock.now += 500
        patience.delay(300)
    clock.now += 9
    assert patience.overdue is None
    clock.now += 1
    assert patience.overdue == Overdue("idle", 10)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pass", "hear", "delay", "pause"]), st.floats(0, 40, allow_nan=False)
        ),
        max_size=30,
    )
)
def test_whoever_looks_when_told_finds_the_limit_in_time(steps: list[tuple[str, float]]) -> None:
    """`rest` never sleeps past a limit, and never gives up before one."""
    patience, clock = started()
    for what, seconds in steps:
        if what == "hear":
            patience.hear()
        elif what == "delay":
            clock.now += seconds
            patience.delay(seconds)
        elif what == "pause":
            with patience.paused():
                clock.now += seconds
        else:
            clock.now += seconds
        if patience.overdue is not None:
            return
        assert 0 <= patience.rest <= LIMITS.absolute
    patience.hear()
    looked = clock.now
    while patience.overdue is None:
        assert patience.rest > 0
        clock.now += patience.rest + 1e-6
        assert clock.now - looked <= LIMITS.idle + 1
