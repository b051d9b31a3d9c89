"""Runs all rules over a list of tools, with verdicts of host rules on the findings.

`--rules FILE` sets the severity of each rule, in TOML:

    [severity]
    title-missing = "off"
    missing-effect-hints = "error"

    [tool.delete_draft]
    name-contradicts-read-only = "off"

    [limits]
    tool_tokens = 1500
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from ...approval.draft_effects import DraftEffect
from ...approval.matrix import cell_word, column_title, overridden
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case
from ...content.files.kinds import Key, MapOf, Number, Table, Word
from ...content.files.toml_tree import TomlError, read_toml
from ...content.files.tree import TOML, YAML, Problem, Problems
from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...protocol.findings.codes_of_servers import DEFINITION
from ...protocol.findings.findings import Finding, Severity, rank
from ...protocol.findings.model_texts import ADDRESSES_MODEL
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from . import (
    draft_rules,
    hint_rules,
    list_rules,
    marker_rules,
    model_rules,
    name_rules,
    review_rules,
    saving_rules,
    schema_rules,
    text_rules,
)
from .rule import LintHit, LintRule, SizeThresholds, Subject, seen_already

GROUPS: Final[Mapping[str, tuple[LintRule, ...]]] = {
    "hints": hint_rules.RULES,
    "names beside hints": hint_rules.CONTRADICTING_RULES,
    "parameters beside hints": saving_rules.RULES,
    "names": name_rules.RULES,
    "texts": text_rules.RULES,
    "input schemas": schema_rules.INPUT_RULES,
    "output schemas": schema_rules.OUTPUT_RULES,
    "what models get": model_rules.RULES,
    "the entry and the list": list_rules.RULES,
    "client libraries": list_rules.CLIENT_RULES,
    "drafts (`--experimental`)": draft_rules.RULES,
    "gains and losses (`--experimental`)": draft_rules.BALANCE_RULES,
    "markers of tool resolution (a draft)": marker_rules.RULES,
    "since the baseline (`--pin`)": list_rules.PIN_RULES,
    "the review of Claude's directory (`--for`)": review_rules.CLAUDE_RULES,
    "the review of ChatGPT's directory (`--for`)": review_rules.CHATGPT_RULES,
}
_OWN: Final = {rule.code: rule for group in GROUPS.values() for rule in group}
_OTHERS: Final = {
    code: LintRule(
        code,
        row.severities[0],
        row.meaning,
        "Found when definitions are read.",
        "Fix the named place.",
        seen_already(code),
    )
    for code, row in DEFINITION.items()
    if code not in _OWN and code != ADDRESSES_MODEL
}
"""Rules for codes of findings about definitions, without a page of their own.

Text that addresses a model has two rules, `description-instructs` and `description-permits`.
"""
RULES: Final[Mapping[str, LintRule]] = {**_OWN, **_OTHERS}


def explained(rule: LintRule) -> Iterator[str]:
    """The page of a rule, line by line."""
    yield f"{rule.code}   {rule.severity.value}"
    yield ""
    yield f"What   {rule.title}"
    yield f"Why    {rule.why}"
    yield f"Fix    {rule.fix}"
    if rule.clause:
        yield f"Clause {rule.clause_words}"
    if rule.pinned:
        yield from _example("In the baseline", rule.pinned)
    if rule.example:
        yield from ("", "Bad example:", f"    {rule.example}")
    yield from _example("Bad example", rule.bad)
    yield from _example("Good example", rule.good)
    yield ""
    yield f'In a file for --rules, {rule.code} = "off" below [severity] turns this rule off.'


def explained_rules() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Every rule by its code: its title, and the lines of its page."""
    return {code: (rule.title, tuple(explained(rule))) for code, rule in RULES.items()}


def _example(heading: str, entries: tuple[object, ...]) -> Iterator[str]:
    text = json.dumps(entries[0] if len(entries) == 1 else entries, indent=2)
    if not entries or len(text) > _LONGEST:
        return
    yield ""
    yield f"{heading}:"
    yield from (f"    {line}" for line in text.split("\n"))


_LONGEST: Final = 2_000


def table() -> str:
    """The register as a Markdown table."""
    lines = ["| rule | severity | looks at | what |", "|---|---|---|---|"]
    for group, rules in GROUPS.items():
        for rule in rules:
            lines.append(f"| `{rule.code}` | {rule.severity.value} | {group} | {rule.title} |")
    return "\n".join(lines)


OFF: Final = "off"
WORDS: Final = (OFF, *(one.value for one in Severity))
LONGEST: Final = 200_000
"""Characters of the file."""


def _unknown(what: str, known: Collection[str]) -> Callable[[str], str]:
    return lambda key: f"unknown {what} {YAML.quoted(key)}{did_you_mean(key, known)}"


def _severities(example: str) -> Table:
    keys = {code: Key(Word(WORDS)) for code in RULES}
    return Table("severities", keys, example, unknown=_unknown("rule", RULES))


_LIMITS: Final = dict.fromkeys(
    ("tool_tokens", "list_tokens"), Key(Number(1, math.inf, is_whole=True))
)
_SECTIONS: Final = {
    "severity": Key(_severities("[severity]")),
    "tool": Key(MapOf(_severities("[tool.NAME]"), "[tool.NAME]")),
    "limits": Key(Table("limits", _LIMITS, "[limits]", unknown=_unknown("limit", _LIMITS))),
}
_FILE: Final = Table("the rules", _SECTIONS, unknown=_unknown("section", _SECTIONS))

