"""The text of a configuration file as a tree with lines, whatever its format; never an exception.

All formats give the same tree. Size, depth and number of values are bounded.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ...content.files.toml_tree import TomlError, read_toml
from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.files.yaml_nodes import FLAGS, FLOAT, INTEGER, NULLS, YamlError, compose, spot_of
from ...content.frozen import frozen
from ...content.text import size
from .json_scanner import (
    DEEPEST,
    MOST_NOTED,
    MOST_VALUES,
    TOO_DEEP,
    TOO_MANY,
    Doubled,
    ScanError,
    Scanned,
    scan_json,
)
from .problems import ERROR, NOTE, WARNING, ConfigProblem, ProblemList, named

LONGEST: Final = 1_000_000
"""Bytes of a file."""
LONGEST_OF: Final = {"toml": 300_000, "yaml": 100_000}
"""The same for formats that take longer to read."""
MOST_BRACKETS: Final = 2_000
"""Brackets that a TOML or YAML file may open in a row without closing any."""

_OLD_FLAGS: Final = frozenset(
    one for word in ("yes", "no", "on", "off") for one in (word, word.title(), word.upper())
)
"""Texts of YAML 1.2 that readers of YAML 1.1 take for true or false."""
_OPENERS: Final = re.compile(rf"[\[{{][\s\[{{]{{{MOST_BRACKETS}}}")
_NAME: Final = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DOTTED: Final = re.compile(rf"(?:^|[{{,\[])[ \t]*+(?:{_NAME}[ \t]*+\.[ \t]*+){{20}}", re.MULTILINE)
"""A key of TOML with so many parts that reading it takes much memory."""
_TEMPLATE: Final = re.compile(r"\{\{[^{}\n]{1,80}\}\}|<%[^\n]{1,80}%>")
_QUOTED: Final = re.compile(r"'[^'\n]{2,}'|\"[^\"\n]{2,}\"|alias \S+")


@frozen
class Document:
    """The tree of a file; None if it cannot be read."""

    tree: Tree | None
    format: str
    problems: tuple[ConfigProblem, ...] = ()
    doubled: tuple[Doubled, ...] = ()
    is_refused: bool = False
    """Whether a host that reads the format strictly refuses the file."""


def read_document(data: bytes, format: str) -> Document:
    """Read a file: `format` is json, comments, jsonc, toml or yaml."""
    problems = ProblemList()
    limit = LONGEST_OF.get(format, LONGEST)
    if len(data) > limit:
        words = f"the file has {size(len(data))}; the limit is {size(limit)}"
        problems.add("too-large", ERROR, words)
        return Document(None, format, problems.found)
    text = _decoded(data, format, problems)
    if text is None:
        return Document(None, format, problems.found)
    if not text.strip():
        problems.add("empty-file", NOTE, "the file is empty", SourceLocation(1, 1))
        return Document(None, format, problems.found)
    if format == "toml":
        return _toml(text, problems)
    if format == "yaml":
        return _yaml(text, problems)
    return _json(text, format, problems)


def _decoded(data: bytes, format: str, problems: ProblemList) -> str | None:
    encoding = "utf-8-sig"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        words = "the file is UTF-16; hosts read UTF-8"
        problems.add("parse-error", ERROR, words, SourceLocation(1, 1), fix="save it as UTF-8")
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        spot = SourceLocation(data.count(b"\n", 0, problem.start) + 1, 1)
        problems.add("parse-error", ERROR, "the file is not UTF-8", spot, fix="save it as UTF-8")
        return None
    if data.startswith(b"\xef\xbb\xbf"):
        words = "a byte order mark begins the file; some readers of JSON refuse it"
        problems.add("bom", NOTE, words, SourceLocation(1, 1), fix="save it without the mark")
    if "\r\n" in text:
        problems.add("crlf", NOTE, "lines end with CR and LF, which is allowed", NOWHERE)
        text = text.replace("\r\n", "\n")
    return text


def _json(text: str, format: str, problems: ProblemList) -> Document:
    try:
        found = scan_json(text)
    except ScanError as error:
        words, fix = f"not JSON: {error}", error.fix
        if _TEMPLATE.search(text) and not fix:
            fix = "fill the template before the host reads the file"
        problems.add("parse-error", ERROR, words, error.spot, fix=fix)
        return Document(None, format, problems.found)
    is_refused = _lenient(found, format, problems)
    return Document(found.tree, format, problems.found, found.doubled, is_refused)


def _lenient(found: Scanned, format: str, problems: ProblemList) -> bool:
    """Note comments and trailing commas; returns whether a strict host refuses them."""
    is_refused = False
    if found.comment is not None:
        is_allowed = format in ("comments", "jsonc")
        words = "comments, which this host allows"
        words = words if is_allowed else "comments: the host reads plain JSON, which has none"
        level = NOTE if is_allowed else ERROR
        fix = "" if is_allowed else "remove the comments"
        problems.add("comments", level, words, found.comment, fix=fix)
        is_refused |= not is_allowed
    if found.comma is not None:
        is_allowed = format == "jsonc"
        words = "a trailing comma"
        words += ", which this host allows" if is_allowed else " is not JSON"
        level = NOTE if is_allowed else ERROR
        fix = "" if is_allowed else "remove the comma"
        problems.add("trailing-comma", level, words, found.comma, fix=fix)
        is_refused |= not is_allowed
    return is_refused


def _toml(text: str, problems: ProblemList) -> Document:
    if _OPENERS.search(text) or _DOTTED.search(text):
        problems.add("parse-error", ERROR, "keys or brackets are nested too deeply")
        return Document(None, "toml", problems.found)
    try:
        tree = read_toml(text, LONGEST)
    except TomlError as error:
        words = _without_quotes(error.problem.message.removeprefix("it is "))
        problems.add("parse-error", ERROR, words, error.problem.spot)
        return Document(None, "toml", problems.found)
    return _bounded(tree, "toml", problems)


def _yaml(text: str, problems: ProblemList) -> Document:
    if _OPENERS.search(text):
        problems.add("parse-error", ERROR, "brackets are nested too deeply")
        return Document(None, "yaml", problems.found)
    try:
        root = compose(text)
    except YamlError as error:
        words = _without_quotes(error.problem.message)
        problems.add("parse-error", ERROR, words, error.problem.spot)
        return Document(None, "yaml", problems.found)
    if root is None:
        problems.add("empty-file", NOTE, "the file holds comments only", SourceLocation(1, 1))
        return Document(None, "yaml", problems.found)
    builder = _YamlBuilder(problems)
    try:
        tree = builder.tree(root, 0)
    except ScanError as error:
        problems.add("parse-error", ERROR, str(error), error.spot)
        return Document(None, "yaml", problems.found)
    return Document(tree, "yaml", problems.found, tuple(builder.doubled))


def _bounded(tree: Tree, format: str, problems: ProblemList) -> Document:
    """A document within the bounds, or the problem that it is not."""
    count, level = 0, [tree]
    for _ in range(DEEPEST + 1):
        count += len(level)
        if not level:
            return Document(tree, format, problems.found)
        if count > MOST_VALUES:
            problems.add("parse-error", ERROR, TOO_MANY)
            return Document(None, format, problems.found)
        level = [below for one in level for below in (*one.members.values(), *one.items)]
    problems.add("parse-error", ERROR, TOO_DEEP)
    return Document(None, format, problems.found)


class _YamlBuilder:
    """Makes trees of nodes as hosts do: the last of two equal keys counts, aliases are followed."""

    def __init__(self, problems: ProblemList) -> None:
        self.problems = problems
        self.doubled: list[Doubled] = []
        self.path: list[str] = []
        self.count = 0
        self.seen: dict[int, SourceLocation] = {}

    def tree(self, node: Any, depth: int) -> Tree:
        """The tree of a node. Raises ScanError for one that is too large."""
        spot = spot_of(node)
        self.count += 1
        if self.count > MOST_VALUES:
            words = f"{TOO_MANY}, including aliases"
            raise ScanError(words, spot)
        if depth > DEEPEST:
            raise ScanError(TOO_DEEP, spot)
        if node.id == "scalar":
            return Tree(self._scalar(node, spot), spot)
        if id(node) in self.seen:
            words = "an alias (*) repeats a part of the file; not every reader follows it"
            self.problems.add("yaml-anchor", NOTE, words, spot)
        self.seen[id(node)] = spot
        if node.id == "sequence":
            return Tree([self.tree(one, depth + 1) for one in node.value], spot)
        found: dict[str, Tree] = {}
        keys: dict[str, SourceLocation] = {}
        merged: list[Tree] = []
        for key, value in node.value:
            if key.id != "scalar":
                continue
            self._member(str(key.value), key, value, depth, found, keys, merged)
        for one in merged:
            for name, below in one.members.items():
                found.setdefault(name, below)
                keys.setdefault(name, one.keys.get(name, one.spot))
        return Tree(found, spot, keys)

    def _member(
        self,
        name: str,
        key: Any,
        value: Any,
        depth: int,
        found: dict[str, Tree],
        keys: dict[str, SourceLocation],
        merged: list[Tree],
    ) -> None:
        at = spot_of(key)
        if name == "<<" and key.style is None:
            words = "<< merges other keys in; not every reader does that"
            self.problems.add("yaml-anchor", NOTE, words, at)
            tree = self.tree(value, depth + 1)
            merged += tree.items or (tree,)
            return
        if name in found:
            if len(self.doubled) < MOST_NOTED:
                self.doubled.append(Doubled(tuple(self.path), name, at, keys[name]))
            del found[name], keys[name]
        keys[name] = at
        self.path.append(name)
        found[name] = self.tree(value, depth + 1)
        self.path.pop()

    def _scalar(self, node: Any, spot: SourceLocation) -> str | int | float | bool | None:
        text = str(node.value)
        if node.style is not None:
            return text
        if text in NULLS:
            return None
        if text in FLAGS:
            return FLAGS[text]
        if text in _OLD_FLAGS:
            name = named(self.path[-1]) if self.path else "a value"
            words = f"{name}: {text} is a text, or true or false, by the version of YAML"
            self.problems.add("yaml-boolean", WARNING, words, spot, fix="write true or false")
            return text.lower() in ("yes", "on")
        if INTEGER.fullmatch(text):
            return int(text)
        if FLOAT.fullmatch(text):
            return float(text)
        return text


def _without_quotes(words: str) -> str:
    """A message of a parser without what it repeats of the file: it could be a secret."""
    return _QUOTED.sub("a text", words)
