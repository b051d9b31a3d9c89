"""Rules on input and output schemas: facts that a model needs to fill them, and a person to read
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from ...content.json.jsonio import JsonValue, pointer
from ...content.text import count, shortened
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from ...schemas.evaluator import has_type
from ...schemas.form.subschemas import MISSING, Schema, exact
from .rule import (
    LintHit,
    Parameter,
    Rule,
    Subject,
    alternatives,
    choices,
    giving,
    is_described,
    of_each,
    parameters,
    parts,
    resolved,
    sample,
    seen_already,
    taking,
    with_keys,
)

_INPUT_KEY: Final = "inputSchema"
_SHOWN: Final = 40
_NAMED: Final = 4
_COMPARED: Final = 30
"""Alternatives, and their properties, that are looked at for what tells them apart."""
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
        message = f"{_listed(found)}: no type, so anything may be sent"
        yield LintHit(tool, message, found[0].path)


def _has_type(schema: JsonValue) -> bool:
    return schema is False or (isinstance(schema, dict) and not _TYPING.isdisjoint(schema))


def _without_shape(tool: ToolDefinition) -> Iterator[LintHit]:
    root = tool.input_schema
    found = [one for one in parameters(root, _INPUT_KEY) if _has_no_shape(one.words)]
    if found:
        message = f"{_listed(found)}: an object or array of nobody knows what"
        yield LintHit(tool, message, found[0].path)


def _has_no_shape(schema: Schema) -> bool:
    """True if a model is told that there are members, and nothing of them."""
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
    """True if only one value is allowed, as in a property that tells alternatives apart."""
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
            objects = [one for one in first if _is_object(one)]
            if len(objects) > 1 and not _are_told_apart(objects, root):
                message = f"nothing tells apart which of {len(objects)} alternatives is meant"
                yield LintHit(tool, message, pointer((*part.steps, word)))


def _is_object(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and bool(_properties(schema))


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
            why = "is none of the values that may be sent"
        else:
            continue
        message = f"the default of {_named(one)}, {shortened(exact(value), _SHOWN)}, {why}"
        yield LintHit(tool, message, pointer((*one.steps, "default")))


def _listed(found: Sequence[Parameter]) -> str:
    names = ", ".join(_named(one) for one in found[:_NAMED])
    more = len(found) - _NAMED
    return f"{names} and {more} more" if more > 0 else names


def _named(one: Parameter) -> str:
    return f"“{shortened(one.name, _SHOWN)}”"


_TEXT: Final = {"type": "string", "description": "Which row."}

INPUT_RULES: Final = (
    Rule(
        "malformed-schema",
        Severity.WARNING,
        "`inputSchema` or `outputSchema` is not what the protocol wants",
        "The root of an input schema is of type object. A strict client drops the tool, or the "
        "whole list with it.",
        'Begin with {"type": "object"}.',
        seen_already("malformed-schema"),
        (with_keys(sample("read_row"), inputSchema={"type": "string"}),),
        (sample("read_row"),),
    ),
    Rule(
        "unusable-schema",
        Severity.ERROR,
        "a schema cannot be used to check anything",
        "It is no valid JSON Schema, is of an unknown dialect, refers to something outside itself, "
        "or is too large to be judged: arguments and answers go unchecked.",
        "Mend what is named; put what is referred to into $defs.",
        _unusable,
        (taking({"key": {**_TEXT, "maxLength": "9"}}),),
        (taking({"key": {**_TEXT, "maxLength": 9}}),),
    ),
    Rule(
        "keyword-of-other-dialect",
        Severity.ERROR,
        "a schema is written as OpenAPI 3.0 or an old draft of JSON Schema has it",
        "The keyword means nothing, or makes the schema invalid. Some clients refuse the whole "
        "list of tools for it.",
        "Write what the message says.",
        seen_already("keyword-of-other-dialect"),
        (taking({"key": {"type": "number", "minimum": 0, "exclusiveMinimum": True}}),),
        (taking({"key": {"type": "number", "exclusiveMinimum": 0}}),),
    ),
    Rule(
        "invalid-pattern",
        Severity.ERROR,
        "a pattern is not a regular expression of ECMA-262",
        "JSON Schema has patterns as JavaScript has them, with the u flag. Values cannot be "
        "checked by this one, and some clients refuse the whole list of tools for it.",
        "Write (?<name>...) for (?P<name>...); no backslash before ordinary characters.",
        _unreadable,
        (taking({"key": {**_TEXT, "pattern": "^(?P<year>[0-9]{4})$"}}),),
        (taking({"key": {**_TEXT, "pattern": "^(?<year>[0-9]{4})$"}}),),
    ),
    Rule(
        "parameter-untyped",
        Severity.WARNING,
        "a parameter has no type",
        "A model sends what it likes, and no client can check it or make a field of it.",
        "Say its type, its values, or its alternatives.",
        of_each(_untyped),
        (taking({"key": {"description": "Which row."}}),),
        (taking({"key": _TEXT}),),
    ),
    Rule(
        "untyped-object",
        Severity.NOTE,
        "a parameter is an object or an array, and nothing is said of what is in it",
        "A model makes up the members; a person who is asked cannot tell which are missing.",
        "Say `properties`, or the schema of `items` or `additionalProperties`.",
        of_each(_without_shape),
        (taking({"filter": {"type": "object", "description": "What to look for."}}),),
        (taking({"filter": {"type": "object", "properties": {"key": _TEXT}}}),),
    ),
    Rule(
        "parameter-undescribed",
        Severity.NOTE,
        "a parameter has no description",
        "Its name is all that a model, and whoever is asked, has to go by.",
        "Add `description` to each: what it is, in which form, and what happens without it.",
        of_each(_undescribed),
        (taking({"key": {"type": "string"}}),),
        (taking({"key": _TEXT}),),
    ),
    Rule(
        "ambiguous-union",
        Severity.WARNING,
        "alternatives that nothing tells apart",
        "Models mix them, messages about mistakes cannot say which one was meant, and a form "
        "has to guess.",
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
    Rule(
        "default-breaks-schema",
        Severity.WARNING,
        "a default is not what its own schema allows",
        "A client that fills it in sends what the server may refuse.",
        "Change the default or the type; for nothing, leave the default out.",
        of_each(_default_breaks),
        (taking({"key": {**_TEXT, "default": None}}),),
        (taking({"key": {**_TEXT, "default": "a"}}),),
    ),
    Rule(
        "required-unknown",
        Severity.WARNING,
        "a parameter is required that is not described",
        "Nobody can know what to send, and without it every call is refused.",
        "Add it to `properties`, or take it out of `required`.",
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
        yield LintHit(tool, "has no output schema: what comes back cannot be checked", "$")


def _not_object(tool: ToolDefinition) -> Iterator[LintHit]:
    schema = tool.output_schema
    if isinstance(schema, dict) and schema.get("type") != "object":
        message = "is not of type object, as every revision before 2026-07-28 wants it"
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
            yield LintHit(tool, "any object keeps it: it has no properties", "$.outputSchema")
        return
    if not schema.get("required"):
        yield LintHit(tool, "the empty object keeps it: nothing is required", "$.outputSchema")
    vague = [
        one
        for one in parameters(schema, _OUTPUT_KEY)
        if one.schema is True or (isinstance(one.schema, dict) and _SAYING.isdisjoint(one.schema))
    ]
    if vague:
        named = ", ".join(f"“{shortened(one.name, _SHOWN)}”" for one in vague[:4])
        yield LintHit(tool, f"{named}: no type, so anything keeps it", vague[0].path)


def _broken(subject: Subject) -> Iterator[LintHit]:
    if not subject.broken:
        return
    for tool in subject.tools:
        if tool.has_output_schema and (seen := subject.broken.get(tool.digest)):
            message = (
                f"{count(seen.answers, 'answer')} broke it or lacked structuredContent, by the "
                f"audit log, the last on {seen.last}"
            )
            yield LintHit(tool, message, "$.outputSchema")


_ROW: Final = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}

OUTPUT_RULES: Final = (
    Rule(
        "output-schema-missing",
        Severity.NOTE,
        "there is no output schema",
        "What comes back is text: nobody can check it, and nothing can be built on it.",
        "Where answers have a shape, say it in outputSchema and send structuredContent.",
        of_each(_missing),
        (sample("read_row"),),
        (giving(_ROW),),
    ),
    Rule(
        "output-schema-not-object",
        Severity.WARNING,
        "the output schema is not of type object",
        "Until 2025-11-25 structuredContent is an object; clients of that time drop the tool, and "
        "some the whole list.",
        'Wrap it: {"type": "object", "properties": {"result": ...}, "required": ["result"]}.',
        of_each(_not_object),
        (giving({"type": "array", "items": _ROW}),),
        (giving(_ROW),),
    ),
    Rule(
        "output-schema-loose",
        Severity.NOTE,
        "the output schema lets anything through",
        "It promises a shape and forbids nothing, so a broken answer passes every check.",
        "Name the properties, their types, and which are required.",
        of_each(_loose),
        (giving({"type": "object"}),),
        (giving(_ROW),),
    ),
    Rule(
        "output-schema-broken",
        Severity.ERROR,
        "answers broke the output schema",
        "Seen in calls of exactly this definition that the audit log has (`signoff call`, the "
        "bench): clients drop such answers, and call the tool broken.",
        "Mend the tool, or say in the schema what it really sends.",
        _broken,
    ),
)
