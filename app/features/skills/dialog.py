"""The dialog that asks for the approval of a skill: all of it has to be seen first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....widgets.buttons import GuardedButton
from ....widgets.key_bar import BarKey
from ...approval.grants import Remember, Scope
from ...approval.questions.sheet import has_gaps, pieces_of
from ...approval.skill_approvals import FOR_A_SKILL
from ...content.text import spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...protocol.server import Server
from ...tui.approving.sheet_dialog import SheetDialog, keys_of_sheet
from .approving import SkillStanding
from .reading import SkillChecked
from .words import INDENT, NOT_GRANTED, whole_lines

_OFFERED = tuple(one for one in FOR_A_SKILL if one.days in (0, 30))


class SkillDialog(SheetDialog[Remember | None], inherit_bindings=False):
    """The result is how long the approval is remembered; None approves nothing.

    `texts` are those of files, by digest; `guard`: keyword arguments of SheetDialog.
    """

    HELP = """
# Approve a skill

Everything that the approval covers is on this sheet: the entry, each file with its digest, and each
text. Scroll to the end first. The approval is for this server, its program and exactly these files:
any other file or frontmatter ends it. It grants no tool, and no read runs because of it.
"""
    BINDINGS = SheetDialog.BINDINGS
    doing = "approving it"

    def __init__(
        self,
        server: Server,
        checked: SkillChecked,
        standing: SkillStanding,
        texts: Mapping[str, str],
        **guard: Any,
    ) -> None:
        self.leave = GuardedButton("Do not approve", id="leave")
        self.session = GuardedButton("This session", id="session")
        self.dated = GuardedButton("30 days", id="dated")
        super().__init__((self.leave, self.session, self.dated), acting=2, **guard)
        self._server = server
        self._checked = checked
        self._standing = standing
        self._texts = texts

    def title_words(self) -> str:
        return "Approve this skill?"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        server = self._server
        yield labelled(
            "server",
            INDENT,
            *pieces_of(spans(server.name), "strong"),
            ("  ", ""),
            *pieces_of(spans(server.command)),
            exact=has_gaps(server.name, server.command),
        )
        yield from (SheetLine(((one, ""),)) for one in NOT_GRANTED)
        yield SheetLine()
        yield from whole_lines(self._checked, self._standing, self._texts)

    def keys_said(self) -> tuple[BarKey, ...]:
        return keys_of_sheet("Do not approve")

    def label_buttons(self, width: int) -> None:
        self.leave.label = "Leave it" if width < 48 else "Do not approve"
        verb = "Approve, " if width >= 80 else ""
        self.session.label = f"{verb}this session" if width >= 48 else "session"
        self.dated.label = f"{verb}30 days"

    def result_of(self, button: GuardedButton) -> Remember | None:
        if button is self.session:
            return next(one for one in _OFFERED if one.scope is Scope.SESSION)
        if button is self.dated:
            return next(one for one in _OFFERED if one.scope is Scope.UNTIL)
        return None
