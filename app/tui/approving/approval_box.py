"""Layout of the approval dialog: the frame, the sheet, the buttons, and how they fit.

Server and tool come first, then the arguments. Everything else follows, and nothing that a server
or a command line makes long pushes them off the screen. What a server asks for is a form in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.widget import Widget
from textual.widgets import Static

from ....widgets.buttons import FILL_CELLS, GuardedButton
from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.key_bar import BarKey, bar_wordings, padded
from ....widgets.labels import FrameLine
from ....widgets.sheets import SheetView, layout, shortened
from ...approval.grants import Scope
from ...approval.questions.question_lines import question_parts
from ...approval.questions.question_words import is_strongest, takes_one_press
from ...approval.questions.questions import AboutCall, Question
from ...approval.questions.sheet import ABOUT_ROWS, Parts, indent_of
from ...approval.server_questions import AboutElicitation, AboutSampling
from ...content.text import count
from ...content.texts.sheet_line import SheetLine
from ...protocol.answers.links import look_at
from .approval_words import (
    CHORD,
    DIALOG_WORDS,
    FILLING_KEYS,
    FOR_SESSION,
    ONE_PRESS,
    REMEMBER_KEYS,
    VOID_KEYS,
    in_full,
)
from .guarded_dialog import status_words
from .remember_row import RememberRow

_WORDS_ROWS = 5
"""Rows for the words of a server above its form, at least."""
_FRAME_ROWS = 4
"""Top, divider, buttons, bottom."""
_BARE_ROWS = 3
_ABOUT_ROWS = (ABOUT_ROWS, 2, 1)
"""Rows of the description, as many as fit."""
_MAX_WIDTH = 116
_QUIET = "$foreground 60%"


class ApprovalBox(Vertical):
    """Draws a question and knows nothing of the rules by which it is answered."""

    def __init__(
        self,
        question: Question,
        *,
        today: Callable[[], float] = time.time,
        form: ArgumentForm | None = None,
        more_keys: tuple[BarKey, ...] = (),
    ) -> None:
        """`form`: where the reply to a server is filled in, in the place of its JSON.

        `more_keys`: further keys of its dialog for the bottom line.
        """
        super().__init__()
        self._question = question
        self._form = form
        self._more_keys = more_keys
        self.is_filling = False
        """Whether the keys go to the form."""
        self._words = DIALOG_WORDS.of(question)
        is_heavy = self._is_heavy = question.is_strong
        self._void_reason: str | None = None
        self._in_full = False
        self.was_typed_into = False
        """Whether keys came that may belong to something else, and go on."""
        self._rest = 0
        """The first line that is in sight in full view: about the tool itself, or the reply."""
        self._columns = 0
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
            if self._form is not None:
                yield self._form
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

    def take(self, question: Question) -> None:
        """Go on with another reply in the question; needs a new layout."""
        self._question = question

    @property
    def takes_one_press(self) -> bool:
        """True if one press of the key approves: of a harmless call, and of that one alone."""
        is_once = self.remember.remember.scope is Scope.ONCE
        return is_once and not self.was_typed_into and takes_one_press(self._question)

    @property
    def stops(self) -> list[Widget]:
        """Widgets in focus order."""
        buttons = [self.deny, self.deny_session, self.edit, self.approve]
        stops: list[Widget] = [button for button in buttons if button.display]
        if self.remember.can_choose:
            stops.insert(-1, self.remember.choices)
        return stops

    def arm(self, is_armed: bool, can_approve: bool, filled: float | None) -> None:
        """Let clicks through, or not; `filled` is drawn in Approve."""
        self.approve.filled = None if self._void_reason else filled
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
        self._columns = columns
        self._offer(screen)
        fewest, most = self.remember.prepare(screen, columns, indent_of(columns))
        if self._void_reason is not None:
            self.remember.display = False
            fewest = most = 0
        room = height - (_FRAME_ROWS if has_frame else _BARE_ROWS) - (0 if is_full else 2)
        has_form = self._offer_form(columns, room, in_full=in_full)
        if self._form is not None and has_form:
            needed = self._form.lines_needed(columns, is_roomy=False)
            self._form.styles.height = form_rows = max(min(needed, room - _WORDS_ROWS), 1)
            room -= form_rows
        for about_rows in _ABOUT_ROWS:
            parts = question_parts(
                self._question,
                columns=columns,
                is_roomy=is_roomy,
                in_full=in_full,
                about_rows=about_rows,
            )
            if has_form:
                # The form replaces the reply and the fields; their JSON is in full view.
                lines = [*parts.first, *parts.noticed, *([SheetLine()] if is_roomy else [])]
            else:
                in_sight = room - fewest
                lines = [*self._notice(), *arranged(parts, columns, in_sight, is_roomy=is_roomy)]
            total = sum(1 for _ in layout(lines, columns))
            if total + fewest <= room:
                break
        self.sheet.set_lines(lines, columns, keep_seen=True)
        below = len(parts.rest) + (len(parts.subject) if self._form is not None else 0)
        self._rest = max(len(lines) - below, 0)
        room -= self.remember.lay_out(is_reserved=total + most <= room)
        rows = min(total, max(room, 0))
        self._sheet_rows = (total, rows)
        self.set_class(not has_frame, "-bare")
        self.set_class(not self.remember.display, "-once-only")
        self.label_approve(screen)
        before, self.sheet.styles.height = self.sheet.styles.height, rows
        self.styles.width = outer
        return before is None or before.value != rows

    def _offer_form(self, columns: int, room: int, *, in_full: bool) -> bool:
        """Show the form while it is filled in, and then if all of it is in sight."""
        form = self._form
        if form is None:
            return False
        needed = form.lines_needed(columns, is_roomy=False)
        is_whole = needed + _WORDS_ROWS <= room and not form.in_json
        is_shown = self.is_filling or (is_whole and not in_full)
        form.display = is_shown and self._void_reason is None
        return bool(form.display)

    def show_rest(self) -> None:
        """Scroll to the part about the tool."""
        self.sheet.scroll_to(y=self.sheet.row_of(self._rest), animate=False, force=True)

    def label_approve(self, screen: Size) -> None:
        """Label the button with its effect; its width is that of the longest label."""
        words, button = self._words, self.approve
        is_once = self.remember.remember.scope is Scope.ONCE
        if screen.width < 48:
            button.label = words.shortest
            button.styles.min_width = 0
            return
        question = self._question
        is_for_session = isinstance(question, AboutCall) and question.lets_later_calls_run
        approve = FOR_SESSION if is_for_session else words.approve
        button.label = approve if is_once else words.remembering
        labels = [approve, words.remembering if self.remember.can_choose else ""]
        widest = max(map(len, labels)) + 2 * button.room
        with_bar = len(approve) + FILL_CELLS + 2 * button.room
        others = [one for one in (self.deny, self.deny_session, self.edit) if one.display]
        left = self._columns - sum(len(one.label) + 2 * one.room + 1 for one in others)
        button.styles.min_width = max(widest, min(with_bar, left))

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

    def draw_status(self, status: Sequence[str]) -> None:
        """Show the rows below the sheet, and at the buttons the conditions that they wait for.

        `status`: these conditions, the longest wording first. Without a frame they are shown above.
        """
        total, shown = self._sheet_rows
        below = max(total - shown - self.sheet.scroll_offset.y, 0)
        rows = f"{below:,} more line{'' if below == 1 else 's'}"
        more = [f"{rows} - PgDn/End", rows, f"{below:,}↓"] if below else []
        self._divider.set_words(
            [Content.styled(f" {words} ", "$foreground") for words in more],
            status_words(status) if self.has_class("-bare") else (),
        )
        self._bottom.set_words(
            padded(bar_wordings(self.app, self._keys_said())), status_words(status), urgent=True
        )

    def _offer(self, screen: Size) -> None:
        """Choose the buttons and their labels for the room there is."""
        width = screen.width
        is_void = self._void_reason is not None
        for button in (self.deny, self.deny_session, self.edit, self.approve):
            button.room = 3 if width >= 80 else 1 if width >= 48 else 0
        self.approve.display = not is_void and (self.is_filling or is_ready(self._question))
        self.edit.display = self._question.can_edit and not is_void and not self.is_filling
        self.deny_session.display = self._question.can_deny_session and not is_void and width >= 36
        longest, shorter, shortest = self._words.deny_session
        self.deny_session.label = longest if width >= 100 else shorter if width >= 80 else shortest

    def _keys_said(self) -> tuple[BarKey, ...]:
        keys = (*self._words.keys[:1], *self._more_keys, *self._words.keys[1:])
        if self._void_reason is not None:
            keys = VOID_KEYS
        elif self.is_filling:
            keys = FILLING_KEYS
        elif self.remember.choices.has_focus:
            keys = REMEMBER_KEYS
        elif is_strongest(self._question):
            # Without the chord: the button alone approves.
            keys = keys[:-1]
        if not self.approve.is_armed or not is_ready(self._question):
            # The chord would approve nothing.
            keys = tuple(one for one in keys if one.id != CHORD)
        if self._in_full:
            keys = tuple(map(in_full, keys))
        if self.takes_one_press:
            keys = tuple(replace(one, id=ONE_PRESS) if one.id == CHORD else one for one in keys)
        return keys

    def _notice(self) -> list[SheetLine]:
        if self._void_reason is None:
            return []
        return [
            SheetLine((("No longer possible: ", "error"), (self._void_reason, "strong"))),
            SheetLine(((self._words.void, ""),)),
            SheetLine(),
        ]


def is_ready(question: Question) -> bool:
    """True if there is anything to approve: the answer to a server's request may be incomplete."""
    match question:
        case AboutElicitation() if question.elicitation.mode == "url":
            return look_at(question.elicitation.url).can_open
        case AboutElicitation() | AboutSampling():
            return question.is_ready
    return True


