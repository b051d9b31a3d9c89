"""The grammar of matchers in flow files: of texts, and of values at a place."""

from __future__ import annotations

from typing import Any, Final

from ...approval.policies.patterns import pattern_fault
from ...content.files.kinds import AnyValue, Flag, Key, ListOf, Number, OneOf, Table, Text
from ...content.files.tree import Problems, Tree

LONGEST_REGEX: Final = 10_000
COUNT: Final = Number(0, is_whole=True)
VALUE: Final = Number(-1e15, 1e15)


def check_regex(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    """A pattern is looked at without being compiled, which can take long."""
    pattern = found.get("regex")
    if isinstance(pattern, str):
        spot = tree.keys["regex"]
        if len(pattern) > LONGEST_REGEX:
            problems.add(spot, f"the regex is longer than {LONGEST_REGEX:,} characters")
        elif fault := pattern_fault(pattern):
            problems.add(spot, f"the regex cannot be read: {fault}")


def check_pointer(tree: Tree, found: dict[str, Any], problems: Problems, key: str = "at") -> None:
    """RFC 6901: nothing for all of it, or parts that each begin with a slash."""
    at = found.get(key)
    if isinstance(at, str) and at and not at.startswith("/"):
        meant = "/" + at.lstrip("$./").replace(".", "/").replace("[", "/").replace("]", "")
        words = f"{key} is a JSON Pointer, which begins with a slash; did you mean “{meant[:60]}”?"
        problems.add(tree.keys[key], words)


def _check_text(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    check_regex(tree, found, problems)
    if len(found) == 1:
        problems.add(tree.spot, f"the matcher is empty: give one of {', '.join(_TEXT)}")


def _check_value(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    check_regex(tree, found, problems)
    check_pointer(tree, found, problems)
    if not set(found) - {"", "at"}:
        most = ", ".join(name for name in _VALUES if name != "at")
        problems.add(tree.spot, f"the matcher is empty: give one of {most}")


_TEXT: Final = {
    "equals": Key(Text(may_be_number=True), "all of it"),
    "contains": Key(ListOf(Text(may_be_number=True), or_one=True), "texts that are in it"),
    "lacks": Key(ListOf(Text(may_be_number=True), or_one=True), "texts that are not in it"),
    "regex": Key(Text(), "a regular expression that is found in it; one second at most"),
}
MATCH_TEXT: Final = OneOf(
    (Text(may_be_number=True), Table("a matcher of texts", _TEXT, check=_check_text))
)
"""A text alone has to be in it."""

_VALUES: Final = {
    "at": Key(Text(), "a JSON Pointer: where; left out, all of it"),
    "equals": Key(AnyValue(), "the value"),
    "contains": Key(AnyValue(), "a text that is in a text, or a value that is in a list"),
    "lacks": Key(AnyValue(), "a text that is not in a text, or a value that is not in a list"),
    "regex": Key(Text(), "a regular expression that is found in a text; one second at most"),
    "schema": Key(AnyValue(), "a JSON Schema that it keeps"),
    "least": Key(VALUE, "a number that is not above it"),
    "most": Key(VALUE, "a number that is not below it"),
    "length": Key(COUNT, "of a list, a text or a table"),
    "absent": Key(Flag(), "whether there is nothing"),
}
MATCH_VALUE: Final = Table("a matcher of values", _VALUES, check=_check_value)
