"""Follows the references of a server's JSON Schema, and merges one schema from `$ref` and `allOf`.

JSON Schema 2020-12 and draft-07: all of these and their sibling keywords apply to the same value,
so they can be put together. Everything here is total: a schema may be any JSON value, nothing
raises, and no `$ref` is followed out of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, replace
from enum import Enum
from typing import Final, TypeAlias
from urllib.parse import unquote

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, canonical

MAX_CHOICES: Final = 1_000
"""A longer enum is typed as JSON instead of chosen from a list."""
MAX_NAMED: Final = 10_000
"""Values of a schema that are searched for an `$anchor` or `$id`."""
UNWRITABLE: Final = ""
"""The result of `exact` for a value that JSON cannot express."""

Schema = dict[str, JsonValue]


class Missing(Enum):
    """An absent value, since `None` is the JSON value null."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


def target_of(ref: str, root: JsonValue) -> JsonValue | Missing:
    """Resolve a `$ref` inside the schema: "#", any JSON Pointer, an `$anchor`, an `$id`."""
    if not isinstance(root, dict):
        return MISSING
    base, _, fragment = ref.partition("#")
    start: JsonValue | Missing = root
    if base and base != root.get("$id"):
        start = _named(root, "$id", base)
    if not fragment or start is MISSING:
        return start
    if not fragment.startswith("/"):
        return _named(start, "$anchor", fragment)
    for part in unquote(fragment).split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        if isinstance(start, dict) and step in start:
            start = start[step]
        elif isinstance(start, list) and step.isdecimal() and len(step) < 9:
            start = start[int(step)] if int(step) < len(start) else MISSING
        else:
            return MISSING
    return start


def _named(root: JsonValue, keyword: str, name: str) -> JsonValue | Missing:
    pending: list[JsonValue] = [root]
    for _ in range(MAX_NAMED):
        if not pending:
            break
        value = pending.pop()
        if isinstance(value, dict):
            if value.get(keyword) == name:
                return value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    return MISSING


def number_of(value: JsonValue | Missing) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def identical(left: JsonValue | Missing, right: JsonValue | Missing) -> bool:
    """Equal as JSON texts: `1`, `1.0` and `true` are three values."""
    if left is MISSING or right is MISSING:
        return left is right
    text = exact(left)
    return text == exact(right) and text != UNWRITABLE


def exact(value: JsonValue) -> str:
    """One line of ASCII JSON for exactly this value, keys sorted; `UNWRITABLE` if there is none."""
    try:
        return canonical(value)
    except JsonError:
        return UNWRITABLE


MAX_MERGED: Final = 10_000
"""Names or values of one keyword that are put together; the rest is left to the validator."""
MAX_TYPES: Final = 50
"""Entries of a list of types that are looked at; JSON Schema knows seven."""


def both_words(key: str, left: JsonValue, right: JsonValue) -> JsonValue | Missing:
    """The value of a keyword that has to do for two schemas; MISSING if there is none."""
    if left is right:
        return left
    match key:
        case "type":
            return _types(left, right)
        case "required" if isinstance(left, list) and isinstance(right, list):
            if len(left) > MAX_MERGED:
                return left
            names = (name for name in (*left, *right[:MAX_MERGED]) if isinstance(name, str))
            return list(dict.fromkeys(names))
        case "properties" | "patternProperties":
            if not isinstance(left, dict) or not isinstance(right, dict):
                return right
            if len(left) > MAX_MERGED:
                return left
            shared = {
                name: every(left[name], one) if name in left else one for name, one in right.items()
            }
            return {**left, **shared}
        case "items" | "additionalProperties" | "propertyNames":
            return every(left, right)
        case "prefixItems" if isinstance(left, list) and isinstance(right, list):
            pairs = zip(left, right, strict=False)
            longer = left if len(left) > len(right) else right
            shorter = min(len(left), len(right))
            return [*(every(*pair) for pair in pairs), *longer[shorter:]]
        case "enum" if isinstance(left, list) and isinstance(right, list):
            if max(len(left), len(right)) > MAX_MERGED:
                return min(left, right, key=len)
            allowed = {exact(value) for value in right}
            return [value for value in left if exact(value) in allowed] or MISSING
        case "const":
            return right if exact(left) == exact(right) else MISSING
        case "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties":
            return _limit(left, right, 1)
        case "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties":
            return _limit(left, right, -1)
        case "uniqueItems":
            return left is True or right is True
        case _:
            return right


