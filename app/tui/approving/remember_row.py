"""The row that offers to remember an approval, and spells out what that would cover."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size

from ....widgets.buttons import ChoiceRow
from ....widgets.sheets import SheetView, layout
from ...approval.approval import ONCE
from ...approval.grants import DAYS, Remember, Scope
from ...approval.questions.question_lines import ScopeWords, scope_words, stepped
from ...approval.questions.questions import Question
from ...content.text import visible
from ...content.texts.sheet_line import SheetLine, labelled
from ...storage.state_dir import StoreError, shown, state_folder

REVOKED_BY: Final = "f10"
SMALLEST = Size(48, 16)
"""The smallest screen with room for the scope of a remembered approval."""
_INDENTED_FROM = 66
_ONE_LINE_FROM = 90
_LOST_AT_A_LINE_END = 12
_COMMAND_LEAST = 20
_LABEL = "remember"
_SCOPES = (Scope.ONCE, Scope.ARGUMENTS, Scope.SESSION, Scope.UNTIL)
_WORDS = (
    (107, 2, ("these arguments, this session", "this tool, this session"), "tool, for days"),
    (74, 2, ("same arguments", "this tool"), "tool, for days"),
    (66, 2, ("same arguments", "this tool"), "days"),
    (0, 1, ("arguments", "tool"), "days"),
)
"""Columns needed, blanks between, labels, and that of a date while it is not chosen."""


class RememberRow(Vertical):
    """Offers to remember an approval; nothing in it approves or denies.

    `today` gives seconds since the epoch.
    """

    DEFAULT_CSS = "RememberRow { height: auto; SheetView { height: 0; } }"

    def __init__(self, question: Question, *, today: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._question = question
        self._today = today
        self._is_offered = question.can_remember
        self._offers = question.offers
        self._folder = _folder() if self._is_offered else ""
        self._indent = self._columns = 0
        self._is_reserved = False
        self.remember: Remember = ONCE
        self.choices = ChoiceRow(id="remember")
        self.choices.display = self._is_offered
        self.words = SheetView(id="scope")

    def compose(self) -> ComposeResult:
        yield self.choices
        yield self.words

    @property
    def can_choose(self) -> bool:
        """True if the choices are on the screen at all."""
        return bool(self.display and self.choices.display)

    def prepare(self, screen: Size, columns: int, indent: int) -> tuple[int, int]:
        """Fit into so many columns; returns the fewest rows that it takes, and the most."""
        self._columns, self._indent = columns, indent
        has_room = screen.width >= SMALLEST.width and screen.height >= SMALLEST.height
        why_not = self._question.why_not_remembered
        self.display = has_room and (self._is_offered or bool(why_not))
        if not self.can_choose:
            self.remember = ONCE
        if not self.display:
            return 0, 0
        if not self._is_offered:
            rows = self._rows(ONCE)
            return rows, rows
        return 1, 1 + max(self._rows(one) for one in self._offers)

    def lay_out(self, *, is_reserved: bool) -> int:
        """Draw the choice; returns the rows taken.

        `is_reserved`: once anything is to be remembered, as many as the longest of the choices
        needs, so that nothing moves.
        """
        self._is_reserved = is_reserved
        return self._draw() if self.display else 0

    def step(self, step: int) -> bool:
        """The next choice, or the one before; True if it takes another number of rows."""
        return self._choose(stepped(self.remember, step, self._offers))

    def pick(self, index: int) -> bool:
        """The choice that was clicked; clicking the last one again turns to more days."""
        scope = _SCOPES[index]
        days = 0
        if scope is Scope.UNTIL:
            at = DAYS.index(self.remember.days) + 1 if self.remember.scope is scope else 0
            days = DAYS[at % len(DAYS)]
        return self._choose(Remember(scope, days))

    def _choose(self, remember: Remember) -> bool:
        before, self.remember = self.words.styles.height, remember
        self._draw()
        after = self.words.styles.height
        return (before and before.value) != (after and after.value)

    def _draw(self) -> int:
        rows = self._rows(self.remember)
        if self._is_offered:
            self._draw_choices()
            if self._is_reserved and self.remember.scope is not Scope.ONCE:
                rows = max(self._rows(one) for one in self._offers)
        self.words.set_lines(list(self._lines(self.remember)), self._columns)
        self.words.styles.height = rows
        return rows + self._is_offered

    def _draw_choices(self) -> None:
        _, gap, labels, dated = next(one for one in _WORDS if self._columns >= one[0])
        if days := self.remember.days:
            dated = dated.replace("days", "1 day" if days == 1 else f"{days} days")
        indent = max(self._indent, len(_LABEL) + 1)
        chosen = _SCOPES.index(self.remember.scope)
        shown = ["no", *labels, dated][: len({one.scope for one in self._offers})]
        self.choices.show(_LABEL, indent, shown, chosen, gap)

    def _rows(self, remember: Remember) -> int:
        return sum(1 for _ in layout(list(self._lines(remember)), self._columns))

    def _lines(self, remember: Remember) -> Iterator[SheetLine]:
        if not self._is_offered:
            words = f"cannot be remembered: {visible(self._question.why_not_remembered)}"
            yield labelled(_LABEL, self._indent, (words, "dim"))
            return
        indent = self._indent if self._columns >= _INDENTED_FROM else 0
        said = self._said(remember, self._columns - indent)
        if remember.scope is Scope.ONCE:
            return
        if said.caution:
            yield labelled("", indent, (said.caution, "error"))
        yield labelled("", indent, (said.covers, ""))
        yield labelled("", indent, (said.lasts, "strong"), (f"; {said.kept}", ""))

    def _said(self, remember: Remember, room: int) -> ScopeWords:
        """The words, with as much of the server's command as goes on one line, or else two."""
        now, folder = self._today(), self._folder
        bare = self._scope_words(remember, now, folder, 1)
        lines = room if room >= _ONE_LINE_FROM else 2 * room - _LOST_AT_A_LINE_END
        most = max(lines - len(bare.covers), _COMMAND_LEAST)
        return self._scope_words(remember, now, folder, most)

    def _scope_words(self, remember: Remember, now: float, folder: str, most: int) -> ScopeWords:
        return scope_words(
            self._question,
            remember,
            now=now,
            folder=folder,
            command_most=most,
            revoked_by=REVOKED_BY,
        )


def _folder() -> str:
    try:
        path = str(state_folder())
    except StoreError:
        return "the state folder"
    from pathlib import Path

    home = str(Path.home())
    return shown(f"~{path.removeprefix(home)}" if path.startswith(f"{home}/") else path)
