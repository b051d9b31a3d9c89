"""The dialects of JSON Schema as validators: patterns by ECMA-262, exact arithmetic.

Parts that cannot be checked are reported separately (`signoff.app.schemas.unknown`). Each dialect
has a twin that judges as clients do which assert formats and compute in binary fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs
from jsonschema import validators
from jsonschema.exceptions import ValidationError
from referencing.exceptions import Unresolvable

from ..content.labels import some_named
from .ecma_patterns import PatternFault, is_found
from .formats import format_fault
from .habits import LISTED, NAMED, SINGLE
from .messages import invalid_pattern, not_contained, quote
from .unknown import UNCHECKED, Evaluated, additional, obeys, unchecked, weighed

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

Errors: TypeAlias = Iterator[ValidationError]
Rule: TypeAlias = Callable[[Any, Any, Any, Any], Iterable[ValidationError]]

_BASES: Final[dict[str, Any]] = {
    "http://json-schema.org/draft-03/schema": validators.Draft3Validator,
    "http://json-schema.org/draft-04/schema": validators.Draft4Validator,
    "http://json-schema.org/draft-06/schema": validators.Draft6Validator,
    "http://json-schema.org/draft-07/schema": validators.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": validators.Draft201909Validator,
    "https://json-schema.org/draft/2020-12/schema": validators.Draft202012Validator,
}
DEFAULT: Final = "https://json-schema.org/draft/2020-12/schema"
_PARSED_WHOLE: Final = 1e21
"""From here JavaScript writes numbers with an exponent, and ajv takes them for fractions."""


class Unusable(str):
    """Reason why a part of a schema cannot be used: in its place, as no server can write it."""

    __slots__ = ()


def named_dialect(declared: object) -> str | None:
    """The dialect that `$schema` names, None for one that is not known."""
    found = declared.rstrip("#") if isinstance(declared, str) else ""
    return found if found in _BASES else None


def base_of(name: str) -> Any:
    """The library's own validator, for the schema itself under its metaschema."""
    return _BASES[name]


@cache
def dialect(name: str, as_clients: bool = False) -> Any:
    """The validator of a dialect, or its twin that judges as clients do."""
    base = _BASES[name]
    rules: dict[str, Rule] = {**_RULES, **(_CLIENTS if as_clients else _EXACT)}
    known = {keyword: rule for keyword, rule in rules.items() if keyword in base.VALIDATORS}
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword in base.VALIDATORS:
            known[keyword] = _resolved(base.VALIDATORS[keyword])
    extend: Any = validators.extend
    made: Any = extend(base, {**known, UNCHECKED: _unusable})
    fields = [(one.name, one.alias) for one in attrs.fields(made) if one.init]

    def evolve(self: Any, **changes: Any) -> Any:
        """Its own: the library would go on with its own dialects where `$schema` is declared."""
        schema = changes.setdefault("schema", self.schema)
        declared = schema.get("$schema") if isinstance(schema, dict) else None
        other = named_dialect(declared)
        for attribute, parameter in fields:
            if parameter not in changes:
                changes[parameter] = getattr(self, attribute)
        return (dialect(other, as_clients) if other else made)(**changes)

    made.evolve = evolve
    return made


