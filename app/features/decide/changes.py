"""The difference between a baseline and present decisions, by kind and with its cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from ...approval.matrix import HINT_NAMES, MatrixRow, column_title
from ...content.frozen import frozen
from ...protocol.hints import Claim
from .baseline import Baseline, BaselineTool
from .decisions import (
    Decisions,
    HostOutcome,
    LibraryReading,
    Suggestion,
    ToolDecision,
    by_reason,
    claims_of,
    decided,
    deciding_hints,
    rows_by_name,
    suggestion,
    under_hints,
)
from .renamed import renamed


class ChangeKind(StrEnum):
    """Kinds of difference, the most important first; `--fail-on` takes these words."""

    STOPS_ASKING = "stops-asking"
    """It runs without a question, or a model judges it, and did not before; or its response no
    longer asks."""
    STARTS_ASKING = "starts-asking"
    HIDDEN = "hidden"
    REFUSED = "refused"
    LOST = "lost"
    """A client library no longer takes the list of tools."""
    NEW_RUNS = "new-runs"
    """A new tool runs without a question in a host."""
    NEW = "new"
    """A new tool runs nowhere without a question."""
    RENAMED = "renamed"
    GONE = "gone"
    OTHER = "other"
    """The decision is not known now, a client library takes the list again, or the baseline
    contradicts itself."""


class Cause(StrEnum):
    """Causes of a changed decision."""

    HINTS = "hints"
    DEFINITION = "definition"
    """Not a hint: a doubt about the definition, such as a name that another tool has."""


@frozen
class Reason:
    """The rule of one host for its present decision; all safe to show."""

    host: str
    """Its title."""
    reasons: tuple[str, ...]
    rule: str
    source: str


@frozen
class DecisionChange:
    """One change of decision of a tool, with all hosts that make it for the same cause."""

    kind: ChangeKind
    tool: str
    """The exact name."""
    hosts: tuple[str, ...]
    """The names of columns."""
    before: ToolDecision
    """By the hints in the baseline and the present rules."""
    after: ToolDecision
    cause: Cause
    ways_back: tuple[tuple[tuple[str, Claim], ...], ...]
    """Sets of hints with their claims in the baseline; each restores the decision."""
    claims: tuple[tuple[str, Claim, Claim], ...]
    """Changed hints: name, claim in the baseline, present claim."""
    reasons: tuple[Reason, ...]
    """One for each host."""
    line: int
    """The line of the tool in the baseline."""
    new_name: str = ""
    """The present name, exact; empty for a tool that kept its name."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the hosts."""
        return tuple(one.host for one in self.reasons)

    @property
    def deciding(self) -> tuple[tuple[str, Claim, Claim], ...]:
        """The changed hints that decide, alone or together."""
        names = {name for way in self.ways_back for name, _ in way}
        return tuple(one for one in self.claims if one[0] in names)


@frozen
class Contradiction:
    """A decision in the baseline that the hints in the same baseline do not give.

    It was edited by hand, or written by a Signoff with other rules.
    """

    tool: str
    """The exact name."""
    titles: tuple[str, ...]
    """The titles of the hosts."""
    written: ToolDecision
    given: ToolDecision
    """By its own hints and the present rules."""
    line: int
    """The line of the tool in the baseline."""


@frozen
class NewTool:
    """A tool that the baseline lacks."""

    row: MatrixRow
    decisions: tuple[ToolDecision, ...]
    suggestion: Suggestion | None

    @property
    def tool(self) -> str:
        return self.row.own_tool.name

    @property
    def kind(self) -> ChangeKind:
        """NEW_RUNS if it runs without a question in a host."""
        return ChangeKind.NEW_RUNS if any(one.runs for one in self.decisions) else ChangeKind.NEW


@frozen
class RenamedTool:
    """A tool that has another name now."""

    old: BaselineTool
    row: MatrixRow
    is_changed: bool
    """True if a decision changed; it is one of the changes then."""

    @property
    def tool(self) -> str:
        return self.row.own_tool.name


@frozen
class LibraryChange:
    """Client libraries that lose the list now, or take it again."""

    kind: ChangeKind
    libraries: tuple[LibraryReading, ...]


