"""What is wrong with arguments, in words: what the schema wants there, and how to write it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..content.json.jsonio import JsonValue, pointer
from ..content.suggest import did_you_mean, shown_name
from ..content.text import cut, visible
from ..protocol.tool import ToolDefinition
from ..schemas.form.conditions import holds
from ..schemas.form.field_making import takes_keys
from ..schemas.form.form import Field, Form, Kind, build_form, property_names
from ..schemas.form.subschemas import MISSING, exact, number_of
from ..schemas.schema import SchemaVerdict
from .targets import UsageError

OPTION: Final = "--although-invalid"
SHOWN: Final = 60
"""Characters of a name, a value or an example in a message."""
CHOICES: Final = 12
"""Names and choices that are listed."""
_ABOUT_NAMES: Final = ("additionalProperties", "unevaluatedProperties")


class InvalidArguments(UsageError):
    """Arguments that are not what the input schema wants; nothing was asked, nothing was sent.

    `problems` are the places, as JSON pointers, and what is wrong there; safe to show. `arguments`
    are what could be read.
    """

    def __init__(
        self,
        tool: ToolDefinition,
        problems: Sequence[Problem],
        arguments: dict[str, JsonValue],
        more: int = 0,
    ) -> None:
        self.problems = tuple(problems)
        self.arguments = arguments
        self.more = more
        total = len(self.problems) + more
        places = f"{total:,} {'place' if total == 1 else 'places'}"
        self.words = f"the arguments are not what {tool.name_shown} wants, in {places}"
        lines = [f"  {one.words}" for one in self.problems]
        lines += [f"  and {more:,} more"] if more else []
        super().__init__(
            "\n".join([self.words, *lines, f"nothing was sent; {OPTION} asks for it nevertheless"])
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at one place of the arguments. `words` say it with the place, for a line."""

    path: str
    message: str
    words: str
    schema_path: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        return {"path": self.path, "message": self.message, "schema_path": self.schema_path}


def mismatches(tool: ToolDefinition, verdict: SchemaVerdict) -> tuple[Problem, ...]:
    """The places at which arguments break the input schema."""
    names = known_names(build_form(tool.input_schema)) or ()
    found = []
    for one in verdict.errors:
        place = visible(pointer(one.path))
        message = one.message
        if one.keyword in _ABOUT_NAMES and len(one.path) == 1:
            message += did_you_mean(str(one.path[0]), names)
        rule = "/" + "/".join(visible(str(step)) for step in one.schema_path)
        found.append(Problem(place, message, f"{place}: {message}", rule))
    return tuple(found)


def known_names(form: Form) -> tuple[str, ...] | None:
    """The names that the arguments may have by the schema; None where they may have any."""
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
    """What a value must be, in words that are safe to show."""
    if field is None:
        return "a value"
    if field.kind in (Kind.ENUM, Kind.CHOICES) and field.choices:
        few = [visible(cut(exact_or_text(one), SHOWN).text) for one in field.choices[:CHOICES]]
        rest = len(field.choices) - len(few)
        listed = ", ".join(few) + (f" and {rest:,} more" if rest else "")
        return f"{'any' if field.kind is Kind.CHOICES else 'one'} of {listed}"
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
    samples: dict[Kind, list[JsonValue]] = {
        Kind.INTEGER: [1, *bounds, None if above is None else above + 1],
        Kind.NUMBER: [1.5, *bounds, None if above is None else above + 1],
        Kind.BOOLEAN: [True, False],
        Kind.ENUM: list(field.choices),
        Kind.CHOICES: [[one] for one in field.choices],
        Kind.ARRAY: [["a", "b"], [1, 2], [True], [{}], []],
        Kind.OBJECT: [dict.fromkeys(list(property_names(field.node))[:2], 1) or {"key": 1}],
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


def unknown_name(name: str, names: Sequence[str]) -> Problem:
    """A name that the input schema has not."""
    shown = visible(cut(name, SHOWN).text)
    hint = did_you_mean(name, names)
    few = [shown_name(cut(one, SHOWN).text) for one in names[:CHOICES]]
    rest = len(names) - len(few)
    listed = ", ".join(few) + (f" and {rest:,} more" if rest else "")
    there = f"it has {listed}" if names else "it has none"
    message = f"the input schema has no argument of this name{hint}"
    joint = " " if hint else "; "
    words = f"-a {shown}: {message}{joint}{there[0].upper() if hint else there[0]}{there[1:]}"
    return Problem(visible(pointer((name,))), message, words)
