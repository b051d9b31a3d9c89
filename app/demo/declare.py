"""Declares a demo tool, and makes results in the shapes that most of these tools need.

A declaration is a title, hints and, if the tool has one, an output schema. Name, description and
input schema come from the method itself, so each tool reads as one piece.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp.server.mcpserver.tools import Tool
from mcp.types import (
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)

_SPEC = "_demo_tool"
SECTION_KEY = "signoff/section"
"""The key of `_meta` for a tool's section of the list."""
_F = TypeVar("_F", bound=Callable[..., Any])

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Spec:
    title: str
    annotations: ToolAnnotations | None
    output_schema: Json | None
    input_schema: Json | None
    meta: Json


def hints(
    *,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
) -> ToolAnnotations:
    """Annotations with exactly the hints that are given; None leaves a hint unsaid."""
    return ToolAnnotations(
        read_only_hint=read_only,
        destructive_hint=destructive,
        idempotent_hint=idempotent,
        open_world_hint=open_world,
    )


def tool(
    title: str,
    annotations: ToolAnnotations | None,
    *,
    output_schema: Json | None = None,
    input_schema: Json | None = None,
    meta: Json | None = None,
) -> Callable[[_F], _F]:
    """Mark a method as a tool; its docstring is the description that clients see.

    `input_schema` is published in place of the one that the method's parameters add up to; `meta`
    is further `_meta`.
    """

    def mark(method: _F) -> _F:
        setattr(method, _SPEC, _Spec(title, annotations, output_schema, input_schema, meta or {}))
        return method

    return mark


def collect(section: str, groups: Iterable[object]) -> list[Tool]:
    """The marked methods of each group as SDK tools of a section, in the order of the source."""
    return [
        _build(getattr(group, name), spec, section)
        for group in groups
        for name, member in vars(type(group)).items()
        if (spec := getattr(member, _SPEC, None)) is not None
    ]


def object_schema(properties: Json, *, required: Iterable[str] | None = None) -> Json:
    """A closed JSON Schema object; every property is required unless `required` names fewer."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def _build(method: Callable[..., Any], spec: _Spec, section: str) -> Tool:
    built = Tool.from_function(
        method,
        title=spec.title,
        description=" ".join(inspect.cleandoc(method.__doc__ or "").split()),
        annotations=spec.annotations,
        meta={SECTION_KEY: section, **spec.meta},
        structured_output=False,
    )
    built.parameters = spec.input_schema or inlined(built.parameters)
    # A schema without a model is published but not enforced by the SDK: the promise stays
    # the tool's own to keep, or to break on request.
    built.fn_metadata.output_schema = spec.output_schema
    return built


def inlined(schema: Json) -> Json:
    """A schema of pydantic's as a person would have written it.

    Local definitions are put in their place, and generated titles of fields ("Stepseconds") left
    out: fields have names. The titles of a union's alternatives stay, since nothing else names
    those. A field that may be None may be left out; null cannot be sent.
    """
    definitions: Json = schema.get("$defs", {})

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        if isinstance(ref := node.get("$ref"), str):
            own = {key: value for key, value in node.items() if key != "$ref"}
            return walk({**definitions[ref.removeprefix("#/$defs/")], **own})
        return {
            key: {name: field_of(field) for name, field in value.items()}
            if key == "properties"
            else walk(value)
            for key, value in node.items()
            if key not in ("$defs", "discriminator")
        }

    def field_of(field: Any) -> Json:
        walked = {key: value for key, value in walk(field).items() if key != "title"}
        match walked:
            case {"anyOf": [dict() as wanted, {"type": "null"}], "default": None}:
                rest = {k: v for k, v in walked.items() if k not in ("anyOf", "default")}
                return {**wanted, **rest}
        return walked

    return {key: value for key, value in walk(schema).items() if key != "title"}


def text(value: str) -> TextContent:
    """One text block."""
    return TextContent(type="text", text=value)


def plain(value: str) -> CallToolResult:
    """A result of one text block."""
    return CallToolResult(content=[text(value)])


def blocks(*content: ContentBlock) -> CallToolResult:
    """A result of several blocks, in this order."""
    return CallToolResult(content=list(content))


def structured(value: dict[str, Any]) -> CallToolResult:
    """Structured content with its serialised copy as text.

    Spec 2025-11-25, server/tools: a tool that returns structured content SHOULD also return the
    serialised JSON in a text block.
    """
    copy = text(json.dumps(value, indent=2, ensure_ascii=False))
    return CallToolResult(content=[copy], structured_content=value)


def failed(reason: str) -> CallToolResult:
    """An error that the tool reports itself (`isError`), written for the model to read."""
    return CallToolResult(content=[text(reason)], is_error=True)


def embedded(uri: str, mime_type: str, content: str) -> EmbeddedResource:
    """A text as an embedded resource."""
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return EmbeddedResource(type="resource", resource=contents)