@frozen
class BaselineDifference:
    """A baseline and present decisions."""

    changes: tuple[DecisionChange, ...]
    contradictions: tuple[Contradiction, ...]
    new: tuple[NewTool, ...]
    gone: tuple[BaselineTool, ...]
    libraries: tuple[LibraryChange, ...]
    silent: tuple[str, ...]
    """Names of tools whose definition changed without a change of decisions."""
    undeclared: tuple[str, ...]
    """Those that no longer declare destructiveHint: true, which is the default."""
    compared: tuple[str, ...]
    """The hosts that both have."""
    only_in_baseline: tuple[str, ...]
    only_here: tuple[str, ...]
    renamed: tuple[RenamedTool, ...] = ()

    @property
    def is_worse(self) -> bool:
        """True if a tool runs without a question and did not before, or is new."""
        return any(kind in self.counts for kind in (ChangeKind.STOPS_ASKING, ChangeKind.NEW_RUNS))

    @property
    def counts(self) -> Counter[ChangeKind]:
        """The number of tools of each kind."""
        changed = {(one.kind, one.tool, one.line) for one in self.changes}
        changed.update((ChangeKind.OTHER, one.tool, one.line) for one in self.contradictions)
        found = Counter(kind for kind, *_ in changed)
        found.update(one.kind for one in self.libraries)
        found.update(one.kind for one in self.new)
        found[ChangeKind.RENAMED], found[ChangeKind.GONE] = len(self.renamed), len(self.gone)
        return +found

    @property
    def is_empty(self) -> bool:
        """True if no decision changed, and the baseline does not contradict itself."""
        return not self.counts


def compare(baseline: Baseline, decisions: Decisions) -> BaselineDifference:
    """The differences in the hosts that both have. Raises JsonError for an entry without digest."""
    here = {name: at for at, name in enumerate(decisions.hosts)}
    both = [name for name in decisions.hosts if name in baseline.hosts]
    columns = [(here[name], baseline.hosts.index(name)) for name in both]
    changes: list[DecisionChange] = []
    contradictions: list[Contradiction] = []
    new: list[NewTool] = []
    gone: list[BaselineTool] = []
    silent: list[str] = []
    undeclared: list[str] = []
    moved: list[RenamedTool] = []
    for old, row in _with_renamed(list(_pairs(baseline, decisions)), decisions):
        if old is None and row is not None:
            new.append(NewTool(row, decisions.decisions(row), suggestion(decisions, row)))
        elif row is None and old is not None:
            gone.append(old)
        elif row is not None and old is not None:
            own = under_hints(decisions, row, old.name, old.claims, old.doubts)
            contradictions += _contradictions(old, own, decisions, columns)
            found = list(_changes(old, own, row, decisions, columns))
            changes += found
            if old.name != row.own_tool.name:
                moved.append(RenamedTool(old, row, bool(found)))
            elif not found and old.digest != row.own_tool.digest:
                silent.append(old.name)
                if _drops_destructive(old, row):
                    undeclared.append(old.name)
    order = list(ChangeKind)
    return BaselineDifference(
        tuple(sorted(changes, key=lambda one: order.index(one.kind))),
        tuple(contradictions),
        tuple(new),
        tuple(gone),
        tuple(_library_changes(baseline, decisions.libraries)),
        tuple(silent),
        tuple(undeclared),
        tuple(both),
        tuple(name for name in baseline.hosts if name not in here),
        tuple(name for name in decisions.hosts if name not in baseline.hosts),
        tuple(moved),
    )


_Paired = tuple[BaselineTool | None, MatrixRow | None]


def _with_renamed(pairs: Sequence[_Paired], decisions: Decisions) -> Iterator[_Paired]:
    """The same pairs, with those that are one tool under another name put together.

    Where only the names are alike, a tool that runs as it did may as well be another one: it stays
    a new one.
    """
    gone = [old for old, row in pairs if old is not None and row is None]
    new = [row for old, row in pairs if old is None and row is not None]
    found: dict[int, MatrixRow] = {}
    for tool, its_row, is_same in renamed(gone, new):
        before = under_hints(decisions, its_row, tool.name, tool.claims, tool.doubts)
        after = decisions.decisions(its_row)
        starts_running = any(
            now.runs and not was.runs for was, now in zip(before, after, strict=True)
        )
        if is_same or starts_running or not any(one.runs for one in after):
            found[id(tool)] = its_row
    taken = {id(row) for row in found.values()}
    for old, row in pairs:
        if old is None and row is not None and id(row) in taken:
            continue
        yield old, found.get(id(old), row) if old is not None else row


def _pairs(
    baseline: Baseline, decisions: Decisions
) -> Iterator[tuple[BaselineTool | None, MatrixRow | None]]:
    """Tools of the same name; of several first those of the same digest, then as they come."""
    old: dict[str, list[BaselineTool]] = {}
    for tool in baseline.tools:
        old.setdefault(tool.name, []).append(tool)
    now = dict(rows_by_name(decisions))
    for name in sorted({*old, *now}):
        left, right = old.get(name, []), list(now.get(name, []))
        rest: list[BaselineTool] = []
        for tool in left:
            same = next((row for row in right if row.own_tool.digest == tool.digest), None)
            if same is None:
                rest.append(tool)
            else:
                right.remove(same)
                yield tool, same
        for at in range(max(len(rest), len(right))):
            yield (
                rest[at] if at < len(rest) else None,
                right[at] if at < len(right) else None,
            )


