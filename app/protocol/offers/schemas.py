"""The schema of what an offer wants filled in, so that the form of a tool's arguments serves it."""

from __future__ import annotations

from ...content.json.jsonio import JsonValue
from .uri_templates import UriTemplate
from .values import Prompt

_IN_THE_PATH = ("", "+")
"""Operators whose variables leave a hole where they are missing."""


def schema_of_template(template: UriTemplate) -> JsonValue:
    """The variables of a template: strings, and lists of them where a `*` takes them apart."""
    needed = {
        variable.name
        for expression in template.expressions
        if expression.operator in _IN_THE_PATH
        for variable in expression.variables
    }
    properties: dict[str, JsonValue] = {}
    for one in template.variables:
        text: dict[str, JsonValue] = {"type": "string"}
        properties[one.name] = {"type": "array", "items": text} if one.is_exploded else text
    return _object(properties, [one.name for one in template.variables if one.name in needed])


def schema_of_prompt(prompt: Prompt) -> JsonValue:
    """The arguments of a prompt, each a string (spec, server/prompts, "Getting a Prompt")."""
    properties: dict[str, JsonValue] = {}
    for one in prompt.arguments:
        about: dict[str, JsonValue] = {"type": "string"}
        if one.title:
            about["title"] = one.title
        if one.description:
            about["description"] = one.description
        properties[one.name] = about
    return _object(properties, [one.name for one in prompt.arguments if one.is_required])


def _object(properties: dict[str, JsonValue], required: list[str]) -> JsonValue:
    needed: list[JsonValue] = list(required)
    return {
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }
