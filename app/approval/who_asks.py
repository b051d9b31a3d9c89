"""Who asks: what each host does before it runs one tool, the person's own hosts first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.labels import all_named, some_named
from ..content.text import count, visible
from ..content.texts.sheet_line import Piece
from ..protocol.server import Trust
from ..protocol.tool import ToolDefinition
from .matrix import HINT_NAMES, Overrides, build_matrix, column_title, overridden, turned
from .policies.policy import Policy
from .policies.verdicts import KnownBy, Verdict, VerdictAnswer

_NO_PROGRAM: Final = ("spec", "app-directory", "unattended-loop")
"""Columns beside hosts: the specification, a review, a pattern of programs."""
WELL_KNOWN: Final = ("vscode", "codex", "claude-code", "cursor")
"""Hosts that are named first where none of this machine is known."""
_GROUPS: Final = (
    (VerdictAnswer.ALLOW, "runs it", "run it"),
    (VerdictAnswer.JUDGE, "asks its model", "ask their model"),
    (VerdictAnswer.ASK, "asks", "ask"),
    (VerdictAnswer.REFUSE, "refuses it", "refuse it"),
    (VerdictAnswer.HIDE, "hides it", "hide it"),
    (VerdictAnswer.UNKNOWN, "not known", "not known"),
)
"""Decisions in the order of the groups: the words for one host, and for several."""


_DOES: Final = {
    VerdictAnswer.ALLOW: "runs",
    VerdictAnswer.JUDGE: "asks its model",
    VerdictAnswer.ASK: "asks",
    VerdictAnswer.REFUSE: "is refused",
    VerdictAnswer.HIDE: "is hidden",
    VerdictAnswer.UNKNOWN: "is not known",
}
"""What a tool does in a host, the least asked for first."""
_STRICTNESS: Final = tuple(_DOES)
_NAMED: Final = 2


def abbreviation(title: str) -> str:
    """Three letters for a title: `Cod`, `VSC`, `ClC`."""
    first, *others = title.split() or [""]
    others = [one for one in others if one[0].isupper()]
    if not others:
        return first[:3]
    start = first if first.isupper() else first[:2]
    return f"{start[:2]}{others[0][:1]}"


@frozen
class HostDecision:
    """One host in a group. `is_here`: it is configured on this machine."""

    title: str
    is_here: bool
    is_measured: bool

    @property
    def words(self) -> str:
        """The title, with `°` if that was measured."""
        return f"{self.title}{'°' if self.is_measured else ''}"


@frozen
class HostGroup:
    """Hosts that do the same. `does` fits their number: `runs it`, `ask`."""

    answer: VerdictAnswer
    does: str
    hosts: tuple[HostDecision, ...]

    @property
    def has_own(self) -> bool:
        """True if a host of this machine is among them."""
        return any(one.is_here for one in self.hosts)


@frozen
class Flip:
    """What another value of a hint would change. `more`: hosts that would run it in addition."""

    hint: str
    value: bool | None
    more: int
    is_set: bool
    """Whether the person has set it so for a what-if."""


@frozen
class HostMove:
    """Hosts that decide otherwise after a change, all in the same way; titles are one's own first.

    `before` is None for a new tool.
    """

    before: VerdictAnswer | None
    after: VerdictAnswer
    titles: tuple[str, ...]

    @property
    def is_looser(self) -> bool:
        """True if less is asked for than before."""
        before = self.before
        return before is not None and self.is_known and _rank(self.after) < _rank(before)

    @property
    def is_known(self) -> bool:
        """True if both decisions are known."""
        return VerdictAnswer.UNKNOWN not in (self.before, self.after)

    @property
    def words(self) -> str:
        """Name both decisions and the hosts: `asks → runs in VS Code, Codex and 8 more`."""
        moved = "" if self.before is None else f"{_DOES[self.before]} → "
        return f"{moved}{_DOES[self.after]} in {_named(self.titles)}"


def _rank(answer: VerdictAnswer) -> int:
    return _STRICTNESS.index(answer)


def _named(titles: Sequence[str]) -> str:
    return all_named(titles) if len(titles) <= _NAMED + 1 else some_named(titles, _NAMED)


class WhoAsks:
    """The decisions of hosts on the tools of one server.

    `columns` are the rules of hosts, as configured on this machine where they are; `here` the names
    of those whose files were found.
    """

    def __init__(
        self,
        columns: Sequence[Policy],
        here: Collection[str] = (),
        server: str = "",
        first: Sequence[str] = (),
    ) -> None:
        """`first`: names of hosts that come before all others."""
        self.here = frozenset(here)
        ranks = {name: at for at, name in enumerate(WELL_KNOWN)}
        chosen = {name: at for at, name in enumerate(first)}
        self._columns = sorted(
            (one for one in columns if one.name not in _NO_PROGRAM),
            key=lambda one: (
                chosen.get(one.name, len(chosen)),
                one.name not in self.here,
                ranks.get(one.name, len(ranks)),
            ),
        )
        self._matrix = build_matrix((), self._columns, server=server)

    @property
    def titles(self) -> list[tuple[str, bool]]:
        """The titles of the hosts in their order, and whether each is of this machine."""
        return [(column_title(one), one.name in self.here) for one in self._columns]

    def verdicts(
        self, tool: ToolDefinition, trust: Trust, overrides: Overrides, count: int
    ) -> list[Verdict]:
        """The verdicts of the first hosts on a tool under other hints."""
        cells = self._matrix.cells_of(overridden(tool, overrides))
        return [cell.under(trust) for cell in cells[:count]]

    def flips(self, tool: ToolDefinition, trust: Trust, overrides: Overrides) -> list[Flip]:
        """Return for each hint its next value, and how many more hosts would run the tool."""
        every = len(self._columns)
        now = _running(self.verdicts(tool, trust, overrides, every))
        found = []
        for hint in HINT_NAMES:
            if hint in overrides:
                found.append(Flip(hint, overrides[hint], 0, True))
                continue
            then = turned(tool, overrides, hint)
            more = _running(self.verdicts(tool, trust, then, every)) - now
            found.append(Flip(hint, then[hint], more, False))
        return found

    def groups(self, tool: ToolDefinition, trust: Trust, overrides: Overrides) -> list[HostGroup]:
        """Group the hosts by their decision under other hints, those that run the tool first."""
        cells = self._matrix.cells_of(overridden(tool, overrides))
        found: dict[VerdictAnswer, list[HostDecision]] = {}
        for column, cell in zip(self._columns, cells, strict=True):
            verdict = cell.under(trust)
            found.setdefault(verdict.answer, []).append(
                HostDecision(column_title(column), column.name in self.here, _is_measured(verdict))
            )
        return [
            HostGroup(answer, one if len(found[answer]) == 1 else several, tuple(found[answer]))
            for answer, one, several in _GROUPS
            if answer in found
        ]

    def moves(
        self, before: ToolDefinition | None, after: ToolDefinition, trust: Trust
    ) -> list[HostMove]:
        """Group the hosts by how a change of a tool moves their decision, what asks less first.

        Hosts that decide as before are left out. A tool that is new has only decisions after it.
        """
        found: dict[tuple[VerdictAnswer | None, VerdictAnswer], list[str]] = {}
        now = self._matrix.cells_of(after)
        was = [None] * len(now) if before is None else self._matrix.cells_of(before)
        for column, old, new in zip(self._columns, was, now, strict=True):
            left = None if old is None else old.under(trust).answer
            right = new.under(trust).answer
            if left is not right:
                found.setdefault((left, right), []).append(column_title(column))
        moves = [HostMove(left, right, tuple(titles)) for (left, right), titles in found.items()]
        return sorted(
            moves, key=lambda one: (not one.is_looser, not one.is_known, -len(one.titles))
        )


def _running(verdicts: Sequence[Verdict]) -> int:
    return sum(one.answer is VerdictAnswer.ALLOW for one in verdicts)


MOST_NAMES: Final = 8
"""Names in a group, at most; the rest are a number."""
OWN_ROLE: Final = "typed"
"""The role of the hosts of this machine."""
ANSWER_ROLES: Final[Mapping[VerdictAnswer, str]] = {
    VerdictAnswer.ALLOW: "success",
    VerdictAnswer.JUDGE: "strong",
    VerdictAnswer.ASK: "warning",
    VerdictAnswer.REFUSE: "error",
    VerdictAnswer.HIDE: "label",
    VerdictAnswer.UNKNOWN: "label",
}
_USUAL: Final = (VerdictAnswer.ALLOW, VerdictAnswer.ASK)
_Fits: TypeAlias = Callable[[list[Piece]], bool]


def fitted_hosts(groups: Sequence[HostGroup], fits: _Fits, more: str = "") -> list[Piece]:
    """The hosts by what they do, the most names that fit, and `more` at the end.

    First the hosts that do neither of the usual two lose their names.
    """
    usual = [one for one in groups if one.answer in _USUAL or one.has_own]
    others = sum(len(one.hosts) for one in groups if one not in usual)
    shorter = _some_hosts(groups, 1, 1, 0, more)
    for most in range(MOST_NAMES, 0, -1):
        for some, left in ((groups, 0), (usual, others)):
            shorter = _some_hosts(some, most, most, left, more)
            if fits(shorter):
                return _with_more(some, most, left, more, fits) or shorter
    return shorter


def _with_more(
    groups: Sequence[HostGroup], most: int, others: int, more: str, fits: _Fits
) -> list[Piece] | None:
    """The same with more names of the largest group, if any fit."""
    largest = max((len(one.hosts) for one in groups), default=0)
    for longest in range(min(largest, MOST_NAMES), most, -1):
        longer = _some_hosts(groups, most, longest, others, more)
        if fits(longer):
            return longer
    return None


def group_pieces(group: HostGroup, most: int | None = None) -> list[Piece]:
    """`ask: VS Code, Codex, +12`: what they do, and so many of their names."""
    pieces: list[Piece] = [(f"{group.does}: ", ANSWER_ROLES[group.answer])]
    for at, host in enumerate(group.hosts[:most]):
        pieces += [(", " if at else "", ""), (visible(host.words), OWN_ROLE * host.is_here)]
    left = len(group.hosts) - len(group.hosts[:most])
    return [*pieces, (f", +{left}" if left else "", "")]


def _some_hosts(
    groups: Sequence[HostGroup], most: int, longest: int, others: int, more: str
) -> list[Piece]:
    """So many names of each group, and `longest` of the largest one."""
    pieces: list[Piece] = []
    largest = max(groups, key=lambda one: len(one.hosts), default=None)
    for at, group in enumerate(groups):
        shown = longest if group is largest else most
        pieces += [(" · " if at else "", ""), *group_pieces(group, shown)]
    return [*pieces, (f" · {count(others, 'other')}{more}" if others else more, "dim")]


def _is_measured(verdict: Verdict) -> bool:
    return verdict.known_by in (KnownBy.BOTH, KnownBy.MEASURED, KnownBy.CONFLICT)
