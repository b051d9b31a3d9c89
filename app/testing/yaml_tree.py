"""YAML as a tree whose every value knows its line and column; read safely.

Only JSON's types: no tag builds an object, no key occurs twice, and the expansion of aliases is
bounded. Words such as `yes` and `2026-01-01` are texts, as YAML 1.2 has it. Errors have places.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from ..content.files.tree import NOWHERE, YAML, Problem, Problems, SourceLocation, Tree
from ..content.text import cut, shortened, visible


class FlowError(ValueError):
    """A flow file is refused; lists every mistake, in the order of the lines."""

    def __init__(self, file: str, mistakes: tuple[Problem, ...]) -> None:
        self.file = visible(file)
        self.mistakes = mistakes
        super().__init__("\n".join(self.lines))

    @property
    def lines(self) -> tuple[str, ...]:
        """One a mistake, as `a.flow.yaml line 3, column 5: ...`; safe to show."""
        return tuple(one.words(self.file) for one in self.mistakes)


LONGEST: Final = 1_000_000
"""Bytes of a file."""
MOST_VALUES: Final = 100_000
"""Values of a file, each alias counted with all values behind it."""
DEEPEST: Final = 60
_NULL: Final = ("", "~", "null", "Null", "NULL")
_FLAGS: Final = {"true": True, "True": True, "TRUE": True} | {
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,300}")
_OTHER_INTEGER: Final = re.compile(r"0x[0-9a-fA-F]{1,200}|0o[0-7]{1,200}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_TAGS: Final = "tag:yaml.org,2002:"


def read_yaml(data: bytes, file: str) -> Tree:
    """The one document of a file. Raises FlowError."""
    if len(data) > LONGEST:
        raise _refused(file, NOWHERE, f"{len(data):,} bytes; the limit is {LONGEST:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise _refused(file, SourceLocation(line, 1), "it is not UTF-8") from None
    root = compose_yaml(text, file)
    if root is None:
        raise _refused(file, NOWHERE, "it is empty")
    problems = Problems(YAML)
    tree = _Builder(problems).tree(root, 0)
    if problems.found:
        raise FlowError(file, problems.in_order())
    return tree


def compose_yaml(text: str, file: str) -> Any:
    """The nodes of a document with their marks, as the library has them. Raises FlowError."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        spot = NOWHERE if mark is None else SourceLocation(mark.line + 1, mark.column + 1)
        raise _refused(file, spot, _words(problem)) from None
    except RecursionError:
        raise _refused(file, NOWHERE, "it is nested too deeply") from None
    except (YAMLError, ValueError) as problem:
        position = getattr(problem, "position", None)
        spot = NOWHERE
        if isinstance(position, int):
            spot = SourceLocation(
                text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
            )
        why = getattr(problem, "reason", "") or "it cannot be read"
        raise _refused(file, spot, f"not YAML: {visible(cut(str(why), 200).text)}") from None


def _words(problem: Any) -> str:
    """Return the YAML reader's message, with a hint on the usual cause."""
    said = visible(cut(f"{problem.problem or problem.context or 'it cannot be read'}", 200).text)
    hint = ""
    if "'\\t'" in said or "found character '\\t'" in said:
        hint = "; indent with spaces, not with tabs"
    elif "mapping values are not allowed" in said:
        hint = "; put a text with a colon in quotes"
    elif "could not find expected ':'" in said:
        hint = "; a key ends with a colon and a space"
    elif "undefined alias" in said:
        hint = "; put a text that begins with * in quotes"
    elif "expected a single document" in str(problem.context or ""):
        said = "a second document begins here"
        hint = "; a file holds one flow"
    elif "expected <block end>" in said:
        hint = "; items of one level must begin in the same column"
    return f"not YAML: {said}{hint}"


def _refused(file: str, spot: SourceLocation, message: str) -> FlowError:
    return FlowError(file, (Problem(spot, message),))


class _TooMuch(Exception):
    """Aliases unfold to more than may be."""


class _Builder:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._count = 0

    def tree(self, node: Any, depth: int) -> Tree:
        """The tree of a node, with everything below it."""
        try:
            return self._tree(node, depth)
        except _TooMuch as problem:
            self._problems.add(_spot(node), str(problem))
            return Tree(None, _spot(node))

    def _tree(self, node: Any, depth: int) -> Tree:
        self._count += 1
        if self._count > MOST_VALUES:
            raise _TooMuch(f"it holds more than {MOST_VALUES:,} values, including repeats by *")
        if depth > DEEPEST:
            raise _TooMuch(f"it is nested more than {DEEPEST} levels deep")
        spot = _spot(node)
        match node.id:
            case "scalar":
                return Tree(self._scalar(node, spot), spot)
            case "sequence":
                self._complain_of_tag(node, spot, "seq")
                return Tree([self._tree(one, depth + 1) for one in node.value], spot)
        self._complain_of_tag(node, spot, "map")
        found: dict[str, Tree] = {}
        keys: dict[str, SourceLocation] = {}
        for key, value in node.value:
            at = _spot(key)
            if key.id != "scalar":
                self._problems.add(at, "a key is a text")
                continue
            name = str(key.value)
            if name == "<<" and key.style is None:
                self._problems.add(at, "<< is YAML 1.1; write the merged keys instead")
                continue
            if name in found:
                first = keys[name]
                shown = shortened(name, 60)
                self._problems.add(at, f"“{shown}” is given twice; first in line {first.line}")
                continue
            keys[name] = at
            found[name] = self._tree(value, depth + 1)
        return Tree(found, spot, keys)

    def _scalar(self, node: Any, spot: SourceLocation) -> str | int | float | bool | None:
        text = str(node.value)
        if any("\ud800" <= char <= "\udfff" for char in text):
            self._problems.add(spot, "it has half of a surrogate pair, which cannot be sent")
        if node.style is not None:
            self._complain_of_tag(node, spot, "str")
            return text
        self._complain_of_tag(node, spot, "str", "int", "float", "bool", "null", "timestamp")
        if text in _NULL:
            return None
        if text in _FLAGS:
            return _FLAGS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _OTHER_INTEGER.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text) and math.isfinite(value := float(text)):
            return value
        return text

    def _complain_of_tag(self, node: Any, spot: SourceLocation, *known: str) -> None:
        tag = str(node.tag or "")
        if tag.removeprefix(_TAGS) not in known or not tag.startswith(_TAGS):
            shown = shortened(tag.replace(_TAGS, "!!"), 60)
            self._problems.add(spot, f"{shown} is a tag, which flows do not allow; remove it")


def _spot(node: Any) -> SourceLocation:
    mark = node.start_mark
    return SourceLocation(mark.line + 1, mark.column + 1)