def _unusable(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(rule, Unusable):
        yield unchecked(rule)


def _resolved(rule: Rule) -> Rule:
    def resolved(validator: Any, reference: Any, instance: Any, schema: Any) -> Errors:
        try:
            yield from rule(validator, reference, instance, schema)
        except Unresolvable:
            yield unchecked(not_contained(str(reference)))

    return resolved


def _unreadable(pattern: str, fault: PatternFault) -> str:
    return invalid_pattern(pattern, fault, 80)


def _pattern(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str):
        try:
            if not is_found(rule, instance):
                yield ValidationError(f"{instance!r} does not match {rule!r}")
        except PatternFault as fault:
            yield unchecked(_unreadable(rule, fault))


def _pattern_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    for pattern, below in rule.items():
        try:
            for name, value in instance.items():
                if is_found(pattern, name):
                    yield from validator.descend(value, below, path=name, schema_path=pattern)
        except PatternFault as fault:
            for name in instance:
                if name not in schema.get("properties", {}):
                    yield unchecked(_unreadable(pattern, fault), [name])


def _additional_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    extra = dict(additional(instance, schema))
    if isinstance(rule, dict):
        for name, is_sure in extra.items():
            # A name that a pattern may or may not match counts as unchecked by that pattern.
            if is_sure:
                yield from validator.descend(instance[name], rule, path=name)
    elif not rule and any(extra.values()):
        yield ValidationError("additional properties are not allowed")


def _any_of(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    errors, unknown = [], []
    for index, below in enumerate(rule):
        branch = weighed(validator.descend(instance, below, schema_path=index))
        if branch.obeys:
            return
        if branch.obeys is None:
            unknown += branch.unknown
        errors += branch.errors
    if unknown:
        yield from unknown
    else:
        yield ValidationError("not valid under any of the given schemas", context=errors)


def _one_of(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    errors, unknown, fitting = [], [], 0
    for index, below in enumerate(rule):
        branch = weighed(validator.descend(instance, below, schema_path=index))
        fitting += branch.obeys is True
        if branch.obeys is None:
            unknown += branch.unknown
        errors += branch.errors
    if fitting > 1:
        yield ValidationError("valid under more than one of the given schemas")
    elif unknown:
        yield from unknown
    elif not fitting:
        yield ValidationError("not valid under any of the given schemas", context=errors)


def _not(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    found = weighed(validator.descend(instance, rule))
    if found.obeys:
        yield ValidationError("should not be valid under the given schema")
    elif found.obeys is None:
        yield from found.unknown


def _if(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    condition = weighed(validator.descend(instance, rule))
    if condition.obeys is None:
        yield from condition.unknown
        return
    branch = "then" if condition.obeys else "else"
    if branch in schema:
        yield from validator.descend(instance, schema[branch], schema_path=branch)


def _contains(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if not isinstance(instance, list):
        return
    # Counted since 2019-09, as `dependentRequired` is known since then.
    is_counted = "dependentRequired" in validator.VALIDATORS
    least = schema.get("minContains", 1) if is_counted else 1
    most = schema.get("maxContains", math.inf) if is_counted else math.inf
    sure, unknown = 0, 0
    for item in instance:
        holds = obeys(validator, item, rule)
        sure += holds is True
        unknown += holds is None
    if sure > most:
        words = f"too many items match the given schema (at most {most} may)"
        yield ValidationError(words, validator="maxContains", validator_value=most)
    elif sure + unknown < least:
        if sure:
            words = f"too few items match the given schema (at least {least} must, {sure} do)"
            yield ValidationError(words, validator="minContains", validator_value=least)
        else:
            yield ValidationError("no item matches the given schema")
    elif unknown and not least <= sure <= sure + unknown <= most:
        yield unchecked(f"{unknown} of its items could not be checked")


def _unevaluated_items(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        found = Evaluated(instance).look(validator, schema)
        yield from _left_over(validator, rule, dict(enumerate(instance)), found, "items")


def _unevaluated_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        found = Evaluated(instance).look(validator, schema)
        yield from _left_over(validator, rule, instance, found, "properties")


def _left_over(
    validator: Any, rule: Any, values: dict[Any, Any], seen: Evaluated, what: str
) -> Errors:
    wrong = []
    for place, value in values.items():
        if place in seen.sure:
            continue
        holds = obeys(validator, value, rule)
        if holds is None or (holds is False and place in seen.maybe):
            yield unchecked("it is not known which rules apply to it", [place])
        elif holds is False:
            wrong.append(place)
    if wrong:
        listed = some_named(wrong, 6, lambda one: quote(str(one), 40))
        why = "not allowed" if rule is False else "not valid"
        yield ValidationError(f"{what} that no other rule covers are {why}: {listed}")


def _multiple(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if validator.is_type(instance, "number"):
        value, step = _exact(instance), _exact(rule)
        if value is not None and step and (value / step).denominator != 1:
            yield ValidationError(f"{instance!r} is not a multiple of {rule}")


def _exact(number: float) -> Fraction | None:
    """The decimal number as it is written; None if it is none."""
    if isinstance(number, int):
        return Fraction(number)
    return Fraction(Decimal(repr(number))) if math.isfinite(number) else None


def _multiple_in_binary(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if validator.is_type(instance, "number"):
        try:
            quotient = float(instance) / float(rule)
        except (OverflowError, ZeroDivisionError):
            quotient = math.inf
        if not (quotient.is_integer() and abs(quotient) < _PARSED_WHOLE):
            yield ValidationError(f"{instance!r} is not a multiple of {rule} in binary fractions")


def _format(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    if fault := format_fault(rule, instance):
        yield ValidationError(fault)


def _not_asserted(validator: Any, rule: Any, instance: Any, schema: Any) -> Errors:
    return iter(())


_RULES: Final[dict[str, Rule]] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "contains": _contains,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
_EXACT: Final[dict[str, Rule]] = {
    "multipleOf": _multiple,
    "divisibleBy": _multiple,
    "format": _not_asserted,
}
_CLIENTS: Final[dict[str, Rule]] = {
    "multipleOf": _multiple_in_binary,
    "divisibleBy": _multiple_in_binary,
    "format": _format,
}


_DECIDING: Final = frozenset({"properties", "patternProperties", "prefixItems", "$id", "id"})
"""What other keywords of the schema depend on: without it, none of them can be used."""


def without(schema: JsonValue, faults: Iterable[tuple[tuple[str | int, ...], str]]) -> JsonValue:
    """The schema with each part that its metaschema rejects replaced by the reason."""
    made = schema
    for path, reason in faults:
        made = _without(made, path, Unusable(reason))
    return made


def _without(schema: Any, path: tuple[str | int, ...], reason: Unusable) -> Any:
    """Copy the containers that lead to the place; the rest is shared."""
    instead = {UNCHECKED: reason}
    if not path or not isinstance(schema, dict):
        return schema if isinstance(schema, bool) else instead
    keyword, *rest = path
    value = schema.get(keyword)
    if keyword in NAMED and rest and isinstance(value, dict):
        name, *below = rest
        if name in value:
            made = _without(value[name], tuple(below), reason)
            return {**schema, keyword: {**value, name: made}}
    if keyword in LISTED and rest and isinstance(value, list) and isinstance(rest[0], int):
        place = rest[0]
        made = _without(value[place], tuple(rest[1:]), reason)
        return {**schema, keyword: [*value[:place], made, *value[place + 1 :]]}
    if keyword in SINGLE and not (isinstance(value, list) and rest):
        return {**schema, keyword: _without(value, tuple(rest), reason)}
    if keyword in _DECIDING:
        return instead
    left = {key: one for key, one in schema.items() if key != keyword}
    return {**left, UNCHECKED: schema.get(UNCHECKED, reason)}
