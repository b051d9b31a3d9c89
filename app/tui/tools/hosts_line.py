"""Who asks: a line or two on what the hosts do before they run the tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Static

from ...approval.policies.verdicts import VerdictAnswer
from ...approval.who_asks import HostGroup
from ...content.text import count, visible

LABEL: Final = "hosts  "
MORE: Final = " f2"
PENDING: Final = "the rules of hosts are being read"
_STYLES: Final = {
    VerdictAnswer.ALLOW: "bold $text-success",
    VerdictAnswer.JUDGE: "bold",
    VerdictAnswer.ASK: "bold $text-warning",
    VerdictAnswer.REFUSE: "bold $text-error",
    VerdictAnswer.HIDE: "bold $foreground-muted",
    VerdictAnswer.UNKNOWN: "bold $foreground-muted",
}
_USUAL: Final = (VerdictAnswer.ALLOW, VerdictAnswer.ASK)
MOST_NAMES: Final = 8
"""Names in a group, at most; the rest are a number."""


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
    """The groups in so many rows of so many cells, the most names that fit.

    First the hosts that do neither of the usual two lose their names.
    """
    usual = [one for one in groups if one.answer in _USUAL or one.has_own]
    others = sum(len(one.hosts) for one in groups if one not in usual)
    shorter = _words(groups, 1, 0)
    for most in range(MOST_NAMES, 0, -1):
        for some, left in ((groups, 0), (usual, others)):
            shorter = _words(some, most, left)
            if len(shorter.wrap(max(width, 1))) <= rows:
                return shorter
    return shorter


def _words(groups: Sequence[HostGroup], most: int, others: int) -> Content:
    pieces: list[tuple[str, str] | str] = [(LABEL, "$foreground-muted")]
    for at, group in enumerate(groups):
        pieces += [" · " if at else "", *_group(group, most)]
    more = f" · {count(others, 'other')}{MORE}" if others else MORE
    return Content.assemble(*pieces, (more, "$foreground-muted"))


def _group(group: HostGroup, most: int) -> list[tuple[str, str] | str]:
    shown = group.hosts[:most]
    pieces: list[tuple[str, str] | str] = [(f"{group.does}: ", _STYLES[group.answer])]
    for at, host in enumerate(shown):
        own = "bold underline" if host.is_here else ""
        pieces += [", " if at else "", (visible(host.words), own)]
    left = len(group.hosts) - len(shown)
    return [*pieces, f", +{left}" if left else ""]
