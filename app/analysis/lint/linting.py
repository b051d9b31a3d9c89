"""All rules over a list of tools, and what the models of hosts would do about what they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case
from ...content.text import visible
from ...protocol.findings import Finding, Severity, rank
from ...protocol.tools import ToolDefinition
from ...protocol.trust import Trust
from ..matrix.matrix import cell_word, column_title
from ..matrix.whatif import overridden
from .register import RULES
from .rule import Rule, Spotted, Subject
from .weighing import Weighing

_NOT_KNOWN: Final = "not known"
_SHUT_OUT: Final = ("hidden", "refused")
SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


@dataclass(frozen=True, slots=True)
class HostSays:
    """What a host does with the tool as it is, and would do with other hints, on a trusted server.

    In the words of the matrix; all of it is safe to show.
    """

    host: str
    does: str
    would: str


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule found: the rule, how much it weighs here, where, and what hosts make of it."""

    rule: Rule
    severity: Severity
    tool: ToolDefinition | None
    message: str
    path: str
    hosts: tuple[HostSays, ...] = ()
    """Only those that would decide otherwise were it mended."""

    @property
    def finding(self) -> Finding:
        return Finding(self.rule.code, self.severity, self.message, self.path)

    @property
    def about(self) -> str:
        """`tool NAME`, or the list; safe to show."""
        return "the list" if self.tool is None else f"tool {self.tool.name_shown}"

    @property
    def hosts_words(self) -> str:
        """What hosts do, and in which case they would do something else; empty where none does."""
        if not self.hosts:
            return ""
        told: dict[tuple[str, str], list[str]] = {}
        for one in self.hosts:
            told.setdefault((one.does, one.would), []).append(one.host)
        listed = "; ".join(
            f"{', '.join(hosts)}: {does} → {would}" for (does, would), hosts in told.items()
        )
        return f"{self.rule.supposing}: {listed}" if self.rule.supposing else listed

    def as_json(self) -> dict[str, Any]:
        """The shape that `signoff lint --json` prints."""
        return {
            "about": self.about,
            "tool": None if self.tool is None else self.tool.name,
            **self.finding.as_json(),
            "title": self.rule.title,
            "fix": self.rule.fix,
            "hosts": [
                {"host": one.host, "does": one.does, "would": one.would} for one in self.hosts
            ],
            "supposing": self.rule.supposing or None,
        }


def lint(
    subject: Subject, weighing: Weighing | None = None, hosts: Sequence[Policy] = ()
) -> list[Problem]:
    """Everything that the rules find, the weightiest first, then in the order of the rules."""
    weighing = weighing or Weighing()
    judging = _Hosts(hosts)
    found = list(_found(subject, weighing, judging))
    found.sort(key=lambda one: -rank(one.severity))
    return found


def counts(problems: Sequence[Problem]) -> dict[str, int]:
    """How many there are of each severity, the weightiest first."""
    counted = Counter(one.severity for one in problems)
    return {severity.value: counted[severity] for severity in SEVERITIES}


def by_rule(problems: Sequence[Problem]) -> dict[tuple[Severity, str], list[Problem]]:
    """Problems by severity and code, in their order."""
    found: dict[tuple[Severity, str], list[Problem]] = {}
    for one in problems:
        found.setdefault((one.severity, one.rule.code), []).append(one)
    return found


def _found(subject: Subject, weighing: Weighing, hosts: _Hosts) -> Iterator[Problem]:
    for rule in RULES.values():
        for spotted in rule.check(subject):
            name = "" if spotted.tool is None else spotted.tool.name
            severity = weighing.of(rule.code, name, spotted.severity or rule.severity)
            if severity is not None:
                yield Problem(
                    rule,
                    severity,
                    spotted.tool,
                    spotted.message,
                    spotted.path,
                    hosts.say(spotted),
                )


class _Hosts:
    """What each model of a host says of a tool as it is, and as it would be were it mended."""

    def __init__(self, hosts: Sequence[Policy]) -> None:
        self._hosts = hosts

    def say(self, spotted: Spotted) -> tuple[HostSays, ...]:
        tool = spotted.tool
        if tool is None or not spotted.supposed:
            return ()
        does = self._words(tool)
        would = self._words(overridden(tool, spotted.supposed))
        return tuple(
            HostSays(visible(column_title(host)), one, other)
            for host, one, other in zip(self._hosts, does, would, strict=True)
            if one != other and one != _NOT_KNOWN and (other != _NOT_KNOWN or one in _SHUT_OUT)
        )

    def _words(self, tool: ToolDefinition) -> tuple[str, ...]:
        return tuple(cell_word(host.judge(Case(tool, Trust.TRUSTED))) for host in self._hosts)
