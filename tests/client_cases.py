"""What a server sends with one defect each, and what five client libraries made of it.

`measured_clients.json` has the measurements, made with
`signoff.app.features.compat.client_drivers`.
"""

from __future__ import annotations

from typing import Any, Final

Case = dict[str, Any]

_OBJECT: Final = {"type": "object"}
_TEXT: Final = {"type": "text", "text": "hello"}


def out(schema: Any, value: Any = None, **more: Any) -> Case:
    """A tool with an output schema, and an answer."""
    structured = {"x": 1} if value is None else value
    return {
        "tool": {"outputSchema": schema},
        "answer": {"content": [_TEXT], "structuredContent": structured, **more},
    }


def prop(schema: Any, value: Any) -> Case:
    """The same with one property."""
    return out({"type": "object", "properties": {"x": schema}}, {"x": value})


def block(**members: Any) -> Case:
    """An answer of one content block."""
    return {"answer": {"content": [members]}}


def structured(value: Any) -> Case:
    """An answer whose structuredContent has no output schema."""
    return {"answer": {"content": [_TEXT], "structuredContent": value}}


PNG: Final = "iVBORw0KGgo="
CASES: Final[dict[str, dict[str, Case]]] = {
    "null-member": {
        key: {"tool": {key: None}}
        for key in ("title", "description", "annotations", "outputSchema", "_meta")
    },
    "null-icons": {key: {"tool": {key: None}} for key in ("icons", "execution")},
    "null-hint": {key: {"tool": {"annotations": {key: None}}} for key in ("readOnlyHint", "title")},
    "null-cursor": {"nextCursor": {"page": {"nextCursor": None}}},
    "null-page-meta": {"_meta": {"page": {"_meta": None}}},
    "input-not-object": {
        "anyOf": {"tool": {"inputSchema": {"anyOf": [_OBJECT]}}},
        "empty": {"tool": {"inputSchema": {}}},
        "array": {"tool": {"inputSchema": {"type": "array"}}},
        "list": {"tool": {"inputSchema": {"type": ["object"]}}},
    },
    "input-missing": {
        "missing": {"without": ["inputSchema"]},
        "null": {"tool": {"inputSchema": None}},
        "string": {"tool": {"inputSchema": "object"}},
        "true": {"tool": {"inputSchema": True}},
    },
    "output-not-object": {
        "array": out({"type": "array"}, [1]),
        "string": out({"type": "string"}, "x"),
        "anyOf": out({"anyOf": [_OBJECT]}),
    },
    "input-property-true": {
        "true": {"tool": {"inputSchema": {"type": "object", "properties": {"x": True}}}}
    },
    "output-property-true": {
        "true": prop(True, 1),
        "false": prop(False, 1) | {"answer": {"content": [_TEXT], "structuredContent": {}}},
    },
    "output-ref-unresolvable": {
        "local": prop({"$ref": "#/$defs/none"}, 1),
        "remote": prop({"$ref": "https://example.com/none.json"}, 1),
    },
    "output-not-compiled": {
        "exclusiveMinimum": prop({"type": "number", "minimum": 0, "exclusiveMinimum": True}, 1),
        "type": prop({"type": "int"}, 1),
        "required": prop({"type": "number", "required": True}, 1),
        "enum": prop({"enum": []}, 1) | {"answer": {"content": [_TEXT], "structuredContent": {}}},
        "pattern": prop({"type": "string", "pattern": "("}, "x"),
    },
    "output-id-of-draft-4": {"id": prop({"id": "#x", "type": "number"}, 1)},
    "output-nullable": {"nullable": prop({"nullable": True}, 1)},
    "output-tuple-2020": {"items": prop({"items": [{}]}, [1])},
    "output-pattern-u": {"escape": prop({"type": "string", "pattern": "^[\\w\\-]+\\_$"}, "x_")},
    "output-pattern-not-python": {
        "class": prop({"type": "string", "pattern": "^\\p{Lu}"}, "Xx"),
        "group": prop({"type": "string", "pattern": "^(?<a>x)"}, "x"),
    },
    "unknown-dialect": {"x": out({"$schema": "https://example.com/dialect", "type": "object"})},
    "known-dialect": {
        one: out({"$schema": one, "type": "object"})
        for one in (
            "http://json-schema.org/draft-04/schema#",
            "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema",
        )
    },
    "input-dialect": {
        "x": {"tool": {"inputSchema": {"$schema": "https://example.com/d", "type": "object"}}}
    },
    "ref-in-unused-def": {"x": out({"type": "object", "$defs": {"a": {"$ref": "#/$defs/none"}}})},
    "structured-without-content": {"x": {"answer": {"structuredContent": {"x": 1}}}},
    "null-other": {
        "website": {"greeting": {"serverInfo": {"name": "a", "version": "1", "websiteUrl": None}}},
        "description": {
            "greeting": {"serverInfo": {"name": "a", "version": "1", "description": None}}
        },
        "unknown": {"greeting": {"capabilities": {"tools": {}, "other": None}}},
        "unknown-true": {"greeting": {"capabilities": {"tools": {}, "other": True}}},
        "tasks": {"greeting": {"capabilities": {"tools": {}, "tasks": None}}},
        "experimental-inner": {
            "greeting": {"capabilities": {"tools": {}, "experimental": {"x": None}}}
        },
        "hint-unknown": {"tool": {"annotations": {"other": None}}},
        "unknown-member": {"tool": {"other": None}},
        "listChanged-string": {"greeting": {"capabilities": {"tools": {"listChanged": "yes"}}}},
        "required-null": {"tool": {"inputSchema": {"type": "object", "required": None}}},
        "properties-null": {"tool": {"inputSchema": {"type": "object", "properties": None}}},
        "property-null": {"tool": {"inputSchema": {"type": "object", "properties": {"x": None}}}},
        "property-list": {"tool": {"inputSchema": {"type": "object", "properties": {"x": []}}}},
        "output-required-null": {"tool": {"outputSchema": {"type": "object", "required": None}}},
        "output-properties-list": {"tool": {"outputSchema": {"type": "object", "properties": []}}},
        "icon-null": {"tool": {"icons": [None]}},
        "icon-sizes-null": {"tool": {"icons": [{"src": "a", "sizes": None}]}},
        "task-null": {"tool": {"execution": {"taskSupport": None}}},
        "hint-number": {"tool": {"annotations": {"readOnlyHint": 1}}},
        "hint-text": {"tool": {"annotations": {"readOnlyHint": "maybe"}}},
        "hint-object": {"tool": {"annotations": {"readOnlyHint": {}}}},
        "structuredContent-null-with-schema": {
            "tool": {"outputSchema": {"type": "object"}},
            "answer": {"content": [_TEXT], "structuredContent": None},
        },
        "error-null-isError": {
            "tool": {"outputSchema": {"type": "object"}},
            "answer": {"content": [_TEXT], "isError": True},
        },
        "isError-one": {"answer": {"content": [_TEXT], "isError": 1}},
        "isError-text": {"answer": {"content": [_TEXT], "isError": "failed"}},
        "uri-backslash": block(type="resource", resource={"uri": "a\\b.txt", "text": "x"}),
        "uri-number": block(type="resource", resource={"uri": 1, "text": "x"}),
        "text-and-blob": block(type="resource", resource={"uri": "a:b", "text": "x", "blob": 1}),
        "mime-number": block(type="resource_link", uri="a:b", name="x", mimeType=1),
        "size-true": block(type="resource_link", uri="a:b", name="x", size=True),
        "size-digits": block(type="resource_link", uri="a:b", name="x", size="12"),
        "icons-of-link": block(type="resource_link", uri="a:b", name="x", icons=None),
        "meta-string": {"answer": {"content": [_TEXT], "_meta": "x"}},
        "lastModified-date": block(**_TEXT, annotations={"lastModified": "2025-01-01"}),
        "lastModified-local": block(**_TEXT, annotations={"lastModified": "2025-01-01T10:00:00"}),
        "lastModified-offset": block(
            **_TEXT, annotations={"lastModified": "2025-01-01T10:00:00+02:00"}
        ),
        "urlsafe": block(type="image", data="_-_-", mimeType="image/png"),
        "padding-short": block(type="image", data="AAAAA", mimeType="image/png"),
        "mime-empty": block(type="image", data=PNG, mimeType=""),
    },
    "input-one-of": {
        "oneOf": {"tool": {"inputSchema": {"type": "object", "oneOf": [{}]}}},
        "enum": {"tool": {"inputSchema": {"type": "object", "properties": {"x": {"enum": []}}}}},
    },
    "null-in-greeting": {
        "prompts": {"greeting": {"capabilities": {"tools": {}, "prompts": None}}},
        "instructions": {"greeting": {"instructions": None}},
        "title": {"greeting": {"serverInfo": {"name": "a", "version": "1", "title": None}}},
    },
    "null-greeting-meta": {"_meta": {"greeting": {"_meta": None}}},
    "greeting-malformed": {
        "version": {"greeting": {"serverInfo": {"name": "a"}}},
        "tools": {"greeting": {"capabilities": {"tools": True}}},
    },
    "null-error": {"error": {"beside": {"error": None}}},
    "error-breaks-schema": {
        "x": out({"type": "object", "properties": {"x": {"type": "string"}}}, isError=True)
    },
    "structured-missing": {
        "x": {"tool": {"outputSchema": _OBJECT}},
    },
    "schema-mismatch": {
        "type": prop({"type": "string"}, 1),
        "draft-7-tuple": out(
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {"x": {"items": [{"type": "string"}]}},
            },
            {"x": [1]},
        ),
    },
    "format": {
        name: prop({"type": "string", "format": name}, "no way")
        for name in ("date-time", "uuid", "uri", "email")
    },
    "binary-fractions": {"x": prop({"multipleOf": 0.01}, 0.07)},
    "structured-not-object": {"array": structured([1]), "string": structured("x")},
    "structured-null": {"null": structured(None)},
    "not-base64": {
        "image": block(type="image", data="not base64!", mimeType="image/png"),
        "audio": block(type="audio", data="data:audio/wav;base64,AAAA", mimeType="audio/wav"),
        "blob": block(type="resource", resource={"uri": "a:b", "blob": "_-_-"}),
    },
    "audio": {"audio": block(type="audio", data="AAAA", mimeType="audio/wav")},
    "allowed": {
        "dynamic-ref": prop(
            {"$dynamicRef": "#n", "$defs": {"n": {"$dynamicAnchor": "n", "type": "integer"}}}, 1
        ),
        "prefix-items": prop(
            {"type": "array", "prefixItems": [{"type": "string"}], "items": False}, ["a"]
        ),
        "prefix-items-alone": prop({"type": "array", "prefixItems": [{"type": "string"}]}, ["a"]),
    },
    "base64-unpadded": {
        "unpadded": block(type="image", data=PNG.rstrip("="), mimeType="image/png"),
        "empty": block(type="image", data="", mimeType="image/png"),
    },
    "block-malformed": {
        "mime": block(type="image", data=PNG),
        "uri": block(type="resource", resource={"text": "x"}),
        "body": block(type="resource", resource={"uri": "a:b"}),
        "link-name": block(type="resource_link", uri="a:b"),
        "link-uri": block(type="resource_link", name="x"),
        "number": block(type="text", text=1),
        "null": block(type="text", text=None),
        "no-type": block(text="x"),
        "Text": block(type="Text", text="x"),
        "content-null": {"answer": {"content": None}},
        "content-object": {"answer": {"content": _TEXT}},
        "content-string": {"answer": {"content": "hello"}},
    },
    "link-size": {"size": block(type="resource_link", uri="a:b", name="x", size="12 kB")},
    "uri-malformed": {
        "relative": block(type="resource", resource={"uri": "a.txt", "text": "x"}),
        "backslashes": block(type="resource", resource={"uri": "C:\\a\\b", "text": "x"}),
        "empty": block(type="resource_link", uri="", name="x"),
    },
    "is-error-null": {"x": {"answer": {"content": [_TEXT], "isError": None}}},
    "null-in-block": {
        "mimeType": block(type="resource_link", uri="a:b", name="x", mimeType=None),
        "description": block(type="resource_link", uri="a:b", name="x", description=None),
        "size": block(type="resource_link", uri="a:b", name="x", size=None),
    },
    "null-annotations-of-block": {
        "annotations": block(**_TEXT, annotations=None),
        "_meta": block(**_TEXT, _meta=None),
    },
    "null-meta": {"_meta": {"answer": {"content": [_TEXT], "_meta": None}}},
    "no-content": {"x": {"answer": {}}},
    "is-error-string": {"x": {"answer": {"content": [_TEXT], "isError": "no"}}},
    "wrong-type": {
        "title": {"tool": {"title": 1}},
        "description": {"tool": {"description": ["x"]}},
        "annotations": {"tool": {"annotations": []}},
        "hint": {"tool": {"annotations": {"readOnlyHint": "true"}}},
        "_meta": {"tool": {"_meta": []}},
        "required": {"tool": {"inputSchema": {"type": "object", "required": "x"}}},
        "properties": {"tool": {"inputSchema": {"type": "object", "properties": []}}},
    },
    "wrong-type-output": {
        "outputSchema": {"tool": {"outputSchema": "x"}},
        "true": {"tool": {"outputSchema": True}},
    },
    "wrong-icons": {
        "icons": {"tool": {"icons": {"src": "a:b"}}},
        "src": {"tool": {"icons": [{"mimeType": "image/png"}]}},
        "sizes": {"tool": {"icons": [{"src": "https://example.com/a.png", "sizes": "48x48"}]}},
        "mime": {"tool": {"icons": [{"src": "https://example.com/a.png", "mimeType": None}]}},
        "script": {"tool": {"icons": [{"src": "javascript:alert(1)"}]}},
        "theme": {"tool": {"icons": [{"src": "https://example.com/a.png", "theme": "blue"}]}},
        "execution": {"tool": {"execution": {"taskSupport": "maybe"}}},
    },
    "no-name": {"missing": {"without": ["name"]}, "number": {"tool": {"name": 1}}},
    "no-tools": {"null": {"page": {"tools": None}}, "number": {"page": {"nextCursor": 1}}},
    "entry": {"null": {"page": {"tools": [None]}}},
    "greeting-types": {
        "instructions": {"greeting": {"instructions": 1}},
        "icons": {"greeting": {"serverInfo": {"name": "a", "version": "1", "icons": None}}},
        "tools-null": {"greeting": {"capabilities": {"tools": None}}},
        "listChanged": {"greeting": {"capabilities": {"tools": {"listChanged": None}}}},
        "capabilities": {"greeting": {"capabilities": None}},
        "logging-true": {"greeting": {"capabilities": {"tools": {}, "logging": True}}},
        "version-number": {"greeting": {"serverInfo": {"name": "a", "version": 1}}},
        "experimental": {"greeting": {"capabilities": {"tools": {}, "experimental": {"x": True}}}},
        "completions-null": {"greeting": {"capabilities": {"tools": {}, "completions": None}}},
        "logging-null": {"greeting": {"capabilities": {"tools": {}, "logging": None}}},
        "experimental-null": {"greeting": {"capabilities": {"tools": {}, "experimental": None}}},
    },
    "block-other": {
        "annotations-array": block(**_TEXT, annotations=[]),
        "audience": block(**_TEXT, annotations={"audience": ["model"]}),
        "priority": block(**_TEXT, annotations={"priority": 5}),
        "priority-null": block(**_TEXT, annotations={"priority": None}),
        "meta-array": block(**_TEXT, _meta=[]),
        "image-mime-null": block(type="image", data=PNG, mimeType=None),
        "resource-mime-null": block(
            type="resource", resource={"uri": "a:b", "text": "x", "mimeType": None}
        ),
        "block-null": {"answer": {"content": [None]}},
        "size-fraction": block(type="resource_link", uri="a:b", name="x", size=1.5),
        "link-title-null": block(type="resource_link", uri="a:b", name="x", title=None),
        "data-newline": block(type="image", data="iVBO\nRw0K", mimeType="image/png"),
        "data-space": block(type="image", data="iVBO Rw0K", mimeType="image/png"),
        "lastModified": block(**_TEXT, annotations={"lastModified": "yesterday"}),
    },
}
