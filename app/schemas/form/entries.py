"""The content of a form: entries, groups, the draft, and the value of each entry.

A draft holds only edited or loaded content; the server's defaults are read from the form. It keeps
texts as typed, broken ones too, so that nothing is lost between the fields and the JSON editor.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, parse, pretty
from ...content.text import MAX_COMBINING, visible
from .fields import Field, FieldKind, Place
from .merging import MISSING, Missing, exact, identical

MAX_DIGITS: Final = 1_000
"""Digits of a number that are read; the JSON parser has the same limit."""
ONE_LINE: Final = 60
"""Characters up to which the JSON of one field is written in one line."""
MAX_RUN: Final = 100_000
"""Blanks or newlines in a row that still count as ordinary text in an editor."""


class Origin(StrEnum):
    """Origin of a value."""

    TYPED = "typed"
    EXAMPLE = "example"
    """The server, as an example that a person took."""
    DEFAULT = "default"
    FILLED = "filled-in"
    """Signoff: the only value that there may be, an empty group that is required, a fresh key."""

    @property
    def is_chosen(self) -> bool:
        """True if a person put it there."""
        return self in (Origin.TYPED, Origin.EXAMPLE)


@frozen
class FieldEntry:
    """Content of one field.

    `text` is the string itself for a string field and JSON for all other kinds; with `as_json` it
    is JSON whatever the field's kind, which is how a value that the field cannot hold as plain text
    (null, another type, hidden characters) is kept exactly. `present` is False when the property is
    not sent at all, so an empty `text` that is present is the empty string.
    """

    text: str = ""
    origin: Origin = Origin.TYPED
    present: bool = True
    as_json: bool = False


class FieldState(StrEnum):
    """The sent value of a field, and its origin if that is not plain to see."""

    NOT_SENT = "not sent"
    NULL = "null"
    EMPTY = "empty string"
    DEFAULT = "server's default"
    FILLED = "filled by Signoff"
    EXAMPLE = "server's example"
    TYPED = "typed"


NOT_SENT: Final = FieldEntry(present=False)
_BY_ORIGIN: Final = {
    Origin.TYPED: FieldState.TYPED,
    Origin.EXAMPLE: FieldState.EXAMPLE,
    Origin.DEFAULT: FieldState.DEFAULT,
    Origin.FILLED: FieldState.FILLED,
}


def suggested_by(one: Field) -> Origin:
    """Return the origin of a field's suggestion."""
    return Origin.FILLED if one.is_only else Origin.DEFAULT


def entry_for(one: Field, value: JsonValue, origin: Origin) -> FieldEntry:
    """An entry that reads back as exactly `value`, as plain text where the field can show it."""
    match one.kind:
        case FieldKind.STRING if isinstance(value, str) and is_plain(value):
            return FieldEntry(value, origin)
        case FieldKind.INTEGER if isinstance(value, int) and not isinstance(value, bool):
            return FieldEntry(exact(value), origin)
        case FieldKind.NUMBER if isinstance(value, int | float) and not isinstance(value, bool):
            return FieldEntry(exact(value), origin)
        case FieldKind.BOOLEAN if isinstance(value, bool):
            return FieldEntry(exact(value), origin)
        case FieldKind.ENUM if any(identical(value, choice) for choice in one.choices):
            return FieldEntry(exact(value), origin)
        case FieldKind.CHOICES if isinstance(value, list) and _are_choices(one, value):
            return FieldEntry(exact(value), origin)
        case _:
            return FieldEntry(json_text(value), origin, as_json=True)


def state_of(one: Field, entry: FieldEntry) -> FieldState:
    """Return the state of a field; a text that cannot be read counts as typed."""
    if not entry.present:
        return FieldState.NOT_SENT
    literal = one.kind is FieldKind.STRING and not entry.as_json
    text = entry.text if literal else entry.text.strip()
    if not literal and text in ("", "null"):
        return FieldState.NULL if text else FieldState.NOT_SENT
    if not text or (not literal and text == '""'):
        return FieldState.EMPTY
    return _BY_ORIGIN[entry.origin]


def _are_choices(one: Field, values: list[JsonValue]) -> bool:
    texts = [exact(value) for value in values]
    return len(set(texts)) == len(texts) and set(texts) <= {exact(each) for each in one.choices}


def is_plain(text: str) -> bool:
    """True if an editor can show every character of a string, and hold it unchanged.

    Hidden characters cannot be seen, and line ends other than `\n` do not survive an editor.
    """
    shown = visible(text, multiline=True, max_blanks=MAX_RUN, max_newlines=MAX_RUN)
    return shown == text


