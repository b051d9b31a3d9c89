"""Matches a text or a value with an expectation, and excerpts the difference.

Patterns and schemas are handed to `Judges`, which can stop them.

Also replaces `${name}` in texts.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from ...content.files.tree import SourceLocation, Tree
from ...content.json.jsonio import JsonValue, canonical, same
from ...content.text import cut
from ...protocol.answers.values import found as found_at

SHOWN: Final = 300
"""Characters of a value in a report."""
NOTHING: Final = "nothing"


class Match(NamedTuple):
    """Result of one comparison; both texts are raw."""

    passed: bool
    expected: str
    seen: str


class Judges(Protocol):
    """Tries patterns and schemas, and stops those that take too long."""

    async def search(self, pattern: str, text: str) -> tuple[bool, str]:
        """Search a pattern in a text; the second value is the reason if that is unknown."""

    async def keeps(self, schema: JsonValue, value: JsonValue) -> str:
        """Describe how a value breaks a schema; empty if it is valid."""


async def match_text(wanted: Any, text: str | None, judges: Judges) -> list[Match]:
    """A matcher of texts against a text; None is one that is not there."""
    if isinstance(wanted, str):
        wanted = {"contains": [wanted]}
    seen = NOTHING if text is None else excerpt(text)
    found: list[Match] = []
    there = "" if text is None else text
    for name, value in wanted.items():
        match name:
            case "equals":
                found.append(Match(text is not None and there == value, quoted(value), seen))
            case "contains":
                found += [
                    Match(one in there, f"contains {quoted(one)}", near(there, one, seen))
                    for one in value
                ]
            case "lacks":
                found += [Match(one not in there, f"lacks {quoted(one)}", seen) for one in value]
            case "regex":
                found.append(await _searched(value, text, seen, judges))
    return found


async def match_value(
    wanted: Mapping[str, Any], value: JsonValue, is_there: bool, judges: Judges
) -> list[Match]:
    """Compare the value at a place with a matcher."""
    at = wanted.get("at", "")
    inside = pointed(value, at) if is_there else ()
    where = f"{at}: " if at else ""
    seen = json_excerpt(inside[0]) if inside else NOTHING
    if "absent" in wanted:
        is_absent = wanted["absent"]
        expected = NOTHING if is_absent else "something"
        return [Match(bool(inside) != is_absent, f"{where}{expected}", f"{where}{seen}")]
    found: list[Match] = []
    for name, test in wanted.items():
        if name in ("", "at"):
            continue
        held, expected, instead = await _tested(name, test, inside, judges)
        found.append(Match(held, f"{where}{expected}", f"{where}{instead or seen}"))
    return found


async def _tested(
    name: str, test: Any, inside: tuple[JsonValue, ...], judges: Judges
) -> tuple[bool, str, str]:
    value = inside[0] if inside else None
    match name:
        case "equals":
            return bool(inside) and same(value, test), json_excerpt(test), ""
        case "contains":
            return bool(inside) and _contains(value, test), f"contains {json_excerpt(test)}", ""
        case "lacks":
            is_there = bool(inside) and _contains(value, test)
            return not is_there, f"lacks {json_excerpt(test)}", ""
        case "regex":
            text = value if isinstance(value, str) else canonical(value) if inside else None
            one = await _searched(test, text, "", judges)
            return one.passed, one.expected, one.seen
        case "schema":
            if not inside:
                return False, f"keeps the schema {json_excerpt(test)}", ""
            why = await judges.keeps(test, value)
            return not why, f"keeps the schema {json_excerpt(test)}", why
        case "length":
            size = len(value) if isinstance(value, str | list | dict) else None
            return size == test, f"length {test}", "" if size is None else f"length {size:,}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name == "least":
        return is_number and value >= test, f"at least {test:g}", ""
    return is_number and value <= test, f"at most {test:g}", ""


async def _searched(pattern: str, text: str | None, seen: str, judges: Judges) -> Match:
    expected = f"matches /{cut(pattern, SHOWN).text}/"
    if text is None:
        return Match(False, expected, seen or NOTHING)
    held, why = await judges.search(pattern, text)
    return Match(held, expected, f"not checked: {why}" if why else seen)


def _contains(value: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    if isinstance(value, list):
        return any(same(one, wanted) for one in value)
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(name in value and same(value[name], one) for name, one in wanted.items())
    return isinstance(value, dict) and isinstance(wanted, str) and wanted in value


def pointed(value: JsonValue, pointer: str) -> tuple[JsonValue, ...]:
    """Return the value at a JSON Pointer (RFC 6901), alone in a tuple; empty if there is none."""
    for part in pointer.split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        inside: tuple[JsonValue, ...]
        if isinstance(value, list):
            is_index = step.isascii() and step.isdecimal() and len(step) < 10
            inside = found_at(value, (int(step),)) if is_index else ()
        else:
            inside = found_at(value, (step,))
        if not inside:
            return ()
        value = inside[0]
    return (value,)


def pointer_to(path: Sequence[str | int]) -> str:
    """The JSON Pointer of a place."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def excerpt(text: str) -> str:
    """A text in quotes, shortened; raw."""
    return quoted(text) if text else "an empty text"