def _time_words(seconds_left: float, denies: str, waiting: int) -> tuple[str, ...]:
    """Describe the queue and the remaining time; the longest wording first."""
    queue, plus = (f"{waiting:,} more waiting · ", f"+{waiting:,} · ") if waiting else ("", "")
    if math.isinf(seconds_left):
        return (f" {queue}no time limit ", f" +{waiting:,} " if waiting else "")
    minutes, seconds = divmod(math.ceil(max(seconds_left, 0)), 60)
    left = f"{minutes}:{seconds:02d}"
    return (f" {queue}{denies} in {left} ", f" {plus}{left} ", left)


SUBJECT_ROWS = 7
"""How much of the arguments is in sight at first: their heading and six lines, or all of them."""
_BELOW = " … all of it below"


def arranged(parts: Parts, columns: int, rows: int, *, is_roomy: bool) -> list[SheetLine]:
    """Arrange all lines in order, for a sheet with so many columns and `rows` in sight.

    Parts that would take the subject's rows go below it, with a notice above: the difference first,
    then the problems; of the server and the tool only the ends of very long lines.
    """
    # The difference of a definition has a blank row of its own.
    gap = [SheetLine()] if is_roomy and not parts.changes else []
    first, noticed, changes, subject, rest = (
        *(parts.first, parts.noticed, parts.changes),
        *(parts.subject, parts.rest),
    )
    if parts.is_last:
        return [*first, *noticed, *rest, *gap, *subject]
    wanted = min(_rows(subject, columns), SUBJECT_ROWS)
    room = max(rows - wanted, min(2, rows))
    after_changes = [SheetLine()] if changes else []
    changed = [_notice("The definition changed: see the difference below the arguments")]
    changed = changed if changes else []
    found = f"{count(len(noticed), 'finding')} about it below the arguments"
    odd = [_notice(parts.noticed_below or found)] if noticed else []
    for above, below in (
        ([*first, *noticed, *changes, *after_changes], []),
        ([*first, *noticed, *changed], [*changes, *after_changes]),
        ([*first, *changed, *odd], [*noticed, *changes, *after_changes]),
    ):
        if _rows(above, columns) <= room:
            return [*above, *subject, *gap, *below, *rest]
    notices = [*changed, *odd]
    short = _cut(first, columns, max(room - len(notices), len(first)))
    whole = [line for line, cut in zip(first, short, strict=True) if line is not cut]
    return [*short, *notices, *subject, *gap, *whole, *noticed, *changes, *after_changes, *rest]


def _cut(lines: Sequence[SheetLine], columns: int, room: int) -> list[SheetLine]:
    """Fit lines into so many rows, the first with the rest of the others; each has one at least."""
    cut: list[SheetLine] = []
    for at, line in enumerate(reversed(lines)):
        left = len(lines) - at - 1
        most = max(min(room - left, 2 if left else room), 1)
        cut.insert(0, shortened(line, columns, most, _BELOW))
        room -= _rows(cut[:1], columns)
    return cut


def _notice(words: str) -> SheetLine:
    return SheetLine((("▲ ", "warning"), (words, "noticed")))


def _rows(lines: Sequence[SheetLine], columns: int) -> int:
    return sum(1 for _ in layout(lines, columns))
