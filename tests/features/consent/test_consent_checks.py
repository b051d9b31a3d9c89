"""The checks of `signoff consent`, on calls that nobody made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.features.consent.checks import RULES, Others, Standing, judge
from signoff.app.features.consent.people import AskedByServer, CallEnding, Effects, Observed, Who

QUESTION = AskedByServer("Delete notes/a.txt?", {"type": "object"}, answer={"action": "decline"})
DONE = Effects(after=("deleted notes/a.txt",))
OK = CallEnding(Outcome.OK, "done")
REFUSED = CallEnding(Outcome.TOOL_ERROR, "not done")
ACCEPTED = Observed(
    Who.ACCEPTS,
    "delete_file",
    {"path": "notes/a.txt"},
    was_sent=True,
    asked=(QUESTION,),
    response=OK,
    effects=DONE,
    seconds=0.1,
    limit=5,
)


def observed(who: Who, **changes: object) -> Observed:
    """A call of one person that keeps the contract, with some changes."""
    kept = replace(ACCEPTED, who=who, response=REFUSED, effects=Effects())
    return replace(kept, **changes)  # type: ignore[arg-type]


def standings(one: Observed, accepted: Observed = ACCEPTED) -> dict[str, Standing]:
    return {each.code: each.standing for each in judge(one, Others(accepted))}


def broken(one: Observed, accepted: Observed = ACCEPTED) -> set[str]:
    return {code for code, each in standings(one, accepted).items() if each is Standing.BROKEN}


@pytest.mark.parametrize("who", [who for who in Who if who is not Who.UNABLE])
def test_a_call_that_keeps_the_contract_breaks_nothing(who: Who) -> None:
    one = ACCEPTED if who.accepts else observed(who)
    assert broken(replace(one, who=who, second=REFUSED)) == set()


def test_a_client_that_cannot_be_asked_gets_an_error_that_names_it() -> None:
    named = CallEnding(Outcome.TOOL_ERROR, "This client cannot be asked.")
    coded = CallEnding(Outcome.PROTOCOL_ERROR, "missing", -32021)
    silent = CallEnding(Outcome.TOOL_ERROR, "no")
    for response in (named, coded):
        assert broken(observed(Who.UNABLE, asked=(), response=response)) == set()
    for response in (silent, OK):
        one = observed(Who.UNABLE, asked=(), response=response)
        assert broken(one) == {"missing-not-named"}
    assert "asked-undeclared" in broken(observed(Who.UNABLE, response=named))


@pytest.mark.parametrize(
    ("who", "code"),
    [
        (Who.DECLINES, "done-after-decline"),
        (Who.CANCELS, "done-after-cancel"),
        (Who.SILENT, "done-in-silence"),
        (Who.MISFITS, "done-with-other-values"),
        (Who.SAYS_NO, "done-after-no"),
        (Who.UNABLE, "done-without-capability"),
    ],
)
def test_nothing_is_done_without_a_valid_yes(who: Who, code: str) -> None:
    response = CallEnding(Outcome.TOOL_ERROR, "no elicitation")
    asked = () if who is Who.UNABLE else (QUESTION,)
    one = observed(who, effects=DONE, response=response, asked=asked)
    assert broken(one) == {code}
    assert broken(replace(one, effects=Effects(whole=("changed the resource x",)))) == {code}
    assert standings(replace(one, effects=Effects()))[code] is Standing.KEPT


def test_what_is_done_before_the_answer_counts_once() -> None:
    before = Effects(before=("deleted notes/a.txt",), whole=("changed the resource x",))
    for who in (Who.ACCEPTS, Who.DECLINES, Who.SILENT):
        assert broken(observed(who, effects=before)) == {"done-before-answer"}


def test_no_effect_proves_nothing_if_none_is_seen_after_accept_either() -> None:
    unseen = replace(ACCEPTED, effects=Effects())
    found = standings(observed(Who.DECLINES), unseen)
    assert found["done-after-decline"] is Standing.NOT_SEEN
    assert found["done-before-answer"] is Standing.NOT_SEEN
    assert standings(replace(unseen, who=Who.AGAIN), unseen)["done-twice"] is Standing.NOT_SEEN


def test_a_second_answer_has_no_second_effect() -> None:
    one = replace(ACCEPTED, who=Who.AGAIN)
    assert broken(one) == set()
    again = replace(one, effects=replace(DONE, again=("deleted notes/b.txt",)))
    assert broken(again) == {"done-twice"}


@pytest.mark.parametrize(
    ("second", "is_broken"),
    [
        (OK, True),
        (REFUSED, False),
        (CallEnding(Outcome.PROTOCOL_ERROR, "invalid", -32602), False),
        (CallEnding(Outcome.INPUT_REQUIRED), False),
    ],
)
def test_an_old_state_with_changed_arguments_is_refused(
    second: CallEnding, is_broken: bool
) -> None:
    one = observed(Who.CHANGED, second=second, changed={"path": "b"})
    assert ("changed-state-taken" in broken(one)) is is_broken
    acted = replace(one, second=REFUSED, effects=Effects(again=("deleted b",)))
    assert broken(acted) == {"changed-state-taken"}


def test_a_call_without_an_end_hangs_unless_nobody_answers() -> None:
    assert broken(observed(Who.DECLINES, is_hung=True)) == {"hangs"}
    assert broken(observed(Who.SILENT, is_hung=True)) == set()


@pytest.mark.parametrize(
    ("message", "codes"),
    [
        ("Delete notes/a.txt?", set()),
        ("Sure?", {"question-without-action", "question-without-values"}),
        ("Delete it?", {"question-without-values"}),
        ("Go on with notes/a.txt?", {"question-without-action"}),
    ],
)
def test_a_question_names_what_will_be_done_with_its_values(message: str, codes: set[str]) -> None:
    one = replace(ACCEPTED, asked=(replace(QUESTION, message=message),))
    found = {code for code, each in standings(one).items() if each is Standing.ADVICE}
    assert found == codes


def test_the_schema_of_a_question_can_have_the_values() -> None:
    schema = {"properties": {"delete": {"type": "boolean", "title": "notes/a.txt"}}}
    asked = AskedByServer("Sure?", schema)  # type: ignore[arg-type]
    assert set(standings(replace(ACCEPTED, asked=(asked,))).values()) == {Standing.KEPT}


def test_the_same_response_after_every_answer_is_noted() -> None:
    assert standings(observed(Who.DECLINES, response=OK))["answer-ignored"] is Standing.ADVICE


def test_a_refused_question_is_not_asked_again() -> None:
    code = "asks-after-refusal"
    assert standings(observed(Who.DECLINES))[code] is Standing.KEPT
    assert standings(observed(Who.CANCELS, asked=(QUESTION,) * 2))[code] is Standing.ADVICE
    other = replace(QUESTION, message="And b?")
    assert standings(observed(Who.DECLINES, asked=(QUESTION, other)))[code] is Standing.KEPT


def test_other_values_are_an_error() -> None:
    code = "other-values-taken"
    assert standings(observed(Who.MISFITS))[code] is Standing.KEPT
    assert standings(observed(Who.MISFITS, response=OK))[code] is Standing.ADVICE


def test_a_tool_that_should_ask_and_does_not_is_broken() -> None:
    one = observed(Who.ACCEPTS, asked=(), response=OK, effects=DONE)
    assert "never-asked" in {
        each.code for each in judge(one, Others(one, must_ask=True)) if each.is_broken
    }
    assert judge(replace(one, not_possible="no form"), Others(one, must_ask=True)) == ()


@pytest.mark.parametrize(
    "response", [REFUSED, CallEnding(Outcome.CONNECTION_LOST), CallEnding(Outcome.UNREADABLE)]
)
def test_a_call_that_fails_before_it_asks_is_not_one_that_never_asks(response: CallEnding) -> None:
    one = observed(Who.DECLINES, asked=(), response=response)
    must_ask = Others(must_ask=True, has_failed=True)
    assert {each.code for each in judge(one, must_ask) if each.is_broken} == {"call-failed"}
    acted = {each.code for each in judge(replace(one, effects=DONE), must_ask) if each.is_broken}
    assert acted == {"call-failed", "never-asked"}
    hung = {each.code for each in judge(replace(one, is_hung=True)) if each.is_broken}
    assert hung == {"hangs"}
    unable = judge(observed(Who.UNABLE, asked=(), response=REFUSED), must_ask)
    assert not any(each.is_broken for each in unable)


ASKED_AGAIN = CallEnding(Outcome.INPUT_REQUIRED, reason="asked again")
AGAIN = Effects(after=("deleted notes/a.txt",), again=("deleted notes/b.txt",))


@pytest.mark.parametrize(
    ("second", "effects", "declined", "accepted", "is_broken"),
    [
        (ASKED_AGAIN, DONE, Effects(), DONE, False),
        # It asks, and what it does before or in spite of the answer has checks of its own.
        (ASKED_AGAIN, AGAIN, DONE, DONE, False),
        (ASKED_AGAIN, AGAIN, Effects(), DONE, True),
        (OK, AGAIN, Effects(), DONE, True),
        (OK, AGAIN, DONE, DONE, True),
        (REFUSED, AGAIN, Effects(), DONE, True),
        (REFUSED, DONE, Effects(), DONE, False),
        (OK, DONE, Effects(), DONE, False),
        (OK, Effects(), Effects(), Effects(), True),
    ],
)
def test_one_yes_is_for_one_call(
    second: CallEnding, effects: Effects, declined: Effects, accepted: Effects, is_broken: bool
) -> None:
    one = replace(ACCEPTED, who=Who.CALLS_AGAIN, second=second, effects=effects)
    others = Others(replace(ACCEPTED, effects=accepted), observed(Who.DECLINES, effects=declined))
    found = {each.code for each in judge(one, others) if each.is_broken}
    assert ("old-yes-taken" in found) is is_broken


def test_an_accepted_check_is_not_broken_and_has_its_reason() -> None:
    one = observed(Who.DECLINES, effects=DONE)
    (done,) = (
        each
        for each in judge(one, Others(ACCEPTED, accepts={"done-after-decline": "known"}))
        if each.reason
    )
    assert (done.code, done.standing, done.reason) == (
        *("done-after-decline", Standing.ACCEPTED, "known"),
    )
    other = judge(one, Others(ACCEPTED, accepts={"hangs": "known"}))
    assert {each.code for each in other if each.is_broken} == {"done-after-decline"}


def test_each_check_has_a_section_of_both_eras_or_names_its_draft() -> None:
    for code, rule in RULES.items():
        is_of_draft = "SEP-" in rule.expected
        assert all((one is None) is is_of_draft for one in rule.sections), code
