"""Cells from what was seen: ran, asked, refused, hidden, unknown - each with its proof."""

from __future__ import annotations

import json
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


def did(
    attempts: list[ScriptedAttempt],
    arrivals: list[Arrival] | None = None,
    questions: list[Question] | None = None,
    end: RunEnd = ENDED,
    absent: str | None = None,
) -> Did:
    seen = sightings(attempts, arrivals or [], questions or [])
    return cell_of(PROBE, seen, end, absent).did


def test_a_call_that_came_without_a_question_ran_whatever_the_model_was_told() -> None:
    assert did([attempt(given={"error": "it failed"})], [arrival(1.1)]) is Did.RAN


def test_denied_then_approved_is_asked() -> None:
    first, second = attempt(1.0, given="no"), attempt(3.0, given="yes")
    asked = [question(first, 2.0, approved=False), question(second, 4.0, approved=True)]
    seen = sightings([first, second], [arrival(4.1)], asked)
    cell = cell_of(PROBE, seen, ENDED)
    assert cell.did is Did.ASKED
    assert (cell.model_got, cell.when_denied) == ("yes", "no")
    assert cell.shown == {"a": True}


def test_a_call_before_its_answer_ran() -> None:
    one = attempt(1.0)
    assert did([one], [arrival(1.2)], [question(one, 2.0, approved=True)]) is Did.RAN


def test_a_call_that_was_denied_and_came_ran() -> None:
    one = attempt(1.0)
    assert did([one], [arrival(2.2)], [question(one, 2.0, approved=False)]) is Did.RAN


def test_a_second_question_does_not_approve_what_ran_after_a_no() -> None:
    one = attempt(1.0)
    asked = [question(one, 2.0, approved=False), question(one, 4.0, approved=True)]
    assert did([one], [arrival(3.0)], asked) is Did.RAN
    assert did([one], [arrival(4.1)], asked) is Did.ASKED


def test_a_call_that_comes_early_or_late_is_no_refusal() -> None:
    assert did([attempt(2.0)], [arrival(1.0)]) is Did.RAN
    other = replace(attempt(3.0), planned=Planned("hints/other", "other", {}))
    seen = sightings([attempt(1.0), other], [arrival(4.0)])
    assert cell_of(PROBE, seen[:1], ENDED).did is Did.RAN
    assert not seen[1].strays


def test_a_late_call_of_what_was_denied_ran() -> None:
    first, second = attempt(1.0, given="no"), attempt(5.0, given="yes")
    asked = [question(first, 2.0, approved=False), question(second, 6.0, approved=True)]
    assert did([first, second], [arrival(4.0), arrival(6.1)], asked) is Did.RAN
    # Perhaps it is the call that was denied, perhaps a repeat of the other one.
    assert did([first, second], [arrival(6.1), arrival(6.2)], asked) is Did.UNKNOWN


def test_a_repeat_of_an_approved_call_is_none_of_another() -> None:
    one = attempt(1.0)
    asked = [question(one, 2.0, approved=True)]
    assert did([one], [arrival(2.1), arrival(2.2), arrival(9.0)], asked) is Did.ASKED


def test_calls_that_the_model_never_made_are_counted() -> None:
    other = Arrival("other", {}, 1.0)
    assert never_made([attempt()], [arrival(1.0), other, other]) == 2


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


def test_offered_told_and_not_come_is_refused() -> None:
    assert did([attempt()]) is Did.REFUSED


def test_the_end_of_the_host_is_a_refusal_only_if_it_names_the_tool() -> None:
    unanswered = attempt(given=None)
    named = RunEnd(1, "", f"permission requested: {unanswered.name}; rejecting")
    assert did([unanswered], end=named) is Did.REFUSED
    assert did([unanswered], end=RunEnd(1, "", "bye")) is Did.UNKNOWN
    assert did([unanswered], end=RunEnd(None, "too long", unanswered.name)) is Did.UNKNOWN


@pytest.mark.parametrize(
    ("told", "absent", "wanted"),
    [
        ("no tool mcp__probes__{} here", "no tool # here", Did.HIDDEN),
        ("mcp__probes__{} needs permission", "no tool # here", Did.REFUSED),
        ("no tool mcp__probes__{} here", None, Did.UNKNOWN),
    ],
)
def test_hidden_means_unknown_to_the_host(told: str, absent: str | None, wanted: Did) -> None:
    one = attempt(offered=False, given=told.format(PROBE.name))
    assert did([one], absent=absent) is wanted


def test_a_host_that_ends_at_unknown_tools_hides_what_it_ends_at() -> None:
    assert did([attempt(offered=False, given=None)], absent="") is Did.HIDDEN
    assert did([attempt(offered=False, given=None)]) is Did.UNKNOWN


def test_what_was_not_tried_is_unknown() -> None:
    assert did([]) is Did.UNKNOWN


def test_the_control_is_its_answer_without_names() -> None:
    assert absent_as_text(None) is None
    control = sightings([attempt(given=f"Tool mcp__probes__{PROBE.name} not found")], [])[0]
    assert absent_as_text(control) == "Tool # not found"
    assert absent_as_text(sightings([attempt(given=None)], [])[0]) == ""


def test_an_arrival_belongs_to_the_call_before_it() -> None:
    first, second = attempt(1.0), attempt(3.0)
    one, two = sightings([first, second], [arrival(3.1)])
    assert one.arrival is None
    assert two.arrival is not None


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
