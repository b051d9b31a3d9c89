"""Defects of `tools/call` results that client libraries drop or reject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ...schemas.schema import SchemaAnswer, SchemaVerdict
from .defects import Defect, is_coerced

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue, Path

_BLOCKS_MAX: Final = 1_000
_STRICT: Final = re.compile(r"[A-Za-z0-9+/]*+={0,2}\Z")
_BLANK: Final = re.compile(r"[ \t\n\f\r]+")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_MODIFIED: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)\Z", re.ASCII
)
_DIGITS: Final = re.compile(r"\s*[+-]?\d+(\.0*)?\s*\Z", re.ASCII)


def defects_of_answer(result: JsonValue) -> list[Defect]:
    """List defects of a result, whatever the schema; the first place of each rule."""
    first: dict[str, Defect] = {}
    for one in _of_answer(result):
        first.setdefault(one.rule, one)
    return list(first.values())


def defects_by_schema(verdict: SchemaVerdict | None, is_error: bool) -> list[Defect]:
    """List defects of structuredContent under the output schema."""
    if verdict is None:
        return []
    if verdict.answer is SchemaAnswer.MISSING:
        return [Defect("structured-missing", ("structuredContent",))]
    if verdict.answer is SchemaAnswer.INVALID:
        path = ("structuredContent", *verdict.errors[0].path)
        return [Defect("error-breaks-schema" if is_error else "schema-mismatch", path)]
    first: dict[str, Defect] = {}
    for one in verdict.rejected_by_clients:
        rule = "binary-fractions" if one.keyword == "multipleOf" else "format-mismatch"
        if one.is_rejected_by_ajv and not is_error:
            first.setdefault(rule, Defect(rule, ("structuredContent", *one.path)))
    return list(first.values())


def _of_answer(result: JsonValue) -> Iterator[Defect]:
    if not isinstance(result, dict):
        yield Defect("malformed-content", ())
        return
    if "_meta" in result and not isinstance(result["_meta"], dict):
        yield Defect("null-meta" if result["_meta"] is None else "malformed-meta", ("_meta",))
    if "isError" in result and not isinstance(result["isError"], bool):
        rule = "coerced-is-error" if is_coerced(result["isError"]) else "malformed-is-error"
        yield Defect(rule, ("isError",))
    if "structuredContent" in result and not isinstance(result["structuredContent"], dict):
        is_null = result["structuredContent"] is None
        rule = "null-structured" if is_null else "structured-not-object"
        yield Defect(rule, ("structuredContent",))
    content = result.get("content")
    if "content" not in result:
        yield Defect("missing-content", ("content",))
    elif not isinstance(content, list):
        yield Defect("malformed-content", ("content",))
    else:
        for index, block in enumerate(content[:_BLOCKS_MAX]):
            yield from _of_block(block, ("content", index))


def _of_block(block: JsonValue, at: Path) -> Iterator[Defect]:
    if not isinstance(block, dict):
        yield Defect("malformed-content", at)
        return
    match block.get("type"):
        case "text":
            yield from _texts(block, at, "text")
        case "image" | "audio":
            if block["type"] == "audio":
                yield Defect("audio-content", (*at, "type"))
            yield from _texts(block, at, "data", "mimeType")
            yield from _base64(block.get("data"), (*at, "data"))
        case "resource_link":
            yield from _texts(block, at, "uri", "name")
            yield from _uri(block.get("uri"), (*at, "uri"))
            yield from _optional(block, at, "null-in-block", "mimeType", "description")
            yield from _optional(block, at, "null-beside-block", "title")
            yield from _size(block, at)
            if "icons" in block and block["icons"] is None:
                yield Defect("null-beside-block", (*at, "icons"))
        case "resource":
            yield from _of_resource(block.get("resource"), (*at, "resource"))
        case _:
            yield Defect("malformed-content", (*at, "type"))
    yield from _of_annotations(block, at)


def _of_resource(resource: JsonValue, at: Path) -> Iterator[Defect]:
    if not isinstance(resource, dict):
        yield Defect("malformed-content", at)
        return
    yield from _texts(resource, at, "uri")
    yield from _uri(resource.get("uri"), (*at, "uri"))
    yield from _optional(resource, at, "null-in-block", "mimeType")
    if not isinstance(resource.get("text"), str):
        yield from _texts(resource, at, "blob")
        yield from _base64(resource.get("blob"), (*at, "blob"))


def _of_annotations(block: dict[str, JsonValue], at: Path) -> Iterator[Defect]:
    for key in ("annotations", "_meta"):
        if key in block and not isinstance(block[key], dict):
            is_null = block[key] is None
            yield Defect("null-beside-block" if is_null else "malformed-annotations", (*at, key))
    if not isinstance(annotations := block.get("annotations"), dict):
        return
    place = (*at, "annotations")
    for key in ("audience", "priority", "lastModified"):
        if key in annotations and annotations[key] is None:
            yield Defect("null-beside-block", (*place, key))
    audience = annotations.get("audience")
    if audience is not None and not (
        isinstance(audience, list) and all(one in ("user", "assistant") for one in audience)
    ):
        yield Defect("malformed-annotations", (*place, "audience"))
    priority = annotations.get("priority")
    if priority is not None and not (isinstance(priority, int | float) and 0 <= priority <= 1):
        yield Defect("malformed-annotations", (*place, "priority"))
    modified = annotations.get("lastModified")
    if isinstance(modified, str) and not _MODIFIED.match(modified):
        yield Defect("last-modified", (*place, "lastModified"))


def _texts(holder: dict[str, JsonValue], at: Path, *keys: str) -> Iterator[Defect]:
    """Members that have to be texts."""
    for key in keys:
        if not isinstance(holder.get(key), str):
            yield Defect("malformed-content", (*at, key))


def _optional(holder: dict[str, JsonValue], at: Path, rule: str, *keys: str) -> Iterator[Defect]:
    """Members that have to be texts if they are there; the rule is for null."""
    for key in keys:
        if key in holder and not isinstance(holder[key], str):
            yield Defect(rule if holder[key] is None else "malformed-content", (*at, key))


def _uri(uri: JsonValue, at: Path) -> Iterator[Defect]:
    if isinstance(uri, str) and not _SCHEME.match(uri):
        yield Defect("uri-without-scheme", at)


def _size(block: dict[str, JsonValue], at: Path) -> Iterator[Defect]:
    size = block.get("size", 0)
    place = (*at, "size")
    if size is None:
        yield Defect("null-beside-block", place)
    elif isinstance(size, bool) or (isinstance(size, str) and _DIGITS.match(size[:40])):
        yield Defect("coerced-size", place)
    elif isinstance(size, float) and not size.is_integer():
        yield Defect("size-fraction", place)
    elif not isinstance(size, int | float):
        yield Defect("malformed-size", place)


def _base64(data: JsonValue, at: Path) -> Iterator[Defect]:
    if not isinstance(data, str) or (_STRICT.match(data) and len(data) % 4 == 0):
        return
    plain = _BLANK.sub("", data)
    # As `atob` of JavaScript has it: padding may be left out, but not written wrongly.
    body = plain.rstrip("=")
    is_padded = len(plain) % 4 == 0 and len(plain) - len(body) <= 2
    is_read = _STRICT.match(body) and (is_padded or plain == body) and len(body) % 4 != 1
    yield Defect("loose-base64" if is_read else "not-base64", at)
