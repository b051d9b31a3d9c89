"""Arguments of `signoff call`: `-a NAME=VALUE` and `--args JSON|@FILE|-`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.forms.entries import Entry, value_of
from app.core.forms.form import Field, Kind, build_form
from app.core.forms.history import places_words, secrets_words
from app.core.forms.subschemas import MISSING
from app.core.jsonio import JsonError, JsonValue, parse
from app.core.secret_places import mask_arguments
from app.core.secrets import mask_text
from app.core.text import visible
from app.core.tools import ToolDefinition
from app.targets import UsageError

if TYPE_CHECKING:
    from app.bench import Bench


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


def preset(
    bench: Bench, tool: ToolDefinition, name: str, assignments: Sequence[str]
) -> dict[str, JsonValue]:
    """The arguments that were kept under a name.

    Raises UsageError where there are none, and where secrets were not kept that `assignments` do
    not set again.
    """
    past = bench.memory.arguments
    kept = past.all(tool.name)
    found = next((one for one in kept if one.name == name), None)
    if found is None:
        names = ", ".join(visible(one.name) for one in kept if one.is_preset)
        known = f"there is {names}" if names else "there is none"
        why = f" ({past.problem})" if past.problem else ""
        raise UsageError(f"no preset {name!r} of {tool.name_shown}: {known}{why}")
    arguments = found.arguments()
    if arguments is None:
        raise UsageError(f"the preset {name!r} was too large to be kept")
    given = {assignment.partition("=")[0] for assignment in assignments}
    missing = tuple(place for place in found.document.not_kept if place[0] not in given)
    if missing:
        words = f"{secrets_words(len(missing))}: {places_words(missing)}"
        raise UsageError(f"preset {name!r}, {words}; give them with -a")
    return arguments


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
            raise UsageError(f"-a {mask_text(assignment)!r}: give it as NAME=VALUE")
        field = form.field(name)
        try:
            result[name] = _guess(text) if field is None else _read(field, name, text)
        except UsageError:
            if mask_arguments({name: text}, tool.input_schema).count:
                # What is wrong with it would repeat it.
                raise UsageError(f"-a {name}=…: not {_wanted(field)}") from None
            raise
    return result


def _read(field: Field, name: str, text: str) -> JsonValue:
    if field.kind is Kind.ENUM and (text in field.choices):
        return text
    if field.kind in (Kind.JSON, Kind.CHOICES) or field.is_group:
        return _guess(text)
    value, problem = value_of(field, Entry(text))
    if value is MISSING:
        raise UsageError(f"-a {name}={text}: {problem or 'no value'} ({field.type_words})")
    return value


def _wanted(field: Field | None) -> str:
    return f"what it should be ({field.type_words})" if field is not None else "a value"


def _guess(text: str) -> JsonValue:
    try:
        return parse(text).value
    except JsonError:
        return text
