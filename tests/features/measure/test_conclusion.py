"""The sentence that begins a report, and the words that rows of results leave out."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.features.measure.beside_results import without_words, words_beside
from signoff.app.features.measure.conclusion import conclusion
from signoff.app.features.measure.words import change_lines, decision_tables, measurement_lines
from signoff.app.hosts.measured.records import packaged_measurements
from signoff.app.hosts.measured.values import NOT_AGAIN, Did, MeasuredCell, Measurement, bounded

READ: Any = {"readOnlyHint": True}
DESTROYS: Any = {"destructiveHint": True}


def cell(did: Did, hints: Any = None, probe: str = "hints/x", **more: Any) -> MeasuredCell:
    return MeasuredCell(probe, hints or {}, did, **more)


def measurement(*cells: MeasuredCell, **more: Any) -> Measurement:
    named = [one if "/x" not in one.probe else _numbered(one, at) for at, one in enumerate(cells)]
    return Measurement("h", "H", "1", "m", "acp", "linux", "2026-11-27", "0", tuple(named), **more)


def _numbered(one: MeasuredCell, at: int) -> MeasuredCell:
    return MeasuredCell(f"{one.probe}{at}", one.hints, one.did, one.why, model_got=one.model_got)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([cell(Did.ASKED)] * 3, "Asked before each of 3 calls."),
        (
            [cell(Did.ASKED)] * 30 + [cell(Did.RAN, READ)] * 6,
            "Asked before 30 of 36 calls; ran 6 without a question: all declared read-only.",
        ),
        (
            [cell(Did.RAN, READ), cell(Did.RAN), cell(Did.RAN, DESTROYS)],
            "Asked before none of 3 calls; ran 3 without a question: of these 2 not declared "
            "read-only, 1 declared destructive.",
        ),
        (
            [cell(Did.RAN, READ), cell(Did.RAN, {**READ, **DESTROYS})],
            "Asked before none of 2 calls; ran 2 without a question: all declared read-only, "
            "1 of them also destructive.",
        ),
        (
            [cell(Did.ASKED), cell(Did.RAN, probe="remembered/same")],
            "Asked before 1 of 2 calls; ran 1 after an answer that lasts.",
        ),
        (
            [cell(Did.REFUSED), cell(Did.HIDDEN), cell(Did.ONCE), cell(Did.UNKNOWN, why="why")],
            "Asked before none of 3 calls; ran after a yes to something else: 1; refused 1; hid 1. "
            "Without proof: 1 (why).",
        ),
        (
            [cell(Did.UNKNOWN, why="it\x1b ended")] * 2,
            "Nothing is proved about 2 calls: it␛ ended.",
        ),
    ],
)
def test_a_conclusion_counts_what_was_done(cells: list[MeasuredCell], words: str) -> None:
    assert conclusion(measurement(*cells)) == words


def test_a_measurement_that_was_stopped_says_so_first() -> None:
    asked = cell(Did.ASKED, why=f"denied, it did not come; {NOT_AGAIN} after one yes")
    found = measurement(asked, stopped="interrupted", probes=36)
    assert conclusion(found) == (
        "Not complete (interrupted): 1 of 36 probes were measured. Asked before each of 1 call. "
        "Not tried again after one yes: 1 call, which may then run without a question."
    )
    assert conclusion(measurement(stopped="it\x1b broke", probes=2)) == (
        "Not complete (it␛ broke): 0 of 2 probes were measured."
    )


def results(*given: Any) -> list[MeasuredCell]:
    return [cell(Did.RAN, READ, "answers/x", model_got=one) for one in given]


@pytest.mark.parametrize(
    ("given", "words", "rest"),
    [
        (["Time: 1.5\nfirst", "Time: 1.7\nsecond", "Time: 2\nthird"], "Time: #", "first"),
        (
            [[{"type": "text", "text": "Took 1\nOutput:"}, {"text": one}] for one in "abc"],
            "Took #\nOutput:",
            [{"text": "a"}],
        ),
        (
            [[{"type": "text", "text": f"Took 1\n{one}"}] for one in "abc"],
            "Took #",
            [{"type": "text", "text": "a"}],
        ),
        (["Time: 1\na", "Time: 1\nb"], "", "Time: 1\na"),
        (["a", "b", "c", "d"], "", "a"),
        ([None, {}, [], 5, "x"], "", None),
    ],
)
def test_words_before_every_result_are_found(given: list[Any], words: str, rest: Any) -> None:
    found = measurement(*results(*given))
    assert words_beside(found.cells) == words
    assert without_words(given[0], words) == rest
    assert without_words("something else", words) == "something else"


def test_a_cut_result_is_shown_without_them_too() -> None:
    long = bounded([{"text": "Took 1 s"}, {"text": "a" * 9_000}])
    assert without_words(long, "Took # s")["begins"].startswith('[{"text": "aaa')  # type: ignore[index, call-overload, union-attr]
    plain = bounded("Took 1 s\n" + "b" * 9_000)
    assert without_words(plain, "Took # s")["begins"].startswith("bbb")  # type: ignore[index, call-overload, union-attr]


@pytest.mark.parametrize("host", ["codex", "kimi-code"])
def test_rows_of_results_differ(host: str) -> None:
    for found in packaged_measurements():
        if found.host != host or not words_beside(found.cells):
            continue
        lines = [one.plain for one in measurement_lines(found)]
        assert sum("Wall time" in one for one in lines) == 1
        assert "Wall time" not in str([*decision_tables(found)])
        assert not any("Wall" in one for one in change_lines(found, found, ()))
