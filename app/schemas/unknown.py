"""Partial verdicts on a value under a schema that cannot be checked in full.

A rule that cannot be used (a pattern, a broken reference) neither accepts nor rejects: it yields an
error of the kind `UNCHECKED`, which bubbles up as errors do, so that the rest is judged. When
alternatives are weighed it counts as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from jsonschema.exceptions import ValidationError
from referencing.exceptions import Unresolvable
from referencing.jsonschema import lookup_recursive_ref

from .ecma_patterns import PatternFault, is_found

UNCHECKED: Final = "unchecked"


def unchecked(reason: str, path: Sequence[str | int] = ()) -> ValidationError:
    """The error with the reason why a part was not checked."""
    return ValidationError(reason, validator=UNCHECKED, validator_value=reason, path=path)


def is_unchecked(error: ValidationError) -> bool:
    return bool(error.validator == UNCHECKED)


class Weighed(NamedTuple):
    """Verdict of one schema on a value: yes, no, or unknown for the reasons given."""

    errors: list[ValidationError]
    unknown: list[ValidationError]

    @property
    def obeys(self) -> bool | None:
        """None if it cannot be known."""
        return False if self.errors else None if self.unknown else True


def weighed(errors: Iterable[ValidationError]) -> Weighed:
    """Separate the errors of a schema from the parts that could not be checked."""
    found = Weighed([], [])
    for error in errors:
        (found.unknown if is_unchecked(error) else found.errors).append(error)
    return found


def obeys(validator: Any, value: Any, schema: Any) -> bool | None:
    """Check a value against a schema; None if unknown."""
    unknown = False
    for error in validator.descend(value, schema):
        if not is_unchecked(error):
            return False
        unknown = True
    return None if unknown else True


class Names:
    """Names that some patterns match. A pattern that cannot be read may match any."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = list(patterns)

    def have(self, name: str) -> bool | None:
        unknown = False
        for pattern in self._patterns:
            try:
                if is_found(pattern, name):
                    return True
            except PatternFault:
                unknown = True
        return None if unknown else False


def additional(value: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """The names that neither `properties` nor `patternProperties` has; whether that is sure."""
    named = schema.get("properties", {})
    patterns = Names(schema.get("patternProperties", {}))
    for name in value:
        if name not in named:
            has = patterns.have(name)
            if not has:
                yield name, has is False


class Evaluated:
    """The members or items that a schema and its siblings have evaluated.

    JSON Schema 2020-12, core, section 11: `unevaluatedProperties` and `unevaluatedItems` are for
    the others. `maybe` holds those that are uncertain.
    """

    def __init__(self, instance: Any) -> None:
        self._all = set(range(len(instance)) if isinstance(instance, list) else instance)
        self._instance = instance
        self.sure: set[Any] = set()
        self.maybe: set[Any] = set()

    def look(self, validator: Any, schema: Any) -> Evaluated:
        """Add the places that a schema evaluates, except by its own rule on the rest."""
        self._take(validator, schema, is_sure=True, is_outer=True)
        return self

    def _add(self, places: Iterable[Any], is_sure: bool) -> None:
        (self.sure if is_sure else self.maybe).update(places)

    def _take(self, validator: Any, schema: Any, is_sure: bool, is_outer: bool = False) -> None:
        if not isinstance(schema, dict):
            return
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in schema and keyword in validator.VALIDATORS:
                self._follow(validator, keyword, schema[keyword], is_sure)
        if isinstance(self._instance, dict):
            self._take_members(validator, schema, is_sure, is_outer)
        else:
            self._take_items(validator, schema, is_sure, is_outer)
        for keyword in ("allOf", "oneOf", "anyOf"):
            for below in schema.get(keyword, ()):
                self._take_if_obeyed(validator, below, is_sure)
        if "if" in schema:
            self._take_if_obeyed(validator, schema["if"], is_sure)
            holds = obeys(validator, self._instance, schema["if"])
            for keyword, other in (("then", False), ("else", True)):
                if keyword in schema and holds is not other:
                    self._take(validator, schema[keyword], is_sure and holds is not None)

    def _take_if_obeyed(self, validator: Any, schema: Any, is_sure: bool) -> None:
        holds = obeys(validator, self._instance, schema)
        if holds is not False:
            self._take(validator, schema, is_sure and holds is not None)

    def _follow(self, validator: Any, keyword: str, reference: str, is_sure: bool) -> None:
        try:
            if keyword == "$recursiveRef":
                found = lookup_recursive_ref(validator._resolver)
            else:
                found = validator._resolver.lookup(reference)
        except Unresolvable:
            self._add(self._all, False)
            return
        inner = validator.evolve(schema=found.contents, _resolver=found.resolver)
        self._take(inner, found.contents, is_sure)

    def _take_members(self, validator: Any, schema: Any, is_sure: bool, is_outer: bool) -> None:
        self._add(self._all & set(schema.get("properties", ())), is_sure)
        patterns = Names(schema.get("patternProperties", ()))
        for name in self._instance:
            if (has := patterns.have(name)) is not False:
                self._add([name], is_sure and has is True)
        if "additionalProperties" in schema:
            for name, is_known in additional(self._instance, schema):
                self._add([name], is_sure and is_known)
        if "unevaluatedProperties" in schema and not is_outer:
            self._add(self._all, is_sure)
        for name, below in schema.get("dependentSchemas", {}).items():
            if name in self._instance:
                self._take(validator, below, is_sure)

    def _take_items(self, validator: Any, schema: Any, is_sure: bool, is_outer: bool) -> None:
        items, prefix = schema.get("items"), schema.get("prefixItems")
        if isinstance(items, list):
            prefix, items = items, schema.get("additionalItems")
        self._add(self._all & set(range(len(prefix or ()))), is_sure)
        if items is not None or ("unevaluatedItems" in schema and not is_outer):
            self._add(self._all, is_sure)
        if "contains" in schema and "prefixItems" in validator.VALIDATORS:
            for index, item in enumerate(self._instance):
                if (holds := obeys(validator, item, schema["contains"])) is not False:
                    self._add([index], is_sure and holds is True)
