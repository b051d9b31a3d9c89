"""The file that says how much each rule matters: `--rules FILE`, in TOML.

[severity]
title-missing = "off"
effect-unsaid = "error"

[tool.delete_draft]
name-belies-read-only = "off"

[limits]
tool_tokens = 1500
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ...approval.policies.policy_tables import Problem
from ...approval.policies.toml_lines import Place
from ...approval.policies.toml_text import TomlError, read_toml
from ...content.suggest import did_you_mean
from ...content.text import shortened
from ...protocol.findings import Severity
from .register import RULES
from .rule import Limits

OFF: Final = "off"
WORDS: Final = (OFF, *(one.value for one in Severity))
LONGEST: Final = 200_000
"""Characters of the file."""
_SECTIONS: Final = ("severity", "tool", "limits")
_LIMITS: Final = ("tool_tokens", "list_tokens")
_SHOWN: Final = 60

Weights = Mapping[str, Severity | None]
"""By the code of the rule; None where it is off."""


class RulesError(ValueError):
    """What is wrong with a file of rules, with the line of each mistake; safe to show."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        lines = (f"line {one.line}: {one.message}" if one.line else one.message for one in problems)
        super().__init__("\n".join(lines))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Weighing:
    """How much each rule matters, for all tools and for some by their exact names."""

    all: Weights = field(default_factory=dict)
    tools: Mapping[str, Weights] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def of(self, code: str, tool: str, usual: Severity) -> Severity | None:
        """The severity that counts, or None for a rule that is off."""
        own = self.tools.get(tool, {})
        return own[code] if code in own else self.all.get(code, usual)


def read_weighing(text: str) -> Weighing:
    """Read such a file. Raises RulesError, with all mistakes."""
    try:
        values, lines = read_toml(text, LONGEST)
    except TomlError as error:
        raise RulesError((error.problem,)) from None
    return _Reader(lines).read(values)


class _Reader:
    def __init__(self, lines: Mapping[Place, int]) -> None:
        self._lines = lines
        self._problems: list[Problem] = []

    def read(self, values: Mapping[str, object]) -> Weighing:
        for key in values:
            if key not in _SECTIONS:
                hint = did_you_mean(key, _SECTIONS)
                self._wrong((key,), f"there is no section {_quoted(key)}{hint}")
        overall = self._weights(values.get("severity", {}), ("severity",))
        tools = {}
        for name, listed in self._table(values.get("tool", {}), ("tool",)).items():
            tools[name] = self._weights(listed, ("tool", name))
        limits = self._limits(self._table(values.get("limits", {}), ("limits",)))
        if self._problems:
            raise RulesError(tuple(sorted(self._problems)))
        return Weighing(overall, tools, limits)

    def _weights(self, value: object, place: Place) -> Weights:
        found: dict[str, Severity | None] = {}
        for code, word in self._table(value, place).items():
            if code not in RULES:
                hint = did_you_mean(code, RULES)
                self._wrong((*place, code), f"there is no rule {_quoted(code)}{hint}")
            elif not isinstance(word, str) or word not in WORDS:
                hint = did_you_mean(word, WORDS) if isinstance(word, str) else ""
                message = f"{code} is one of {', '.join(WORDS)}{hint}"
                self._wrong((*place, code), message)
            else:
                found[code] = None if word == OFF else Severity(word)
        return found

    def _limits(self, given: Mapping[str, object]) -> Limits:
        found: dict[str, int] = {}
        for key, value in given.items():
            if key not in _LIMITS:
                hint = did_you_mean(key, _LIMITS)
                self._wrong(("limits", key), f"there is no limit {_quoted(key)}{hint}")
            elif type(value) is not int or value < 1:
                self._wrong(("limits", key), f"{key} is a whole number from 1 on")
            else:
                found[key] = value
        return Limits(**found)

    def _table(self, value: object, place: Place) -> Mapping[str, object]:
        if isinstance(value, dict):
            return value
        self._wrong(place, f"{_quoted(str(place[-1]))} is a table: [{place[0]}]")
        return {}

    def _wrong(self, place: Place, message: str) -> None:
        while place and place not in self._lines:
            place = place[:-1]
        self._problems.append(Problem(self._lines.get(place, 0), message))


def _quoted(text: str) -> str:
    return f"“{shortened(text, _SHOWN)}”"
