"""The frontmatter of a `SKILL.md` as JSON, with limits; for the worker, since a server wrote it."""

from __future__ import annotations

import re
from typing import Any, Final

from ...content.files.yaml_nodes import YamlError, compose, plain_scalar
from ...content.json.jsonio import JsonValue

LONGEST: Final = 64_000
"""Characters of a frontmatter."""
_VALUES: Final = 5_000
_DEEPEST: Final = 20
_OLD_FLAGS: Final = {"yes": True, "on": True, "no": False, "off": False}
"""Plain words that YAML 1.1 takes for flags."""
_FENCED: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.S | re.M)


class FrontmatterError(ValueError):
    """A file has no usable frontmatter; the reason is safe to show."""


def split(text: str) -> tuple[str, str]:
    """The frontmatter of a file, and the text below it. Raises FrontmatterError without one."""
    found = _FENCED.match(text)
    if found is None:
        raise FrontmatterError("the file does not begin with a frontmatter between two lines ---")
    if len(found.group(1)) > LONGEST:
        raise FrontmatterError(f"the frontmatter has more than {LONGEST:,} characters")
    return found.group(1), text[found.end() :]


def read_frontmatter(text: str, *, is_old: bool = False) -> dict[str, JsonValue]:
    """Read the YAML between the lines as YAML 1.2 has it, with JSON's types alone.

    `is_old`: as YAML 1.1 has it, in which a plain `yes` is true. Raises FrontmatterError for an
    alias, a key that occurs twice and anything else that is not plain.
    """
    try:
        root = compose(text)
    except YamlError as problem:
        raise FrontmatterError(str(problem)) from None
    builder = _Values(is_old=is_old)
    value = builder.value(root, 0) if root is not None else None
    if not isinstance(value, dict):
        raise FrontmatterError("the frontmatter is not a mapping")
    return value


class _Values:
    """Makes values of nodes, each node once."""

    def __init__(self, *, is_old: bool) -> None:
        self._seen: set[int] = set()
        self._is_old = is_old

    def value(self, node: Any, depth: int) -> JsonValue:
        if id(node) in self._seen:
            raise FrontmatterError("an alias (*) is not read")
        self._seen.add(id(node))
        if len(self._seen) > _VALUES or depth > _DEEPEST:
            raise FrontmatterError("it has too many values, or is nested too deeply")
        kind = type(node).__name__
        if kind == "MappingNode":
            found: dict[str, JsonValue] = {}
            for key, value in node.value:
                if type(key).__name__ != "ScalarNode":
                    raise FrontmatterError("a key is not a text")
                if key.value in found:
                    raise FrontmatterError("a key occurs twice")
                found[_joined(str(key.value))] = self.value(value, depth + 1)
            return found
        if kind == "SequenceNode":
            return [self.value(one, depth + 1) for one in node.value]
        text = str(node.value).lower()
        if self._is_old and not node.style and text in _OLD_FLAGS:
            return _OLD_FLAGS[text]
        return _scalar(node)


def _joined(text: str) -> str:
    """A text whose escapes of two surrogates, which JSON has, are one character each."""
    if text.isascii() or not any("\ud800" <= one <= "\udfff" for one in text):
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise FrontmatterError("a text has half of a character") from None


def _scalar(node: Any) -> JsonValue:
    text = _joined(str(node.value))
    if node.style in ("'", '"', "|", ">") or str(getattr(node, "tag", "")) == "!":
        return text
    return plain_scalar(text)
