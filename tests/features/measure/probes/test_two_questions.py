"""Two calls of a turn: which question belongs to which, and whether a person can tell."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.features.measure.observing import Arrival, Question, RunEnd, Sighting, sightings
from signoff.app.features.measure.probes.family_facts import by_approval, facts_of
from signoff.app.features.measure.probes.probes import FIRST_WORD, SECOND_WORD, all_probes
from signoff.app.features.measure.scripted.model import Planned, Script, ScriptedAttempt
from signoff.app.hosts.measured.values import EARLIER

PROBE = all_probes()["dialog/two-at-once"]
FIRST, SECOND = "first argument", "second argument"
SCRIPT = Script("marker", lambda tool, server: ("", tool))


def attempts() -> list[ScriptedAttempt]:
    return [
        ScriptedAttempt(
            Planned(PROBE.id, PROBE.name, {"note": word}), word, PROBE.name, "", True, 1.0
        )
        for word in (FIRST_WORD, SECOND_WORD)
    ]


def question(
    of: ScriptedAttempt, at: float, *shown: str, approved: bool, screen: str = ""
) -> Question:
    parts: dict[str, Any] = {part: part in shown for part in (FIRST, SECOND)}
    return Question(of, at, at + 2.0, approved, screen, shown=parts)


def seen(questions: list[Question], made: list[ScriptedAttempt], *came: str) -> list[Sighting]:
    arrivals = [Arrival(PROBE.name, {"note": word}, 9.0) for word in came]
    return sightings(made, arrivals, questions)


def facts(found: list[Sighting]) -> dict[str, Any]:
    made = facts_of(PROBE, found, "", SCRIPT, RunEnd(0, "", ""))
    assert made is not None
    return made


def test_a_call_is_found_by_its_arguments() -> None:
    first, second = seen([], attempts(), SECOND_WORD)
    assert first.arrival is None
    assert second.arrival is not None
    assert not first.strays


def test_questions_that_show_their_calls_can_be_told_apart() -> None:
    made = attempts()
    asked = [
        question(made[0], 2.0, FIRST, approved=False),
        question(made[1], 2.5, SECOND, approved=True),
    ]
    found = seen(asked, made, SECOND_WORD)
    assert by_approval(found) == found
    assert facts(found) == {
        "questions": 2,
        "calls that came": 1,
        "open at once": True,
        "each shows its call alone": True,
    }


def test_an_argument_in_an_earlier_update_is_shown() -> None:
    made = attempts()
    shown: list[dict[str, Any]] = [
        {FIRST: False, SECOND: False, EARLIER: [part]} for part in (FIRST, SECOND)
    ]
    asked = [
        question(one, at, approved=at > 2)._replace(shown=parts)
        for one, at, parts in zip(made, (2.0, 5.0), shown, strict=True)
    ]
    found = facts(seen(asked, made, SECOND_WORD))
    assert found["each shows its call alone"] is True
    assert found["open at once"] is False


@pytest.mark.parametrize("shown", [(), (FIRST, SECOND)])
@pytest.mark.parametrize("came", [FIRST_WORD, SECOND_WORD])
def test_questions_that_look_the_same_are_no_proof_of_a_wrong_call(
    shown: tuple[str, ...], came: str
) -> None:
    made = attempts()
    asked = [
        question(made[0], 2.0, *shown, approved=False),
        question(made[1], 2.5, *shown, approved=True),
    ]
    found = by_approval(seen(asked, made, came))
    for one in found:
        (own,) = one.questions
        assert own.is_approved is (one.arrival is not None)
        assert own.attempt is one.attempt
    assert facts(found)["each shows its call alone"] is False


def test_a_question_that_names_its_call_keeps_its_answer() -> None:
    made = attempts()
    asked = [
        question(made[0], 2.0, FIRST, approved=False),
        question(made[1], 2.5, SECOND, approved=True),
    ]
    found = by_approval(seen(asked, made, FIRST_WORD))
    assert found[0].arrival is not None
    assert not found[0].questions[0].is_approved


def test_no_question_has_no_more_facts() -> None:
    assert facts(seen([], attempts(), FIRST_WORD, SECOND_WORD)) == {
        "questions": 0,
        "calls that came": 2,
    }


def test_a_screen_shows_one_question_at_a_time() -> None:
    made = attempts()
    asked = [
        question(one, at, FIRST, approved=at > 2, screen="Allow?")
        for one, at in zip(made, (2.0, 2.5), strict=True)
    ]
    assert "open at once" not in facts(seen(asked, made, SECOND_WORD))
