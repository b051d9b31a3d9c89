"""Who asks: a line or two on what the hosts do before they run the tool."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Static

from ...approval.who_asks import OWN_ROLE, Flip, HostGroup, fitted_hosts
from ...content.texts.sheet_line import Piece

LABEL: Final = "hosts  "
WHAT_IF: Final = "what if  "
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
_SAID: Final = {True: "true", False: "false", None: "not set"}


class HostsLine(Static):
    """The hosts by what they do, as many names as there is room for.

    It has one row or two from the start: what comes late must move nothing.
    """

    DEFAULT_CSS = """
    HostsLine { height: 4; width: 1fr; padding-bottom: 1; }
    HostsLine.-low { height: 1; padding-bottom: 0; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, id="hosts")
        self._groups: Sequence[HostGroup] | None = None
        self._flips: Sequence[Flip] = ()

    @property
    def rows(self) -> int:
        """Rows that it takes."""
        return 1 if self.has_class("-low") else 4

    def set_low(self, is_low: bool) -> None:
        """Draw the hosts in one row, and no flips."""
        if is_low is not self.has_class("-low"):
            self.set_class(is_low, "-low")

    def show(self, groups: Sequence[HostGroup] | None, flips: Sequence[Flip] = ()) -> None:
        """Show these groups; None while they are not known yet."""
        if (groups, flips) != (self._groups, self._flips):
            self._groups, self._flips = groups, flips
            self.refresh()

    def render(self) -> Content:
        width, rows = self.content_size
        if self._groups is None:
            return Content.styled(f"{LABEL}{PENDING}", "$foreground-muted")
        if self.has_class("-low"):
            return hosts_words(self._groups, width, rows)
        hosts = hosts_words(self._groups, width, rows - 1)
        return Content.assemble(hosts, "\n", flips_words(self._flips, width))


def flips_words(flips: Sequence[Flip], width: int) -> Content:
    """What each hint would change, in one row: the keys 1 to 4 set them."""
    told = set[str]()
    found = _flips(flips, told)
    for flip in sorted(flips, key=lambda one: -abs(one.more)):
        more = _flips(flips, {*told, flip.hint})
        if flip.more and more.cell_length <= width:
            told.add(flip.hint)
            found = more
    return found.truncate(width, ellipsis=True)


def _flips(flips: Sequence[Flip], told: Collection[str]) -> Content:
    """The hints, and of those in `told` what would change."""
    pieces: list[tuple[str, str] | str] = [(WHAT_IF, "$foreground-muted")]
    for at, flip in enumerate(flips):
        sign = (str(at + 1), "bold $text-accent")
        if flip.is_set:
            words = (f"{flip.hint} {_SAID[flip.value]}", "bold $text-accent")
        else:
            does = f"{abs(flip.more)} {'more' if flip.more > 0 else 'fewer'} run"
            words = (flip.hint + f": {does}" * (flip.hint in told), "$foreground-muted")
        pieces += ["  " if at else "", sign, " ", words]
    return Content.assemble(*pieces)


def hosts_words(groups: Sequence[HostGroup], width: int, rows: int) -> Content:
    """The groups in so many rows of so many cells, the most names that fit."""

    def drawn(pieces: list[Piece]) -> Content:
        styled = [(text, _STYLES.get(role, "")) for text, role in pieces]
        return Content.assemble((LABEL, "$foreground-muted"), *styled)

    def fits(pieces: list[Piece]) -> bool:
        return len(drawn(pieces).wrap(max(width, 1))) <= rows

    return drawn(fitted_hosts(groups, fits, MORE))
