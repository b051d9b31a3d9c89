"""When a host gave up, from the log of the server and the requests of its model."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.observing import RunEnd, Sighting
from signoff.app.features.measure.probes.patience_facts import patience_facts
from signoff.app.features.measure.probes.probes import all_probes
from signoff.app.features.measure.scripted.model import Planned, ScriptedAttempt

PROBE = all_probes()["patience/ping"]
ENDED, STOPPED = RunEnd(0, "", ""), RunEnd(None, "interrupted", "")
CALL = {"method": "tools/call", "params": {"name": PROBE.name}}
NEXT = {"method": "tools/call", "id": 9, "params": {"name": "next"}}


def facts(
    *events: tuple[float, dict[str, Any]], went_on: float | None = None, end: RunEnd = ENDED
) -> dict[str, Any]:
    """The facts of a call at 100, with entries so many seconds after it."""
    first = (0.0, {"in": {"id": 7, **CALL}})
    entries = sorted((first, *events), key=lambda one: one[0])
    log = "".join(f"{json.dumps({'at': 100 + at, **entry})}\n" for at, entry in entries)
    attempt = ScriptedAttempt(
        Planned(PROBE.id, PROBE.name, {}), "call_1", PROBE.name, "", True, 99.9
    )
    if went_on is not None:
        attempt.given, attempt.has_answer, attempt.answered_at = "late", True, 100 + went_on
    return patience_facts(PROBE, [Sighting(attempt, None, ())], log, end, "next")


def cancelled(identity: Any = 7) -> dict[str, Any]:
    about = {"requestId": identity, "reason": "tired"}
    return {"in": {"method": "notifications/cancelled", "params": about}}


ANSWER: dict[str, Any] = {"out": {"id": 7, "result": {}}}
SECONDS = st.integers(1, 900).map(float)


@given(SECONDS, SECONDS, SECONDS)
def test_what_comes_first_counts(answer: float, cancel: float, went_on: float) -> None:
    found = facts((answer, ANSWER), (cancel, cancelled()), went_on=went_on)
    given_up = [at for at in (cancel, went_on) if at < answer]
    assert found["gave up after s"] == (min(given_up) if given_up else None)
    assert found["waited s"] == (min(given_up) if given_up else answer)
    # Some hosts cancel a call that was answered.
    assert found["cancelled after s"] == (cancel if given_up else None)


GIVEN_UP: dict[str, tuple[list[Any], dict[str, Any], dict[str, Any]]] = {
    "another call is cancelled": (
        [(60, cancelled(8)), (900, ANSWER)],
        {"went_on": 901},
        {"gave up after s": None, "reason": None},
    ),
    "ids are those of the server": (
        [(60, cancelled("7"))],
        {"went_on": 61},
        {"gave up after s": 60, "server": "gone"},
    ),
    "the host ends": (
        [(30, {"end": None})],
        {},
        {"gave up after s": 30, "host ended after s": 30},
    ),
    "the host is stopped": (
        [(30, {"end": None})],
        {"end": STOPPED},
        {"gave up after s": None, "host ended after s": None},
    ),
    "it calls again": (
        [(40, {"start": {}}), (42, {"in": {"id": 1, **CALL}})],
        {"went_on": 50},
        {"gave up after s": 42, "calls": 2, "server": "restarted"},
    ),
    "the next call": (
        [(60, cancelled()), (61, {"in": NEXT})],
        {"went_on": 60.5},
        {"server": "kept"},
    ),
}


@pytest.mark.parametrize(("events", "more", "wanted"), GIVEN_UP.values(), ids=GIVEN_UP)
def test_when_a_host_has_given_up(
    events: list[Any], more: dict[str, Any], wanted: dict[str, Any]
) -> None:
    found = facts(*events, **more)
    assert {name: found.get(name) for name in wanted} == wanted


def test_only_the_pings_before_the_end_of_the_call_count() -> None:
    def ping(number: int) -> dict[str, Any]:
        return {"out": {"id": f"ping-{number}", "method": "ping"}}

    answer = {"in": {"id": "ping-1", "result": {}}}
    found = facts((2, ping(1)), (3, answer), (7, ping(2)), (60, cancelled()), (62, ping(3)))
    assert found["pings answered"] == "1 of 2"


@given(st.recursive(st.none() | st.integers() | st.text(), lambda one: st.lists(one)))
def test_any_message_of_a_host_is_taken(value: Any) -> None:
    odd = {"in": {"method": "notifications/cancelled", "params": value}}
    assert facts((5, odd), (6, {"in": value}), (900, ANSWER), went_on=901)["calls"] == 1
