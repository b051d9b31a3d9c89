"""The list of all tour steps, and the texts of the tour panel."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ....widgets.bars import Verb
from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_bar import BarKey
from ....widgets.lists.row_list import KeyedList, RowList
from ....widgets.tour_panel import TourWords
from ...content.frozen import frozen
from ...content.text import count
from ...tui.base.box_bar import HasBoxBar
from ...tui.base.screen_mixin import ScreenMixin
from .course import Attempt, Course, StepPhase


@frozen
class TourRow:
    """The step at place `at`; `guess`: whether the first was right, None if there was none."""

    at: int
    title: str
    is_done: bool = False
    guess: bool | None = None


class TourList(KeyedList[TourRow]):
    """Steps of the tour. The cursor starts at the open step; enter opens another."""

    def key(self, row: TourRow) -> Hashable:
        return row.at

    def paint(self, row: TourRow, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        mark = "✓ done" if row.is_done else "      "
        guess = {True: "guessed right", False: "guessed wrong", None: ""}[row.guess]
        room = max(width - 4 - 4 - 8 - 15, 8)
        words = f"{'›' if under_cursor else ' '} {row.at + 1:>3}  {left(row.title, room)}"
        return [Segment(left(f"{words} {mark}  {guess}", width), base)]


BEGIN_ANEW: Final = -1
"""What the screen is dismissed with to forget what was done."""


class TourListScreen(HasBoxBar, ScreenMixin, ModalScreen[int | None]):
    """Dismissed with the place of a step, with `BEGIN_ANEW`, or None."""

    AUTO_FOCUS = "TourList"

    DEFAULT_CSS = """
    TourListScreen { align: center middle; }
    TourListScreen > Vertical {
        width: 72; max-width: 95%; height: auto; max-height: 95%;
        border: round $accent; background: $surface; padding: 0 1;
    }
    TourListScreen TourList { height: auto; max-height: 100%; }
    """

    ENTER_HELP = "Go to this step."
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("tour: list")
    BOX_KEYS = (BarKey("tour.close"), BarKey("enter", "Open"), BarKey("tour.restart", "", 1))

    def __init__(self, course: Course) -> None:
        super().__init__()
        self._course = course

    def compose(self) -> ComposeResult:
        with Vertical():
            yield TourList()

    def on_mount(self) -> None:
        course = self._course
        box = self.query_one(Vertical)
        done = sum(step.id in course.done for step in course.steps)
        box.border_title = Content.assemble(
            ("Tour", "bold"), f"  {done} of {len(course.steps)} done, {course.right} guessed right"
        )
        rows = [
            TourRow(at, step.title, step.id in course.done, course.guesses.get(step.id))
            for at, step in enumerate(course.steps)
        ]
        listed = self.query_one(TourList)
        listed.styles.height = len(rows)
        listed.show_anew(rows, course.at)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_restart(self) -> None:
        self.dismiss(BEGIN_ANEW)

    @on(RowList.Chosen, "TourList")
    def _chosen(self, message: RowList.Chosen[TourRow]) -> None:
        message.stop()
        self.dismiss(message.row.at)


Lines = tuple[tuple[str, str], ...]


def tour_words(course: Course, hint: str = "", key: str = "T") -> TourWords:
    """`hint` is shown where something is still to be done; `key` goes to the panel."""
    attempt = course.attempt
    title = f"Tour {course.at + 1}/{len(course.steps)}  {attempt.step.title}"
    badge = "✓ done" if attempt.step.id in course.done else ""
    if attempt.phase is StepPhase.GUESS:
        return _to_guess(course, title, badge, key)
    if attempt.phase is StepPhase.DO:
        return _to_do(attempt, title, badge, hint, key)
    return _told(course, title, key)


def _to_guess(course: Course, title: str, badge: str, key: str) -> TourWords:
    step = course.attempt.step
    lines: Lines = (("plain", step.why), ("task", step.quiz.question))
    verbs = (Verb("skip", "Skip", "s"), *_rest(course.at))
    folded: Lines = (("task", f"Guess first: {step.quiz.question}"),)
    return TourWords(title, badge, f"{key}: guess", folded, lines, step.quiz.choices, verbs)


def _to_do(attempt: Attempt, title: str, badge: str, hint: str, key: str) -> TourWords:
    part, step = attempt.part, attempt.step
    assert part is not None
    count = len(step.parts)
    which = f"{attempt.parts_done + 1} of {count}: " if count > 1 else ""
    task = ("task", f"Do: {which}{part.task}")
    hints: Lines = (("bad", hint),) if hint else ()
    guess = attempt.guess
    said = f"Your guess: {step.quiz.choices[guess]}." if guess is not None else ""
    lines: Lines = (("plain", step.why), ("dim", said), task, *hints)
    verbs = (Verb("hint", "Hint", "h"), Verb("skip", "Skip", "s"), *_rest(1))
    return TourWords(title, badge, f"{key}: hint or skip", (task, *hints), lines, (), verbs)


def _told(course: Course, title: str, key: str) -> TourWords:
    attempt = course.attempt
    step, told = attempt.step, attempt.told
    if told is None:
        role, head, why = "dim", "Done. The right answer could not be computed here.", ""
    else:
        role, said = ("good", "Right") if attempt.is_right else ("bad", "Not quite")
        head, why = f"{said}: {step.quiz.choices[told.right]}.", told.why
    lines: Lines = ((role, f"{head} {why}".rstrip()), ("plain", step.moral))
    is_last = course.at == len(course.steps) - 1
    if is_last:
        lines = (*lines, ("task", ending(course)))
    rest = _rest(course.at)
    verbs = rest if is_last else (Verb("next", "Next", "enter", True), *rest)
    way_in = f"{key}, enter: next step"
    return TourWords(title, "✓ done", way_in, ((role, head),), lines, (), verbs, is_result=True)


def ending(course: Course) -> str:
    """Summarize the tour in one sentence."""
    left = [step for step in course.steps if step.id not in course.done]
    score = f"{course.right} of {len(course.guesses)} guesses were right"
    if left:
        return f"{count(len(left), 'step')} left (l: list). {score} so far."
    return f"Tour finished: all {len(course.steps)} steps done, {score}."


def _rest(at: int) -> tuple[Verb, ...]:
    back = (Verb("back", "Back", "b"),) if at else ()
    return (
        *back,
        Verb("list", "List", "l"),
        Verb("fold", "Fold", "esc"),
        Verb("leave", "Leave", "q"),
    )