def marked(text: str, mark: Callable[[str], str]) -> str:
    """`text` with every character that cannot be seen replaced by `mark(character)`.

    Unlike `visible` it works character by character and keeps runs of blanks, so that an editor's
    positions stay those of the text.
    """
    if is_plain(text):
        return text
    out: list[str] = []
    combining = MAX_COMBINING
    for char in text:
        if unicodedata.category(char)[0] == "M":
            combining += 1
        else:
            combining = MAX_COMBINING if char == "\n" else 0
        kept = combining <= MAX_COMBINING and (char in "\n\t" or visible(f"a{char}") == f"a{char}")
        out.append(char if kept else mark(char))
    return "".join(out)


def json_text(value: JsonValue) -> str:
    """JSON to be edited: on one line when short, hidden characters as `\\uXXXX` escapes."""
    try:
        text = pretty(value)
    except JsonError:
        text = exact(value)
    if "\n" in text:
        line = " ".join(part.strip() for part in text.split("\n"))
        if len(line) <= ONE_LINE:
            text = line.replace("[ ", "[").replace(" ]", "]").replace("{ ", "{").replace(" }", "}")
            if not identical(read_json(text)[0], value):
                text = line
    return escaped(text)


def escaped(json: str) -> str:
    """The same JSON with every character that cannot be seen written as an escape."""
    return marked(json, _escape)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def value_of(one: Field, entry: FieldEntry) -> tuple[JsonValue | Missing, str]:
    """Return the value in a field and its error ("" for none)."""
    literal = one.kind is FieldKind.STRING and not entry.as_json
    if not entry.present or (not literal and not entry.text.strip()):
        return MISSING, "required" if one.required else ""
    if literal:
        return entry.text, ""
    if entry.as_json or one.kind is FieldKind.JSON or one.is_group:
        return read_json(entry.text)
    match one.kind:
        case FieldKind.CHOICES:
            value, problem = read_json(entry.text)
            if problem or (isinstance(value, list) and _are_choices(one, value)):
                return value, problem
            return MISSING, "not a list of the choices, each at most once"
        case FieldKind.INTEGER:
            return _integer(entry.text.strip())
        case FieldKind.NUMBER:
            return _number(entry.text.strip())
        case FieldKind.BOOLEAN:
            choices: tuple[JsonValue, ...] = (True, False)
        case _:
            choices = one.choices
    chosen = [choice for choice in choices if exact(choice) == entry.text]
    return (chosen[0], "") if chosen else (MISSING, "not one of the choices")


def _integer(text: str) -> tuple[JsonValue | Missing, str]:
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return MISSING, "not an integer"
    if len(text) > MAX_DIGITS:
        return MISSING, f"more than {MAX_DIGITS:,} digits"
    return int(text), ""


def _number(text: str) -> tuple[JsonValue | Missing, str]:
    """JSON's own grammar: no `+5`, `.5`, `NaN`; and no number that a float would swallow."""
    found = re.fullmatch(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?", text)
    if not found:
        return MISSING, "not a number"
    if not found[2] and not found[3]:
        return _integer(text)
    if len(text) > MAX_DIGITS:
        return MISSING, f"more than {MAX_DIGITS:,} digits"
    value = float(text)
    if not math.isfinite(value):
        return MISSING, "too large a number"
    if value == 0 and re.search(r"[1-9]", re.split(r"[eE]", text)[0]):
        return MISSING, "too small a number"
    return value, ""


def read_json(text: str) -> tuple[JsonValue | Missing, str]:
    """Return the value of a JSON text, or its error; duplicate keys are an error."""
    try:
        parsed = parse(text)
    except JsonError as error:
        return MISSING, f"not JSON: {error}"
    if parsed.duplicates:
        names = ", ".join(visible(name) for name in parsed.duplicates[:3])
        return MISSING, f"key given twice: {names}"
    return parsed.value, ""


@frozen
class GroupEntry:
    """State of a group, besides the content of its fields.

    `present` requests sending it, though nothing inside may be set. `variant` is the chosen
    alternative of a union, None before a choice; `count` the items of an array; `keys` the names in
    an object that are not the schema's.
    """

    present: bool = False
    origin: Origin = Origin.TYPED
    variant: int | None = None
    count: int = 0
    keys: tuple[str, ...] = ()


@frozen
class Draft:
    """Entries and groups by place, and the text while the arguments are edited as one document.

    An entry at the place of a group replaces the whole group: by JSON of another shape, or, when it
    is not present, by leaving the group out in spite of its content.
    """

    entries: Mapping[Place, FieldEntry] = field(default_factory=dict)
    groups: Mapping[Place, GroupEntry] = field(default_factory=dict)
    document: str | None = None

    def entry(self, place: Place) -> FieldEntry:
        """Return the user's entry; the server's defaults are not seen here."""
        return self.entries.get(place, NOT_SENT)


@frozen
class Built:
    """The arguments of a draft.

    `arguments` holds every readable value, in the order of the schema; `origins` has the same keys.
    `problems` prevent sending, `notes` do not; both are messages of our own by place, with the
    empty place for the whole.
    """

    arguments: dict[str, JsonValue]
    origins: dict[str, Origin]
    problems: dict[Place, str]
    notes: dict[Place, str] = field(default_factory=dict)
