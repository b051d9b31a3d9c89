"""The parts of a `tools/call` result, read leniently from the raw JSON, block by block.

Spec 2025-11-25 and 2026-07-28, server/tools, "Tool Result": text, image, audio, resource_link and
resource blocks, structuredContent, isError. A block that breaks its shape becomes an UnknownPart
with a finding; it never hides the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.findings import Finding, error, note, warning
from app.core.jsonio import JsonError, JsonValue, canonical, first_difference, parse, pointer, same
from app.core.text import cut, visible

PART_LIMIT = 100
COMPARED_LIMIT = 2_000_000
"""Characters up to which a text is compared with structuredContent."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """For whom a part is, how much it matters, and when it was changed (spec, "Annotations").

    What is malformed is left out here, and a finding. `last_modified` is raw.
    """

    audience: tuple[str, ...] = ()
    """Some of "user" and "assistant", in the server's order; empty: not said."""
    priority: float | None = None
    """From 0, optional, to 1, effectively required."""
    last_modified: str = ""

    @property
    def said(self) -> bool:
        return bool(self.audience or self.last_modified) or self.priority is not None


NOTHING_SAID = Annotations()


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str
    annotations: Annotations = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class ImagePart:
    data: str
    mime: str
    annotations: Annotations = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class AudioPart:
    data: str
    mime: str
    annotations: Annotations = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class TextResourcePart:
    uri: str
    mime: str
    text: str
    annotations: Annotations = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class BlobResourcePart:
    uri: str
    mime: str
    blob: str
    annotations: Annotations = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class LinkPart:
    uri: str
    name: str
    title: str
    description: str
    mime: str
    size: JsonValue
    annotations: Annotations = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class UnknownPart:
    raw: JsonValue
    reason: str


Part = (
    TextPart | ImagePart | AudioPart | TextResourcePart | BlobResourcePart | LinkPart | UnknownPart
)


TextCopy = Literal["none", "same", "differs"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, in parts. Strings are raw: whoever draws them sanitises them."""

    parts: tuple[Part, ...]
    has_structured: bool
    structured: JsonValue
    is_error: bool
    text_copy: TextCopy
    """How the text part that repeats structuredContent compares with it, if there is one."""
    findings: tuple[Finding, ...]
    more_parts: int = 0


def read_answer(result: JsonValue) -> Answer | None:
    """Parts of a raw result; None where it is not an object and so no result at all."""
    if not isinstance(result, dict):
        return None
    findings: list[Finding] = []
    blocks = result.get("content")
    if blocks is None and "content" not in result:
        findings.append(warning("missing-content", "the result has no content", "$.content"))
        blocks = []
    elif not isinstance(blocks, list):
        findings.append(error("malformed-content", "content is not an array", "$.content"))
        blocks = [blocks]
    parts = tuple(
        _part(block, f"$.content[{index}]", findings)
        for index, block in enumerate(blocks[:PART_LIMIT])
    )
    has_structured = "structuredContent" in result
    structured = result.get("structuredContent")
    is_error = result.get("isError")
    if is_error is not None and not isinstance(is_error, bool):
        findings.append(warning("malformed-is-error", "isError is not true or false", "$.isError"))
    if "is_error" in result:
        findings.append(
            warning("misspelt-is-error", "has the key is_error; the protocol's is isError", "$")
        )
    if not parts and not has_structured:
        findings.append(note("empty-answer", "the answer is empty", "$.content"))
    kind = result.get("resultType")
    if kind is not None and kind != "complete":
        shown = f"“{visible(cut(kind, 40).text)}”" if isinstance(kind, str) else "not a string"
        findings.append(error("unknown-result-type", f"resultType is {shown}", "$.resultType"))
    text_copy: TextCopy = "none"
    if has_structured:
        text_copy = _compare_text_copy(parts, structured, findings)
    return Answer(
        parts=parts,
        has_structured=has_structured,
        structured=structured,
        is_error=is_error is True,
        text_copy=text_copy,
        findings=tuple(findings),
        more_parts=max(0, len(blocks) - PART_LIMIT),
    )


def _part(block: JsonValue, path: str, findings: list[Finding]) -> Part:
    def unknown(reason: str) -> UnknownPart:
        findings.append(error("unknown-content", reason, path))
        return UnknownPart(block, reason)

    if not isinstance(block, dict):
        return unknown("a content block that is not an object")
    kind = block.get("type")
    match kind:
        case "text":
            text = block.get("text")
            if isinstance(text, str):
                return TextPart(text)
            return unknown("a text block without text")
        case "image" | "audio":
            data = block.get("data")
            if not isinstance(data, str):
                return unknown(f"an {kind} block without data")
            mime = _string(block, "mimeType")
            return ImagePart(data, mime) if kind == "image" else AudioPart(data, mime)
        case "resource_link":
            uri = block.get("uri")
            if not isinstance(uri, str):
                return unknown("a resource link without a URI")
            return LinkPart(
                uri,
                _string(block, "name"),
                _string(block, "title"),
                _string(block, "description"),
                _string(block, "mimeType"),
                block.get("size"),
            )
        case "resource":
            resource = block.get("resource")
            if not isinstance(resource, dict):
                return unknown("a resource block without a resource")
            uri, mime = _string(resource, "uri"), _string(resource, "mimeType")
            text, blob = resource.get("text"), resource.get("blob")
            if isinstance(text, str):
                return TextResourcePart(uri, mime, text)
            if isinstance(blob, str):
                return BlobResourcePart(uri, mime, blob)
            return unknown("an embedded resource with neither text nor blob")
        case str():
            return unknown(f"a content block of unknown type “{visible(cut(kind, 40).text)}”")
        case _:
            return unknown("a content block without a type")


def _compare_text_copy(
    parts: tuple[Part, ...], structured: JsonValue, findings: list[Finding]
) -> TextCopy:
    """Compare structuredContent with the text that should repeat it.

    Spec, server/tools, "Structured Content": a tool that returns structured content SHOULD also
    return the serialised JSON in a text block.
    """
    if _is_wrapped_scalar(parts, structured):
        return "same"
    copies = [value for part in parts if (value := _json_of(part)) is not None]
    if not copies:
        findings.append(
            note("no-text-copy", "no text part repeats structuredContent as JSON", "$.content")
        )
        return "none"
    if any(same(copy, structured) for copy in copies):
        return "same"
    difference = first_difference(copies[0], structured)
    where = pointer(difference) if difference is not None else "$"
    findings.append(
        warning(
            "text-copy-differs", f"the text copy of structuredContent differs at {where}", where
        )
    )
    return "differs"


def _is_wrapped_scalar(parts: tuple[Part, ...], structured: JsonValue) -> bool:
    """Whether the text is the bare value that common SDKs wrap as {"result": value}."""
    if not isinstance(structured, dict) or list(structured) != ["result"]:
        return False
    value = structured["result"]
    wanted = {value if isinstance(value, str) else canonical(value), str(value)}
    return any(isinstance(part, TextPart) and part.text in wanted for part in parts)


def _json_of(part: Part) -> JsonValue:
    """The object or array that a text part spells out, else None."""
    if not isinstance(part, TextPart) or part.text.lstrip()[:1] not in ("{", "["):
        return None
    if len(part.text) > COMPARED_LIMIT:
        return None
    try:
        return parse(part.text).value
    except JsonError:
        return None


def _string(block: dict[str, JsonValue], key: str) -> str:
    value = block.get(key)
    return value if isinstance(value, str) else ""
