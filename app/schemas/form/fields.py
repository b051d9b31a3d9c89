"""One place of a tool's arguments, and its kind of editor.

All strings are the server's, kept as they came; the code that draws them has to sanitise them.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Final, TypeAlias

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from .merging import MISSING, Missing, Node

Place: TypeAlias = tuple[str | int, ...]
"""Where in the arguments; the empty place is the whole."""
MAX_FIELDS: Final = 100
"""More properties, keys or items than this in one group are edited as JSON."""
MAX_LEVELS: Final = 20
"""Groups inside groups; what lies deeper is edited as JSON."""


class FieldKind(StrEnum):
    """Kind of a field: CHOICES is any number out of a list, JSON a text of JSON."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ENUM = "enum"
    CHOICES = "choices"
    OBJECT = "object"
    ARRAY = "array"
    UNION = "union"
    JSON = "json"


@frozen
class Field:
    """One property, key or item; or the whole.

    `suggestion` is the server's: a `default`, or this place in the default of an enclosing value;
    or, with `is_only`, the only allowed value: a `const`, an enum of one. `fits` is False when it
    breaks the field's own schema; `is_filled_in`: it is sent until replaced. `told_by` are the
    properties of a union's alternative whose only values distinguish it from the others: it is sent
    with them once it is chosen. `choices` is for `FieldKind.ENUM` and `FieldKind.CHOICES`, and
    `labels` are the server's words for them or empty. `shape` is an example of the format.
    `is_key_free` marks a key that is not the schema's.
    """

    name: str
    kind: FieldKind
    title: str = ""
    description: str = ""
    required: bool = False
    nullable: bool = False
    suggestion: JsonValue | Missing = MISSING
    fits: bool = True
    choices: tuple[JsonValue, ...] = ()
    type_words: str = ""
    pattern: str = ""
    subschema: JsonValue = True
    place: Place = ()
    labels: tuple[str, ...] = ()
    examples: tuple[JsonValue, ...] = ()
    shape: str = ""
    is_key_free: bool = False
    is_filled_in: bool = False
    is_only: bool = False
    told_by: frozenset[str] = frozenset()
    node: Node = field(default_factory=Node, compare=False, repr=False)

    def placed(
        self,
        name: str,
        place: Place,
        kind: FieldKind,
        *,
        required: bool,
        suggestion: JsonValue | Missing,
        is_filled_in: bool,
        is_key_free: bool,
        is_only: bool,
        said: str,
    ) -> Field:
        """The same field at a place; `said` replaces the words for its type.

        Written out because a form makes hundreds of fields, and `replace` takes ten times as long.
        """
        return Field(
            name=name,
            kind=kind,
            title=self.title,
            description=self.description,
            required=required,
            nullable=self.nullable,
            suggestion=suggestion,
            fits=self.fits,
            choices=self.choices,
            type_words=said or self.type_words,
            pattern=self.pattern,
            subschema=self.subschema,
            place=place,
            labels=self.labels,
            examples=self.examples,
            shape=self.shape,
            is_key_free=is_key_free,
            is_filled_in=is_filled_in,
            is_only=is_only,
            told_by=self.told_by,
            node=self.node,
        )

    @property
    def is_item(self) -> bool:
        """True for an item of an array."""
        return bool(self.place) and isinstance(self.place[-1], int)

    @property
    def is_group(self) -> bool:
        """True if it is filled in by the fields inside it."""
        return self.kind in (FieldKind.OBJECT, FieldKind.ARRAY, FieldKind.UNION)
