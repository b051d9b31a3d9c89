"""The start dialog: shows the exact command of a configured server, then asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....widgets.buttons import GuardedButton
from ...configuration.starting import ServerStart
from ...content.texts.sheet_line import SheetLine, labelled
from ...presentation.starts import start_facts, start_note, start_title
from ...storage.starts import StartConsent
from .sheet_dialog import SheetDialog

_LABELS = 9


class StartDialog(SheetDialog[bool], inherit_bindings=False):
    """The result is True to start exactly this.

    `before` is the last consent for the entry; what differs from it is among the lines. `guard`:
    keyword arguments of SheetDialog.
    """

    BINDINGS = SheetDialog.BINDINGS
    doing = "starting it"

    def __init__(self, start: ServerStart, before: StartConsent | None, **guard: Any) -> None:
        self.leave = GuardedButton("Do not start it", id="leave")
        self.start = GuardedButton("Start it", id="start")
        super().__init__((self.leave, self.start), **guard)
        self._start = start
        self._before = before

    def title_words(self) -> str:
        return start_title(self._start)

    def lines(self, columns: int) -> Iterator[SheetLine]:
        indent = _LABELS if columns >= 40 else 0
        for one in start_facts(self._start, self._before):
            yield labelled(one.label, indent, (one.words, one.role), exact=True)
        yield SheetLine()
        yield SheetLine(((start_note(self._start), ""),))

    def keys_said(self) -> tuple[str, ...]:
        return (
            "esc: do not start it · tab: move · PgDn: scroll",
            "esc: do not start it · tab: move",
            "esc: leave it",
        )

    def label_buttons(self, width: int) -> None:
        self.leave.label = "Leave it" if width < 48 else "Do not start it"

    def result_of(self, button: GuardedButton) -> bool:
        return button is self.start
