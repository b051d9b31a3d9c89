"""Rules on output schemas: missing, loose, or broken by answers that came."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.text import count, shortened
from ...protocol.findings import Severity
from ...protocol.tools import ToolDefinition
from .parameters import alternatives, parameters, resolved
from .rule import Rule, Spotted, Subject, of_each
from .sample import giving, sample

_KEY: Final = "outputSchema"
_SHOWN: Final = 40
_SAYING: Final = frozenset(
    ("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "properties", "items")
)


def _missing(tool: ToolDefinition) -> Iterator[Spotted]:
    if tool.callable and not tool.has_output_schema:
        yield Spotted(tool, "has no output schema: what comes back cannot be checked", "$")


def _not_object(tool: ToolDefinition) -> Iterator[Spotted]:
    schema = tool.output_schema
    if isinstance(schema, dict) and schema.get("type") != "object":
        message = "is not of type object, as every revision before 2026-07-28 wants it"
        yield Spotted(tool, message, "$.outputSchema.type")


def _loose(tool: ToolDefinition) -> Iterator[Spotted]:
    schema = resolved(tool.output_schema, tool.output_schema)
    if not isinstance(schema, dict) or alternatives(schema):
        return
    if schema.get("type", "object") != "object":
        return
    listed = schema.get("properties")
    if not isinstance(listed, dict) or not listed:
        if not isinstance(schema.get("additionalProperties"), dict):
            yield Spotted(tool, "any object keeps it: it has no properties", "$.outputSchema")
        return
    if not schema.get("required"):
        yield Spotted(tool, "the empty object keeps it: nothing is required", "$.outputSchema")
    vague = [
        one
        for one in parameters(schema, _KEY)
        if one.schema is True or (isinstance(one.schema, dict) and _SAYING.isdisjoint(one.schema))
    ]
    if vague:
        named = ", ".join(f"“{shortened(one.name, _SHOWN)}”" for one in vague[:4])
        yield Spotted(tool, f"{named}: no type, so anything keeps it", vague[0].path)


def _broken(subject: Subject) -> Iterator[Spotted]:
    if not subject.broken:
        return
    for tool in subject.tools:
        if tool.has_output_schema and (seen := subject.broken.get(tool.digest)):
            message = (
                f"{count(seen.answers, 'answer')} broke it or lacked structuredContent, by the "
                f"audit log, the last on {seen.last}"
            )
            yield Spotted(tool, message, "$.outputSchema")


_ROW: Final = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}

RULES: Final = (
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
