"""A link that leads outside of the server: whether to follow it, and how."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from ....widgets.guarded_button import GuardedButton
from ...content.text import spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...protocol.answers.links import URI_MAX, LinkFacts, LinkKind
from ...protocol.server import Server
from ...questions.sheet import pieces_of
from ...questions.value_lines import uri_lines
from ..approving.sheet_dialog import SheetDialog

_PROGRAMS = {LinkKind.WEB: "browser", LinkKind.MAIL: "mail program"}


class Way(StrEnum):
    """What is to be done with a link."""

    LEAVE = "leave"
    COPY = "copy"
    READ = "read from the server"
    OPEN = "open outside"


class OutsideDialog(SheetDialog[Way], inherit_bindings=False):
    """Asks what to do with a link; opening it takes a press that has to be meant.

    `why_not`: why nothing can be opened outside now, in words of our own; empty where it can.
    `guard`: what SheetDialog takes by name.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *SheetDialog.BINDINGS,
        Binding("y", "copy", "Copy", id="outside.copy"),
    ]

    doing = "opening"

    def __init__(
        self, facts: LinkFacts, server: Server, *, why_not: str = "", **guard: Any
    ) -> None:
        self.leave = GuardedButton("Leave it", id="leave")
        self.copy = GuardedButton("Copy", id="copy")
        self.read = GuardedButton("Read from the server", id="read")
        self.open = GuardedButton(f"Open in {_PROGRAMS.get(facts.kind, '')}", id="open")
        super().__init__((self.leave, self.copy, self.read, self.open), **guard)
        self._facts = facts
        self._why_not = facts.why_not or why_not
        self._server = server
        self.open.display = self.is_possible

    @property
    def is_possible(self) -> bool:
        return not self._why_not

    def title_words(self) -> str:
        program = _PROGRAMS.get(self._facts.kind, "")
        return f"Open in your {program}?" if self.is_possible else "A link out of this server"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        return outside_lines(self._facts, self._server, self._why_not, columns)

    def keys_said(self) -> tuple[str, ...]:
        return ("Esc leaves it · Tab moves · y copies · PgDn scrolls", "Esc leaves it · y copies")

    def label_buttons(self, width: int) -> None:
        self.read.label = "Read" if width < 60 else "Read from server"
        if width < 80:
            self.open.label = "Open"

    def result_of(self, button: GuardedButton) -> Way:
        ways = {self.copy: Way.COPY, self.read: Way.READ, self.open: Way.OPEN}
        return ways.get(button, Way.LEAVE)

    def action_copy(self) -> None:
        if self.is_armed:
            self.answer(Way.COPY)


def outside_lines(
    facts: LinkFacts, server: Server, why_not: str, columns: int
) -> Iterator[SheetLine]:
    """From whom the link is, where it leads, what is odd about it, and what opening does."""
    indent = 9 if columns >= 40 else 0
    yield labelled(
        "server",
        indent,
        *pieces_of(spans(server.name), "strong"),
        ("  ", ""),
        *pieces_of(spans(server.command)),
        exact=True,
    )
    yield labelled("", indent, ("wrote this link; nothing of it has been fetched", "dim"))
    yield from uri_lines(facts, indent, URI_MAX, "too long to be opened")
    yield SheetLine()
    if why_not:
        yield SheetLine(((f"It is not opened outside: {why_not}.", "noticed"),))
    else:
        program = _PROGRAMS[facts.kind]
        sees = "whoever runs that host sees that you come" if facts.host else "nothing is sent yet"
        yield SheetLine(((f"Opening starts your {program} with exactly this; {sees}.", ""),))
    yield SheetLine((("Reading asks this server for it, as the policy lets it.", "dim"),))