_DESTRUCTIVE: Final = HINT_NAMES.index("destructive")


def _drops_destructive(old: BaselineTool, row: MatrixRow) -> bool:
    """True if destructiveHint: true was removed, and the tool still counts as destructive."""
    now = claims_of(row.own_tool)[_DESTRUCTIVE]
    was_declared = old.claims[_DESTRUCTIVE] is Claim.TRUE
    return was_declared and now is Claim.NOT_SET and row.own_tool.effect.may_destroy


def _contradictions(
    old: BaselineTool,
    own: Sequence[ToolDecision],
    decisions: Decisions,
    columns: Sequence[tuple[int, int]],
) -> Iterator[Contradiction]:
    groups: dict[tuple[ToolDecision, ToolDecision], list[str]] = {}
    for here, there in columns:
        written, given = old.decisions[there], own[here]
        if written != given:
            title = column_title(decisions.columns[here])
            groups.setdefault((written, given), []).append(title)
    for (written, given), titles in groups.items():
        yield Contradiction(old.name, tuple(titles), written, given, old.line)


def _changes(
    old: BaselineTool,
    own: Sequence[ToolDecision],
    row: MatrixRow,
    decisions: Decisions,
    columns: Sequence[tuple[int, int]],
) -> Iterator[DecisionChange]:
    groups: dict[tuple[object, ...], list[DecisionChange]] = {}
    for here, _ in columns:
        before, after = own[here], decided(decisions.verdict(row, here))
        if before != after:
            one = _change(old, row, decisions, here, before)
            key = (one.kind, before, after, one.cause, one.ways_back)
            groups.setdefault(key, []).append(one)
    for group in groups.values():
        first = group[0]
        yield DecisionChange(
            first.kind,
            first.tool,
            tuple(host for one in group for host in one.hosts),
            first.before,
            first.after,
            first.cause,
            first.ways_back,
            first.claims,
            tuple(reason for one in group for reason in one.reasons),
            first.line,
            first.new_name,
        )


def _change(
    old: BaselineTool, row: MatrixRow, decisions: Decisions, at: int, before: ToolDecision
) -> DecisionChange:
    verdict = decisions.verdict(row, at)
    after = decided(verdict)
    ways = deciding_hints(decisions, row, at, before, old.claims)
    now = claims_of(row.own_tool)
    cause = Cause.HINTS if ways else Cause.DEFINITION
    claims = zip(HINT_NAMES, old.claims, now, strict=True)
    reason = Reason(
        column_title(decisions.columns[at]), verdict.reasons, verdict.rule, verdict.source
    )
    return DecisionChange(
        kind_of(before, after),
        old.name,
        (decisions.hosts[at],),
        before,
        after,
        cause,
        tuple(tuple(one.items()) for one in ways),
        tuple(one for one in claims if one[1] is not one[2]),
        (reason,),
        old.line,
        row.own_tool.name if row.own_tool.name != old.name else "",
    )


_KINDS: Final = {
    HostOutcome.RUNS: ChangeKind.STOPS_ASKING,
    HostOutcome.JUDGED: ChangeKind.STOPS_ASKING,
    HostOutcome.ASKS: ChangeKind.STARTS_ASKING,
    HostOutcome.REFUSED: ChangeKind.REFUSED,
    HostOutcome.HIDDEN: ChangeKind.HIDDEN,
    HostOutcome.UNKNOWN: ChangeKind.OTHER,
}


def kind_of(before: ToolDecision, after: ToolDecision) -> ChangeKind:
    """The kind of a change between two different decisions."""
    if before.outcome is after.outcome:
        # Only the question about the response differs.
        return ChangeKind.STARTS_ASKING if after.asks_about_response else ChangeKind.STOPS_ASKING
    if before.runs and after.outcome is HostOutcome.JUDGED:
        # Neither of them asks a person.
        return ChangeKind.OTHER
    return _KINDS[after.outcome]


def _library_changes(
    baseline: Baseline, libraries: Sequence[LibraryReading]
) -> Iterator[LibraryChange]:
    took = dict(baseline.libraries)
    lost = [one for one in libraries if took.get(one.id, True) and not one.takes]
    found = [one for one in libraries if not took.get(one.id, True) and one.takes]
    yield from (LibraryChange(ChangeKind.LOST, group) for group in by_reason(lost))
    if found:
        yield LibraryChange(ChangeKind.OTHER, tuple(found))
