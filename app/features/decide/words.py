"""Decisions of hosts, and the effect of a change on them, in words: once for every output.

Names of tools come from a server: `shows` of a report masks secrets in them, and all that is
returned is safe to show in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ...approval.draft_effects import DraftEffect
from ...approval.matrix import HINT_NAMES, MatrixRow, column_title, is_host
from ...content.frozen import frozen
from ...content.labels import all_named, some_named
from ...content.text import count, shortened
from ...protocol.clients.table import client_words, clients
from ...protocol.hints import Claim
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .changes import (
    BaselineDifference,
    ChangeKind,
    Contradiction,
    DecisionChange,
    LibraryChange,
    NewTool,
    Reason,
    RenamedTool,
)
from .decisions import (
    Decisions,
    HostOutcome,
    LibraryReading,
    Suggestion,
    ToolDecision,
    by_reason,
    claims_of,
    suggestion,
)

TOOLS_NAMED: Final = 12
_SHOWN: Final = 100
_OUTCOMES: Final = {
    HostOutcome.RUNS: "runs without asking",
    HostOutcome.ASKS: "asks",
    HostOutcome.REFUSED: "is refused",
    HostOutcome.HIDDEN: "is hidden",
    HostOutcome.JUDGED: "runs if its model allows it",
    HostOutcome.UNKNOWN: "has no known decision",
}
_AFTER: Final = {
    HostOutcome.RUNS: "it runs {} without asking",
    HostOutcome.ASKS: "it asks {}",
    HostOutcome.REFUSED: "it is refused {}",
    HostOutcome.HIDDEN: "it is hidden from the model {}",
    HostOutcome.JUDGED: "it runs {} without asking a person if the host's model allows it",
    HostOutcome.UNKNOWN: "its decision {} is not known",
}
_HEADS: Final = {
    HostOutcome.RUNS: "runs",
    HostOutcome.ASKS: "asks",
    HostOutcome.REFUSED: "refused",
    HostOutcome.HIDDEN: "hidden",
    HostOutcome.JUDGED: "runs if its model allows it",
    HostOutcome.UNKNOWN: "not known",
}
_ORDER: Final = (
    HostOutcome.RUNS,
    HostOutcome.JUDGED,
    HostOutcome.ASKS,
    HostOutcome.REFUSED,
    HostOutcome.HIDDEN,
    HostOutcome.UNKNOWN,
)
_IF: Final = {
    "readOnly": "If it changes nothing",
    "destructive": "If it only adds and destroys nothing",
    "openWorld": "If it reaches nothing outside",
}


@frozen
class Told:
    """One difference in words; all but `name` is safe to show."""

    kind: ChangeKind
    lead: str
    """The sentence from the name of the tool up to its important part."""
    strong: str
    """The important part."""
    rest: str
    name: str | None
    """The exact name of the tool; None for a difference about the list."""
    shown: str
    """The name as it is shown; empty without a tool."""
    details: tuple[str, ...] = ()
    """The rules, with their sources."""
    advice: str = ""
    line: int = 0
    """The line of the tool in the baseline; 0 for none."""
    opening: str = ""
    """What comes before the name of the tool."""

    @property
    def whole(self) -> str:
        """The sentence with the name of the tool."""
        name = f"{self.shown} " if self.shown else ""
        return f"{self.opening}{name}{self.lead}{self.strong}{self.rest}"


@frozen
class Group:
    """Tools with the same hints and the same decisions."""

    tools: tuple[str, ...]
    """Safe to show."""
    hints: str
    decisions: tuple[tuple[str, str], ...]
    """Each decision in words, with its hosts."""
    advice: str

    @property
    def names(self) -> str:
        """The names of the tools."""
        return some_named(self.tools, TOOLS_NAMED)


@frozen
class Report:
    """A whole run. `server` and `file` are safe to show."""

    server: str
    decisions: Decisions
    difference: BaselineDifference | None
    """None without a baseline."""
    file: str
    """The baseline as it was given; empty for none."""
    failing: frozenset[ChangeKind]
    """The kinds of `--fail-on`."""
    mask: Callable[[str], str]

    def shows(self, name: str) -> str:
        """The name of a tool, masked, shortened and safe to show."""
        return shortened(self.mask(name), _SHOWN) or "(no name)"

    @property
    def told(self) -> tuple[Told, ...]:
        """The differences in words, in the order of their kinds."""
        if self.difference is None:
            return ()
        found = list(_all_told(self, self.difference))
        order = list(ChangeKind)
        return tuple(sorted(found, key=lambda one: order.index(one.kind)))

    @property
    def failed(self) -> tuple[ChangeKind, ...]:
        """The kinds of `--fail-on` that were found."""
        counts = self.difference.counts if self.difference is not None else {}
        return tuple(kind for kind in ChangeKind if kind in self.failing and kind in counts)

    @property
    def about(self) -> str:
        """The server, the number of tools and hosts, and trust."""
        tools = count(len(self.decisions.rows), "tool")
        trust = "a trusted" if self.decisions.trust is Trust.TRUSTED else "an untrusted"
        columns = _columns(self.decisions)
        return f"{self.server}: {tools} in {columns}, as {trust} server"

    @property
    def summary(self) -> str:
        """The number of differences by kind; without a baseline the hosts that ask before harm."""
        if self.difference is None:
            return _asking(self.decisions)
        counts = self.difference.counts
        if not counts:
            return "no decision changed"
        return ", ".join(f"{kind} {counts[kind]:,}" for kind in ChangeKind if kind in counts)

    @property
    def groups(self) -> tuple[Group, ...]:
        """All tools with their decisions."""
        return tuple(_groups(self))

    def effect(self, one: DraftEffect) -> str:
        """What a draft changes, in one line."""
        return one.sentence(self._tool, self.mask)

    def effect_details(self, one: DraftEffect) -> tuple[str, ...]:
        """Its tools and decisions, a line each."""
        return one.details(self._tool, self.mask)

    def _tool(self, tool: ToolDefinition) -> str:
        return self.shows(tool.name)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is to be known, a sentence each."""
        return tuple(_remarks(self))


