"""What the confirmation dialog looks like: the frame, the sheet, the buttons, and how they fit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.widget import Widget
from textual.widgets import Static

from ....widgets.frame_line import FrameLine
from ....widgets.guarded_button import GuardedButton
from ....widgets.sheet_view import SheetView
from ...approval.grants import Scope
from ...approval.server_questions import AboutElicitation, AboutSampling
from ...content.texts.sheet_line import SheetLine
from ...protocol.answers.links import look_at
from ...questions.question_lines import question_parts
from ...questions.question_words import is_strongest
from ...questions.questions import Question
from ...questions.sheet import indent_of
from .approval_words import (
    CHANGED_KEYS,
    DIALOG_WORDS,
    in_full,
    while_unready,
)
from .question_sheet import arranged
from .remember_row import RememberRow

_FRAME_ROWS = 4
"""Top, divider, buttons, bottom."""
_BARE_ROWS = 3
_PADDING_ROWS = 4
_PADDED_FROM = 34
"""Rows of a screen on which what has to be scrolled has some air around it."""
_MAX_WIDTH = 116
_QUIET = "$foreground 60%"


class ApprovalBox(Vertical):
    """Draws a question and knows nothing of the rules by which it is answered."""

    def __init__(self, question: Question, *, today: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._question = question
        self._words = DIALOG_WORDS.of(question)
        is_heavy = self._is_heavy = question.is_strong
        self._void_reason: str | None = None
        self._in_full = False
        self._rest = 0
        """The first line of the sheet that is about the tool, and not what is decided on."""
        self._sheet_rows = (0, 0)
        """Rows of the whole sheet, and of its visible part."""
        self._top = FrameLine("top", is_heavy=is_heavy, id="top")
        self._divider = FrameLine("middle", is_heavy=is_heavy)
        self._bottom = FrameLine("bottom", is_heavy=is_heavy, id="bottom")
        self._buttons = Horizontal(id="buttons")
        self.sheet = SheetView()
        self.remember = RememberRow(question, today=today)
        self.deny = GuardedButton(self._words.deny, id="deny")
        self.deny_session = GuardedButton(self._words.deny_session[0], id="deny-session")
        self.edit = GuardedButton(self._words.edit, id="edit")
        self.approve = GuardedButton(self._words.approve, id="approve")
        self.set_class(is_heavy, "-strong")

    def compose(self) -> ComposeResult:
        yield self._top
        with Vertical(id="body"):
            yield self.sheet
        yield self._divider
        with Vertical(id="remembering"):
            yield self.remember
        with self._buttons:
            yield self.deny
            yield self.deny_session
            yield self.edit
            yield Static(id="spacer")
            yield self.approve
        yield self._bottom

    @property
    def stops(self) -> list[Widget]:
        """What the focus goes through, in this order."""
        buttons = [self.deny, self.deny_session, self.edit, self.approve]
        stops: list[Widget] = [button for button in buttons if button.display]
        if self.remember.can_choose:
            stops.insert(-1, self.remember.choices)
        return stops

    def arm(self, is_armed: bool, can_approve: bool) -> None:
        """Let clicks through, or not."""
        for one in (self.deny, self.deny_session, self.edit, self.remember.choices):
            one.is_armed = is_armed
        self.approve.is_armed = can_approve

    def make_void(self, reason: str) -> None:
        """Leave nothing to do but to close; `reason` is safe to show. Needs a new layout."""
        self._void_reason = reason
        self.deny.label = "Close"
        if self.sheet.is_mounted:
            self.sheet.scroll_home(animate=False)

    def lay_out(self, screen: Size, *, in_full: bool) -> bool:
        """Fit everything into the screen; True if the box is now of another height."""
        self._in_full = in_full
        width, height = screen
        has_frame = width >= 40 and height >= 10
        is_roomy = height >= 30
        is_full = width <= 80 or height <= 24
        outer = width if is_full else min(width - 4, _MAX_WIDTH)
        columns = outer - 6 if has_frame else outer
        self._offer(screen)
        fewest, most = self.remember.prepare(screen, columns, indent_of(columns))
        if self._void_reason is not None:
            self.remember.display = False
            fewest = most = 0
        room = height - (_FRAME_ROWS if has_frame else _BARE_ROWS) - (0 if is_full else 2)
        padding = _PADDING_ROWS + self.remember.display
        parts = question_parts(self._question, columns=columns, is_roomy=is_roomy, in_full=in_full)
        in_sight = room - most - (padding if height >= _PADDED_FROM else 0)
        lines = [*self._notice(), *arranged(parts, columns, in_sight, is_roomy=is_roomy)]
        total = self.sheet.set_lines(lines, columns, keep_seen=True)
        self._rest = len(lines) - len(parts.rest)
        is_whole = total + fewest <= room
        is_reserved = total + most <= room
        # What is to be scrolled anyhow can as well be seen in comfort.
        needed = total + most if is_whole else 0
        is_padded = height >= (30 if is_whole else _PADDED_FROM) and needed + padding <= room
        room -= self.remember.lay_out(is_reserved=is_reserved) + is_padded * padding
        rows = min(total, max(room, 0))
        self._sheet_rows = (total, rows)
        self.set_class(not has_frame, "-bare")
        self.set_class(is_padded, "-roomy")
        self.set_class(not self.remember.display, "-once-only")
        self.label_approve(screen)
        before, self.sheet.styles.height = self.sheet.styles.height, rows
        self.styles.width = outer
        self._draw_bottom()
        return before is None or before.value != rows

    def show_rest(self) -> None:
        """Bring what is said of the tool into sight."""
        self.sheet.scroll_to(y=self.sheet.row_of(self._rest), animate=False, force=True)

    def label_approve(self, screen: Size) -> None:
        """Say on the button what it would do; it is as wide as it can become."""
        words, button = self._words, self.approve
        is_once = self.remember.remember.scope is Scope.ONCE
        if screen.width < 48:
            button.label = words.shortest
            button.styles.min_width = 0
            return
        button.label = words.approve if is_once else words.remembering
        labels = [words.approve, words.remembering if self.remember.can_choose else ""]
        button.styles.min_width = max(map(len, labels)) + 2 * button.room

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
        """The title, the number of other questions and the time that is left, which may be inf."""
        is_void = self._void_reason is not None
        denies = "closes" if is_void else self._words.denies
        chip = "bold $text on $error" if self._is_heavy else "bold $text on $primary"
        titles = ("No longer possible", "Void") if is_void else self._words.title
        self._top.set_words(
            [Content.styled(f" {words} ", chip) for words in titles],
            [Content.styled(words, _QUIET) for words in _time_words(seconds_left, denies, waiting)],
        )

    def draw_divider(self, status: Sequence[str]) -> None:
        """How much is below, and what the buttons wait for: wordings, the longest first."""
        total, shown = self._sheet_rows
        below = max(total - shown - self.sheet.scroll_offset.y, 0)
        rows = f"{below:,} more line{'' if below == 1 else 's'}"
        more = [f"{rows} - PgDn/End", rows, f"{below:,}↓"] if below else []
        self._divider.set_words(
            [Content.styled(f" {words} ", "$foreground") for words in more],
            [Content.styled(f" {words} ", "bold $foreground") for words in status],
        )

    def _offer(self, screen: Size) -> None:
        """Which buttons there are, and how they are labelled where there is less room."""
        width = screen.width
        is_void = self._void_reason is not None
        for button in (self.deny, self.deny_session, self.edit, self.approve):
            button.room = 3 if width >= 80 else 1 if width >= 48 else 0
        self.approve.display = not is_void and is_ready(self._question)
        self.edit.display = self._question.can_edit and not is_void
        self.deny_session.display = self._question.can_deny_session and not is_void and width >= 36
        longest, shorter, shortest = self._words.deny_session
        self.deny_session.label = longest if width >= 100 else shorter if width >= 80 else shortest

    def _draw_bottom(self) -> None:
        words = self._words.keys
        if self._void_reason is not None:
            words = ("Esc closes",)
        elif is_strongest(self._question):
            words = CHANGED_KEYS
        elif not is_ready(self._question):
            words = tuple(map(while_unready, words))
        if self._in_full:
            words = tuple(map(in_full, words))
        self._bottom.set_words([Content.styled(f" {one} ", _QUIET) for one in words])

    def _notice(self) -> list[SheetLine]:
        if self._void_reason is None:
            return []
        return [
            SheetLine((("No longer possible: ", "error"), (self._void_reason, "strong"))),
            SheetLine(((self._words.void, ""),)),
            SheetLine(),
        ]


def is_ready(question: Question) -> bool:
    """Whether there is anything to approve: of what a server asks for something may be missing."""
    match question:
        case AboutElicitation() if question.elicitation.mode == "url":
            return look_at(question.elicitation.url).can_open
        case AboutElicitation() | AboutSampling():
            return question.is_ready
    return True


def _time_words(seconds_left: float, denies: str, waiting: int) -> tuple[str, ...]:
    """How many more wait, and until when this one does; the longest wording first."""
    queue, plus = (f"{waiting:,} more waiting · ", f"+{waiting:,} · ") if waiting else ("", "")
    if math.isinf(seconds_left):
        return (f" {queue}no time limit ", f" +{waiting:,} " if waiting else "")
    minutes, seconds = divmod(math.ceil(max(seconds_left, 0)), 60)
    left = f"{minutes}:{seconds:02d}"
    return (f" {queue}{denies} in {left} ", f" {plus}{left} ", left)
