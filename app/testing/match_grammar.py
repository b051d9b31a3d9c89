"""What may be expected of texts, values, pictures and progress."""

from __future__ import annotations

from typing import Any, Final

from ..approval.policies.patterns import pattern_fault
from .composed_kinds import Either, Key, Several, Table
from .kinds import Anything, Flag, Mistakes, Number, Text
from .yaml_tree import Tree

LONGEST_REGEX: Final = 10_000
_COUNT: Final = Number(0, is_whole=True)
_VALUE: Final = Number(-1e15, 1e15)


def check_regex(tree: Tree, found: dict[str, Any], mistakes: Mistakes) -> None:
    """A pattern is looked at without being compiled, which can take long."""
    pattern = found.get("regex")
    if isinstance(pattern, str):
        spot = tree.keys["regex"]
        if len(pattern) > LONGEST_REGEX:
            mistakes.wrong(spot, f"the regex is longer than {LONGEST_REGEX:,} characters")
        elif fault := pattern_fault(pattern):
            mistakes.wrong(spot, f"the regex cannot be read: {fault}")


def check_pointer(tree: Tree, found: dict[str, Any], mistakes: Mistakes, key: str = "at") -> None:
    """RFC 6901: nothing for all of it, or parts that each begin with a slash."""
    at = found.get(key)
    if isinstance(at, str) and at and not at.startswith("/"):
        meant = "/" + at.lstrip("$./").replace(".", "/").replace("[", "/").replace("]", "")
        words = f"{key} is a JSON Pointer, which begins with a slash; did you mean “{meant[:60]}”?"
        mistakes.wrong(tree.keys[key], words)


def _check_text(tree: Tree, found: dict[str, Any], mistakes: Mistakes) -> None:
    check_regex(tree, found, mistakes)
    if len(found) == 1:
        mistakes.wrong(tree.spot, f"a matcher says nothing: give one of {', '.join(_TEXT)}")


def _check_value(tree: Tree, found: dict[str, Any], mistakes: Mistakes) -> None:
    check_regex(tree, found, mistakes)
    check_pointer(tree, found, mistakes)
    if not set(found) - {"", "at"}:
        most = ", ".join(name for name in _VALUES if name != "at")
        mistakes.wrong(tree.spot, f"a matcher says nothing: give one of {most}")


_TEXT: Final = {
    "equals": Key(Text(may_be_number=True), "all of it"),
    "contains": Key(Several(Text(may_be_number=True), or_one=True), "texts that are in it"),
    "lacks": Key(Several(Text(may_be_number=True), or_one=True), "texts that are not in it"),
    "regex": Key(Text(), "a regular expression that is found in it; one second at most"),
}
MATCH_TEXT: Final = Either(
    (Text(may_be_number=True), Table("a matcher of texts", _TEXT, check=_check_text))
)
"""A text alone has to be in it."""

_VALUES: Final = {
    "at": Key(Text(), "a JSON Pointer: where; left out, all of it"),
    "equals": Key(Anything(), "the value"),
    "contains": Key(Anything(), "a text that is in a text, or a value that is in a list"),
    "lacks": Key(Anything(), "a text that is not in a text, or a value that is not in a list"),
    "regex": Key(Text(), "a regular expression that is found in a text; one second at most"),
    "schema": Key(Anything(), "a JSON Schema that it keeps"),
    "least": Key(_VALUE, "a number that is not above it"),
    "most": Key(_VALUE, "a number that is not below it"),
    "length": Key(_COUNT, "of a list, a text or a table"),
    "absent": Key(Flag(), "whether there is nothing"),
}
MATCH_VALUE: Final = Table("a matcher of values", _VALUES, check=_check_value)

SCHEMA_ERROR: Final = Either(
    (
        Text(),
        Table(
            "a schema error",
            {
                "at": Key(Text(), "where, as a JSON Pointer"),
                "message": Key(MATCH_TEXT, "what is said of it"),
            },
            check=check_pointer,
        ),
    )
)
IMAGE: Final = Table(
    "a picture",
    {
        "mime": Key(Text(), "the type that the server claims: image/png"),
        "width": Key(_COUNT, "in pixels, as the data has it"),
        "height": Key(_COUNT, "in pixels, as the data has it"),
    },
)
PROGRESS: Final = Table(
    "progress",
    {
        "reports": Key(_COUNT, "at least so many reports"),
        "increasing": Key(Flag(), "whether each report is above the one before"),
        "total": Key(_VALUE, "the total of the newest report"),
        "message": Key(MATCH_TEXT, "the messages, a line each"),
    },
)
_SOME: Final = Text(("none", "some"))
EVIDENCE: Final = Table(
    "evidence",
    {
        "writes": Key(_SOME, "files that are created, changed or deleted"),
        "destroys": Key(_SOME, "files that lose something"),
        "starts": Key(_SOME, "programs"),
        "reaches": Key(_SOME, "other machines"),
        "contradicts": Key(Flag(), "whether a hint of the tool is contradicted by it"),
    },
)
ANSWERED: Final = Table(
    "something asked",
    {
        "kind": Key(Text(("elicitation", "sampling")), "what is asked for"),
        "message": Key(MATCH_TEXT, "what the person reads of it"),
        "answered": Key(Text(("approve", "deny", "cancel", "withdrawn")), "what came of it"),
    },
)
