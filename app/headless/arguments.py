"""Arguments of `signoff call`: `-a NAME=VALUE` and `--args JSON|@FILE|-`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..calls.argument_history import places_words, secrets_words
from ..content.json.jsonio import JsonError, JsonValue, parse, pointer
from ..content.suggest import did_you_mean
from ..content.text import cut, visible
from ..protocol.tool import ToolDefinition
from ..schemas.form.conditions import holds
from ..schemas.form.entries import Entry, read_json, value_of
from ..schemas.form.form import Field, Form, Kind, build_form, object_fields, variants
from ..schemas.form.subschemas import MISSING, Missing
from ..schemas.secrets.places import mask_arguments
from ..schemas.secrets.secrets import mask_text
from .argument_mistakes import (
    SHOWN,
    InvalidArguments,
    Problem,
    exact_or_text,
    example,
    known_names,
    unknown_name,
    wanted,
)
from .targets import UsageError

if TYPE_CHECKING:
    from ..engine.engine import Bench


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
        hint = did_you_mean(name, [one.name for one in kept if one.is_preset])
        raise UsageError(f"no preset {name!r} of {tool.name_shown}{hint or ':'} {known}{why}")
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
    tool: ToolDefinition,
    arguments: dict[str, JsonValue],
    assignments: Sequence[str],
    *,
    although_invalid: bool = False,
) -> dict[str, JsonValue]:
    """`arguments` with `NAME=VALUE` set, each value read as the input schema types it.

    What may be of any type is read as JSON where it is JSON, else as a string. Raises
    InvalidArguments for names that the schema has not and values that cannot be what they should;
    with `although_invalid` such a name is taken, and such a value is the string that it is.
    """
    form = build_form(tool.input_schema)
    names = known_names(form)
    result = dict(arguments)
    problems: list[Problem] = []
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name:
            raise UsageError(f"-a {mask_text(assignment)!r}: give it as NAME=VALUE")
        field = _field(form, name)
        if field is None and names is not None and name not in names and not although_invalid:
            problems.append(unknown_name(name, names))
            continue
        value, problem = read_value(form, field, text)
        if not problem:
            result[name] = cast("JsonValue", value)
        elif although_invalid:
            result[name] = text
        else:
            is_secret = bool(mask_arguments({name: text}, tool.input_schema).count)
            # What is wrong with a secret would repeat it.
            shown = "…" if is_secret else cut(text, SHOWN).text
            why = "not what it should be" if is_secret else problem
            message = f"{why}; it wants {wanted(field)}"
            told = visible(f"-a {name}={shown}: {message}")
            how = f"write it as {visible(example(form, name, field))}"
            problems.append(Problem(pointer((name,)), message, f"{told}; {how}"))
    if problems:
        raise InvalidArguments(tool, problems, result)
    return result


def _field(form: Form, name: str) -> Field | None:
    """The field of a name; of a union, the one in the first alternative that has it."""
    if (found := form.field(name)) is not None:
        return found
    for variant in variants(form, form.whole) if form.whole.kind is Kind.UNION else ():
        for one in object_fields(form.maker, variant.field, variant.field.node, (), MISSING):
            if one.name == name:
                return one
    return None


def read_value(form: Form, field: Field | None, text: str) -> tuple[JsonValue | Missing, str]:
    """The value of a text and what is wrong with it ("" for nothing)."""
    if field is None:
        value, problem = read_json(text)
        return (text, "") if problem else (value, "")
    if field.kind is Kind.ENUM and text in field.choices:
        return text, ""
    if field.kind not in (Kind.JSON, Kind.CHOICES) and not field.is_group:
        value, problem = value_of(field, Entry(text))
        if problem and field.kind is Kind.ENUM:
            problem += did_you_mean(text, [exact_or_text(one) for one in field.choices])
        return value, problem or ("no value" if value is MISSING else "")
    value, problem = read_json(text)
    may_be_text = holds(field.subschema, text, form.schemas.root) is not False
    if problem:
        return (text, "") if may_be_text else (MISSING, problem)
    if may_be_text and holds(field.subschema, cast("JsonValue", value), form.schemas.root) is False:
        return text, ""
    return value, ""
