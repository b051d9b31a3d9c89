"""Compares two input schemas: are old calls still accepted?

A schema that accepts more is safe, one that may accept less is breaking. Where more acceptance
inside means less acceptance outside (below `not`, `oneOf` and their like), and wherever a change is
not understood, anything but another wording is breaking.

Also judges a subschema that is added, removed or exchanged at each kind of place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, Path, canonical
from ...schemas.form.merging import MISSING, Schema
from ..answers.values import DEEPEST, Maybe, ValueDifference, differences, unchanged
from .change_values import Weight, quoted
from .schema_keywords import KEYWORDS, LOOSER, RESTATED, REWORDING, TIGHTER, UNCLEAR, Judgement

INVERTING: Final = frozenset({"not", "if", "then", "else", "contains", "oneOf", "dependentSchemas"})
"""Keywords below which accepting more may mean accepting less."""
_LOOKING_AROUND: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
"""Keywords by which a rule that goes may forbid what it used to speak of."""


def added_property(what: str, name: str, schema: Maybe, is_required: bool) -> Judgement:
    if is_required:
        words = f"the required {what} {quoted(name)} was added"
        return Judgement(Weight.BREAKING, "parameter-added", words)
    words = f"the optional {what} {quoted(name)} was added"
    if not isinstance(schema, dict | bool):
        return Judgement(Weight.BREAKING, "not-understood", f"{words}, and its schema is malformed")
    if _has_default(schema):
        words += ", with a default that is sent automatically"
        return Judgement(Weight.REWORDED, "parameter-added", words)
    return Judgement(Weight.SAFE, "parameter-added", words)


def slot_judgement(old: Maybe, new: Maybe) -> Judgement:
    left, right = (True if one is MISSING else one for one in (old, new))
    if not isinstance(left, dict | bool) or not isinstance(right, dict | bool):
        return UNCLEAR
    if right is False:
        return TIGHTER
    if right is True or right == {}:
        if left is True or left == {}:
            return RESTATED
        return _losing_default(left)
    if left is False:
        return _losing_default(right)
    assert isinstance(right, dict)
    if right.keys() <= REWORDING:
        words = "a text for readers was added"
        return Judgement(Weight.REWORDED, "schema-reworded", words)
    return TIGHTER


def _losing_default(schema: Maybe) -> Judgement:
    """Accepts more than before; a default that comes or goes with it is to be read."""
    if _has_default(schema):
        words = "accepts more than before, and other values are sent automatically"
        return Judgement(Weight.REWORDED, "default-changed", words)
    return LOOSER


def branch_count(key: str, old: list[JsonValue], new: list[JsonValue]) -> Judgement:
    left, right = (frozenset(branch_texts(one)) for one in (old, new))
    if left == right and key != "oneOf":
        return RESTATED
    if key == "anyOf" or (key == "oneOf" and _are_choices(old) and _are_choices(new)):
        if left < right:
            words = "there are more alternatives than before"
            return Judgement(Weight.SAFE, "alternative-added", words)
        return Judgement(Weight.BREAKING, "alternative-removed", "an alternative was removed")
    if key == "allOf":
        return LOOSER if right < left else TIGHTER if left < right else UNCLEAR
    return UNCLEAR


def _are_choices(branches: list[JsonValue]) -> bool:
    """True if each branch has one `const`, and no two have the same."""
    values = [
        canonical(one["const"]) for one in branches if isinstance(one, dict) and "const" in one
    ]
    return len(values) == len(branches) == len(set(values))


def branch_texts(branches: list[JsonValue]) -> list[str]:
    """The branches, exactly, in an order that does not depend on theirs."""
    return sorted(canonical(branch) for branch in branches)


def _has_default(schema: Maybe) -> bool:
    stack: list[JsonValue] = [] if schema is MISSING else [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if "default" in value:
                return True
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return False


@frozen
class References:
    """References of a schema, and whether its changes are unclear because of them."""

    steps: frozenset[str]
    """Every step of every local reference, with its `~0` and `~1` still escaped."""
    is_any: bool
    only_tables: bool
    """All of them lead into `$defs` or `definitions`."""
    all_local: bool
    """All of them are plain JSON Pointers, so that `steps` has every name that is referred to."""
    inverts: bool
    looks_around: bool

    def may_mean(self, name: str) -> bool:
        """True if one may lead to, or into, the shared schema of this name."""
        escaped = name.replace("~", "~0").replace("/", "~1")
        return not self.all_local or escaped in self.steps


def references(schema: Schema) -> References:
    """Names of properties may count as keywords: rather too many than too few."""
    refs: set[str] = set()
    inverts = looks_around = False
    stack: list[JsonValue] = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            inverts = inverts or not INVERTING.isdisjoint(value)
            looks_around = looks_around or not _LOOKING_AROUND.isdisjoint(value)
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                ref = value.get(key)
                if isinstance(ref, str):
                    refs.add(ref)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return References(
        steps=frozenset(step for ref in refs for step in ref.split("/")),
        is_any=bool(refs),
        only_tables=all(ref.startswith(("#/$defs/", "#/definitions/")) for ref in refs),
        all_local=all((ref == "#" or ref.startswith("#/")) and "%" not in ref for ref in refs),
        inverts=inverts,
        looks_around=looks_around,
    )


_TABLES: Final = ("$defs", "definitions")
_PERMUTED_DEPTH: Final = 30
"""Steps up to which branches are tried in another order; deeper it would cost too much."""
_EMPTIED: Final = Judgement(Weight.SAFE, "restated", "the object that holds these was removed")
_ONLY_OBJECTS: Final = ((MISSING, "object"), ("object", MISSING))
_SELF_EXPLAINING: Final = frozenset({"type", "required", "default", "$schema"})


def schema_changes(old: Maybe, new: Maybe, steps: Path = ()) -> list[ValueDifference]:
    """Every difference between two input schemas; `steps` is their place in the definition."""
    if isinstance(old, dict) and isinstance(new, dict):
        walk = _Walk(old, new)
        walk.schema(old, new, steps, walk.is_opaque)
        return walk.found
    if unchanged(old, new):
        return []
    what = "input schema" if steps == ("inputSchema",) else "schema"
    verb = "was added" if old is MISSING else "was removed" if new is MISSING else "changed shape"
    words = f"the {what} {verb}, with an unknown effect"
    return [ValueDifference("not-understood", Weight.BREAKING, words, steps, old, new)]


class _Walk:
    """Two schemas side by side, from their roots down."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self.found: list[ValueDifference] = []
        self._old_refs, self._new_refs = both = references(old), references(new)
        self._looks_around = any(one.looks_around for one in both)
        may_invert = any(one.inverts for one in both)
        is_referred_to = any(one.is_any for one in both)
        only_tables = all(one.only_tables for one in both)
        self._tables_opaque = self._looks_around or (may_invert and is_referred_to)
        self.is_opaque = self._looks_around or (may_invert and not only_tables)
        """True if references from under an inverting keyword may lead anywhere."""
        self._rules: dict[str, Callable[[Schema, Schema, str, Path, bool], None]] = {
            "properties": self._properties,
            "patternProperties": self._patterns,
            "allOf": self._branches,
            "anyOf": self._branches,
            "oneOf": self._branches,
            "prefixItems": self._tuple,
            "items": self._items,
            **dict.fromkeys(_TABLES, self._table),
            **dict.fromkeys(("additionalProperties", "propertyNames"), self._slot),
            **dict.fromkeys(("unevaluatedProperties", "unevaluatedItems"), self._slot),
            "additionalItems": self._slot,
            **dict.fromkeys(("not", "if", "then", "else", "contains"), self._hidden),
            "dependentSchemas": self._hidden_table,
        }

    def schema(self, old: Schema, new: Schema, steps: Path, opaque: bool) -> None:
        if len(steps) > DEEPEST:
            self._unclear(old, new, steps)
            return
        for key in dict.fromkeys((*old, *new)):
            at = (*steps, key)
            rule = self._rules.get(key)
            if rule is not None:
                rule(old, new, key, at, opaque)
                continue
            left, right = old.get(key, MISSING), new.get(key, MISSING)
            if unchanged(left, right):
                continue
            judge = KEYWORDS.get(key)
            if judge is None:
                self._unclear(left, right, at)
            else:
                judgement = judge(left, right)
                if at == ("inputSchema", "type") and (left, right) in _ONLY_OBJECTS:
                    # Arguments are always an object.
                    judgement = RESTATED
                self._emit(_worded(key, judgement), at, left, right, opaque)

    def _emit(
        self, judgement: Judgement, steps: Path, old: Maybe, new: Maybe, opaque: bool
    ) -> None:
        weight, code, words = judgement
        is_same = code == RESTATED.code and not self._looks_around
        if opaque and weight is Weight.SAFE and not is_same:
            weight, code, words = Weight.BREAKING, "not-understood", f"{words}; unclear in here"
        self.found.append(ValueDifference(code, weight, words, steps, old, new))

    def _unclear(self, old: Maybe, new: Maybe, steps: Path) -> None:
        for at, left, right in differences(old, new, steps):
            self._emit(UNCLEAR, at, left, right, True)

    def _members(
        self, old: Maybe, new: Maybe, steps: Path, opaque: bool
    ) -> Iterator[tuple[str, Path, Maybe, Maybe]]:
        """The members of two objects side by side; a missing object has none."""
        left = {} if old is MISSING else old
        right = {} if new is MISSING else new
        if not isinstance(left, dict) or not isinstance(right, dict):
            self._unclear(old, new, steps)
            return
        # Setting a member makes the object, too; an empty one, or none, is a change of its own.
        if new is MISSING or (old is MISSING and not right):
            self._emit(RESTATED if not left else _EMPTIED, steps, old, new, opaque)
        for name in dict.fromkeys((*left, *right)):
            yield name, (*steps, name), left.get(name, MISSING), right.get(name, MISSING)

    def _properties(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        required = new.get("required")
        listed = required if isinstance(required, list) else []
        needed = {one for one in listed if isinstance(one, str)}
        what = "parameter" if at == ("inputSchema", "properties") else "property"
        members = self._members(old.get(key, MISSING), new.get(key, MISSING), at, opaque)
        for name, steps, left, right in members:
            if right is MISSING:
                words = f"the {what} {quoted(name)} was removed"
                removed = Judgement(Weight.BREAKING, "parameter-removed", words)
                self._emit(removed, steps, left, right, opaque)
            elif left is MISSING:
                self._emit(
                    added_property(what, name, right, name in needed), steps, left, right, opaque
                )
            else:
                self._slot_at(left, right, steps, opaque)

    def _patterns(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        members = self._members(old.get(key, MISSING), new.get(key, MISSING), at, opaque)
        for _, steps, left, right in members:
            if left is MISSING or right is MISSING:
                self._unclear(left, right, steps)
            else:
                self._slot_at(left, right, steps, opaque)

    def _table(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        opaque = opaque or self._tables_opaque
        members = self._members(old.get(key, MISSING), new.get(key, MISSING), at, opaque)
        for name, steps, left, right in members:
            if left is not MISSING and right is not MISSING:
                self._slot_at(left, right, steps, opaque)
                continue
            refs = self._old_refs if left is MISSING else self._new_refs
            verb = "added" if left is MISSING else "removed"
            if refs.may_mean(name):
                words = f"the shared schema {quoted(name)} was {verb}, and is referred to"
                judgement = Judgement(Weight.BREAKING, "not-understood", words)
            else:
                words = f"the shared schema {quoted(name)} was {verb}"
                judgement = Judgement(Weight.SAFE, f"definition-{verb}", words)
            # Nothing refers to it, so it inverts nothing.
            self._emit(judgement, steps, left, right, False)

    def _hidden_table(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        for _, steps, left, right in self._members(
            old.get(key, MISSING), new.get(key, MISSING), at, opaque
        ):
            self._whole_or_inside(left, right, steps)

    def _hidden(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        self._whole_or_inside(old.get(key, MISSING), new.get(key, MISSING), at)

    def _whole_or_inside(self, old: Maybe, new: Maybe, steps: Path) -> None:
        if isinstance(old, dict) and isinstance(new, dict):
            self.schema(old, new, steps, True)
        else:
            self._unclear(old, new, steps)

    def _slot(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        self._slot_at(old.get(key, MISSING), new.get(key, MISSING), at, opaque)

    def _slot_at(self, old: Maybe, new: Maybe, steps: Path, opaque: bool) -> None:
        """A place for one schema; if there is none, anything is accepted."""
        if isinstance(old, dict) and isinstance(new, dict):
            self.schema(old, new, steps, opaque)
        elif not unchanged(old, new):
            self._emit(slot_judgement(old, new), steps, old, new, opaque)

    def _items(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        left, right = old.get(key, MISSING), new.get(key, MISSING)
        if isinstance(left, list) and isinstance(right, list):
            self._tuple(old, new, key, at, opaque)
        else:
            self._slot_at(left, right, at, opaque)

    def _tuple(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        left, right = old.get(key, MISSING), new.get(key, MISSING)
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            for index, pair in enumerate(zip(left, right, strict=True)):
                self._slot_at(*pair, (*at, index), opaque)
        else:
            self._unclear(left, right, at)

    def _branches(self, old: Schema, new: Schema, key: str, at: Path, opaque: bool) -> None:
        left, right = old.get(key, MISSING), new.get(key, MISSING)
        if not isinstance(left, list) or not isinstance(right, list):
            if new.get(key, MISSING) is MISSING and isinstance(left, list) and key != "oneOf":
                self._emit(LOOSER, at, left, right, opaque)
            else:
                self._unclear(left, right, at)
            return
        if len(left) == len(right):
            is_shallow = left != right and len(at) <= _PERMUTED_DEPTH
            if is_shallow and branch_texts(left) == branch_texts(right):
                self._emit(RESTATED, at, left, right, opaque)
                return
            for index, pair in enumerate(zip(left, right, strict=True)):
                self._slot_at(*pair, (*at, index), opaque or key == "oneOf")
            return
        self._emit(branch_count(key, left, right), at, left, right, opaque)


def _worded(key: str, judgement: Judgement) -> Judgement:
    """With the keyword in its words, if they do not speak of it."""
    if key in REWORDING:
        return judgement._replace(words=f"the {key} {judgement.words}")
    if key in _SELF_EXPLAINING:
        return judgement
    return judgement._replace(words=f"{key}: {judgement.words}")
