"""The decision of each host on each tool, and whether client libraries take the list at all.

The verdicts are those of the matrix, on one side of trust. A client library takes or loses a list
as a whole, so it has one entry and not one for each tool.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import field, replace
from enum import StrEnum
from itertools import combinations
from typing import Final

from ...approval.draft_effects import DraftEffects
from ...approval.if_resolved import tool_if_resolved
from ...approval.matrix import (
    HINT_NAMES,
    Matrix,
    MatrixRow,
    Overrides,
    column_title,
    is_host,
    overridden,
)
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import DOUBT_BY_FINDING, Verdict, VerdictAnswer
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.clients.session import ClientProblem, ClientReading
from ...protocol.clients.table import DefectEffect
from ...protocol.extensions.tool_resolution import MILDEST, is_resolvable
from ...protocol.findings.findings import warning
from ...protocol.hints import Claim, Effect
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import read_tool

DEFAULT_HOSTS: Final = (
    "vscode",
    "codex",
    "codex:exec",
    "claude-desktop",
    "claude-code",
    "gemini-cli",
    "qwen-code",
    "qwen-code:headless",
    "cursor",
    "copilot-cli",
    "chatgpt",
    "copilot-review",
)
"""Hosts that are compared if none is named: as they are installed, and two without a person."""


class HostOutcome(StrEnum):
    """What a host does with a tool before a call."""

    RUNS = "runs"
    ASKS = "asks"
    REFUSED = "refused"
    HIDDEN = "hidden"
    JUDGED = "judged"
    """The host's model decides, and no person."""
    UNKNOWN = "not-known"


_OUTCOMES: Final = {
    VerdictAnswer.ALLOW: HostOutcome.RUNS,
    VerdictAnswer.ASK: HostOutcome.ASKS,
    VerdictAnswer.REFUSE: HostOutcome.REFUSED,
    VerdictAnswer.HIDE: HostOutcome.HIDDEN,
    VerdictAnswer.JUDGE: HostOutcome.JUDGED,
    VerdictAnswer.UNKNOWN: HostOutcome.UNKNOWN,
}
RESPONSE: Final = "+response"
"""The end of the word for a decision after which the response asks, too."""


@frozen
class ToolDecision:
    """What a host does with a tool; the baseline has the same word."""

    outcome: HostOutcome
    asks_about_response: bool = False

    @property
    def word(self) -> str:
        """`asks`, `runs+response`."""
        return f"{self.outcome}{RESPONSE if self.asks_about_response else ''}"

    @property
    def runs(self) -> bool:
        return self.outcome is HostOutcome.RUNS


def decision_words() -> tuple[str, ...]:
    """Every word for a decision."""
    with_response = (HostOutcome.RUNS, HostOutcome.ASKS)
    return (*HostOutcome, *(f"{one}{RESPONSE}" for one in with_response))


def decision_of(word: str) -> ToolDecision:
    """The decision with this word. Raises ValueError."""
    if word not in decision_words():
        raise ValueError(word)
    return ToolDecision(HostOutcome(word.removesuffix(RESPONSE)), word.endswith(RESPONSE))


def decided(verdict: Verdict) -> ToolDecision:
    """The decision that a verdict is."""
    outcome = _OUTCOMES[verdict.answer]
    may_ask_later = outcome in (HostOutcome.RUNS, HostOutcome.ASKS)
    return ToolDecision(outcome, verdict.reviews_result and may_ask_later)


def claims_of(tool: ToolDefinition) -> tuple[Claim, ...]:
    """The four hints as they are declared, in the order of HINT_NAMES."""
    return tuple(hint.claim for hint in tool.hints)


def doubts_in(tool: ToolDefinition) -> tuple[str, ...]:
    """Codes of findings that leave doubts about a definition, and may change decisions; sorted."""
    found = {finding.code for finding in tool.findings}
    return tuple(sorted(found.intersection(DOUBT_BY_FINDING)))


@frozen
class LibraryReading:
    """Whether a client library takes the list of tools."""

    id: str
    name: str
    """With its version, such as `TypeScript SDK 1.32.2`."""
    takes: bool
    problem: ClientProblem | None = None
    """The first reason for which the list is lost."""

    @property
    def reason(self) -> str:
        """The reason in words, safe to show; empty for a list that is taken."""
        return "" if self.problem is None else self.problem.words


