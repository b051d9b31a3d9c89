"""What the specification allows, for the clients of `client_cases`: none may be blamed."""

from __future__ import annotations

from typing import Final

from tests.client_cases import CASES, PNG, Case, block, out, structured

_ICON: Final = {
    "src": "https://example.com/a.png",
    "mimeType": "image/png",
    "sizes": ["48x48"],
    "theme": "dark",
}
_ANNOTATIONS: Final = {
    "audience": ["user", "assistant"],
    "priority": 0.5,
    "lastModified": "2025-01-12T15:00:58Z",
}
VALID: Final[dict[str, Case]] = {
    "text-all": block(type="text", text="x", annotations=_ANNOTATIONS, _meta={"a/b": 1}),
    "image-all": block(
        type="image", data=PNG, mimeType="image/png", annotations=_ANNOTATIONS, _meta={"a/b": 1}
    ),
    "link-all": block(
        type="resource_link",
        uri="file:///a.txt",
        name="a",
        title="A",
        description="d",
        mimeType="text/plain",
        size=12,
        icons=[_ICON],
        annotations=_ANNOTATIONS,
        _meta={"a/b": 1},
    ),
    "resource-text": block(
        type="resource",
        resource={
            "uri": "file:///a.txt",
            "text": "x",
            "mimeType": "text/plain",
            "_meta": {"a/b": 1},
        },
        annotations=_ANNOTATIONS,
        _meta={"a/b": 1},
    ),
    "resource-blob": block(
        type="resource",
        resource={"uri": "file:///a.bin", "blob": "AAAA", "mimeType": "application/octet-stream"},
    ),
    "resource-empty-text": block(type="resource", resource={"uri": "file:///a.txt", "text": ""}),
    "resource-empty-blob": block(type="resource", resource={"uri": "file:///a.txt", "blob": ""}),
    "empty": {"answer": {"content": []}},
    "is-error": {"answer": {"content": [{"type": "text", "text": "x"}], "isError": True}},
    "meta": {"answer": {"content": [], "_meta": {"a/b": {"c": [1]}}}},
    "unknown-key": {"answer": {"content": [], "extra": 1}},
    "block-extra": block(type="text", text="x", extra=1),
    "structured-object": structured({"a": [1, None, {"b": True}]}),
    "structured-empty": structured({}),
    "tool-all": {
        "tool": {
            "title": "T",
            "description": "d",
            "icons": [_ICON],
            "annotations": {
                "title": "t",
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
            "_meta": {"a/b": 1},
            "execution": {"taskSupport": "optional"},
        }
    },
    "tool-extra": {"tool": {"extra": 1, "annotations": {"extra": 1}}},
    "task-forbidden": {"tool": {"execution": {"taskSupport": "forbidden"}}},
    "execution-empty": {"tool": {"execution": {}}},
    "name-128": {"tool": {"description": "x" * 5000}},
    "schema-2020": {
        "tool": {
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {"a": {"type": ["string", "null"], "description": "d"}},
                "required": ["a"],
                "additionalProperties": False,
                "$defs": {"x": {"type": "string"}},
            }
        }
    },
    "in-allof": {
        "tool": {
            "inputSchema": {
                "type": "object",
                "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}],
            }
        }
    },
    "in-prefix": {
        "tool": {
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": {"type": "array", "prefixItems": [{"type": "string"}], "items": False}
                },
            }
        }
    },
    "in-unevaluated": {"tool": {"inputSchema": {"type": "object", "unevaluatedProperties": False}}},
    "in-ext-ref": {
        "tool": {
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "https://example.com/x.json"}},
            }
        }
    },
    "in-bad-pattern": {
        "tool": {
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": "string", "pattern": "^\\p{Lu}"}},
            }
        }
    },
    "out-2020": out(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"x": {"type": "integer"}},
            "required": ["x"],
            "additionalProperties": False,
        }
    ),
    "out-draft7": out(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"x": {"type": "integer"}},
            "required": ["x"],
        }
    ),
    "out-defs": out(
        {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/n"}},
            "$defs": {"n": {"type": "integer"}},
        }
    ),
    "out-anchor": out(
        {
            "type": "object",
            "properties": {"x": {"$ref": "#n"}},
            "$defs": {"n": {"$anchor": "n", "type": "integer"}},
        }
    ),
    "out-id": out(
        {
            "$id": "https://example.com/a",
            "type": "object",
            "properties": {"x": {"$ref": "https://example.com/n"}},
            "$defs": {"n": {"$id": "https://example.com/n", "type": "integer"}},
        }
    ),
    "out-unevaluated": out(
        {
            "type": "object",
            "allOf": [{"properties": {"x": {"type": "integer"}}}],
            "unevaluatedProperties": False,
        }
    ),
    "out-dependent": out(
        {
            "type": "object",
            "dependentRequired": {"x": ["x"]},
            "dependentSchemas": {"x": {"type": "object"}},
        }
    ),
    "out-contains": out(
        {
            "type": "object",
            "properties": {
                "x": {"contains": {"type": "integer"}, "minContains": 1, "maxContains": 2}
            },
        },
        {"x": [1]},
    ),
    "out-ifthen": out(
        {"type": "object", "if": {"required": ["x"]}, "then": {"required": ["x"]}, "else": False}
    ),
    "out-const-null": out({"type": "object", "properties": {"x": {"const": None}}}, {"x": None}),
    "out-annotations": out(
        {
            "type": "object",
            "title": "t",
            "description": "d",
            "default": {},
            "examples": [{}],
            "deprecated": True,
            "readOnly": True,
            "writeOnly": False,
            "$comment": "c",
            "properties": {"x": {"contentEncoding": "base64", "contentMediaType": "text/plain"}},
        },
        {"x": "AAAA"},
    ),
    "out-x-key": out({"type": "object", "x-custom": 1, "properties": {"x": {"x-order": 2}}}),
    "out-format-unknown": out(
        {"type": "object", "properties": {"x": {"type": "string", "format": "my-format"}}},
        {"x": "a"},
    ),
    "out-format-int64": out(
        {"type": "object", "properties": {"x": {"type": "integer", "format": "int64"}}}, {"x": 1}
    ),
    "out-format-ok": out(
        {"type": "object", "properties": {"x": {"type": "string", "format": "date-time"}}},
        {"x": "2025-01-12T15:00:58Z"},
    ),
    "out-format-idn": out(
        {"type": "object", "properties": {"x": {"type": "string", "format": "idn-email"}}},
        {"x": "ä@example.com"},
    ),
    "out-format-duration": out(
        {"type": "object", "properties": {"x": {"type": "string", "format": "duration"}}},
        {"x": "P1D"},
    ),
    "out-nullable": out(
        {"type": "object", "properties": {"x": {"type": ["integer", "null"]}}}, {"x": None}
    ),
    "out-enum-mixed": out(
        {"type": "object", "properties": {"x": {"enum": [1, "a", None]}}}, {"x": None}
    ),
    "out-big": out({"type": "object", "properties": {"x": {"type": "integer"}}}, {"x": 2**60}),
    "out-float-int": out({"type": "object", "properties": {"x": {"type": "integer"}}}, {"x": 1.0}),
    "out-union-strict": out(
        {"type": "object", "properties": {"x": {"type": ["integer", "string"], "minimum": 0}}}
    ),
    "out-required-not-in-properties": out({"type": "object", "required": ["x"]}),
    "out-extra-prop": out({"type": "object", "properties": {"y": {"type": "integer"}}}),
    "out-vocab": out(
        {
            "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": True},
            "type": "object",
        }
    ),
    "greet-all": {
        "greeting": {
            "instructions": "i",
            "capabilities": {
                "tools": {"listChanged": True},
                "resources": {"subscribe": True, "listChanged": True},
                "prompts": {"listChanged": True},
                "logging": {},
                "completions": {},
                "experimental": {"a": {}},
                "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
                "extensions": {"io.x/y": {}},
            },
            "serverInfo": {
                "name": "a",
                "title": "A",
                "version": "1",
                "description": "d",
                "websiteUrl": "https://example.com",
                "icons": [_ICON],
            },
            "_meta": {"a/b": 1},
        }
    },
    "greet-unknown-cap": {"greeting": {"capabilities": {"tools": {}, "x-custom": {"a": 1}}}},
    "greet-2024": {"greeting": {"protocolVersion": "2024-11-05"}},
    "greet-2025-03": {"greeting": {"protocolVersion": "2025-03-26"}},
    "greet-2025-06": {"greeting": {"protocolVersion": "2025-06-18"}},
    "page-meta": {"page": {"_meta": {"a/b": 1}}},
    "result-type": {"answer": {"content": [], "resultType": "complete"}},
}
"""What the specification allows, and no client refuses."""
ALL: Final[dict[str, dict[str, Case]]] = {**CASES, "valid": VALID}
"""Every case by its row: those with a defect, and those without."""
