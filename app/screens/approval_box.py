"""What the confirmation dialog looks like: the frame, the sheet, the buttons, and how they fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.widgets import Static

from app.core.approval import Question
from app.screens.question_lines import argument_lines, fact_lines
from widgets.frame_line import FrameLine
from widgets.guarded_button import GuardedButton
from widgets.sheet_lines import SheetLine
from widgets.sheet_view import SheetView

_FRAME_ROWS = 4
"""Top, divider, buttons, bottom."""
_BARE_ROWS = 3
_MAX_WIDTH = 114
_QUIET = "$foreground 60%"
_KEYS = (
    "Esc denies · Tab moves · PgDn scrolls · v whole description · ctrl+y twice approves",
    "Esc denies · Tab moves · v description · ctrl+y twice approves",
    "Esc denies · Tab moves · ctrl+y twice approves",
    "Esc denies · Tab moves",
)


class ApprovalBox(Vertical):
    """Draws a question and knows nothing of the rules by which it is answered."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question
        self._arguments = list(argument_lines(question))
        is_heavy = question.verdict.strong
        self._void_reason: str | None = None
        self._top = FrameLine("top", is_heavy=is_heavy, id="top")
        self._divider = FrameLine("middle", is_heavy=is_heavy)
        self._bottom = FrameLine("bottom", is_heavy=is_heavy, id="bottom")
        self._buttons = Horizontal(id="buttons")
        self.sheet = SheetView()
        self.deny = GuardedButton("Deny", id="deny")
        self.edit = GuardedButton("Edit", id="edit")
        self.approve = GuardedButton("Approve once", id="approve")
        self.set_class(is_heavy, "-strong")

    def compose(self) -> ComposeResult:
        yield self._top
        with Vertical(id="body"):
            yield self.sheet
        yield self._divider
        with self._buttons:
            yield self.deny
            yield self.edit
            yield Static(id="spacer")
            yield self.approve
        yield self._bottom

    @property
    def buttons(self) -> list[GuardedButton]:
        """Those that there are, in the order in which they stand."""
        return [button for button in self.query(GuardedButton) if button.display]

    def make_void(self, reason: str) -> None:
        """Leave nothing to do but to close; `reason` is safe to show. Needs a new layout."""
        self._void_reason = reason
        self.deny.label = "Close"
        self.edit.display = self.approve.display = False
        if self.sheet.is_mounted:
            self.sheet.scroll_home(animate=False)

    def lay_out(self, screen: Size, *, whole_description: bool) -> bool:
        """Fit everything into the screen; True if the box is now of another height."""
        width, height = screen
        has_frame = width >= 40 and height >= 10
        is_roomy = height >= 30
        is_full = width <= 80 or height <= 24
        outer = width if is_full else min(width - 4, _MAX_WIDTH)
        columns = outer - 6 if has_frame else outer
        self.set_class(not has_frame, "-bare")
        self.set_class(is_roomy and has_frame, "-roomy")
        for button in self.query(GuardedButton):
            button.is_tight = width < 48
        self.approve.label = "Approve once" if width >= 32 else "Approve"
        facts = fact_lines(
            self._question,
            columns=columns,
            is_roomy=is_roomy,
            whole_description=whole_description,
        )
        rows = self.sheet.set_lines(
            [*self._notice(), *facts, *self._arguments], columns, keep_seen=True
        )
        taken = _FRAME_ROWS if has_frame else _BARE_ROWS
        if is_roomy and has_frame:
            taken += 4
        if not is_full:
            taken += 2
        rows = min(rows, max(height - taken, 0))
        before, self.sheet.styles.height = self.sheet.styles.height, rows
        self.styles.width = outer
        self._draw_bottom()
        return before is None or before.value != rows

    def keep_off(self, spot: Offset) -> None:
        """Put Approve at the other end of the row of buttons if it would lie there."""
        row, inside = self._buttons, self._buttons.content_region
        width = self.approve.region.width
        usual_place = Region(inside.right - width, inside.y, width, 1)
        ends = [self.deny, self.approve]
        if usual_place.contains_point(spot):
            ends.reverse()
        if row.children[0] is not ends[0]:
            row.move_child(ends[0], before=0)
            row.move_child(ends[1], after=len(row.children) - 1)

    def draw_top(self, seconds_left: float, waiting: int) -> None:
        """The title, the number of other questions and the time that is left."""
        is_void = self._void_reason is not None
        minutes, seconds = divmod(math.ceil(max(seconds_left, 0)), 60)
        left = f"{minutes}:{seconds:02d}"
        queue, plus = (f"{waiting:,} more waiting · ", f"+{waiting:,} · ") if waiting else ("", "")
        chip = "bold $text on $error" if self._question.verdict.strong else "bold $text on $primary"
        title = "No longer possible" if is_void else "Approve this call?"
        self._top.set_words(
            [
                Content.styled(f" {words} ", chip)
                for words in (title, "Void" if is_void else "Approve?")
            ],
            [
                Content.styled(words, _QUIET)
                for words in (
                    f" {queue}{'closes' if is_void else 'denies'} in {left} ",
                    f" {plus}{left} ",
                    left,
                )
            ],
        )

    def draw_divider(self, status: Sequence[str]) -> None:
        """How much is below, and what the buttons wait for: wordings, the longest first."""
        below = self.sheet.below
        rows = f"{below:,} more line{'' if below == 1 else 's'}"
        more = [f"{rows} - PgDn/End", rows, f"{below:,}↓"] if below else []
        self._divider.set_words(
            [Content.styled(f" {words} ", "$foreground") for words in more],
            [Content.styled(f" {words} ", "bold $foreground") for words in status],
        )

    def _draw_bottom(self) -> None:
        words = _KEYS if self._void_reason is None else ("Esc closes",)
        self._bottom.set_words([Content.styled(f" {one} ", _QUIET) for one in words])

    def _notice(self) -> list[SheetLine]:
        if self._void_reason is None:
            return []
        return [
            SheetLine((("No longer possible: ", "error"), (self._void_reason, "strong"))),
            SheetLine((("Nothing was sent. Close this, and review the call again.", ""),)),
            SheetLine(),
        ]
