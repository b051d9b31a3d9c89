"""All steps of the tour: which are done, and which one to open."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ....widgets.tour_list import TourList, TourRow
from ..fresh_sizes import FreshSizes
from .course import Course

BEGIN_ANEW: Final = -1
"""What the screen is dismissed with to forget what was done."""


class TourListScreen(FreshSizes, ModalScreen[int | None]):
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,l", "close", "Close", id="tour.close", tooltip="Back to the open step."),
        Binding("r", "anew", "Begin anew", id="tour.anew", tooltip="Forget what was done."),
    ]

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
        box.border_subtitle = Content("enter open · r begin anew · esc close")
        rows = [
            TourRow(step.title, step.id in course.done, course.guesses.get(step.id))
            for step in course.steps
        ]
        listed = self.query_one(TourList)
        listed.styles.height = len(rows)
        listed.show(rows, course.at)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_anew(self) -> None:
        self.dismiss(BEGIN_ANEW)

    @on(TourList.Chosen)
    def _chosen(self, message: TourList.Chosen) -> None:
        message.stop()
        self.dismiss(message.at)
