"""What a model is given whole: which parts of a long result, and which of a definition."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

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