def quoted(text: str) -> str:
    short = cut(text, SHOWN)
    return f"“{short.text}{'…' if short.is_cut else ''}”"


def near(text: str, wanted: str, seen: str) -> str:
    """Excerpt a long text from the part that resembles the expected one."""
    if len(text) <= SHOWN or not wanted:
        return seen
    for size in range(len(wanted), 3, -1):
        at = text.find(wanted[:size])
        if at >= 0:
            begin = max(0, at - 40)
            return f"…{excerpt(text[begin:])}" if begin else seen
    return seen


def json_excerpt(value: JsonValue) -> str:
    """A value as JSON, shortened; raw."""
    short = cut(json.dumps(value, ensure_ascii=False), SHOWN)
    return f"{short.text}{'…' if short.is_cut else ''}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


_USE: Final = re.compile(r"\$\$\{|\$\{([^{}]*)\}")
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
TOOL: Final = "tool"
"""The name of the tool, in a step for each of them."""


class UnknownVariable(ValueError):
    """A text uses a variable that has no value here."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def uses(tree: Tree) -> Iterator[tuple[str, SourceLocation]]:
    """Every variable that is used anywhere in a tree, with the place of its text."""
    match tree.value:
        case str():
            yield from ((one, tree.spot) for one in used_in(tree.value))
        case list():
            for item in tree.value:
                yield from uses(item)
        case dict():
            for item in tree.value.values():
                yield from uses(item)


def used_in(text: str) -> Iterator[str]:
    """The names in one text."""
    for found in _USE.finditer(text):
        if found.group(1) is not None:
            yield found.group(1)


def filled_in(value: Any, variables: Mapping[str, JsonValue]) -> Any:
    """Replace variables in a JSON value; a text that is one variable becomes its value.

    `$${` becomes `${`. Without variables it returns the value itself. Raises UnknownVariable.
    """
    if isinstance(value, str):
        return _filled_text(value, variables)
    if isinstance(value, list):
        items = [filled_in(one, variables) for one in value]
        return value if all(map(operator.is_, items, value)) else items
    if isinstance(value, dict):
        members = {name: filled_in(one, variables) for name, one in value.items()}
        return value if all(map(operator.is_, members.values(), value.values())) else members
    return value


def filled_text(text: str, variables: Mapping[str, JsonValue]) -> str:
    """The same of a text that stays one. Raises UnknownVariable."""
    return as_text(_filled_text(text, variables))


def _filled_text(text: str, variables: Mapping[str, JsonValue]) -> JsonValue:
    if "${" not in text:
        return text

    def value_of(name: str) -> JsonValue:
        if name not in variables:
            raise UnknownVariable(name)
        return variables[name]

    whole = _USE.fullmatch(text)
    if whole is not None and whole.group(1) is not None:
        return value_of(whole.group(1))
    return _USE.sub(
        lambda found: "${" if found.group(1) is None else as_text(value_of(found.group(1))), text
    )


def as_text(value: JsonValue) -> str:
    """A value within a text: texts as they are, others as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
