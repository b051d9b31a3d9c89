"""What a rule of lint is made of, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from ...protocol.definitions.change_values import ListDiff
from ...protocol.findings import Finding, Severity
from ...protocol.tools import ToolDefinition

TOOL_TOKENS: Final = 2_000
LIST_TOKENS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What counts as large, in estimated tokens."""

    tool_tokens: int = TOOL_TOKENS
    list_tokens: int = LIST_TOKENS


@dataclass(frozen=True, slots=True)
class Broken:
    """Answers that broke an output schema, by the audit log; `last` is the time of the newest."""

    answers: int
    last: str


@dataclass(frozen=True, slots=True)
class Subject:
    """All that the rules look at: the whole list of tools, and what is known beside it."""

    tools: tuple[ToolDefinition, ...]
    limits: Limits = field(default_factory=Limits)
    faults: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    """Why the input and the output schema of a tool cannot be used, by its place in the list."""
    patterns: Mapping[int, tuple[Finding, ...]] = field(default_factory=dict)
    """What is wrong with the patterns in the schemas of a tool, by its place in the list."""
    broken: Mapping[str, Broken] = field(default_factory=dict)
    """By the digest of the definition that was called."""
    since_pin: ListDiff | None = None
    """What changed since a baseline; None where none was given."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A place where a rule applies. `message` and `path` are safe to show."""

    tool: ToolDefinition | None
    """None where it is about the list."""
    message: str
    path: str = ""
    severity: Severity | None = None
    """Where the case decides and not the rule."""
    supposed: Mapping[str, bool | None] = field(default_factory=dict)
    """Hints, by the names of `Hint.name`, that would mend it: hosts are asked about them."""


Check: TypeAlias = Callable[[Subject], Iterable[Spotted]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `bad` and `good` are lists of entries of `tools/list`, with and without it."""

    code: str
    severity: Severity
    title: str
    why: str
    fix: str
    check: Check = field(repr=False)
    bad: tuple[Any, ...] = ()
    good: tuple[Any, ...] = ()
    pinned: tuple[Any, ...] = ()
    """The baseline that `bad` and `good` are compared with."""
    supposing: str = ""
    """In which case the hints that would mend it are right: "if it only reads"."""


def of_each(look: Callable[[ToolDefinition], Iterable[Spotted]]) -> Check:
    """The check of a rule that looks at one tool at a time."""

    def check(subject: Subject) -> Iterator[Spotted]:
        for tool in subject.tools:
            yield from look(tool)

    return check


def seen_already(code: str, supposed: Mapping[str, bool | None] | None = None) -> Check:
    """The check of a rule whose finding is made where definitions are read; `supposed`: the hints
    that would mend it."""

    def look(tool: ToolDefinition) -> Iterator[Spotted]:
        for one in tool.findings:
            if one.code == code:
                yield Spotted(tool, one.message, one.path, one.severity, supposed or {})

    return of_each(look)