def asks_before_harm(decisions: Decisions) -> str:
    """The hosts in which nothing that may destroy runs without a question: `8 of 12 hosts`."""
    if not decisions.has_harmful:
        return "no tool that may destroy"
    return f"asks before harm: {len(decisions.asking_hosts)} of {_columns(decisions)}"


def _asking(decisions: Decisions) -> str:
    """The same as a sentence, with its meaning."""
    if not decisions.has_harmful:
        return "no tool that may destroy"
    asking = len(decisions.asking_hosts)
    ask, do = ("asks", "does") if asking == 1 else ("ask", "do")
    return (
        f"{asking} of {_columns(decisions)} {ask} before each tool that may destroy, "
        f"or {do} not run it"
    )


def _columns(decisions: Decisions) -> str:
    """The number of hosts, and of policies if there are any: `3 hosts and policies`."""
    columns = decisions.columns
    if all(map(is_host, columns)):
        return count(len(columns), "host")
    return f"{len(columns):,} hosts and policies"


def _before(decision: ToolDecision) -> str:
    words = _OUTCOMES[decision.outcome]
    return f"{words}, then asks about its response," if decision.asks_about_response else words


def _after(before: ToolDecision, after: ToolDecision, hosts: int) -> str:
    if before.outcome is after.outcome:
        return "its response asks" if after.asks_about_response else "its response no longer asks"
    where = "there" if hosts == 1 else "in both" if hosts == 2 else f"in all {hosts:,}"
    words = _AFTER[after.outcome].format(where)
    return f"{words}, and its response asks" if after.asks_about_response else words


def _all_told(report: Report, difference: BaselineDifference) -> Iterator[Told]:
    groups: dict[object, list[DecisionChange]] = {}
    for change in difference.changes:
        is_same = change.before.outcome is change.after.outcome
        key = (change.kind, change.tool, change.line, change.after, change.ways_back, is_same)
        groups.setdefault(key, []).append(change)
    yield from (_changed(report, group) for group in groups.values())
    yield from (_contradiction(report, one) for one in difference.contradictions)
    for libraries in difference.libraries:
        yield _library(report, libraries)
    for new in difference.new:
        yield _new(report, new)
    yield from (_renamed(report, one) for one in difference.renamed if not one.is_changed)
    for tool in difference.gone:
        shown = report.shows(tool.name)
        yield Told(ChangeKind.GONE, "", "is gone", ".", tool.name, shown, line=tool.line)


def _renamed(report: Report, one: RenamedTool) -> Told:
    return Told(
        ChangeKind.RENAMED,
        "is called ",
        report.shows(one.tool),
        ", and no decision changes.",
        one.old.name,
        report.shows(one.old.name),
        (f"Declared: {hints_in_words(claims_of(one.row.own_tool))}",),
        line=one.old.line,
    )


