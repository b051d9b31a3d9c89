"""Idempotency keys: parameters by which a server recognises a call that it has had before."""

from __future__ import annotations

import re
import uuid

from ..protocol.tools import ToolDefinition

_NAMES = re.compile(
    r"(?:x-)?idempoten(?:cy|ce|t)(?:-(?:key|token|id|uuid))?"
    r"|(?:client-)(?:request-)?(?:key|token|id)"
    r"|dedup(?:e|lication)?-(?:key|token|id)"
    r"|request-(?:token|uuid)"
)
_WORDS = re.compile(r"\bidempotency (?:key|token|id)\b|\bidempotence key\b", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def key_parameter(tool: ToolDefinition) -> str | None:
    """The name of the parameter that is an idempotency key by its name or its description.

    Only a string qualifies; the first one in the order of the schema counts.
    """
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else {}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    for name, one in properties.items():
        if not isinstance(one, dict) or one.get("type", "string") != "string":
            continue
        if "enum" in one or "const" in one:
            continue
        said = one.get("description")
        plain = _CAMEL.sub("-", name).replace("_", "-").casefold()
        if _NAMES.fullmatch(plain) or (isinstance(said, str) and _WORDS.search(said[:2_000])):
            return name
    return None


def fresh_key() -> str:
    """A new random key (UUID version 4)."""
    return str(uuid.uuid4())
