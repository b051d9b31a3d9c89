"""Checks of a message's fields: presence and type; places are JSON Pointers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ..findings.findings import Finding, error, warning

SHOWN: Final = 80
FOUND_MAX: Final = 20
"""Findings of one message."""

_WORDS: Final[Mapping[str, str]] = {
    "text": "a string",
    "object": "an object",
    "array": "an array",
    "flag": "true or false",
    "number": "a number",
    "integer": "an integer",
}


def quoted(value: JsonValue) -> str:
    """A string of a server, short and safe to show."""
    return f"“{shortened(value if isinstance(value, str) else str(value), SHOWN)}”"


def json_pointer(*steps: str | int) -> str:
    """A place by RFC 6901: `/result/capabilities/tools`; safe to show."""
    found = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{shortened(step, SHOWN)}" for step in found)


def has_type(value: JsonValue, kind: str) -> bool:
    """True if a value is of a `kind`, which is one of the words of this module."""
    match kind:
        case "text":
            return isinstance(value, str)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "flag":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


class Fields:
    """Checks the fields of one message, and collects the findings."""

    def __init__(self, what: str) -> None:
        """`what` names the message, for people: `the answer to initialize`."""
        self._what = what
        self.findings: list[Finding] = []

    def want(
        self, holder: JsonValue, kind: str, *path: str | int, is_harmless: bool = False
    ) -> JsonValue:
        """The last of `path` has to be in `holder`, which is the object before it."""
        name = path[-1]
        if not isinstance(holder, dict) or not isinstance(name, str):
            return None
        if name not in holder:
            words, place = f"{self._what} has no {quoted(name)}", json_pointer(*path)
            if is_harmless:
                self._add(warning("missing-field", words, place))
            else:
                self._add(error("missing-field", words, place))
            return None
        return self.may(holder, kind, *path, is_harmless=is_harmless)

    def may(
        self, holder: JsonValue, kind: str, *path: str | int, is_harmless: bool = False
    ) -> JsonValue:
        """Likewise, if it may be missing; returns it if it is of that type."""
        name = path[-1]
        if not isinstance(holder, dict) or not isinstance(name, str) or name not in holder:
            return None
        value = holder[name]
        if has_type(value, kind):
            return value
        words = f"in {self._what} {quoted(name)} is not {_WORDS[kind]}"
        if is_harmless:
            self._add(warning("wrong-type", words, json_pointer(*path)))
        else:
            self._add(error("wrong-type", words, json_pointer(*path)))
        return None

    def add(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        if len(self.findings) < FOUND_MAX:
            self.findings.append(finding)
