"""What a question is about: the call, another tool, other arguments, or nothing with a name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.observing import as_text
from signoff.app.features.measure.probes.probes import hint_probes, shown_probes
from signoff.app.features.measure.running.asking import (
    NO_TOOL,
    OTHER_ARGUMENTS,
    are_same,
    other_words,
    plain,
)
from signoff.app.features.measure.scripted.model import Planned, ScriptedAttempt

PROBES = {one.id: one for one in (*hint_probes()[:16], *shown_probes())}
PROBE = hint_probes()[0]
ATTEMPT = ScriptedAttempt(
    Planned(PROBE.id, PROBE.name, dict(PROBE.arguments)), "c", "x__probe_h01_9f", "", True, 1.0
)


def words(value: Any, around: str = "") -> str:
    return other_words(as_text(value), ATTEMPT, PROBES, value, around)


@pytest.mark.parametrize(
    "value",
    [
        "Run probe_h01?",
        "Run x__probe_h01_9f?",
        "Run Probe H01?",
        "Write “word-01”?",
        {"tool": "probe_h01"},
        {"title": "probe_h01", "rawInput": {"note": "word-01"}},
        {"title": "probe_h01", "arguments": json.dumps({"note": "word-01"})},
        {"title": "probe_h01", "rawInput": {"note": "word…"}},
        {"title": "probe_h01", "rawInput": {"server": "s", "arguments": {"note": "word-01"}}},
        "May I use probe_h02, probe_h01 and probe_h03?",
    ],
)
def test_a_question_is_about_its_call(value: Any) -> None:
    assert words(value) == ""


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("May I go on?", NO_TOOL),
        ("", NO_TOOL),
        ({"note": "wor"}, NO_TOOL),
        ("Run probe_h010?", NO_TOOL),
        ("Run probe_h02?", "the question named another tool: probe_h02"),
        ("Run probe_h02 with word-01?", "the question named another tool: probe_h02"),
        ("Run probe_h01 with word-02?", OTHER_ARGUMENTS),
        ({"tool": "probe_h01", "arguments": {"note": "harmless"}}, OTHER_ARGUMENTS),
        ({"tool": "probe_h01", "arguments": '{"note": ""}'}, OTHER_ARGUMENTS),
    ],
)
def test_a_question_about_something_else_says_what(value: Any, other: str) -> None:
    assert words(value) == other


def test_a_screen_counts_unless_its_question_names_another_tool() -> None:
    assert words("Allow this?", around="⏺ probe_h01(note: word-01)\nAllow this?") == ""
    assert words("Allow probe_h02?", around="⏺ probe_h01").startswith("the question named another")
    assert words("Allow this?", around="⏺ probe_h02") == NO_TOOL


def test_a_title_names_its_tool() -> None:
    shown = shown_probes()[0]
    attempt = ScriptedAttempt(
        Planned(shown.id, shown.name, dict(shown.arguments)), "c", "n", "", True, 1.0
    )
    assert other_words("toptitle-canary?", attempt, PROBES) == ""


@given(st.text(max_size=30), st.sampled_from("_ -.\n│"))
def test_marks_between_words_do_not_count(text: str, mark: str) -> None:
    assert plain(f"{text}{mark}a") == plain(text) + "a"


@pytest.mark.parametrize("note", ["word-01", "word-01-again", "2,000 of 7", "word-1\n2"])
@pytest.mark.parametrize("after", ["1. Allow", "  › 1. Allow", "│ 2 choices", "allow"])
def test_a_numbered_choice_after_the_arguments_is_none_of_them(note: str, after: str) -> None:
    planned = Planned(PROBE.id, PROBE.name, {"note": note})
    attempt = ScriptedAttempt(planned, "c", "n", "", True, 1.0)
    asked = f"Run tool {PROBE.name}?\n\n  note: {note}\n\n{after}"
    assert other_words(asked, attempt, PROBES) == ""
    other = PROBES["hints/readOnly=true"].arguments["note"]
    assert other_words(asked.replace(note, other), attempt, PROBES) == OTHER_ARGUMENTS


def test_the_beginning_of_a_longer_number_is_another_argument() -> None:
    asked = f"Run {PROBE.name}? note: word-012 and word-02"
    assert other_words(asked, ATTEMPT, PROBES) == OTHER_ARGUMENTS


def test_a_call_may_have_more_arguments_but_no_others() -> None:
    planned = {"note": "word-01"}
    assert are_same(planned, {"note": "word-01", "added": 1})
    assert not are_same(planned, {"note": "everything"})
    assert not are_same(planned, {})
    assert not are_same(planned, None)
    assert are_same({}, {})