def every(left: JsonValue, right: JsonValue) -> JsonValue:
    """Return a schema for values that obey both."""
    if left is False or right is False:
        return False
    if left is True or left == {}:
        return right
    return left if right is True or right == {} else {"allOf": [left, right]}


def _types(left: JsonValue, right: JsonValue) -> JsonValue | Missing:
    lefts = left if isinstance(left, list) else [left]
    rights = right if isinstance(right, list) else [right]
    shared: list[JsonValue] = [one for one in lefts[:MAX_TYPES] if one in rights[:MAX_TYPES]]
    if "integer" not in shared and (
        ("number" in lefts and "integer" in rights) or ("integer" in lefts and "number" in rights)
    ):
        shared.append("integer")
    if not shared:
        return MISSING
    return shared[0] if len(shared) == 1 else shared


def _limit(left: JsonValue, right: JsonValue, sign: int) -> JsonValue:
    one, other = number_of(left), number_of(right)
    if one is None or other is None:
        return right if one is None else left
    return max(one, other) if sign > 0 else min(one, other)


def range_fault(words: Schema) -> str:
    """The reason why the ranges of a schema exclude every value, "" if they do not."""
    for low, high in (
        ("minimum", "maximum"),
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ):
        least, most = number_of(words.get(low, MISSING)), number_of(words.get(high, MISSING))
        if least is not None and most is not None and least > most:
            return f"no value can match both {low} and {high}"
    return ""


MAX_PARTS: Final = 64
"""Schemas that are merged into one; the rest is left to the validator."""

OF_THE_WHOLE: Final[tuple[str, ...]] = ("title", "description", "default", "examples")
"""Keywords that speak of a union itself, rather than of one of its alternatives."""

Find: TypeAlias = Callable[[str], JsonValue | Missing]
"""Where a `$ref` leads to."""


@frozen(eq=False)
class SchemaCondition:
    """Further schemas for values that obey `test`, and for values that do not."""

    test: JsonValue
    then: JsonValue = True
    otherwise: JsonValue = True


@frozen(eq=False)
class Node:
    """A schema with its references and `allOf` merged.

    `words` has the plain keywords; `unions` the branches of each `anyOf` and `oneOf` to choose
    from; `fault` is why no value can obey it, "" if one may. `labels` are the server's words for
    the values of `words["enum"]`.
    """

    words: Schema = field(default_factory=dict)
    unions: tuple[tuple[JsonValue, ...], ...] = ()
    conditions: tuple[SchemaCondition, ...] = ()
    nullable: bool = False
    fault: str = ""
    labels: tuple[str, ...] = ()


def read_node(schema: JsonValue, find: Find) -> Node:
    """A schema as one node."""
    parts = _Parts(find)
    parts.add(schema)
    return parts.node()


def joined(node: Node, schemas: list[JsonValue], find: Find) -> Node:
    """A node to which further schemas apply, too."""
    parts = _Parts(find)
    parts.words = dict(node.words)
    parts.fault = node.fault
    parts.unions = list(node.unions)
    parts.conditions = list(node.conditions)
    for schema in schemas:
        parts.add(schema)
    merged = parts.node()
    return replace(merged, labels=merged.labels or node.labels)


