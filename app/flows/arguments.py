"""Arguments of `signoff call`: `-a NAME=VALUE` and `--args JSON|@FILE|-`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from app.core.entries import Entry, value_of
from app.core.forms import Field, Kind, build_form
from app.core.jsonio import JsonError, JsonValue, parse
from app.core.subschemas import MISSING
from app.core.tools import ToolDefinition
from app.targets import UsageError


def read_document(given: str) -> dict[str, JsonValue]:
    """The object that `--args` names: JSON itself, `@FILE`, or `-` for standard input."""
    if given == "-":
        where, data = "standard input", sys.stdin.buffer.read()
    elif given.startswith("@"):
        where = given[1:]
        try:
            data = Path(where).read_bytes()
        except OSError as problem:
            raise UsageError(f"--args: {where}: {problem.strerror}") from None
    else:
        where, data = "--args", given.encode("utf-8", "surrogateescape")
    try:
        parsed = parse(data)
    except JsonError as problem:
        raise UsageError(f"{where}: not JSON: {problem.reason}") from None
    if parsed.duplicates:
        raise UsageError(f"{where}: the key {parsed.duplicates[0]!r} is given twice")
    if not isinstance(parsed.value, dict):
        raise UsageError(f"{where}: the arguments must be a JSON object")
    return parsed.value


def assign(
    tool: ToolDefinition, arguments: dict[str, JsonValue], assignments: Sequence[str]
) -> dict[str, JsonValue]:
    """`arguments` with `NAME=VALUE` set, each value read as the input schema types it.

    A property without a plain type is read as JSON where it is JSON, else as a string.
    Raises UsageError for a value that cannot be what its property is.
    """
    form = build_form(tool.input_schema)
    result = dict(arguments)
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name:
            raise UsageError(f"-a {assignment!r}: give it as NAME=VALUE")
        field = form.field(name)
        result[name] = _guess(text) if field is None else _read(field, name, text)
    return result


def _read(field: Field, name: str, text: str) -> JsonValue:
    if field.kind is Kind.ENUM and (text in field.choices):
        return text
    if field.kind is Kind.JSON:
        return _guess(text)
    value, problem = value_of(field, Entry(text))
    if value is MISSING:
        raise UsageError(f"-a {name}={text}: {problem or 'no value'} ({field.type_words})")
    return value


def _guess(text: str) -> JsonValue:
    try:
        return parse(text).value
    except JsonError:
        return text
