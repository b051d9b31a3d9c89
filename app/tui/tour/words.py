"""What the panel of the tour says, from where somebody is in it."""

from __future__ import annotations

from ....widgets.tour_panel import TourWords
from ....widgets.verb_bar import Verb
from .course import Attempt, Course, Phase

Lines = tuple[tuple[str, str], ...]


def tour_words(course: Course, hint: str = "", key: str = "T") -> TourWords:
    """`hint` is shown where something is still to be done; `key` goes to the panel."""
    attempt = course.attempt
    title = f"Tour {course.at + 1}/{len(course.steps)}  {attempt.step.title}"
    badge = "✓ done" if attempt.step.id in course.done else ""
    if attempt.phase is Phase.GUESS:
        return _to_guess(course, title, badge, key)
    if attempt.phase is Phase.DO:
        return _to_do(attempt, title, badge, hint, key)
    return _told(course, title, key)


def _to_guess(course: Course, title: str, badge: str, key: str) -> TourWords:
    step = course.attempt.step
    lines: Lines = (("plain", step.why), ("task", step.quiz.question))
    verbs = (Verb("skip", "Skip", "s"), *_rest(course.at))
    folded: Lines = (("task", f"First a guess: {step.quiz.question}"),)
    return TourWords(title, badge, f"{key} guess", folded, lines, step.quiz.choices, verbs)


def _to_do(attempt: Attempt, title: str, badge: str, hint: str, key: str) -> TourWords:
    part, step = attempt.part, attempt.step
    assert part is not None
    count = len(step.parts)
    which = f"{attempt.parts_done + 1} of {count}: " if count > 1 else ""
    task = ("task", f"Do: {which}{part.task}")
    hints: Lines = (("bad", hint),) if hint else ()
    guess = attempt.guess
    said = f"You guess: {step.quiz.choices[guess]}." if guess is not None else ""
    lines: Lines = (("plain", step.why), ("dim", said), task, *hints)
    verbs = (Verb("hint", "Hint", "h"), Verb("skip", "Skip", "s"), *_rest(1))
    return TourWords(title, badge, f"{key} goes here: hint, skip", (task, *hints), lines, (), verbs)


def _told(course: Course, title: str, key: str) -> TourWords:
    attempt = course.attempt
    step, told = attempt.step, attempt.told
    if told is None:
        role, head, why = "dim", "Done. Whether you guessed right cannot be told here.", ""
    else:
        role, said = ("good", "Right") if attempt.is_right else ("bad", "Not so. It is")
        head, why = f"{said}: {step.quiz.choices[told.right]}.", told.why
    lines: Lines = ((role, f"{head} {why}".rstrip()), ("plain", step.moral))
    is_last = course.at == len(course.steps) - 1
    if is_last:
        lines = (*lines, ("task", ending(course)))
    rest = _rest(course.at)
    verbs = rest if is_last else (Verb("next", "Next", "enter", True), *rest)
    way_in = f"{key}, then enter: the next step"
    return TourWords(title, "✓ done", way_in, ((role, head),), lines, (), verbs, is_result=True)


def ending(course: Course) -> str:
    """How it went, in one sentence."""
    left = [step for step in course.steps if step.id not in course.done]
    score = f"{course.right} of {len(course.guesses)} guesses were right"
    if left:
        return f"{len(left)} steps are left (l lists them). {score} so far."
    return f"That was the tour: all {len(course.steps)} steps done, {score}."


def _rest(at: int) -> tuple[Verb, ...]:
    back = (Verb("back", "Back", "b"),) if at else ()
    return (
        *back,
        Verb("list", "List", "l"),
        Verb("fold", "Fold", "esc"),
        Verb("leave", "Leave", "q"),
    )
