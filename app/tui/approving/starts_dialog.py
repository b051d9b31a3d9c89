"""The dialog that asks whether several configured servers may start: rows with tick boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from ....widgets.bindings import bindings_of
from ....widgets.buttons import GuardedButton
from ....widgets.key_bar import BarKey
from ...content.text import count
from ...content.texts.sheet_line import SheetLine, labelled
from ...hosts.files.starting import ServerStart
from ...presentation.starts import name_of, start_facts, start_note
from ...storage.starts import StartConsent
from .sheet_dialog import SheetDialog, keys_of_sheet

_LABELS = 11
_TICKS = {True: "[x]", False: "[ ]"}
_STEPS = {"up": -1, "down": 1}


class StartsDialog(SheetDialog[frozenset[str]], inherit_bindings=False):
    """The result is the digests of the starts that were agreed to.

    `asked`: each start with the last consent for its entry. All of them are ticked at first.
    `guard`: keyword arguments of SheetDialog.
    """

    HELP = """
# Start several servers

Each row is a server of a configuration file, with its exact command. `↑` and `↓` choose a row, `x`
ticks it or not. The last button starts those that are ticked, once all rows were on the screen.
"""
    BINDINGS: ClassVar[list[BindingType]] = [*SheetDialog.BINDINGS, *bindings_of("starts")]
    doing = "starting them"

    def __init__(
        self, asked: Sequence[tuple[ServerStart, StartConsent | None]], **guard: Any
    ) -> None:
        self.leave = GuardedButton("Start none", id="leave")
        self.start = GuardedButton("", id="start")
        super().__init__((self.leave, self.start), **guard)
        self._asked = tuple(asked)
        self._ticked = [True] * len(self._asked)
        self._at = 0
        self._rows: list[int] = []
        """The first line of each server on the sheet."""

    @property
    def is_possible(self) -> bool:
        return any(self._ticked)

    def title_words(self) -> str:
        return f"Start {count(len(self._asked), 'server')}?"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        indent = _LABELS if columns >= 40 else 0
        self._rows = []
        at = 0
        for number, (start, before) in enumerate(self._asked):
            self._rows.append(at)
            sign = "›" if number == self._at else " "
            head = f"{sign} {_TICKS[self._ticked[number]]} "
            role = "strong" if self._ticked[number] else "dim"
            yield SheetLine(((head, role), (name_of(start), role)))
            facts = start_facts(start, before)
            for one in facts:
                yield labelled(f"  {one.label}", indent, (one.words, one.role), exact=True)
            at += 1 + len(facts)
        yield SheetLine()
        for note in dict.fromkeys(start_note(start) for start, _ in self._asked):
            yield SheetLine(((note, ""),))

    def keys_said(self) -> tuple[BarKey, ...]:
        tick = BarKey("starts.tick", "Tick, or not", 1)
        return keys_of_sheet("Start none", BarKey("↑ ↓", "Row", 1), tick)

    def label_buttons(self, width: int) -> None:
        ticked = sum(self._ticked)
        self.start.label = f"Start {ticked} of {len(self._ticked)}"

    def result_of(self, button: GuardedButton) -> frozenset[str]:
        if button is not self.start:
            return frozenset()
        pairs = zip(self._asked, self._ticked, strict=True)
        return frozenset(start.digest for (start, _), ticked in pairs if ticked)

    def action_scroll_sheet(self, where: str) -> None:
        step = _STEPS.get(where)
        if step is None:
            super().action_scroll_sheet(where)
        elif self.is_armed:
            self._at = min(max(self._at + step, 0), len(self._asked) - 1)
            self._show_rows()
            row = self.sheet.row_of(self._rows[self._at])
            self.sheet.scroll_to(y=row, animate=False, force=True)

    def action_tick(self) -> None:
        """Tick the row, or not. A press that still had to wait does not count."""
        if self.is_armed:
            self._ticked[self._at] = not self._ticked[self._at]
            self.keys.reset()
            self._show_rows()

    def _show_rows(self) -> None:
        self.lay_out()
        self.draw()