Weights = Mapping[str, Severity | None]
"""By the code of the rule; None for a rule that is off."""


class RulesError(ValueError):
    """Errors in a file of rules, with the line of each; safe to show."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        lines = (f"line {one.line}: {one.message}" if one.line else one.message for one in problems)
        super().__init__("\n".join(lines))
        self.problems = problems


@frozen
class RuleWeights:
    """Severity of each rule, for all tools and for some by their exact names."""

    all: Weights = field(default_factory=dict)
    tools: Mapping[str, Weights] = field(default_factory=dict)
    limits: SizeThresholds = field(default_factory=SizeThresholds)

    def of(self, code: str, tool: str, usual: Severity) -> Severity | None:
        """The severity that counts, or None for a rule that is off."""
        own = self.tools.get(tool, {})
        return own[code] if code in own else self.all.get(code, usual)


def read_weighing(text: str) -> RuleWeights:
    """Read such a file. Raises RulesError, with all mistakes."""
    try:
        tree = read_toml(text, LONGEST)
    except TomlError as error:
        raise RulesError((error.problem,)) from None
    problems = Problems(TOML)
    found = _FILE.read(tree, "the file", problems)
    if problems.found:
        raise RulesError(problems.in_order())
    tools = {name: _weights(one) for name, one in found.get("tool", {}).items()}
    limits = {name: value for name, value in found.get("limits", {}).items() if name}
    return RuleWeights(_weights(found.get("severity", {})), tools, SizeThresholds(**limits))


def _weights(found: Mapping[str, Any]) -> Weights:
    return {code: None if word == OFF else Severity(word) for code, word in found.items() if code}


_NOT_KNOWN: Final = "not known"
_SHUT_OUT: Final = ("hidden", "refused")
SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


@frozen
class HostVerdicts:
    """Verdicts of a host on the tool as it is, and with other hints, on a trusted server.

    In the words of the matrix; all of it is safe to show.
    """

    host: str
    does: str
    would: str


@frozen
class Hit:
    """Finding of a rule: the rule, its severity here, the place, and the verdicts of hosts."""

    rule: LintRule
    severity: Severity
    tool: ToolDefinition | None
    message: str
    path: str
    hosts: tuple[HostVerdicts, ...] = ()
    """The hosts whose decision would change with the hit fixed."""
    effect: DraftEffect | None = None
    """What a draft changes, for a hit on that."""

    @property
    def finding(self) -> Finding:
        return Finding(self.rule.code, self.severity, self.message, self.path)

    @property
    def about(self) -> str:
        """`tool NAME`, or the list; safe to show."""
        return "the list" if self.tool is None else f"tool {self.tool.display_name}"

    @property
    def hosts_words(self) -> str:
        """Describe the hosts' verdicts, and the fix that would change them; empty if none would."""
        if not self.hosts:
            return ""
        told: dict[tuple[str, str], list[str]] = {}
        for one in self.hosts:
            told.setdefault((one.does, one.would), []).append(one.host)
        listed = "; ".join(
            f"{does} → {would} in {', '.join(hosts)}" for (does, would), hosts in told.items()
        )
        if not self.rule.supposing:
            return listed
        return f"would decide otherwise {self.rule.supposing}: {listed}"

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
            **self.rule.review_json(),
        }


def lint(
    subject: Subject, weighing: RuleWeights | None = None, hosts: Sequence[Policy] = ()
) -> list[Hit]:
    """Everything that the rules find, the weightiest first, then in the order of the rules."""
    weighing = weighing or RuleWeights()
    judging = _Hosts(hosts)
    found = list(_found(subject, weighing, judging))
    found.sort(key=lambda one: -rank(one.severity))
    return found


def counts(problems: Sequence[Hit]) -> dict[str, int]:
    """Number of findings of each severity, the most severe first."""
    counted = Counter(one.severity for one in problems)
    return {severity.value: counted[severity] for severity in SEVERITIES}


def _found(subject: Subject, weighing: RuleWeights, hosts: _Hosts) -> Iterator[Hit]:
    for rule in RULES.values():
        if rule.review and rule.review not in subject.reviews:
            continue
        for spotted in rule.check(subject):
            name = "" if spotted.tool is None else spotted.tool.name
            severity = weighing.of(rule.code, name, spotted.severity or rule.severity)
            if severity is not None:
                yield Hit(
                    rule,
                    severity,
                    spotted.tool,
                    spotted.message,
                    spotted.path,
                    hosts.say(spotted),
                    spotted.effect,
                )


class _Hosts:
    """Verdicts of each host's rules on a tool as it is, and once fixed."""

    def __init__(self, hosts: Sequence[Policy]) -> None:
        self._hosts = hosts

    def say(self, spotted: LintHit) -> tuple[HostVerdicts, ...]:
        tool = spotted.tool
        if tool is None or not spotted.supposed:
            return ()
        does = self._words(tool)
        would = self._words(overridden(tool, spotted.supposed))
        return tuple(
            HostVerdicts(visible(column_title(host)), one, other)
            for host, one, other in zip(self._hosts, does, would, strict=True)
            if one != other and one != _NOT_KNOWN and (other != _NOT_KNOWN or one in _SHUT_OUT)
        )

    def _words(self, tool: ToolDefinition) -> tuple[str, ...]:
        return tuple(cell_word(host.judge(Case(tool, Trust.TRUSTED))) for host in self._hosts)
