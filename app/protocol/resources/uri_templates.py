"""URI templates (RFC 6570, all four levels): parsed, and expanded with values.

A template comes from the server: one that breaks the RFC is refused as a whole, since half of it
would lead elsewhere. Values go through percent-encoding, so that a typed value stays a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible

TEMPLATE_MAX: Final = 8_000
VARIABLES_MAX: Final = 100
_UNRESERVED: Final = "-._~"
_RESERVED: Final = ":/?#[]@!$&'()*+,;="
_NAME: Final = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*"
_VARIABLE: Final = re.compile(rf"({_NAME})(?:(\*)|:([1-9][0-9]{{0,3}}))?\Z")
_NOT_LITERAL: Final = re.compile(r"[\x00-\x20\"'<>\\^`{|}\x7f]|%(?![0-9A-Fa-f]{2})")
_ENCODED: Final = re.compile(r"(%[0-9A-Fa-f]{2})")


class MalformedTemplate(ValueError):
    """An invalid URI template; the message is the reason, safe to show."""


@frozen
class TemplateVariable:
    """One variable in an expression."""

    name: str
    is_exploded: bool = False
    prefix: int = 0
    """How many characters of the value count; 0 for all."""


@frozen
class Expression:
    """The content of one pair of braces."""

    operator: str
    variables: tuple[TemplateVariable, ...]


@frozen
class _Operator:
    """RFC 6570, appendix A."""

    first: str
    separator: str
    is_named: bool
    if_empty: str
    keeps_reserved: bool


_OPERATORS: Final = {
    "": _Operator("", ",", False, "", False),
    "+": _Operator("", ",", False, "", True),
    ".": _Operator(".", ".", False, "", False),
    "/": _Operator("/", "/", False, "", False),
    ";": _Operator(";", ";", True, "", False),
    "?": _Operator("?", "&", True, "=", False),
    "&": _Operator("&", "&", True, "=", False),
    "#": _Operator("#", ",", False, "", True),
}


@frozen
class UriTemplate:
    """A template taken apart: literal texts and expressions, in their order."""

    parts: tuple[str | Expression, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(part for part in self.parts if isinstance(part, Expression))

    @property
    def variables(self) -> tuple[TemplateVariable, ...]:
        """Each variable once, in the order of first occurrence."""
        found: dict[str, TemplateVariable] = {}
        for expression in self.expressions:
            for one in expression.variables:
                found.setdefault(one.name, one)
        return tuple(found.values())

    def expand(self, values: Mapping[str, JsonValue]) -> str:
        """Expand with these values. Missing values, null and empty lists are left out."""
        return "".join(
            _literal(part) if isinstance(part, str) else _expanded(part, values)
            for part in self.parts
        )


@lru_cache(maxsize=256)
def read_template(text: str) -> UriTemplate:
    """Take a template apart. Raises MalformedTemplate."""
    if len(text) > TEMPLATE_MAX:
        raise MalformedTemplate(f"it has {len(text):,} characters")
    parts: list[str | Expression] = []
    at = 0
    while at < len(text):
        begin = text.find("{", at)
        literal = text[at:] if begin < 0 else text[at:begin]
        if odd := _NOT_LITERAL.search(literal):
            raise MalformedTemplate(f"“{visible(odd.group())}” is not allowed outside of braces")
        if literal:
            parts.append(literal)
        if begin < 0:
            break
        end = text.find("}", begin)
        if end < 0:
            raise MalformedTemplate("an opening brace is not closed")
        parts.append(_expression(text[begin + 1 : end]))
        at = end + 1
    template = UriTemplate(tuple(parts))
    if len(template.variables) > VARIABLES_MAX:
        raise MalformedTemplate(f"it has more than {VARIABLES_MAX} variables")
    return template


def _expression(text: str) -> Expression:
    operator = text[:1] if text[:1] in _OPERATORS else ""
    variables = []
    for name in text.removeprefix(operator).split(","):
        found = _VARIABLE.match(name)
        if found is None:
            shown = visible(cut(text, 40).text)
            raise MalformedTemplate(f"“{{{shown}}}” is not a valid expression (RFC 6570)")
        variables.append(TemplateVariable(found[1], found[2] is not None, int(found[3] or 0)))
    return Expression(operator, tuple(variables))


def _expanded(expression: Expression, values: Mapping[str, JsonValue]) -> str:
    how = _OPERATORS[expression.operator]
    pieces = []
    for variable in expression.variables:
        value = _value(values.get(variable.name))
        if value is not None:
            pieces.append(_of_variable(variable, value, how))
    return how.first + how.separator.join(pieces) if pieces else ""


_Value = str | list[str] | dict[str, str]


def _value(given: JsonValue) -> _Value | None:
    """Normalize a value; None if it is undefined (RFC 6570, section 2.3)."""
    if isinstance(given, list):
        return [_text(one) for one in given if one is not None] or None
    if isinstance(given, dict):
        return {key: _text(one) for key, one in given.items() if one is not None} or None
    return None if given is None else _text(given)


def _text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _of_variable(variable: TemplateVariable, value: _Value, how: _Operator) -> str:
    name = _literal(variable.name)
    if isinstance(value, str):
        short = value[: variable.prefix] if variable.prefix else value
        return _named(name, _encoded(short, how), how)
    if not variable.is_exploded:
        pieces = value if isinstance(value, list) else [x for pair in value.items() for x in pair]
        return _named(name, ",".join(_encoded(one, how) for one in pieces), how)
    if isinstance(value, dict):
        given = ((_encoded(key, how), _encoded(one, how)) for key, one in value.items())
        is_named = how.is_named
        pairs = [_named(key, one, how) if is_named else f"{key}={one}" for key, one in given]
    else:
        pairs = [_named(name, _encoded(one, how), how) for one in value]
    return how.separator.join(pairs)


def _named(name: str, value: str, how: _Operator) -> str:
    if not how.is_named:
        return value
    return f"{name}={value}" if value else f"{name}{how.if_empty}"


def _encoded(value: str, how: _Operator) -> str:
    if not how.keeps_reserved:
        return _quoted(value, _UNRESERVED)
    return _literal(value)


def _literal(text: str) -> str:
    """Quote literal text; reserved and already encoded characters stay."""
    keep = _UNRESERVED + _RESERVED
    pieces = _ENCODED.split(text)
    return "".join(one if at % 2 else _quoted(one, keep) for at, one in enumerate(pieces))


def _quoted(text: str, safe: str) -> str:
    return quote(text, safe=safe, encoding="utf-8", errors="replace")
