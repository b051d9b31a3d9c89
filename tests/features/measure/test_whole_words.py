"""How much of a result a model is given, in the words of the table."""

from __future__ import annotations

import pytest

from signoff.app.features.measure.probes.probes import all_probes
from signoff.app.features.measure.probes.whole import LARGE_ANSWER, numbered, whole_facts
from signoff.app.features.measure.whole_words import HEADS, kept_words, offered_words, row
from signoff.app.hosts.measured.records import newest, packaged_measurements
from signoff.app.hosts.measured.values import CAME, Measurement

TEXT = numbered(LARGE_ANSWER)


@pytest.mark.parametrize(
    ("given", "words"),
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
def test_kept_parts(given: str, words: str) -> None:
    assert kept_words(whole_facts(given)).startswith(words)


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