def _contradiction(report: Report, one: Contradiction) -> Told:
    return Told(
        ChangeKind.OTHER,
        f"in {all_named(one.titles)}; ",
        f"its own hints give `{one.given.word}`",
        ": edited by hand, or written with other rules.",
        one.tool,
        report.shows(one.tool),
        advice="Review the line, and write the baseline again with --write-baseline.",
        line=one.line,
        opening=f"The baseline has `{one.written.word}` for ",
    )


def _changed(report: Report, group: Sequence[DecisionChange]) -> Told:
    """Changes of one tool to the same decision, by the same hints."""
    change = group[0]
    today = _clauses([f"{_before(one.before)} in {all_named(one.titles)}" for one in group])
    why = _why(change)
    return Told(
        change.kind,
        f"{today}. With this change {_called(report, change)}",
        _after(change.before, change.after, sum(len(one.hosts) for one in group)),
        f" ({why})." if why else ".",
        change.tool,
        report.shows(change.tool),
        tuple(_rules([reason for one in group for reason in one.reasons])),
        _way_back(group),
        change.line,
        "Today ",
    )


def _called(report: Report, change: DecisionChange) -> str:
    return f"it is called {report.shows(change.new_name)}, and " if change.new_name else ""


def _clauses(parts: Sequence[str]) -> str:
    """Clauses with hosts: `asks in a and is refused in b`, `asks in a and b, and runs in c`."""
    if len(parts) == 2 and not any(" and " in part or "," in part for part in parts):
        return " and ".join(parts)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _why(change: DecisionChange) -> str:
    claims = change.deciding or change.claims
    if change.cause == "definition":
        return "the definition leaves a doubt, or no longer does"
    return all_named([f"{hint}Hint {_moved(old, new)}" for hint, old, new in claims])


def _moved(old: Claim, new: Claim) -> str:
    if new is Claim.NOT_SET:
        return "was removed"
    if new is Claim.MALFORMED:
        return "is malformed now"
    if old is Claim.NOT_SET:
        return f"was set to {new.value}"
    return f"changed from {old.value} to {new.value}"


def _rules(reasons: Sequence[Reason]) -> Iterator[str]:
    """The rules with their hosts; the same words once."""
    same: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    for one in reasons:
        same.setdefault((one.reasons, one.rule, one.source), []).append(one.host)
    for (words, rule, source), hosts in same.items():
        place = "; ".join(part for part in (rule, source) if part)
        yield f"{all_named(hosts)}: {'; '.join(words)}" + (f" ({place})" if place else "")


_AS_BEFORE: Final = {
    HostOutcome.RUNS: "runs",
    HostOutcome.ASKS: "asks",
    HostOutcome.REFUSED: "is refused",
    HostOutcome.HIDDEN: "is hidden",
    HostOutcome.JUDGED: "is judged by the model",
    HostOutcome.UNKNOWN: "has the decision of today",
}


def _way_back(group: Sequence[DecisionChange]) -> str:
    """The hints that restore the old decisions, if the hints decide."""
    ways = [
        " and ".join(_restored(*one) for one in way).replace(" and with ", " and ")
        for way in group[0].ways_back
    ]
    if not ways:
        return ""
    first = " or ".join(ways)
    first = f"{first[0].upper()}{first[1:]}"
    if group[0].before.outcome is group[0].after.outcome:
        return f"{first} the response is as before."
    parts = [f"{_AS_BEFORE[one.before.outcome]} in {all_named(one.titles)}" for one in group]
    return f"{first} it {_clauses([f'{parts[0]} again', *parts[1:]])}."


def _restored(hint: str, claim: Claim) -> str:
    if claim in (Claim.TRUE, Claim.FALSE):
        return f"with {hint}Hint: {claim.value}"
    return f"without {hint}Hint"


def _library(report: Report, change: LibraryChange) -> Told:
    known = clients()
    names = client_words(known[one.id] for one in change.libraries)
    tools = count(len(report.decisions.rows), "tool")
    takes = "take" if len(change.libraries) > 1 else "takes"
    if change.kind is not ChangeKind.LOST:
        return Told(change.kind, f"{names} ", f"{takes} the list of tools again", ".", None, "")
    lead = f"Today {names} {takes} the list of tools. With this change "
    strong = f"the whole list of {tools} is lost there"
    problem = change.libraries[0].problem
    if problem is None:
        return Told(change.kind, lead, strong, ".", None, "")
    where = report.mask(f"{problem.about} {problem.path}")
    details = (f"{where}: {problem.rule.words}",)
    fix = problem.rule.fix
    advice = f"{fix[0].upper()}{fix[1:]}."
    return Told(change.kind, lead, strong, ".", None, "", details, advice)


