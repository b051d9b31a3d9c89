"""Cells from what was seen: ran, asked, refused, hidden, unknown - each with its proof."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from signoff.app.features.measure.observing import (
    Arrival,
    Question,
    RunEnd,
    absent_as_text,
    cell_of,
    never_made,
    read_server_log,
    settled,
    shown_in,
    sightings,
)
from signoff.app.features.measure.probes.probes import hint_probes, shown_probes
from signoff.app.features.measure.scripted.model import Planned, ScriptedAttempt
from signoff.app.hosts.measured.values import Did

PROBE = hint_probes()[0]
ENDED = RunEnd(0, "", "")


def attempt(at: float = 1.0, *, offered: bool = True, given: Any = "told") -> ScriptedAttempt:
    planned = Planned(PROBE.id, PROBE.name, {})
    name = f"mcp__probes__{PROBE.name}"
    one = ScriptedAttempt(planned, f"call_{at}", name, "", offered, at, turn=int(at * 100))
    if given is not None:
        one.given, one.has_answer = given, True
    return one


def question(of: ScriptedAttempt, answered_at: float, *, approved: bool) -> Question:
    return Question(of, answered_at - 0.5, answered_at, approved, "screen", shown={"a": True})


def arrival(at: float) -> Arrival:
    return Arrival(PROBE.name, {}, at)


def no(of: ScriptedAttempt, at: float) -> Question:
    return question(of, at, approved=False)


def yes(of: ScriptedAttempt, at: float) -> Question:
    return question(of, at, approved=True)


ONE, FIRST, SECOND = attempt(), attempt(given="no"), attempt(5.0, given="yes")
BOTH = (no(FIRST, 2.0), yes(SECOND, 6.0))
LATE: dict[str, tuple[list[ScriptedAttempt], list[float], Sequence[Question], Did]] = {
    "no question, and an error": ([attempt(given={"error": "x"})], [1.1], (), Did.RAN),
    "before its answer": ([ONE], [1.2], [yes(ONE, 2.0)], Did.RAN),
    "denied": ([ONE], [2.2], [no(ONE, 2.0)], Did.RAN),
    "denied, then approved": ([ONE], [3.0], [no(ONE, 2.0), yes(ONE, 4.0)], Did.RAN),
    "approved at last": ([ONE], [4.1], [no(ONE, 2.0), yes(ONE, 4.0)], Did.ASKED),
    "early": ([attempt(2.0)], [1.0], (), Did.RAN),
    "a late call of what was denied": ([FIRST, SECOND], [4.0, 6.1], BOTH, Did.RAN),
    # Perhaps it is the call that was denied, perhaps a repeat of the other one.
    "two after the approval": ([FIRST, SECOND], [6.1, 6.2], BOTH, Did.UNKNOWN),
    "repeats of an approved call": ([ONE], [2.1, 2.2, 9.0], [yes(ONE, 2.0)], Did.ASKED),
    "it did not come": ([ONE], [], (), Did.REFUSED),
    "not tried": ([], [], (), Did.UNKNOWN),
}


@pytest.mark.parametrize(("attempts", "came", "questions", "wanted"), LATE.values(), ids=LATE)
def test_what_a_host_did(
    attempts: list[ScriptedAttempt], came: list[float], questions: list[Question], wanted: Did
) -> None:
    seen = sightings(attempts, [arrival(at) for at in came], questions)
    assert cell_of(PROBE, seen, ENDED, None).did is wanted


NAME = f"mcp__probes__{PROBE.name}"


@pytest.mark.parametrize(
    ("offered", "told", "end", "absent", "wanted"),
    [
        (True, None, RunEnd(1, "", f"permission requested: {NAME}"), None, Did.REFUSED),
        (True, None, RunEnd(1, "", "bye"), None, Did.UNKNOWN),
        (True, None, RunEnd(None, "too long", NAME), None, Did.UNKNOWN),
        (False, f"no tool {NAME} here", ENDED, "no tool # here", Did.HIDDEN),
        (False, f"{NAME} needs permission", ENDED, "no tool # here", Did.REFUSED),
        (False, f"no tool {NAME} here", ENDED, None, Did.UNKNOWN),
        # It ends at unknown tools.
        (False, None, ENDED, "", Did.HIDDEN),
        (False, None, ENDED, None, Did.UNKNOWN),
    ],
)
def test_refused_hidden_or_unknown(
    offered: bool, told: str | None, end: RunEnd, absent: str | None, wanted: Did
) -> None:
    seen = sightings([attempt(offered=offered, given=told)], [], [])
    assert cell_of(PROBE, seen, end, absent).did is wanted


def test_denied_then_approved_is_asked() -> None:
    cell = cell_of(PROBE, sightings([FIRST, SECOND], [arrival(6.1)], BOTH), ENDED)
    assert (cell.did, cell.model_got, cell.when_denied) == (Did.ASKED, "yes", "no")
    assert cell.shown == {"a": True}


def test_whose_call_came() -> None:
    later = replace(attempt(3.0), planned=Planned("hints/other", "other", {}))
    seen = sightings([ONE, later], [arrival(4.0)], [])
    assert cell_of(PROBE, seen[:1], ENDED).did is Did.RAN
    assert not seen[1].strays
    one, two = sightings([attempt(1.0), attempt(3.0)], [arrival(3.1)], [])
    assert one.arrival is None
    assert two.arrival is not None
    other = Arrival("other", {}, 1.0)
    assert never_made([ONE], [arrival(1.0), other, other]) == 2


def entry(number: int, process: int = 7, **more: Any) -> str:
    return json.dumps({"at": 1.0, "by": process, "n": number, **more}) + "\n"


def test_a_log_with_gaps_or_entries_of_others_is_not_whole() -> None:
    whole = entry(1) + entry(1, 8) + entry(2) + entry(2, 8)
    assert read_server_log(whole).is_whole
    for text in (entry(2), entry(1) + entry(3), entry(1) + entry(1), entry(1) + '{"at": 1}\n'):
        assert not read_server_log(text).is_whole


def test_entries_of_odd_types_are_read() -> None:
    message = {"method": "tools/call", "params": {"name": "x"}}
    text = json.dumps({"at": "soon", "start": {"variables": 5}, "in": message}) + "\n"
    log = read_server_log(text + "[" * 100_000 + "\n")
    assert log.arrivals == (Arrival("x", None, 0.0),)
    assert log.variables == ()


def test_the_control_is_its_answer_without_names() -> None:
    assert absent_as_text(None) is None
    control = sightings([attempt(given=f"Tool mcp__probes__{PROBE.name} not found")], [])[0]
    assert absent_as_text(control) == "Tool # not found"
    assert absent_as_text(sightings([attempt(given=None)], [])[0]) == ""


def test_the_log_of_the_server_is_read_with_its_holes() -> None:
    lines = [
        {"at": 1, "start": {"variables": ["HOME", "PATH"]}},
        {"at": 2, "in": {"method": "initialize", "params": {"capabilities": {}}}},
        {"at": 3, "in": {"method": "tools/list", "id": 1}},
        {"at": 4, "in": {"method": "tools/call", "params": {"name": "x", "arguments": {"a": 1}}}},
        {"at": 5, "in": "no json"},
        {"at": 6, "in": {"id": "probe-1", "result": {}}},
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n{"at": 7, "in'
    log = read_server_log(text)
    assert log.arrivals == (Arrival("x", {"a": 1}, 4.0),)
    assert log.variables == ("HOME", "PATH")
    assert log.initialize == {"capabilities": {}}
    assert log.listed == 1
    assert [one["id"] for one in log.answers] == ["probe-1"]


def test_how_much_of_a_long_argument_is_shown() -> None:
    probe = next(one for one in shown_probes() if one.id == "shown/long")
    note = str(probe.arguments["note"])
    shown = shown_in(f"{probe.name}\nnote: {note[:40]}\n{note[40:80]}...", probe)
    assert shown["beginning"] is True
    assert shown["end"] is False
    assert shown["characters of the argument"] == f"80 of {len(note):,}"


def test_what_differs_between_runs_is_taken_out() -> None:
    value: Any = {"a": ["/tmp/x1/home: Wall time: 0.014 seconds"]}
    found = settled(value, {"{scratch}": "/tmp/x1"}, ["(?<=Wall time: )[0-9.]+"])
    assert found == {"a": ["{scratch}/home: Wall time: # seconds"]}