def by_reason(libraries: Sequence[LibraryReading]) -> tuple[tuple[LibraryReading, ...], ...]:
    """Libraries that lose the list, together if it is for the same reason."""
    groups: dict[str, list[LibraryReading]] = {}
    for one in libraries:
        groups.setdefault(one.reason, []).append(one)
    return tuple(tuple(group) for group in groups.values())


def library_readings(readings: Sequence[ClientReading]) -> tuple[LibraryReading, ...]:
    """The entries of the table of client libraries for one session."""
    return tuple(
        LibraryReading(one.client.id, one.client.words, one.lists, _loss(one)) for one in readings
    )


def _loss(reading: ClientReading) -> ClientProblem | None:
    if reading.lists:
        return None
    fatal = (DefectEffect.LOST, DefectEffect.NO_CONNECTION, DefectEffect.HANGS)
    values = ((one, one.rule.values[reading.client.id]) for one in reading.problems)
    return next((one for one, value in values if value in fatal), None)


@frozen
class Decisions:
    """The tools of a server under the chosen hosts and policies."""

    matrix: Matrix
    trust: Trust
    libraries: tuple[LibraryReading, ...] = ()
    is_resolving: bool = False
    """True if tool-resolution (a draft) is in use with the server."""
    drafts: tuple[DraftEffects, ...] = ()
    """What the server gains and loses with each draft that is turned on."""
    _supposed: dict[Hashable, tuple[ToolDecision, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def columns(self) -> tuple[Policy, ...]:
        return self.matrix.columns

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> tuple[MatrixRow, ...]:
        return self.matrix.rows

    def verdict(self, row: MatrixRow, at: int) -> Verdict:
        """The verdict of a column on the tool of a row."""
        return row.cells[at].under(self.trust)

    def decisions(self, row: MatrixRow) -> tuple[ToolDecision, ...]:
        """The decisions on a tool, in the order of the columns."""
        return tuple(decided(cell.under(self.trust)) for cell in row.cells)

    def what_if(self, row: MatrixRow, overrides: Overrides) -> tuple[ToolDecision, ...]:
        """The decisions on a tool if these hints were declared."""
        key = (row.own_tool.index, *overrides.items())
        found = self._supposed.get(key)
        if found is None:
            cells = self.matrix.cells_of(overridden(row.own_tool, overrides))
            found = tuple(decided(cell.under(self.trust)) for cell in cells)
            self._supposed[key] = found
        return found

    @property
    def asking_hosts(self) -> tuple[str, ...]:
        """Titles of hosts in which no tool that may destroy runs without a question."""
        harmful = [row for row in self.rows if row.tool.effect.may_destroy]
        safe = (HostOutcome.ASKS, HostOutcome.REFUSED, HostOutcome.HIDDEN)
        return tuple(
            column_title(column)
            for at, column in enumerate(self.columns)
            if all(decided(self.verdict(row, at)).outcome in safe for row in harmful)
        )

    @property
    def resolvable(self) -> tuple[MatrixRow, ...]:
        """Tools whose hints the server resolves for the arguments of a call (a draft)."""
        rows = self.rows if self.is_resolving else ()
        return tuple(row for row in rows if is_resolvable(row.own_tool.raw))

    @property
    def milder_if_resolved(self) -> tuple[str, ...]:
        """Titles of hosts that could run a resolvable tool in place of a question, at most.

        A resolution can have the mildest hints, whatever the static ones are.
        """
        found = dict[str, None]()
        for row in self.resolvable:
            cells = self.matrix.cells_of(tool_if_resolved(row.own_tool, MILDEST))
            for at, column in enumerate(self.columns):
                before = decided(self.verdict(row, at)).outcome
                after = decided(cells[at].under(self.trust)).outcome
                if is_host(column) and before is HostOutcome.ASKS and after is HostOutcome.RUNS:
                    found[column_title(column)] = None
        return tuple(found)

    @property
    def has_harmful(self) -> bool:
        """True if a tool may destroy, declared or by default."""
        return any(row.tool.effect.may_destroy for row in self.rows)


@frozen
class Suggestion:
    """One hint that is not set, and the hosts in which a tool would run with it."""

    hint: str
    """Of HINT_NAMES."""
    value: bool
    columns: tuple[int, ...]


_CANDIDATES: Final = (("readOnly", True), ("destructive", False), ("openWorld", False))
_FITS: Final = {
    Effect.UNDECLARED: ("readOnly", "destructive"),
    Effect.ADDITIVE: ("openWorld",),
}
"""The hints that are suggested, by effect: none that contradicts a declared hint."""


def suggestion(decisions: Decisions, row: MatrixRow) -> Suggestion | None:
    """The hint that is not set and, if declared, lets the tool run in the most hosts."""
    tool = row.tool
    claims = dict(zip(HINT_NAMES, claims_of(tool), strict=True))
    now, best = decisions.decisions(row), None
    for hint, value in _CANDIDATES:
        if claims[hint] is not Claim.NOT_SET or hint not in _FITS.get(tool.effect, ()):
            continue
        then = decisions.what_if(row, {hint: value})
        gained = tuple(at for at, one in enumerate(then) if one.runs and not now[at].runs)
        if gained and (best is None or len(gained) > len(best.columns)):
            best = Suggestion(hint, value, gained)
    return best


def deciding_hints(
    decisions: Decisions, row: MatrixRow, at: int, before: ToolDecision, old: Sequence[Claim]
) -> tuple[dict[str, Claim], ...]:
    """Sets of hints that, with their old claims, restore the old decision of one column.

    They are the smallest ones: with one hint each, if one is enough. Empty if the hints do not
    restore it.
    """
    changed = _changed(row.own_tool, old)
    for size in range(1, len(changed) + 1):
        ways = tuple(
            {hint: changed[hint] for hint in hints}
            for hints in combinations(changed, size)
            if decisions.what_if(row, {hint: _override(changed[hint]) for hint in hints})[at]
            == before
        )
        if ways:
            return ways
    return ()


def under_hints(
    decisions: Decisions, row: MatrixRow, name: str, claims: Sequence[Claim], doubts: Sequence[str]
) -> tuple[ToolDecision, ...]:
    """The decisions on a tool by the present rules, with this name, these hints and doubts."""
    tool = row.own_tool
    is_same = (name, tuple(claims), tuple(doubts)) == (tool.name, claims_of(tool), doubts_in(tool))
    if is_same:
        return decisions.decisions(row)
    supposed = read_tool(tool.index, {"name": name, "annotations": hints_of(claims)})
    findings = [one for one in tool.findings if one.code not in DOUBT_BY_FINDING]
    findings += [warning(code, DOUBT_BY_FINDING[code]) for code in doubts]
    supposed = replace(tool, name=name, hints=supposed.hints, findings=tuple(findings))
    return tuple(
        decided(cell.under(decisions.trust)) for cell in decisions.matrix.cells_of(supposed)
    )


def hints_of(claims: Sequence[Claim]) -> dict[str, JsonValue]:
    """The annotations that declare these hints."""
    return {
        f"{name}Hint": _VALUES[claim]
        for name, claim in zip(HINT_NAMES, claims, strict=True)
        if claim is not Claim.NOT_SET
    }


_VALUES: Final[dict[Claim, JsonValue]] = {
    Claim.TRUE: True,
    Claim.FALSE: False,
    Claim.MALFORMED: "malformed",
}


def _changed(tool: ToolDefinition, old: Sequence[Claim]) -> dict[str, Claim]:
    names = zip(HINT_NAMES, claims_of(tool), old, strict=True)
    return {name: before for name, now, before in names if now is not before}


def _override(claim: Claim) -> bool | None:
    """A claim for a what-if; a malformed one counts as not set."""
    return {Claim.TRUE: True, Claim.FALSE: False}.get(claim)


def rows_by_name(decisions: Decisions) -> Iterator[tuple[str, list[MatrixRow]]]:
    """The rows of each name, sorted by name; names may repeat."""
    named: dict[str, list[MatrixRow]] = {}
    for row in decisions.rows:
        named.setdefault(row.own_tool.name, []).append(row)
    for name in sorted(named):
        yield name, sorted(named[name], key=lambda row: row.own_tool.digest)
