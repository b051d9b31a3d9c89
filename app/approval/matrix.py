"""The matrix: every tool under every policy and the rules of every host, untrusted and trusted.

Its verdicts are on a call with unknown arguments, on a server at its first contact. Nothing is
remembered, nothing is called. What was measured of a host counts before its rules.

What-if: hints that the user sets in place of the server's, to see the verdicts change. They are
never the server's: the raw definition, its digest and everything that is sent stay as they came. On
real calls they count only if they make a verdict stricter.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..protocol.findings.findings import Finding
from ..protocol.hints import HINT_KEYS, Claim
from ..protocol.server import Trust
from ..protocol.tool import ToolDefinition
from ..protocol.tool_reading import read_tool
from .policies.measured import Claims
from .policies.policy import Policy, PolicyKind
from .policies.rules import NameCondition
from .policies.verdicts import Case, KnownBy, Verdict, VerdictAnswer, definition_doubts

_VALUES: Final = {Claim.TRUE: True, Claim.FALSE: False, Claim.NOT_SET: None}
_OUTCOMES: Final = {
    VerdictAnswer.ALLOW: "it ran without a question",
    VerdictAnswer.ASK: "it asked",
    VerdictAnswer.REFUSE: "it was refused",
    VerdictAnswer.HIDE: "it was hidden from the model",
    VerdictAnswer.JUDGE: "it ran if its model allowed it",
}


def as_measured(column: Policy, tool: ToolDefinition, verdict: Verdict) -> Verdict:
    """Return the verdict with its evidence; another answer if another one was measured.

    Hints are compared as declared, all four. A tool that cannot be called, or with a malformed
    hint, was not measured.
    """
    if column.kind is not PolicyKind.HOST:
        return verdict
    claims = claims_of(tool)
    found = None
    if claims is not None and tool.callable and column.measured is not None:
        found = column.measured.find(column.name, claims)
    if found is None:
        return replace(verdict, known_by=KnownBy.READ)
    seen = f"{_OUTCOMES[found.answer]} when {found.words}"
    if found.answer is verdict.answer:
        return replace(verdict, known_by=KnownBy.BOTH, measured=seen)
    if verdict.answer is VerdictAnswer.UNKNOWN:
        reasons: tuple[str, ...] = (seen,)
        known_by = KnownBy.MEASURED
    else:
        read = f"by its source: {verdict.words}: {'; '.join(verdict.reasons)}"
        reasons, known_by = (seen, read), KnownBy.CONFLICT
    return replace(
        verdict,
        answer=found.answer,
        strong=False,
        reasons=reasons,
        known_by=known_by,
        measured=seen,
    )


def claims_of(tool: ToolDefinition) -> Claims | None:
    """The declared hints; None if one is malformed."""
    values = [hint.claim for hint in tool.hints]
    if any(one not in _VALUES for one in values):
        return None
    first, second, third, fourth = (_VALUES[one] for one in values)
    return first, second, third, fourth


Overrides: TypeAlias = Mapping[str, bool | None]
"""Hint name (as in `Hint.name`: readOnly, ...) to a claim; None for not set."""

HINT_NAMES: Final = tuple(key.removesuffix("Hint") for key in HINT_KEYS)
SET_BY_PERSON: Final = "by the hints that you have set for a what-if"

_FROM_HINTS = ("malformed-hint", "contradictory-hints")
_MILDEST_FIRST = (
    VerdictAnswer.ALLOW,
    # A call that a model judges, or whose rules of a host are unknown, asks.
    VerdictAnswer.JUDGE,
    VerdictAnswer.UNKNOWN,
    VerdictAnswer.ASK,
    VerdictAnswer.HIDE,
    VerdictAnswer.REFUSE,
)


_ROUND: Final[tuple[bool | None, ...]] = (True, False, None)


def turned(tool: ToolDefinition, overrides: Overrides, hint: str) -> dict[str, bool | None]:
    """Return the overrides with the next value of a hint: true, false, not set, the server's own.

    A step that would equal the server's own value is left out.
    """
    own = next(one for one in tool.hints if one.name == hint)
    hints = dict(overrides)
    steps = [value for value in _ROUND if own.claim not in _VALUES or value != _VALUES[own.claim]]
    at = steps.index(hints[hint]) + 1 if hint in hints and hints[hint] in steps else 0
    if at < len(steps):
        hints[hint] = steps[at]
    else:
        del hints[hint]
    return hints


def overridden(tool: ToolDefinition, overrides: Overrides) -> ToolDefinition:
    """Return the tool with other hints, for judging; `raw`, name and digest stay.

    Findings on the server's own hints - malformed, contradictory - are made again for the new ones.
    Raises ValueError for an unknown hint.
    """
    if unknown := sorted(set(overrides) - set(HINT_NAMES)):
        raise ValueError(f"no hint has the name {unknown[0]!r}")
    if not overrides:
        return tool
    annotations = _annotations(tool.raw)
    for name, claim in overrides.items():
        if claim is None:
            annotations.pop(f"{name}Hint", None)
        else:
            annotations[f"{name}Hint"] = claim
    supposed = read_tool(tool.index, {"name": tool.name, "annotations": annotations})
    kept = [finding for finding in tool.findings if not _is_from_hints(finding)]
    found = [finding for finding in supposed.findings if _is_from_hints(finding)]
    return replace(tool, hints=supposed.hints, findings=(*kept, *found))


def strictest(actual: Verdict, supposed: Verdict) -> Verdict:
    """The verdict on a real call: never milder than either, the actual one if it suffices.

    `supposed` is the verdict with the hints that the person has set. A remembered approval counts
    only without a stricter verdict.
    """
    stricter = _rank(supposed) > _rank(actual)
    verdict = supposed if stricter else actual
    is_asked = verdict.answer in (
        VerdictAnswer.ASK,
        VerdictAnswer.JUDGE,
        VerdictAnswer.UNKNOWN,
    )
    strong = is_asked and (actual.strong or supposed.strong)
    reviews = actual.reviews_result or supposed.reviews_result
    if stricter or strong > actual.strong or reviews > actual.reviews_result:
        reasons = (SET_BY_PERSON, *verdict.reasons)
        verdict = replace(verdict, reasons=reasons, strong=strong, reviews_result=reviews)
    return replace(verdict, depends=actual.depends or supposed.depends)


def is_milder(verdict: Verdict, other: Verdict) -> bool:
    """True if a verdict asks less of a person than another one on the same call."""
    return (_rank(verdict), verdict.strong) < (_rank(other), other.strong)


def _rank(verdict: Verdict) -> int:
    return _MILDEST_FIRST.index(verdict.answer)


def _annotations(raw: JsonValue) -> dict[str, JsonValue]:
    annotations = raw.get("annotations") if isinstance(raw, dict) else None
    return dict(annotations) if isinstance(annotations, dict) else {}


def _is_from_hints(finding: Finding) -> bool:
    return finding.code in _FROM_HINTS


_WORDS: Final = {
    VerdictAnswer.ALLOW: "run",
    VerdictAnswer.ASK: "ask",
    VerdictAnswer.REFUSE: "refused",
    VerdictAnswer.HIDE: "hidden",
    VerdictAnswer.JUDGE: "run if its model allows it",
    VerdictAnswer.UNKNOWN: "not known",
}
_NO_OVERRIDES: Final[Mapping[str, Overrides]] = MappingProxyType({})


def cell_word(verdict: Verdict) -> str:
    """A verdict in a word or two: `run`, `ask with a warning`, `run, asks about the result`."""
    word = _WORDS[verdict.answer]
    if verdict.answer is VerdictAnswer.ASK and verdict.strong:
        word = "ask with a warning"
    return f"{word}, asks about the result" if verdict.reviews_result else word


def column_title(policy: Policy) -> str:
    """The name of a column: a host's as people write it, a policy's own otherwise."""
    return policy.title or policy.name


def is_host(policy: Policy) -> bool:
    """True if a column has the rules of a host."""
    return policy.kind is PolicyKind.HOST


@frozen
class Cell:
    """Verdicts of one column on one tool, untrusted and trusted."""

    untrusted: Verdict
    trusted: Verdict

    def under(self, trust: Trust) -> Verdict:
        return self.trusted if trust is Trust.TRUSTED else self.untrusted


@frozen
class MatrixRow:
    """A tool with one cell for each column.

    `tool` has the hints by which it was judged, `own_tool` those of the server.
    """

    tool: ToolDefinition
    cells: tuple[Cell, ...]
    own_tool: ToolDefinition
    disagrees: bool
    """True if two of the compared columns have different verdicts, on either side of trust.

    Asking with a warning counts as asking; a column without a verdict does not count.
    """

    @property
    def is_what_if(self) -> bool:
        """True if it is judged by hints that a person has set."""
        return self.tool is not self.own_tool


@dataclass(frozen=True)
class Matrix:
    """Tools by columns. Rows are judged when they are looked at, and equal ones once."""

    tools: tuple[ToolDefinition, ...]
    """As the server describes them."""
    columns: tuple[Policy, ...]
    server: str
    """The configured name."""
    overrides: Mapping[str, Overrides]
    """The hints that the person has set, by exact tool name."""
    compared: tuple[int, ...]
    """The columns of which it counts whether they disagree."""
    of_tools: int = 0
    """The number of tools if those are left out on which the columns agree; 0 for all."""
    _judged: dict[Hashable, tuple[tuple[Cell, ...], bool]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _rows: dict[int, MatrixRow] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.tools)

    def __iter__(self) -> Iterator[MatrixRow]:
        return (self.row(at) for at in range(len(self)))

    @cached_property
    def rows(self) -> tuple[MatrixRow, ...]:
        """All of them, in the order of the tools."""
        return tuple(self)

    def row(self, at: int) -> MatrixRow:
        """The row of `tools[at]`."""
        row = self._rows.get(at)
        if row is None:
            own = self.tools[at]
            tool = overridden(own, self.overrides.get(own.name, {}))
            cells, disagrees = self._cells(tool)
            row = self._rows[at] = MatrixRow(tool, cells, own, disagrees)
        return row

    def cells_of(self, tool: ToolDefinition) -> tuple[Cell, ...]:
        """The verdicts of the columns on any tool, such as one with hints of a what-if."""
        return self._cells(tool)[0]

    def only_disagreeing(self) -> Matrix:
        """The tools on which the columns disagree."""
        tools = tuple(row.own_tool for row in self if row.disagrees)
        return replace(self, tools=tools, of_tools=len(self.tools))

    @property
    def apart(self) -> tuple[Policy, ...]:
        """The columns that are not compared."""
        return tuple(one for at, one in enumerate(self.columns) if at not in self.compared)

    def _cells(self, tool: ToolDefinition) -> tuple[tuple[Cell, ...], bool]:
        key = self._key(tool)
        found = self._judged.get(key)
        if found is None:
            cells = tuple(self._cell(tool, column) for column in self.columns)
            found = self._judged[key] = cells, _disagree([cells[at] for at in self.compared])
        return found

    def _key(self, tool: ToolDefinition) -> Hashable:
        """All of a tool that can make a difference in these columns."""
        case = Case(tool, Trust.UNTRUSTED, self.server)
        return (
            tuple(hint.claim for hint in tool.hints),
            tool.callable,
            definition_doubts(case) if tool.findings else (),
            tuple(condition.matches(case) for condition in self._names),
            tool.name if any(one.judges_by_name for one in self.columns) else "",
        )

    @cached_property
    def _names(self) -> tuple[NameCondition, ...]:
        """Every condition on a name in the rules of the columns."""
        return tuple(
            condition
            for column in self.columns
            for rule in column.rules
            for condition in rule.conditions
            if isinstance(condition, NameCondition)
        )

    def _cell(self, tool: ToolDefinition, column: Policy) -> Cell:
        untrusted = column.judge(Case(tool, Trust.UNTRUSTED, self.server))
        trusted = column.judge(Case(tool, Trust.TRUSTED, self.server))
        shown = as_measured(column, tool, untrusted)
        # Hosts are measured with a server that is not marked as trusted.
        if trusted == untrusted:
            return Cell(shown, shown)
        return Cell(shown, replace(trusted, known_by=KnownBy.READ) if is_host(column) else trusted)


def build_matrix(
    tools: Sequence[ToolDefinition],
    columns: Sequence[Policy],
    *,
    server: str = "",
    overrides: Mapping[str, Overrides] = _NO_OVERRIDES,
    compared: Sequence[int] | None = None,
) -> Matrix:
    """A matrix; nothing is judged yet. `overrides`: hints for a what-if, by exact tool name;
    `compared`: the columns that are compared, by default those that `can_disagree`."""
    chosen = can_disagree(columns) if compared is None else compared
    return Matrix(tuple(tools), tuple(columns), server, overrides, tuple(chosen))


def can_disagree(columns: Sequence[Policy]) -> tuple[int, ...]:
    """Columns compared by default: not the policies that are constant.

    One that runs everything and one that asks about everything disagree on every tool there is.
    """
    return tuple(at for at, one in enumerate(columns) if is_host(one) or not one.is_constant)


def _disagree(cells: Sequence[Cell]) -> bool:
    return any(len(_sayings(cells, trust)) > 1 for trust in Trust)


def _sayings(cells: Sequence[Cell], trust: Trust) -> set[tuple[VerdictAnswer, bool]]:
    verdicts = (cell.under(trust) for cell in cells)
    return {
        (verdict.answer, verdict.reviews_result)
        for verdict in verdicts
        if verdict.answer is not VerdictAnswer.UNKNOWN
    }


def host_decisions(
    tool: ToolDefinition, hosts: Sequence[Policy], server: str
) -> Mapping[str, tuple[str, ...]]:
    """The titles of hosts by what they do on an untrusted server: `run`, `ask`, `refused`..."""
    row = build_matrix([tool], hosts, server=server).row(0)
    found: dict[str, list[str]] = {}
    for host, cell in zip(hosts, row.cells, strict=True):
        word = cell_word(cell.under(Trust.UNTRUSTED))
        found.setdefault(word, []).append(column_title(host))
    return {word: tuple(titles) for word, titles in found.items()}
