"""Where somebody is in the tour: the guess first, then what is done, then the result."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.features.tour.course import (
    Course,
    Move,
    Quiz,
    QuizAnswer,
    StepPart,
    StepPhase,
    TourStep,
    begin,
)
from signoff.app.features.tour.scene import Scene
from signoff.app.features.tour.steps import STEPS
from signoff.app.protocol.server import Trust

EMPTY = Scene({}, (), Trust.TRUSTED, built_ins()[0])
"""Nothing was done."""


def seen(*names: str) -> Scene:
    """The bench after screens of these names were opened."""
    return replace(EMPTY, screens=frozenset(names))


def step(name: str, *parts: str, right: int | None = 1) -> TourStep:
    """A step whose parts are to open screens; `right` None not known."""

    def tell(scene: Scene) -> QuizAnswer | None:
        return None if right is None else QuizAnswer(right, "so it is")

    quiz = Quiz("which?", ("no", "yes"), tell)
    made = (
        StepPart(one, lambda scene, one=one: one in scene.screens, "")  # type: ignore[misc]
        for one in parts
    )
    return TourStep(name, name, "why", (), quiz, tuple(made), "moral")


ONE, TWO, LAST = step("one", "a"), step("two", "a", "b"), step("last", "c", right=None)
COURSE = begin((ONE, TWO, LAST))


def test_a_step_begins_with_the_guess_goes_on_with_what_is_done_and_ends_with_the_result() -> None:
    assert COURSE.attempt.phase is StepPhase.GUESS
    guessed = COURSE.guessed(1)
    assert guessed.attempt.phase is StepPhase.DO
    told = guessed.looked(seen("a"))
    assert told.attempt.phase is StepPhase.TOLD
    assert told.attempt.is_right is True
    assert (told.done, dict(told.guesses)) == (frozenset({"one"}), {"one": True})


def test_what_is_done_before_the_guess_counts_and_its_result_waits_for_the_guess() -> None:
    done = COURSE.looked(seen("a"))
    assert done.attempt.phase is StepPhase.GUESS
    assert done.done == {"one"}
    assert dict(done.guesses) == {}
    assert done.guessed(0).attempt.is_right is False


def test_parts_are_ticked_in_their_order_and_stay_so() -> None:
    course = COURSE.opened(1).guessed(1)
    assert course.looked(seen("b")).attempt.parts_done == 0
    half = course.looked(seen("a"))
    assert (half.attempt.parts_done, half.done) == (1, frozenset())
    assert half.looked(EMPTY).attempt.parts_done == 1
    whole = half.looked(seen("b"))
    assert (whole.attempt.is_done, whole.done) == (True, frozenset({"two"}))
    assert course.looked(seen("a", "b")).attempt.is_done


def test_only_the_first_guess_counts_now_and_when_the_step_is_done_once_more() -> None:
    course = COURSE.guessed(0).guessed(1).looked(seen("a"))
    assert course.attempt.guess == 0
    again = course.opened(0).guessed(1).looked(seen("a"))
    assert again.attempt.is_right is True
    assert dict(again.guesses) == {"one": False}


def test_what_cannot_be_told_is_done_and_no_guess_at_it_counts() -> None:
    course = COURSE.opened(2).guessed(0).looked(seen("c"))
    assert (course.attempt.phase, course.attempt.is_right) == (StepPhase.TOLD, None)
    assert dict(course.guesses) == {}


def test_it_goes_on_where_it_was_left_and_else_at_the_first_step_that_is_not_done() -> None:
    steps = (ONE, TWO, LAST)
    assert begin(steps, "two").at == 1
    assert begin(steps, "", frozenset({"one"})).at == 1
    assert begin(steps, "unheard of", frozenset({"one", "two", "three"})).at == 2
    assert begin(steps, "", frozenset({"one", "two", "last"})).at == 0
    # Left at its result: what is done is not asked about again.
    assert begin(steps, "one", frozenset({"one"})).at == 1
    assert begin(steps, "last", frozenset({"one", "last"})).at == 1
    assert begin(steps, "two", frozenset({"one", "two", "last"})).at == 1


@given(st.lists(st.sampled_from(["guess", "miss", "a", "b", "c", "next", "back"]), max_size=30))
def test_whatever_is_pressed_a_step_is_done_only_by_its_goals(moves: list[str]) -> None:
    course: Course = COURSE
    for move in moves:
        before = course
        match move:
            case "guess" | "miss":
                course = course.guessed(1 if move == "guess" else 9)
            case "next" | "back":
                course = course.opened(course.at + (1 if move == "next" else -1))
            case _:
                course = course.looked(seen(move))
        assert before.done <= course.done
        gained = course.done - before.done
        assert not gained or (move in "abc" and gained == {course.attempt.step.id})
        assert (course.attempt.phase is StepPhase.GUESS) == (course.attempt.guess is None)


def test_the_steps_have_what_everybody_needs() -> None:
    ids = [one.id for one in STEPS]
    assert len(set(ids)) == len(ids)
    assert 14 <= len(STEPS) <= 18
    for one in STEPS:
        assert one.title
        assert one.why
        assert one.moral
        assert one.tools
        assert 2 <= len(one.quiz.choices) <= 4
        assert one.quiz.question.endswith(("?", "Guess."))
        for part in one.parts:
            assert part.task
            assert part.hint
            assert part.moves


def test_what_is_to_be_typed_stands_in_the_task() -> None:
    """But for what is filled in already, and what may be chosen."""
    for one in STEPS:
        for at, part in enumerate(one.parts):
            is_free = (one.id, at) in (("changed", 0), ("changed", 1), ("changed", 2), ("edit", 1))
            moves = [move for move in part.moves if isinstance(move, Move)]
            if is_free or one.id == "approve":
                continue
            for move in moves:
                for value in move.arguments.values():
                    assert str(value) in part.task, (one.id, value)


def test_nothing_is_done_and_nothing_told_on_a_bench_on_which_nothing_happened() -> None:
    for one in STEPS:
        scene = replace(EMPTY, trust=Trust.TRUSTED)
        assert not one.parts[0].goal(scene), one.id
        if one.id != "defaults":
            assert one.quiz.tell(scene) is None, one.id
