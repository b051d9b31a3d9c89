"""Who asks: a line or two on what the hosts do before they run the tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Static

from ...approval.who_asks import OWN_ROLE, HostGroup, fitted_hosts
from ...content.texts.sheet_line import Piece

LABEL: Final = "hosts  "
MORE: Final = " f2"
PENDING: Final = "the rules of hosts are being read"
_STYLES: Final = {
    "success": "bold $text-success",
    "warning": "bold $text-warning",
    "error": "bold $text-error",
    "strong": "bold",
    "label": "bold $foreground-muted",
    "dim": "$foreground-muted",
    OWN_ROLE: "bold underline",
}


class HostsLine(Static):
    """The hosts by what they do, as many names as there is room for.

    It has one row or two from the start: what comes late must move nothing.
    """

    DEFAULT_CSS = """
    HostsLine { height: 2; width: 1fr; }
    HostsLine.-low { height: 1; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, id="hosts")
        self._groups: Sequence[HostGroup] | None = None

    def show(self, groups: Sequence[HostGroup] | None) -> None:
        """Show these groups; None while they are not known yet."""
        if groups != self._groups:
            self._groups = groups
            self.refresh()

    def render(self) -> Content:
        width, rows = self.content_size
        if self._groups is None:
            return Content.styled(f"{LABEL}{PENDING}", "$foreground-muted")
        return hosts_words(self._groups, width, rows)


def hosts_words(groups: Sequence[HostGroup], width: int, rows: int) -> Content:
    """The groups in so many rows of so many cells, the most names that fit."""

    def drawn(pieces: list[Piece]) -> Content:
        styled = [(text, _STYLES.get(role, "")) for text, role in pieces]
        return Content.assemble((LABEL, "$foreground-muted"), *styled)

    def fits(pieces: list[Piece]) -> bool:
        return len(drawn(pieces).wrap(max(width, 1))) <= rows

    return drawn(fitted_hosts(groups, fits, MORE))
