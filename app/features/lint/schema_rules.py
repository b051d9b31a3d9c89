"""Rules on input and output schemas: facts that a model needs to fill them, and a person to read
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from ...content.json.jsonio import JsonValue, pointer
from ...content.labels import some_named
from ...content.text import count, shortened
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from ...schemas.evaluator import has_type
from ...schemas.form.merging import MISSING, Schema, exact
from ...schemas.parameters import Parameter, alternatives, choices, parameters, parts, resolved
from .rule import (
    LintHit,
    LintRule,
    Subject,
    giving,
    is_described,
    of_each,
    sample,
    seen_already,
    taking,
    with_keys,
)

_INPUT_KEY: Final = "inputSchema"
_SHOWN: Final = 40
_NAMED: Final = 4
_COMPARED: Final = 30
"""Alternatives, and their properties, that are searched for a distinguishing property."""
_TYPING: Final = frozenset(
    (
        *("type", "enum", "const", "$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if"),
        *("properties", "items", "prefixItems", "pattern", "format", "minimum", "maximum"),
        *("minLength", "maxLength", "additionalProperties", "patternProperties"),
    )
)


def _unusable(subject: Subject) -> Iterator[LintHit]:
    for tool in subject.tools:
        for key, fault in zip(
            ("inputSchema", "outputSchema"), subject.faults.get(tool.index, ()), strict=False
        ):
            if fault:
                yield LintHit(tool, f"{key}: {fault}", f"$.{key}")


def _unreadable(subject: Subject) -> Iterator[LintHit]:
    for tool in subject.tools:
        for one in subject.patterns.get(tool.index, ()):
            yield LintHit(tool, one.message, one.path, one.severity)


def _untyped(tool: ToolDefinition) -> Iterator[LintHit]:
    found = [one for one in parameters(tool.input_schema, _INPUT_KEY) if not _has_type(one.schema)]
    if found:
        message = f"{_listed(found)}: no type, so any value may be sent"
        yield LintHit(tool, message, found[0].path)


def _has_type(schema: JsonValue) -> bool:
    return schema is False or (isinstance(schema, dict) and not _TYPING.isdisjoint(schema))


def _without_shape(tool: ToolDefinition) -> Iterator[LintHit]:
    root = tool.input_schema
    found = [one for one in parameters(root, _INPUT_KEY) if _has_no_shape(one.words)]
    if found:
        message = f"{_listed(found)}: an object or array with no schema for its contents"
        yield LintHit(tool, message, found[0].path)


def _has_no_shape(schema: Schema) -> bool:
    """True for a schema with members of which the model does not learn anything."""
    kinds = schema.get("type")
    listed = kinds if isinstance(kinds, list) else [kinds]
    if alternatives(schema) or choices(schema, schema) is not None:
        return False
    if "array" in listed:
        return schema.get("items", {}) in ({}, True) and "prefixItems" not in schema
    shaping = ("properties", "patternProperties", "propertyNames")
    is_said_free = "additionalProperties" in schema and is_described(schema, schema)
    more = schema.get("additionalProperties", True)
    return (
        "object" in listed
        and not is_said_free
        and not any(schema.get(key) for key in shaping)
        and (more is True or more == {})
    )


def _undescribed(tool: ToolDefinition) -> Iterator[LintHit]:
    root = tool.input_schema
    found = [
        one
        for one in parameters(root, _INPUT_KEY)
        if not is_described(one.schema, root) and not _is_one(one, root)
    ]
    if found:
        has = "has" if len(found) == 1 else "have"
        message = f"{_listed(found)} {has} no description"
        yield LintHit(tool, message, found[0].path)


def _is_one(one: Parameter, root: JsonValue) -> bool:
    """True if only one value is allowed, as in the property that distinguishes alternatives."""
    values = choices(one.schema, root)
    return values is not None and len(values) == 1


def _not_told_apart(tool: ToolDefinition) -> Iterator[LintHit]:
    root = tool.input_schema
    for part in parts(root, _INPUT_KEY):
        schema = part.schema if isinstance(part.schema, dict) else {}
        for word in ("oneOf", "anyOf"):
            branches = schema.get(word)
            if not isinstance(branches, list) or "discriminator" in schema:
                continue
            first = (resolved(branch, root) for branch in branches[:_COMPARED])
            objects = [one for one in first if isinstance(one, dict) and _properties(one)]
            if len(objects) > 1 and not _are_told_apart(objects, root):
                message = f"the {len(objects)} alternatives cannot be distinguished"
                yield LintHit(tool, message, pointer((*part.steps, word)))


def _properties(schema: JsonValue) -> dict[str, JsonValue]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _are_told_apart(objects: Sequence[JsonValue], root: JsonValue) -> bool:
    """True if a property has other values in each, or each wants a property the others lack."""
    for name in list(_properties(objects[0]))[:_COMPARED]:
        sets = [choices(resolved(_properties(one).get(name), root), root) for one in objects]
        values = [exact(value) for one in sets for value in one or ()]
        if None not in sets and len(set(values)) == len(values):
            return True
    return all(_differ(one, other) for one, other in combinations(objects, 2))


def _differ(one: JsonValue, other: JsonValue) -> bool:
    return bool(
        _required(one) - set(_properties(other)) or _required(other) - set(_properties(one))
    )


def _required(schema: JsonValue) -> set[str]:
    listed = schema.get("required") if isinstance(schema, dict) else None
    return {one for one in listed if isinstance(one, str)} if isinstance(listed, list) else set()


def _default_breaks(tool: ToolDefinition) -> Iterator[LintHit]:
    root = tool.input_schema
    for one in parameters(root, _INPUT_KEY):
        value = one.words.get("default", MISSING)
        if value is MISSING or alternatives(one.words):
            continue
        kinds = one.words.get("type")
        listed = kinds if isinstance(kinds, list) else [kinds] if isinstance(kinds, str) else []
        may_be = choices(one.words, root)
        if listed and not any(has_type(value, kind) for kind in listed):
            why = f"is not of type {shortened(' or '.join(map(str, listed)), _SHOWN)}"
        elif may_be is not None and exact(value) not in map(exact, may_be):
            why = "is not one of the allowed values"
        else:
            continue
        message = f"the default of {_named(one)}, {shortened(exact(value), _SHOWN)}, {why}"
        yield LintHit(tool, message, pointer((*one.steps, "default")))


def _listed(found: Sequence[Parameter]) -> str:
    return some_named(found, _NAMED, _named)


def _named(one: Parameter) -> str:
    return f"“{shortened(one.name, _SHOWN)}”"


_TEXT: Final = {"type": "string", "description": "Which row."}

INPUT_RULES: Final = (
    LintRule(
        "malformed-schema",
        Severity.WARNING,
        meaning_of("malformed-schema"),
        "The root of an input schema must have type object. A strict client drops the tool or the "
        "whole list.",
        'Begin with {"type": "object"}.',
        seen_already("malformed-schema"),
        (with_keys(sample("read_row"), inputSchema={"type": "string"}),),
        (sample("read_row"),),
    ),
    LintRule(
        "unusable-schema",
        Severity.ERROR,
        meaning_of("unusable-schema"),
        "It is invalid, of an unknown dialect, too large, or refers to something outside itself. "
        "Arguments and responses are not checked.",
        "Fix the named place; put referenced schemas into $defs.",
        _unusable,
        (taking({"key": {**_TEXT, "maxLength": "9"}}),),
        (taking({"key": {**_TEXT, "maxLength": 9}}),),
    ),
    LintRule(
        "keyword-of-other-dialect",
        Severity.ERROR,
        "a schema uses the form of OpenAPI 3.0 or an old draft of JSON Schema",
        "The keyword has no effect, or makes the schema invalid. Some clients reject the whole "
        "list of tools for it.",
        "Use the form in the message.",
        seen_already("keyword-of-other-dialect"),
        (taking({"key": {"type": "number", "minimum": 0, "exclusiveMinimum": True}}),),
        (taking({"key": {"type": "number", "exclusiveMinimum": 0}}),),
    ),
    LintRule(
        "invalid-pattern",
        Severity.ERROR,
        "a pattern is not a valid ECMA-262 regular expression",
        "Patterns of JSON Schema are JavaScript regular expressions with the u flag. This one "
        "cannot be used, and some clients reject the whole list of tools for it.",
        "Use (?<name>...) for (?P<name>...), and no backslash before ordinary characters.",
        _unreadable,
        (taking({"key": {**_TEXT, "pattern": "^(?P<year>[0-9]{4})$"}}),),
        (taking({"key": {**_TEXT, "pattern": "^(?<year>[0-9]{4})$"}}),),
    ),
    LintRule(
        "parameter-untyped",
        Severity.WARNING,
        "a parameter has no type",
        "A model may send any value. Clients cannot check it or show a field for it.",
        "Set its type, its values or its alternatives.",
        of_each(_untyped),
        (taking({"key": {"description": "Which row."}}),),
        (taking({"key": _TEXT}),),
    ),
    LintRule(
        "untyped-object",
        Severity.NOTE,
        "an object or array parameter has no schema for its contents",
        "A model invents the members. A person who approves cannot see which are missing.",
        "Add `properties`, or the schema of `items` or `additionalProperties`.",
        of_each(_without_shape),
        (taking({"filter": {"type": "object", "description": "What to look for."}}),),
        (taking({"filter": {"type": "object", "properties": {"key": _TEXT}}}),),
    ),
    LintRule(
        "parameter-undescribed",
        Severity.NOTE,
        "a parameter has no description",
        "Models and approvers have only its name.",
        "Add `description` to each: meaning, format, and default.",
        of_each(_undescribed),
        (taking({"key": {"type": "string"}}),),
        (taking({"key": _TEXT}),),
    ),
    LintRule(
        "ambiguous-union",
        Severity.WARNING,
        "alternatives that cannot be distinguished",
        "Models mix them, error messages cannot name the intended one, and a form has to guess.",
        "Give each a required property with a `const` of its own, such as `kind`.",
        of_each(_not_told_apart),
        (
            taking(
                {
                    "where": {
                        "description": "Which rows.",
                        "oneOf": [
                            {"type": "object", "properties": {"key": _TEXT}},
                            {"type": "object", "properties": {"key": _TEXT, "limit": _TEXT}},
                        ],
                    }
                }
            ),
        ),
        (
            taking(
                {
                    "where": {
                        "description": "Which rows.",
                        "oneOf": [
                            {
                                "type": "object",
                                "properties": {"kind": {"const": "one"}, "key": _TEXT},
                            },
                            {"type": "object", "properties": {"kind": {"const": "all"}}},
                        ],
                    }
                }
            ),
        ),
    ),
    LintRule(
        "default-breaks-schema",
        Severity.WARNING,
        "a default does not match its own schema",
        "A client that fills it in sends a value that the server may reject.",
        "Change the default or the type, or remove the default.",
        of_each(_default_breaks),
        (taking({"key": {**_TEXT, "default": None}}),),
        (taking({"key": {**_TEXT, "default": "a"}}),),
    ),
    LintRule(
        "required-unknown",
        Severity.WARNING,
        "a required parameter is not defined",
        "Its value is unknown, and without it every call is rejected.",
        "Add it to `properties`, or remove it from `required`.",
        seen_already("required-unknown"),
        (taking({"key": _TEXT}, required=["key", "table"]),),
        (taking({"key": _TEXT}, required=["key"]),),
    ),
)


_OUTPUT_KEY: Final = "outputSchema"
_SAYING: Final = frozenset(
    ("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "properties", "items")
)


def _missing(tool: ToolDefinition) -> Iterator[LintHit]:
    if tool.callable and not tool.has_output_schema:
        yield LintHit(tool, "no output schema, so responses cannot be checked", "$")


def _not_object(tool: ToolDefinition) -> Iterator[LintHit]:
    schema = tool.output_schema
    if isinstance(schema, dict) and schema.get("type") != "object":
        message = "is not of type object, which every revision before 2026-07-28 requires"
        yield LintHit(tool, message, "$.outputSchema.type")


def _loose(tool: ToolDefinition) -> Iterator[LintHit]:
    schema = resolved(tool.output_schema, tool.output_schema)
    if not isinstance(schema, dict) or alternatives(schema):
        return
    if schema.get("type", "object") != "object":
        return
    listed = schema.get("properties")
    if not isinstance(listed, dict) or not listed:
        if not isinstance(schema.get("additionalProperties"), dict):
            yield LintHit(tool, "any object matches: it has no properties", "$.outputSchema")
        return
    if not schema.get("required"):
        yield LintHit(tool, "the empty object matches: nothing is required", "$.outputSchema")
    vague = [
        one
        for one in parameters(schema, _OUTPUT_KEY)
        if one.schema is True or (isinstance(one.schema, dict) and _SAYING.isdisjoint(one.schema))
    ]
    if vague:
        named = ", ".join(f"“{shortened(one.name, _SHOWN)}”" for one in vague[:4])
        yield LintHit(tool, f"{named}: no type, so any value matches", vague[0].path)


def _broken(subject: Subject) -> Iterator[LintHit]:
    if not subject.broken:
        return
    for tool in subject.tools:
        if tool.has_output_schema and (seen := subject.broken.get(tool.digest)):
            message = (
                f"{count(seen.answers, 'response')} did not match it or had no structuredContent; "
                f"the last is {seen.last} in the audit log"
            )
            yield LintHit(tool, message, "$.outputSchema")


_ROW: Final = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}

OUTPUT_RULES: Final = (
    LintRule(
        "output-schema-missing",
        Severity.NOTE,
        "the output schema is missing",
        "The response is plain text: clients cannot check it or rely on its shape.",
        "If responses have a fixed shape, declare it in outputSchema and send structuredContent.",
        of_each(_missing),
        (sample("read_row"),),
        (giving(_ROW),),
    ),
    LintRule(
        "output-schema-not-object",
        Severity.WARNING,
        "the output schema is not of type object",
        "Up to 2025-11-25, structuredContent must be an object. Older clients drop the tool, and "
        "some the whole list.",
        'Wrap it: {"type": "object", "properties": {"result": ...}, "required": ["result"]}.',
        of_each(_not_object),
        (giving({"type": "array", "items": _ROW}),),
        (giving(_ROW),),
    ),
    LintRule(
        "output-schema-loose",
        Severity.NOTE,
        "the output schema accepts any value",
        "It rejects nothing, so a broken response passes every check.",
        "List the properties, their types, and the required ones.",
        of_each(_loose),
        (giving({"type": "object"}),),
        (giving(_ROW),),
    ),
    LintRule(
        "output-schema-broken",
        Severity.ERROR,
        "responses did not match the output schema",
        "Found in the log of --audit, in calls of exactly this definition. Clients drop such "
        "responses and report the tool as broken.",
        "Fix the tool, or make the schema match what it returns.",
        _broken,
    ),
)
