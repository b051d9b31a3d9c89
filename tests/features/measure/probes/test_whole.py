"""What a model is given whole: which parts of a long result, and which of a definition."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.probes.probes import all_probes
from signoff.app.features.measure.probes.whole import (
    GREETING,
    IN_MESSAGE,
    IN_SYSTEM,
    IN_TOOLS,
    LARGE_ANSWER,
    PIECE,
    kept_ranges,
    numbered,
    offered_facts,
    offered_probes,
    places_in,
    whole_facts,
    whole_probes,
)
from signoff.app.features.measure.whole_words import HEADS, kept_words, offered_words, row
from signoff.app.hosts.measured.records import newest, packaged_measurements
from signoff.app.hosts.measured.values import CAME, Measurement

TEXT = numbered(LARGE_ANSWER)
PIECES = LARGE_ANSWER // PIECE


def test_each_result_has_its_characters() -> None:
    for probe in whole_probes():
        assert probe.result["content"]
        texts = "".join(one["text"] for one in probe.result["content"])
        assert len(texts) >= LARGE_ANSWER - PIECE
        assert whole_facts(probe.result)["parts"] == [f"0-{LARGE_ANSWER:,}"]


@given(st.integers(0, PIECES - 1), st.integers(1, PIECES), st.booleans())
def test_kept_pieces_are_found_in_any_form(start: int, number: int, is_json: bool) -> None:
    end = min(start + number, PIECES)
    part = TEXT[start * PIECE : end * PIECE]
    value = json.dumps({"content": [{"text": part}]}) if is_json else part
    last = LARGE_ANSWER if end == PIECES else end * PIECE
    assert kept_ranges(value) == [(start * PIECE, last)]
    assert kept_ranges([{"type": "text", "text": value}]) == [(start * PIECE, last)]


def test_beginning_and_end_are_two_parts() -> None:
    facts = whole_facts(f"{TEXT[:6000]}\n... 5,000 lines left out ...\n{TEXT[-6000:]}")
    assert facts["parts"][0] == "0-6,000"
    assert facts["parts"][-1].endswith(f"-{LARGE_ANSWER:,}")
    assert 11_900 < facts["kept"] <= 12_000
    assert whole_facts(None) == {"kept": 0, "of": LARGE_ANSWER, "parts": []}


def test_places_are_those_of_four_dialects() -> None:
    word = "instructions-begin-canary"
    cases = (
        ({"messages": [{"role": "system", "content": GREETING}]}, IN_SYSTEM),
        ({"messages": [{"role": "user", "content": [{"text": GREETING}]}]}, IN_MESSAGE),
        ({"input": [{"role": "developer", "content": GREETING}]}, IN_SYSTEM),
        ({"instructions": GREETING, "input": []}, IN_SYSTEM),
        ({"system": [{"type": "text", "text": GREETING}]}, IN_SYSTEM),
        ({"systemInstruction": {"parts": [{"text": GREETING}]}}, IN_SYSTEM),
        ({"tools": [{"function": {"description": GREETING}}]}, IN_TOOLS),
        ({"contents": [{"role": "user", "parts": [{"text": GREETING}]}]}, IN_MESSAGE),
    )
    for request, place in cases:
        assert list(places_in(request, [word, "no-such-canary"])) == [(word, place)]
    assert list(places_in({"model": GREETING, "messages": "no list"}, [word])) == []


def test_the_best_place_counts_and_none_is_false() -> None:
    instructions, definition = offered_probes()
    seen = {"instructions-begin-canary": {IN_MESSAGE, IN_SYSTEM}}
    assert offered_facts(instructions, seen) == {"instructions": IN_SYSTEM, "their end": False}
    found = offered_facts(definition, {"readOnlyHint": {IN_TOOLS}})
    assert found["hints"] == IN_TOOLS
    assert found["title"] is False
    tool = json.dumps(definition.tool)
    assert all(canary in tool for canary in definition.canaries.values())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT, "whole"),
        ("too long, see the file", "nothing"),
        (TEXT[:6_000], "first 6,000"),
        (TEXT[:6_000] + " ... " + TEXT[-6_020:], "first 6,000, last 6,020"),
        (TEXT[60_000:90_000], "60,000-90,000"),
        (
            "".join(TEXT[at : at + 30] for at in range(0, 600, 90)),
            "first 30, 90-120, 180-210 and 4",
        ),
    ],
)
def test_kept_parts(text: str, words: str) -> None:
    assert kept_words(whole_facts(text)).startswith(words)


@pytest.mark.parametrize("parts", [None, "0-30", [3], ["x"], ["1-2-3"], ["0-" + "9" * 30]])
def test_a_record_of_another_form_has_no_words(parts: object) -> None:
    assert kept_words({"parts": parts}) == "nothing"  # type: ignore[dict-item]


def test_parts_of_a_definition_stand_by_their_place() -> None:
    words = offered_words({"title": False, "input schema": "tools", "hints": False})
    assert words == "no: title, hints; with the tools: input schema"


def measured_whole() -> list[Measurement]:
    found = newest(packaged_measurements())
    return [one for one in found if one.cell("whole/lines") is not None]


def test_no_measured_host_gives_its_model_titles_or_hints() -> None:
    """The manual has this sentence."""
    rows = [dict(zip(HEADS, row(one), strict=True)) for one in measured_whole()]
    assert len(rows) > 10
    assert {one["title"] for one in rows} == {one["hints"] for one in rows} == {"no"}


def test_each_fact_is_that_of_a_call_that_ran() -> None:
    for one in measured_whole():
        for cell in one.cells:
            if cell.probe.startswith("whole/"):
                assert cell.probe in all_probes()
                assert cell.did in CAME
                assert (cell.facts or {})["of"] == LARGE_ANSWER