def _new(report: Report, new: NewTool) -> Told:
    parts = by_decision(report.decisions, new.decisions)
    runs = [f"{_before(one)} in {hosts}" for one, hosts in parts if one.runs]
    rest = [f"{_before(one)} in {hosts}" for one, hosts in parts if not one.runs]
    strong = "; ".join(runs) or "runs nowhere without asking"
    return Told(
        new.kind,
        "is new: it ",
        strong,
        f"; {'; '.join(rest)}." if rest else ".",
        new.tool,
        report.shows(new.tool),
        (f"Declared: {hints_in_words(claims_of(new.row.own_tool))}",),
        _suggested(report.decisions, new.suggestion),
    )


def _suggested(decisions: Decisions, found: Suggestion | None) -> str:
    if found is None:
        return ""
    value = "true" if found.value else "false"
    hosts = all_named([column_title(decisions.columns[at]) for at in found.columns])
    where = count(len(found.columns), "more host")
    return (
        f"{_IF[found.hint]}, declare {found.hint}Hint: {value}, and it runs in {where} ({hosts})."
    )


def hints_in_words(claims: Sequence[Claim]) -> str:
    """The declared hints: `readOnlyHint true`, or `no hints`."""
    given = zip(HINT_NAMES, claims, strict=True)
    words = [f"{hint}Hint: {claim.value}" for hint, claim in given if claim is not Claim.NOT_SET]
    return ", ".join(words) or "no hints"


def by_decision(
    decisions: Decisions, found: Sequence[ToolDecision]
) -> tuple[tuple[ToolDecision, str], ...]:
    """Each decision with its hosts in words: what runs first."""
    groups: dict[ToolDecision, list[str]] = {}
    for column, one in zip(decisions.columns, found, strict=True):
        groups.setdefault(one, []).append(column_title(column))
    order = sorted(groups, key=lambda one: (_ORDER.index(one.outcome), one.asks_about_response))
    return tuple((one, all_named(groups[one])) for one in order)


def _head(decision: ToolDecision) -> str:
    head = _HEADS[decision.outcome]
    return f"{head}, then asks about its response" if decision.asks_about_response else head


def _groups(report: Report) -> Iterator[Group]:
    decisions = report.decisions
    same: dict[tuple[tuple[Claim, ...], tuple[ToolDecision, ...]], list[MatrixRow]] = {}
    for row in decisions.rows:
        key = (claims_of(row.own_tool), decisions.decisions(row))
        same.setdefault(key, []).append(row)
    for (claims, found), rows in same.items():
        yield Group(
            tuple(report.shows(row.own_tool.name) for row in rows),
            hints_in_words(claims),
            tuple((_head(one), hosts) for one, hosts in by_decision(decisions, found)),
            _suggested(decisions, suggestion(decisions, rows[0])),
        )


def _remarks(report: Report) -> Iterator[str]:
    difference = report.difference
    lost = [one for one in report.decisions.libraries if not one.takes]
    if lost and (difference is None or not difference.libraries):
        yield from _losses(report, lost)
    if difference is None:
        return
    if silent := len(difference.silent):
        words = "definition changed" if silent == 1 else "definitions changed"
        yield f"{silent:,} {words} without a change of decisions."
    if difference.undeclared:
        yield (
            f"{some_named(difference.undeclared, TOOLS_NAMED, report.shows)}: destructiveHint is "
            "no longer declared; the default is true, so no decision changes."
        )
    if difference.only_in_baseline:
        hosts = _hosts(difference.only_in_baseline)
        yield f"Not compared, since only the baseline has them: {hosts}."
    if difference.only_here:
        yield f"Not compared, since the baseline lacks them: {_hosts(difference.only_here)}."


def _hosts(names: Sequence[str]) -> str:
    return all_named([shortened(name, _SHOWN) for name in names])


def _losses(report: Report, lost: Sequence[LibraryReading]) -> Iterator[str]:
    for group in by_reason(lost):
        names = client_words(clients()[one.id] for one in group)
        why, problem = "", group[0].problem
        if problem is not None:
            why = report.mask(f" ({problem.about} {problem.path}: {problem.rule.words})")
        yield f"The whole list of tools is lost in {names}{why}."
