"""The changes of the tool list, which follow new ones: their consequence, then the difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from ....widgets.bars import Verb
from ....widgets.bindings import bindings_of
from ...presentation.consequences import Consequence
from ...protocol.definitions.diff_lines import DiffLine, list_lines
from ..base.context import Shown
from ..text.pager import PagerScreen, PagerSection, plain_lines
from .pending import pending_consequences

if TYPE_CHECKING:
    from ...approval.who_asks import HostMove, WhoAsks
    from ...engine.engine import Engine

Piece = tuple[str, str]

TITLE: Final = "Changes of the definitions"
NONE: Final = "Nothing changed, or all of it was accepted."
FIRST: Final = "This is the first session with this server, and its list has not changed."
UNREAD: Final = "The rules of hosts are still being read."
ACCEPTED: Final = "Accepted as your change. Approvals from before do not cover it."
CHANGED_AGAIN: Final = "Not accepted: the list has changed again. Read it first."
_OF_SIGN: Final = {"-": "error", "+": "success", "~": "", " ": "muted"}
_OF_ROLE: Final = {
    "dim": "muted",
    "mark": "mark",
    "noticed": "warning",
    "warning": "bold reverse",
}


def show_changes(
    screen: Screen[None],
    engine: Engine,
    hosts: Callable[[], WhoAsks | None] = lambda: None,
    accepted: Callable[[], None] = lambda: None,
) -> Shown:
    """Show the changes of this session that were not accepted.

    `hosts` returns the rules of hosts, once they are read; `accepted` is called after accepting.
    """

    def accept() -> None:
        is_accepted = engine.consent.accept_changes(opened.diff)
        words = ACCEPTED if is_accepted else CHANGED_AGAIN
        screen.notify(words, severity="information" if is_accepted else "warning", markup=False)
        if is_accepted:
            accepted()
            opened.dismiss()

    opened = ChangesScreen(engine, hosts, accept)
    # A notice of these changes would cover them.
    screen.app.clear_notifications()
    screen.app.push_screen(opened)
    return opened, opened.follow


class ChangesScreen(PagerScreen):
    """The changes of the tool list, redrawn when they differ."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("changes")

    def __init__(
        self, engine: Engine, hosts: Callable[[], WhoAsks | None], accept: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._hosts = hosts
        self._accept = accept
        self.diff = engine.memory.pending
        """The changes that are shown: no others are accepted."""
        super().__init__(Content(TITLE), [self._section()])

    def follow(self) -> None:
        """Show the changes as they are now."""
        self.diff = self._engine.memory.pending
        self.take([self._section()])
        self.refresh_bindings()

    def verbs(self) -> list[Verb]:
        mine = [] if self.diff.is_empty else [Verb("accept", "It is my change", "a")]
        return [*mine, *super().verbs()[1:]]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "accept":
            return not self.diff.is_empty
        return super().check_action(action, parameters)

    def action_accept(self) -> None:
        self._accept()

    def _section(self) -> PagerSection:
        if self.diff.is_empty:
            engine = self._engine
            is_first = not engine.memory.is_known and engine.list_diff.is_empty
            words = FIRST if is_first else NONE
            return PagerSection("changes", plain_lines(words), is_ours=True)
        lines = [*self._consequence_lines(), *map(diff_pieces, list_lines(self.diff))]
        return PagerSection("changes", (), is_ours=True, styled=lines)

    def _consequence_lines(self) -> list[Sequence[Piece]]:
        found = pending_consequences(self._engine, self._hosts())
        if found is None:
            return [[(UNREAD, "muted")], []]
        lines = [line for one in found for line in consequence_pieces(one)]
        return [*lines, []] if lines else []


def consequence_pieces(one: Consequence) -> list[Sequence[Piece]]:
    """Lines of a consequence, with colour where less is asked for than before."""
    first, *others = one.moves or [None]
    rest = one.words[len(one.name) :]
    lines: list[Sequence[Piece]] = [[(one.name, "bold"), (rest, _colour(first))]]
    indent = " " * (len(one.name) + 2)
    return [*lines, *([(f"{indent}{move.words}", _colour(move))] for move in others if move)]


def _colour(move: HostMove | None) -> str:
    if move is None:
        return "muted"
    return "error" if move.is_looser else ""


def diff_pieces(line: DiffLine) -> Sequence[Piece]:
    """A line of a difference with its colours, which repeat the sign."""
    colour = _OF_SIGN[line.sign]
    is_part = any(role == "strong" for _, role in line.pieces)
    sign = f"{line.sign} ┃ " if line.is_theirs else f"{line.sign} "

    def style(role: str) -> str:
        if role in _OF_ROLE:
            return _OF_ROLE[role]
        if not line.is_theirs:
            return "bold" if role == "strong" else ""
        return colour if role == "strong" or not is_part else ""

    return [(sign, colour), *((text, style(role)) for text, role in line.pieces)]
