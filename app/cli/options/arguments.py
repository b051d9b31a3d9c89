"""Arguments of `signoff call`, and other values that are given as options, such as headers.

Arguments are `-a NAME=VALUE` and `--args JSON|@FILE|-`; errors in them name the expected value and
how to write it. For headers and inputs `NAME=@FILE` reads a file, `NAME=$VARIABLE` a variable of
the environment, `NAME=-` asks on the terminal; anything else is the value itself, which the list of
processes shows.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from ...calls.argument_history import places_words, secrets_words
from ...cli.targets.given_files import given_data, given_text
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, pointer, read_members
from ...content.labels import some_listed, some_named
from ...content.suggest import did_you_mean, shown_name
from ...content.text import cut, visible
from ...hosts.entries.transports import header_problem
from ...platforms.files import NO_CONTROL, open_file
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.evaluator import holds
from ...schemas.form.entries import FieldEntry, read_json, value_of
from ...schemas.form.field_making import takes_keys
from ...schemas.form.form import (
    Field,
    FieldKind,
    Form,
    build_form,
    object_fields,
    property_names,
    variants,
)
from ...schemas.form.merging import MISSING, Missing, exact, number_of
from ...schemas.schema import SchemaAnswer, SchemaVerdict
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.masks import mask_text
from ..targets.targets import UsageError

if TYPE_CHECKING:
    from ...engine.engine import Engine


ARGUMENTS_MAX: Final = 64_000_000
"""Bytes of the largest file of arguments."""


def read_document(given: str, where: str = "--args") -> dict[str, JsonValue]:
    """The object that is given: JSON itself, `@FILE`, or `-` for standard input.

    `where` is the name of its place, for errors.
    """
    place = where
    if given == "-":
        where, data = "standard input", sys.stdin.buffer.read(ARGUMENTS_MAX + 1)
        if len(data) > ARGUMENTS_MAX:
            raise UsageError(f"{place}: {where} has more than {ARGUMENTS_MAX:,} bytes")
    elif given.startswith("@"):
        where = given[1:]
        data = given_data(where, ARGUMENTS_MAX, place)
    else:
        data = given.encode("utf-8", "surrogateescape")
    try:
        value = read_members(data)
    except JsonError as problem:
        raise UsageError(f"{where}: {problem.reason}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{where}: the arguments must be a JSON object")
    return value


def preset(
    engine: Engine, tool: ToolDefinition, name: str, assignments: Sequence[str]
) -> dict[str, JsonValue]:
    """The arguments that were kept under a name.

    Raises UsageError if there are none, and where secrets were not kept that `assignments` do
    not set again.
    """
    past = engine.memory.arguments
    kept = past.all(tool.name)
    found = next((one for one in kept if one.name == name), None)
    if found is None:
        names = ", ".join(visible(one.name) for one in kept if one.is_preset)
        why = f" ({past.problem})" if past.problem else ""
        hint = did_you_mean(name, [one.name for one in kept if one.is_preset])
        if not names:
            raise UsageError(f"{tool.display_name} has no presets{why}")
        known = f"{tool.display_name} has no preset {name!r} (presets: {names})"
        raise UsageError(f"{known}{hint}{why}")
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
    """Return `arguments` with `NAME=VALUE` set, each value read as the input schema types it.

    A value of any type is read as JSON if possible, else as a string. Raises InvalidArguments for
    names that the schema has not and values of the wrong type; with `although_invalid` such a name
    is accepted, and such a value stays a string.
    """
    form = build_form(tool.input_schema)
    names = known_names(form)
    result = dict(arguments)
    problems: list[ArgumentProblem] = []
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name:
            raise UsageError(f"-a: expected NAME=VALUE, got {mask_text(assignment)!r}")
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
            # The problem with a secret would repeat it.
            shown = "…" if is_secret else cut(text, SHOWN).text
            why = "invalid" if is_secret else problem
            message = f"{why}; expected {wanted(field)}"
            told = visible(f"-a {name}={shown}: {message}")
            how = f"example: {visible(example(form, name, field))}"
            problems.append(ArgumentProblem(pointer((name,)), message, f"{told}; {how}"))
    if problems:
        raise InvalidArguments(tool, problems, result)
    return result


def _field(form: Form, name: str) -> Field | None:
    """The field of a name; of a union, the one in the first alternative that has it."""
    if (found := form.field(name)) is not None:
        return found
    for variant in variants(form, form.whole) if form.whole.kind is FieldKind.UNION else ():
        for one in object_fields(form.maker, variant.field, variant.field.node, (), MISSING):
            if one.name == name:
                return one
    return None


def read_value(form: Form, field: Field | None, text: str) -> tuple[JsonValue | Missing, str]:
    """Return the value of a text and its error ("" for none)."""
    if field is None:
        value, problem = read_json(text)
        return (text, "") if problem else (value, "")
    if field.kind is FieldKind.ENUM and text in field.choices:
        return text, ""
    if field.kind not in (FieldKind.JSON, FieldKind.CHOICES) and not field.is_group:
        value, problem = value_of(field, FieldEntry(text))
        if problem and field.kind is FieldKind.ENUM:
            problem += did_you_mean(text, [exact_or_text(one) for one in field.choices])
        return value, problem or ("no value" if value is MISSING else "")
    value, problem = read_json(text)
    may_be_text = holds(field.subschema, text, form.schemas.root) is not False
    if problem:
        return (text, "") if may_be_text else (MISSING, problem)
    if may_be_text and holds(field.subschema, cast("JsonValue", value), form.schemas.root) is False:
        return text, ""
    return value, ""


ARGUMENTS: Final = "the arguments"
"""The place of arguments that were typed at a prompt."""
OPTION: Final = "--although-invalid"
SHOWN: Final = 60
"""Characters of a name, a value or an example in a message."""
CHOICES: Final = 12
"""Names and choices that are listed."""
_ABOUT_NAMES: Final = ("additionalProperties", "unevaluatedProperties")


class InvalidArguments(UsageError):
    """Arguments break the input schema; nothing was asked, nothing was sent.

    `problems` are the places, as JSON pointers, and the errors; safe to show. `arguments` are the
    readable ones.
    """

    def __init__(
        self,
        tool: ToolDefinition,
        problems: Sequence[ArgumentProblem],
        arguments: dict[str, JsonValue],
        more: int = 0,
    ) -> None:
        self.problems = tuple(problems)
        self.arguments = arguments
        self.more = more
        total = len(self.problems) + more
        places = f"{total:,} {'place' if total == 1 else 'places'}"
        self.words = f"invalid arguments for {tool.display_name} ({places})"
        lines = some_listed(problems, total, lambda one: one.words, beyond=more)
        advice = f"Nothing was sent. With {OPTION} the policy decides about invalid arguments, too."
        self.told = "\n  ".join([self.words, *lines])
        """The message without advice on the call."""
        super().__init__(f"{self.told}\n{advice}")


@frozen
class ArgumentProblem:
    """The error at one place of the arguments. `words` name it with the place, for a line."""

    path: str
    message: str
    words: str
    schema_path: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        return {"path": self.path, "message": self.message, "schema_path": self.schema_path}


def mismatches(tool: ToolDefinition, verdict: SchemaVerdict) -> tuple[ArgumentProblem, ...]:
    """The places at which arguments break the input schema."""
    names = known_names(build_form(tool.input_schema)) or ()
    found = []
    for one in verdict.errors:
        place = visible(pointer(one.path))
        message = one.message
        if one.keyword in _ABOUT_NAMES and len(one.path) == 1:
            message += did_you_mean(str(one.path[0]), names)
        rule = "/" + "/".join(visible(str(step)) for step in one.schema_path)
        found.append(ArgumentProblem(place, message, f"{place}: {message}", rule))
    return tuple(found)


def known_names(form: Form) -> tuple[str, ...] | None:
    """The names that the arguments may have by the schema; None if they may have any."""
    if form.raw_only:
        return None
    schemas, whole = form.schemas, form.whole.node
    nodes = [whole, *schemas.variants(whole)]
    for node in list(nodes):
        for condition in node.conditions:
            nodes += [schemas.node(condition.then), schemas.node(condition.otherwise)]
    if any(takes_keys(node) for node in nodes):
        return None
    says_any = any(
        "properties" in node.words or node.words.get("additionalProperties") is False
        for node in nodes
    )
    names = dict.fromkeys(name for node in nodes for name in property_names(node))
    return tuple(names) if says_any or names else None


def wanted(field: Field | None) -> str:
    """Describe the expected value, in words that are safe to show."""
    if field is None:
        return "a value"
    if field.kind in (FieldKind.ENUM, FieldKind.CHOICES) and field.choices:
        listed = some_named(
            field.choices, CHOICES, lambda one: visible(cut(exact_or_text(one), SHOWN).text)
        )
        return f"{'any' if field.kind is FieldKind.CHOICES else 'one'} of {listed}"
    return field.type_words


def exact_or_text(value: JsonValue) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else exact(value)


def example(form: Form, name: str, field: Field | None) -> str:
    """`-a NAME=VALUE` with a value of the kind that is wanted, as a shell takes it."""
    return f"-a {shlex.quote(f'{name}={_sample(form, field)}')}"


def _sample(form: Form, field: Field | None) -> str:
    if field is None:
        return "VALUE"
    words = field.node.words
    bounds = [number_of(words.get(key)) for key in ("minimum", "maximum")]
    above = number_of(words.get("exclusiveMinimum"))
    samples: dict[FieldKind, list[JsonValue]] = {
        FieldKind.INTEGER: [1, *bounds, None if above is None else above + 1],
        FieldKind.NUMBER: [1.5, *bounds, None if above is None else above + 1],
        FieldKind.BOOLEAN: [True, False],
        FieldKind.ENUM: list(field.choices),
        FieldKind.CHOICES: [[one] for one in field.choices],
        FieldKind.ARRAY: [["a", "b"], [1, 2], [True], [{}], []],
        FieldKind.OBJECT: [dict.fromkeys(list(property_names(field.node))[:2], 1) or {"key": 1}],
    }
    wanted_first = [*field.examples, *([] if field.suggestion is MISSING else [field.suggestion])]
    tried = [*wanted_first, *samples.get(field.kind, ["text", 1, True, ["a"], {"key": 1}])]
    root = form.schemas.root
    fitting = [
        one for one in tried if one is not None and holds(field.subschema, one, root) is not False
    ]
    best = next(iter(fitting), tried[-1])
    text = exact_or_text(best)
    return text if len(text) <= SHOWN else "JSON"


def unknown_name(name: str, names: Sequence[str]) -> ArgumentProblem:
    """A name that the input schema has not."""
    shown = visible(cut(name, SHOWN).text)
    hint = did_you_mean(name, names)
    listed = some_named(names, CHOICES, lambda one: shown_name(cut(one, SHOWN).text))
    there = f"it has {listed}" if names else "it has none"
    message = f"the input schema has no argument with this name{hint}"
    joint = " " if hint else "; "
    words = f"-a {shown}: {message}{joint}{there[0].upper() if hint else there[0]}{there[1:]}"
    return ArgumentProblem(visible(pointer((name,))), message, words)


FILE_MAX: Final = 100_000
"""Bytes of a file that is read for a value."""
_VARIABLE: Final = re.compile(r"(?P<scheme>[A-Za-z]+ )?\$(?:\{(?P<braced>\w+)\}|(?P<bare>\w+))")
"""A variable that is the whole value, or all of it but the scheme, as in `Bearer $TOKEN`."""


@frozen
class GivenValue:
    """A value and whether it was written on the command line itself."""

    name: str
    value: str
    is_literal: bool = False


def read_given_value(
    option: str, given: str, environ: Mapping[str, str], ask: Callable[[str], str]
) -> GivenValue:
    """Read one `NAME=...`. Raises UsageError; its words never have the value."""
    name, equals, source = given.partition("=")
    if not equals or not name:
        raise UsageError(
            f"{option}: expected NAME=@FILE, NAME=$VARIABLE, NAME=- (asked) or NAME=VALUE"
        )
    about = f"{option} {visible(name)}"
    if source == "-":
        return GivenValue(name, ask(name))
    if source.startswith("@"):
        return GivenValue(name, _of_file(about, source[1:]))
    if found := _VARIABLE.fullmatch(source):
        variable = found["braced"] or found["bare"]
        if variable not in environ:
            raise UsageError(f"{about}: the variable {variable} is not set here")
        return GivenValue(name, f"{found['scheme'] or ''}{environ[variable]}")
    return GivenValue(name, source, is_literal=True)


def repeated(given: str) -> str:
    """The option's value in a command that repeats this one; it never has the value itself."""
    name, _, source = given.partition("=")
    if source.startswith("@"):
        return f"{name}=@{os.path.abspath(source[1:])}"
    return given if source == "-" or _VARIABLE.fullmatch(source) else f"{name}=-"


