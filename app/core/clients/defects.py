"""What clients of the table cannot read, found in raw definitions, greetings and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from signoff.app.core.clients.table import client_table
from signoff.app.core.findings import Finding, error
from signoff.app.core.hints import HINT_KEYS
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.text import shortened

_NULLS: Final = ("title", "description", "annotations", "outputSchema", "_meta")
_MORE_NULLS: Final = ("icons", "execution")
_BLOCK_NULLS: Final = {
    "mimeType": "null-in-block",
    "description": "null-in-block",
    "size": "null-size",
}
_SCHEMAS_MAX: Final = 5_000
_DATA: Final = ("const", "enum", "default", "examples")
"""Keywords whose value is data: a `$ref` in it is none."""
_MODERN: Final = "2026-07-28"
"""Since then an output schema may be of any type."""
_SHOWN: Final = 40


def tool_findings(entry: dict[str, JsonValue], count: int, version: str = "") -> list[Finding]:
    """What costs a server its list of `count` tools in some clients, because of one entry."""
    all_of_it = "this tool" if count == 1 else f"all {count:,} tools"
    return [
        error("clients-lose-tools", f"{what}: {client_table().words(rule, all_of_it)}", path)
        for rule, what, path in _in_tool(entry)
        if rule != "output-not-object" or version != _MODERN
    ]


def page_findings(page: dict[str, JsonValue]) -> list[Finding]:
    """The same because of a page of the list."""
    if "nextCursor" not in page or page["nextCursor"] is not None:
        return []
    words = f"nextCursor is null, not left out: {client_table().words('null-cursor', 'all tools')}"
    return [error("clients-lose-tools", words, "$.nextCursor")]


def greeting_findings(result: dict[str, JsonValue]) -> list[Finding]:
    """What keeps some clients from connecting, in the result of `initialize`."""
    found = []
    for rule, what, path in _in_greeting(result):
        words = f"{what}: {client_table().words(rule)}"
        found.append(error("clients-cannot-connect", words, path))
    return found


def response_findings(message: dict[str, JsonValue]) -> list[Finding]:
    """What keeps some clients waiting until a time limit, in any response."""
    if "result" not in message or "error" not in message or message["error"] is not None:
        return []
    words = f"error is null beside a result, not left out: {client_table().words('null-error')}"
    return [error("clients-miss-response", words, "/error")]


def answer_findings(result: dict[str, JsonValue]) -> list[Finding]:
    """What makes some clients reject the result of a call, beside its blocks."""
    found = []
    if "isError" in result and result["isError"] is None:
        found.append(("null-is-error", "isError is null, not left out", "$.isError"))
    if "_meta" in result and result["_meta"] is None:
        found.append(("null-meta", "_meta is null, not left out", "$._meta"))
    return [_rejected(*one) for one in found]


def block_null_findings(block: dict[str, JsonValue], path: str) -> list[Finding]:
    """Null in a content block where a field should be left out."""
    return [
        _rejected(rule, f"{key} is null, not left out", f"{path}.{key}")
        for key, rule in _BLOCK_NULLS.items()
        if key in block and block[key] is None
    ]


def _rejected(rule: str, what: str, path: str) -> Finding:
    return error("clients-reject-answer", f"{what}: {client_table().words(rule)}", path)


def _in_tool(entry: dict[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    for keys, rule in ((_NULLS, "null-in-tool"), (_MORE_NULLS, "null-in-tool-extra")):
        for key in keys:
            if key in entry and entry[key] is None:
                yield rule, f"{key} is null, not left out", f"$.{key}"
    annotations = entry.get("annotations")
    if isinstance(annotations, dict):
        for key in ("title", *HINT_KEYS):
            if key in annotations and annotations[key] is None:
                yield "null-in-tool", f"{key} is null, not left out", f"$.annotations.{key}"
    schema = entry.get("inputSchema")
    if isinstance(schema, dict) and schema.get("type") != "object":
        yield "input-not-object", 'inputSchema has no type "object"', "$.inputSchema.type"
    output = entry.get("outputSchema")
    if not isinstance(output, dict):
        return
    if output.get("type") != "object":
        yield "output-not-object", 'outputSchema has no type "object"', "$.outputSchema.type"
    properties = output.get("properties")
    for name, one in properties.items() if isinstance(properties, dict) else ():
        if one is True:
            shown = shortened(name, _SHOWN)
            words = f"the property “{shown}” of outputSchema is true; write {{}} in its place"
            yield "output-true-property", words, "$.outputSchema.properties"
            break
    if (lost := _lost_ref(output)) is not None:
        words = f"outputSchema refers to {shortened(lost, _SHOWN)}, which it does not have"
        yield "output-lost-ref", words, "$.outputSchema"


def _lost_ref(schema: dict[str, JsonValue]) -> str | None:
    """The first `$ref` by JSON Pointer within the schema that leads nowhere."""
    stack: list[JsonValue] = [schema]
    for _ in range(_SCHEMAS_MAX):
        if not stack:
            return None
        one = stack.pop()
        if isinstance(one, list):
            stack += one
        elif isinstance(one, dict):
            ref = one.get("$ref")
            if isinstance(ref, str) and ref.startswith("#/") and not _leads(schema, ref):
                return ref
            stack += [item for key, item in one.items() if key not in _DATA]
    return None


def _leads(schema: JsonValue, ref: str) -> bool:
    from urllib.parse import unquote

    for step in unquote(ref[2:]).split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, dict) and name in schema:
            schema = schema[name]
        elif isinstance(schema, list) and name.isdecimal() and int(name) < len(schema):
            schema = schema[int(name)]
        else:
            return False
    return True


def _in_greeting(result: dict[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    capabilities = result.get("capabilities")
    for key, about in capabilities.items() if isinstance(capabilities, dict) else ():
        path = "/result/capabilities"
        if about is None:
            words = f"the capability {shortened(key, _SHOWN)} is null, not left out"
            yield "null-in-greeting", words, path
        elif not isinstance(about, dict):
            words = f"the capability {shortened(key, _SHOWN)} is not an object"
            yield "greeting-malformed", words, path
    if "instructions" in result and result["instructions"] is None:
        yield "null-in-greeting", "instructions is null, not left out", "/result/instructions"
    info = result.get("serverInfo")
    if isinstance(info, dict):
        if "title" in info and info["title"] is None:
            words = "the title in serverInfo is null, not left out"
            yield "null-in-greeting", words, "/result/serverInfo/title"
        if not isinstance(info.get("version"), str):
            yield "greeting-malformed", "serverInfo has no version", "/result/serverInfo/version"