class _Parts:
    def __init__(self, find: Find) -> None:
        self.words: Schema = {}
        self.unions: list[tuple[JsonValue, ...]] = []
        self.conditions: list[SchemaCondition] = []
        self.fault = ""
        self._labels: tuple[str, ...] = ()
        self._nullable = False
        self._find = find
        self._around: set[int] = set()
        self._count = 0

    def add(self, schema: JsonValue) -> None:
        if schema is False:
            self.fault = self.fault or "never allowed"
        if not isinstance(schema, dict) or id(schema) in self._around or self._count >= MAX_PARTS:
            return
        self._count += 1
        self._around.add(id(schema))
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            ref = schema.get(key)
            if isinstance(ref, str):
                target = self._find(ref)
                self.add(True if target is MISSING else target)
        every = schema.get("allOf")
        for one in every if isinstance(every, list) else []:
            self.add(one)
        self._add_own(schema)
        self._around.discard(id(schema))

    def _add_own(self, schema: Schema) -> None:
        own = {key: value for key, value in schema.items() if key not in _STRUCTURE}
        items = own.get("items")
        if isinstance(items, list):
            # Draft-07 wrote tuples like this.
            own["prefixItems"] = items
            own["items"] = schema.get("additionalItems", True)
        self._merge(own)
        for key in ("anyOf", "oneOf"):
            branches = schema.get(key)
            if isinstance(branches, list) and branches:
                self.unions.append(tuple(branches))
        self.conditions += _conditions(schema)

    def _merge(self, own: Schema) -> None:
        for key, right in own.items():
            left = self.words.get(key, MISSING)
            merged = right if left is MISSING else both_words(key, left, right)
            if merged is MISSING:
                self.fault = self.fault or f"no value can match both rules for {key}"
            else:
                self.words[key] = merged

    def node(self) -> Node:
        kept: list[tuple[JsonValue, ...]] = []
        for _ in range(MAX_PARTS):
            if not self.unions:
                break
            branches = self._reduced(self.unions.pop(0))
            if branches:
                kept.append(branches)
        words, nullable = self.words, self._nullable
        kinds = words.get("type")
        if isinstance(kinds, list):
            rest = [kind for kind in dict.fromkeys(map(_name, kinds)) if kind != "null"]
            nullable = nullable or bool(rest and "null" in kinds)
            words["type"] = list(rest) if len(rest) > 1 else rest[0] if rest else "null"
        return Node(
            words,
            tuple(kept),
            tuple(self.conditions),
            nullable,
            self.fault or range_fault(words),
            self._labels,
        )

    def _reduced(self, branches: tuple[JsonValue, ...]) -> tuple[JsonValue, ...]:
        """The branches to choose from; none if they could be put into the words."""
        seen = [self._through(branch) for branch in branches]
        if all(isinstance(one, dict) and one and one.keys() <= _RESTRAINTS for one in seen):
            return ()
        values, labels = _choices(seen)
        if values:
            self._labels = labels
            self._merge({"enum": values})
            return ()
        others = [branch for branch, one in zip(branches, seen, strict=True) if not _is_null(one)]
        if others and len(others) < len(branches):
            self._nullable = self._nullable or _takes_null(self.words.get("type", MISSING))
        if len(others) > 1:
            return tuple(others)
        said = {key: self.words[key] for key in OF_THE_WHOLE if key in self.words}
        self.add((others or branches)[0])
        self.words.update(said)
        return ()

    def _through(self, branch: JsonValue) -> JsonValue:
        """Return a branch, or its target if it is only a reference."""
        for _ in range(8):
            ref = branch.get("$ref") if isinstance(branch, dict) and len(branch) == 1 else None
            target = self._find(ref) if isinstance(ref, str) else MISSING
            if target is MISSING:
                break
            branch = target
        return branch


_STRUCTURE: Final = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "then", "else"}
    | {"dependentRequired", "dependentSchemas", "dependencies", "additionalItems"}
    | {"$defs", "definitions", "$id", "$schema", "$comment", "$anchor"}
)
_RESTRAINTS: Final = frozenset(
    {"required", "not", "minProperties", "maxProperties", "dependentRequired", "title"}
    | {"description"}
)
"""A union of nothing but these only restricts combinations of properties: nothing to choose."""


def _conditions(schema: Schema) -> list[SchemaCondition]:
    found: list[SchemaCondition] = []
    if "if" in schema:
        found.append(
            SchemaCondition(schema["if"], schema.get("then", True), schema.get("else", True))
        )
    for key in ("dependentRequired", "dependentSchemas", "dependencies"):
        table = schema.get(key)
        for name, then in table.items() if isinstance(table, dict) else ():
            if isinstance(then, list):
                then = {"required": then}
            found.append(SchemaCondition({"required": [name]}, then))
    return found


def _name(value: JsonValue) -> str:
    return value if isinstance(value, str) else exact(value)


def _is_null(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and (
        schema.get("type") == "null" or ("const" in schema and schema["const"] is None)
    )


def _takes_null(kinds: JsonValue | Missing) -> bool:
    return kinds is MISSING or kinds == "null" or (isinstance(kinds, list) and "null" in kinds)


def _choices(branches: list[JsonValue]) -> tuple[list[JsonValue], tuple[str, ...]]:
    """The values and their titles, where every branch only lists values."""
    values: dict[str, JsonValue] = {}
    labels: list[str] = []
    for branch in branches:
        if not isinstance(branch, dict):
            return [], ()
        listed = [branch["const"]] if "const" in branch else branch.get("enum")
        if not isinstance(listed, list) or len(listed) > MAX_CHOICES:
            return [], ()
        title = branch.get("title")
        for value in listed:
            key = exact(value)
            if key not in values:
                values[key] = value
                labels.append(title if isinstance(title, str) and "const" in branch else "")
    return list(values.values()), tuple(labels) if any(labels) else ()
