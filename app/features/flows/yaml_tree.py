"""YAML as a tree whose every value knows its line and column; read safely.

Only JSON's types: no tag builds an object, no key occurs twice, and the expansion of aliases is
bounded. Words such as `yes` and `2026-01-01` are texts, as YAML 1.2 has it. Errors have places.
"""

from __future__ import annotations

from typing import Any, Final

from ...content.files.tree import NOWHERE, YAML, Problem, Problems, SourceLocation, Tree
from ...content.files.yaml_nodes import YamlError, compose, plain_scalar, spot_of
from ...content.text import shortened, visible


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
    try:
        return compose(text)
    except YamlError as error:
        place, words = error.problem.spot, error.problem.message
        words = words.replace("one document", "one flow")
        raise _refused(file, place, words) from None


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
            self._problems.add(spot_of(node), str(problem))
            return Tree(None, spot_of(node))

    def _tree(self, node: Any, depth: int) -> Tree:
        self._count += 1
        if self._count > MOST_VALUES:
            raise _TooMuch(f"it holds more than {MOST_VALUES:,} values, including repeats by *")
        if depth > DEEPEST:
            raise _TooMuch(f"it is nested more than {DEEPEST} levels deep")
        spot = spot_of(node)
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
            at = spot_of(key)
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
        return plain_scalar(text)

    def _complain_of_tag(self, node: Any, spot: SourceLocation, *known: str) -> None:
        tag = str(node.tag or "")
        if tag.removeprefix(_TAGS) not in known or not tag.startswith(_TAGS):
            shown = shortened(tag.replace(_TAGS, "!!"), 60)
            self._problems.add(spot, f"{shown} is a tag, which flows do not allow; remove it")