def read_headers(
    given: Sequence[str], environ: Mapping[str, str], ask: Callable[[str], str]
) -> tuple[GivenValue, ...]:
    """Read the values of `--header`. Raises UsageError."""
    found = tuple(read_given_value("--header", one, environ, ask) for one in given)
    seen: set[str] = set()
    for one in found:
        if problem := header_problem(one.name, one.value):
            raise UsageError(f"--header {visible(one.name)}: {problem}")
        if one.name.lower() in seen:
            raise UsageError(f"--header {visible(one.name)} is given twice")
        seen.add(one.name.lower())
    return found


def ask_on_terminal(name: str) -> str:
    """Ask for a value on the terminal, without an echo. Raises UsageError without a terminal."""
    import getpass

    if os.name == "posix":
        try:
            os.close(open_file("/dev/tty", os.O_RDWR | NO_CONTROL))
        except OSError:
            raise UsageError(
                f"{visible(name)}=-: no terminal to ask on; use @FILE or $VARIABLE"
            ) from None
    try:
        return getpass.getpass(f"{visible(name)} (not shown): ")
    except (EOFError, OSError):
        raise UsageError(f"{visible(name)}=-: no value was typed") from None


def _of_file(about: str, path: str) -> str:
    text = given_text(path, FILE_MAX, about, encoding="utf-8-sig")
    return text.removesuffix("\n").removesuffix("\r")


async def valid_arguments(
    tool: ToolDefinition, document: dict[str, JsonValue], assignments: Sequence[str]
) -> dict[str, JsonValue]:
    """The arguments; ones that could not be checked are accepted, since the call asks then.

    Raises InvalidArguments with all problems: of the assignments, and of the whole.
    """
    problems: tuple[ArgumentProblem, ...] = ()
    try:
        arguments = assign(tool, document, assignments)
    except InvalidArguments as problem:
        problems, arguments = problem.problems, problem.arguments
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    if problems or checked.answer is SchemaAnswer.INVALID:
        named = {one.path for one in problems}
        others = [one for one in mismatches(tool, checked) if one.path not in named]
        raise InvalidArguments(tool, [*problems, *others], arguments, checked.more)
    return arguments
