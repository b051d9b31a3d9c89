"""Why the cells of a matrix say what they say: each way to a verdict once, with a number."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from ...analysis.matrix.matrix import Matrix, Overrides, cell_word, column_title, is_host
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Verdict
from ...content.text import visible
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition

CAUTION: Final = (
    "A model of a host is a claim about one version, read on one day; it is never the last word."
)
_CLAIMS: Final = {True: "true", False: "false", None: "not said"}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a verdict - the same column, rule and reasons - and the tools that go it."""

    number: int
    at: int
    """The index of its column."""
    column: Policy
    verdict: Verdict
    tools: dict[Trust, list[ToolDefinition]]


class Ways:
    """Every way to a verdict in a matrix, numbered from 1: by column, then as they occur."""

    def __init__(self, matrix: Matrix) -> None:
        self._ways: dict[Hashable, Way] = {}
        for at, column in enumerate(matrix.columns):
            for row in matrix.rows:
                for trust in Trust:
                    verdict = row.cells[at].under(trust)
                    key = _key(at, verdict)
                    way = self._ways.get(key)
                    if way is None:
                        tools: dict[Trust, list[ToolDefinition]] = {each: [] for each in Trust}
                        way = self._ways[key] = Way(len(self._ways) + 1, at, column, verdict, tools)
                    way.tools[trust].append(row.tool)

    def __iter__(self) -> Iterator[Way]:
        return iter(self._ways.values())

    def of(self, column: int, verdict: Verdict) -> Way:
        """The way to a verdict that stands in this column."""
        return self._ways[_key(column, verdict)]


def full_word(verdict: Verdict) -> str:
    """The word of a cell, and whether other arguments may change it."""
    return f"{cell_word(verdict)}, depends on arguments" if verdict.depends else cell_word(verdict)


def read_on(column: Policy) -> str:
    """What was read of a host, and when: "file, version, read on 2026-11-15"; else empty."""
    if not is_host(column):
        return ""
    date = f"read on {column.date}" if column.date else "date of reading not known"
    parts = (column.source_file, column.version or "version not known", date)
    return ", ".join(part for part in parts if part)


def in_short(matrix: Matrix) -> str:
    """How much there is to see, as one sentence."""
    hosts = sum(is_host(column) for column in matrix.columns)
    policies = len(matrix.columns) - hosts
    kinds = []
    if policies:
        kinds.append("1 policy" if policies == 1 else f"{policies} policies")
    if hosts:
        kinds.append("1 model of a host" if hosts == 1 else f"{hosts} models of hosts")
    under = " and ".join(kinds) or "no column"
    differing = sum(row.disagrees for row in matrix.rows)
    apart = ""
    if names := [visible(column_title(one)) for one in matrix.apart]:
        say = "say" if len(names) > 1 else "says"
        apart = f", not counting {' and '.join(names)}, which {say} the same of every tool"
    return f"{counted(len(matrix), 'tool')} under {under}; they disagree on {differing:,}{apart}."


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def what_if_words(overrides: Overrides) -> str:
    """The hints of a what-if: "what if readOnly were true (set here, not by the server)"."""
    hints = " and ".join(f"{name} were {_CLAIMS[claim]}" for name, claim in overrides.items())
    return f"what if {hints} (set here, not by the server)"


def _key(column: int, verdict: Verdict) -> Hashable:
    return column, full_word(verdict), verdict.rule, verdict.reasons
