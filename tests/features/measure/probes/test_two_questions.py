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


def asked(made: list[ScriptedAttempt], *shown: tuple[str, ...], **more: Any) -> list[Question]:
    """A question for each call, open at once: the first denied, the second approved."""
    return [
        Question(
            *(of, at, at + 2.0, at > 2, more.get("screen", "")),
            shown={part: part in words for part in (FIRST, SECOND)},
        )
        for of, at, words in zip(made, more.get("at", (2.0, 2.5)), shown, strict=True)
    ]


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
    both = seen([], attempts(), FIRST_WORD, SECOND_WORD)
    assert facts(both) == {"questions": 0, "calls that came": 2}


def test_questions_that_show_their_calls_can_be_told_apart_and_keep_their_answers() -> None:
    made = attempts()
    found = seen(asked(made, (FIRST,), (SECOND,)), made, SECOND_WORD)
    assert by_approval(found) == found
    assert facts(found) == {
        "questions": 2,
        "calls that came": 1,
        "open at once": True,
        "each shows its call alone": True,
    }
    found = by_approval(seen(asked(made, (FIRST,), (SECOND,)), made, FIRST_WORD))
    assert found[0].arrival is not None
    assert not found[0].questions[0].is_approved


def test_an_argument_in_an_earlier_update_is_shown() -> None:
    made = attempts()
    questions = [
        one._replace(shown={FIRST: False, SECOND: False, EARLIER: [part]})
        for one, part in zip(asked(made, (), (), at=(2.0, 5.0)), (FIRST, SECOND), strict=True)
    ]
    found = facts(seen(questions, made, SECOND_WORD))
    assert (found["each shows its call alone"], found["open at once"]) == (True, False)


@pytest.mark.parametrize("shown", [(), (FIRST, SECOND)])
@pytest.mark.parametrize("came", [FIRST_WORD, SECOND_WORD])
def test_questions_that_look_the_same_are_no_proof_of_a_wrong_call(
    shown: tuple[str, ...], came: str
) -> None:
    made = attempts()
    found = by_approval(seen(asked(made, shown, shown), made, came))
    for one in found:
        (own,) = one.questions
        assert own.is_approved is (one.arrival is not None)
        assert own.attempt is one.attempt
    assert facts(found)["each shows its call alone"] is False


def test_a_screen_shows_one_question_at_a_time() -> None:
    made = attempts()
    questions = asked(made, (FIRST,), (FIRST,), screen="Allow?")
    assert "open at once" not in facts(seen(questions, made, SECOND_WORD))
