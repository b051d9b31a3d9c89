"""The parts of a `tools/call` result, read leniently from the raw JSON, block by block.

Spec 2025-11-25 and 2026-07-28, server/tools, "Tool Result": text, image, audio, resource_link and
resource blocks, structuredContent, isError. A block that breaks its shape becomes an UnknownPart
with a finding; it never hides the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...content.json.jsonio import JsonValue
from ...content.json.parts import Flawed
from ...content.text import cut, visible
from ..findings import Finding, error, note, warning
from .annotations import NOTHING_SAID as NOTHING_SAID
from .annotations import Annotations as Annotations
from .annotations import read_annotations
from .block_checks import (
    block_findings,
    misspelt_findings,
    surrogate_findings,
)
from .copies import Copies, compare_copies

PART_LIMIT = 100
UNKNOWN_RESULT_TYPE = "unknown-result-type"


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
    annotations: Annotations = NOTHING_SAID


Part = (
    TextPart | ImagePart | AudioPart | TextResourcePart | BlobResourcePart | LinkPart | UnknownPart
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, in parts. Strings are raw: whoever draws them sanitises them."""

    parts: tuple[Part, ...]
    has_structured: bool
    structured: JsonValue
    is_error: bool
    copies: Copies
    """How the text part that repeats structuredContent compares with it, if there is one."""
    findings: tuple[Finding, ...]
    more_parts: int = 0
    structured_flaw: str = ""
    """Why structuredContent could not be read, where it is there and could not."""
    roles: tuple[str, ...] = ()
    """Who says each part, safe to show, where they are the messages of a prompt."""

    def role(self, index: int) -> str:
        """Who says a part; empty where nobody is said to."""
        return self.roles[index] if index < len(self.roles) else ""

    @property
    def is_of_unknown_kind(self) -> bool:
        """Whether its resultType is none that Signoff knows, so that nothing is due in it."""
        return any(finding.code == UNKNOWN_RESULT_TYPE for finding in self.findings)


def read_answer(result: JsonValue) -> Answer | None:
    """Parts of a raw result; None where it is not an object and so no result at all."""
    if not isinstance(result, dict):
        return None
    findings: list[Finding] = []
    is_odd = result.get("resultType", "complete") not in (None, "complete")
    blocks = result.get("content")
    if blocks is None and "content" not in result:
        if not is_odd:
            findings.append(warning("missing-content", "the result has no content", "$.content"))
        blocks = []
    elif not isinstance(blocks, list):
        findings.append(error("malformed-content", "content is not an array", "$.content"))
        blocks = [blocks]
    parts = tuple(
        _checked_part(block, f"$.content[{index}]", findings)
        for index, block in enumerate(blocks[:PART_LIMIT])
    )
    findings += misspelt_findings(result, "$")
    has_structured = "structuredContent" in result
    structured = result.get("structuredContent")
    is_error = result.get("isError")
    if is_error is not None and not isinstance(is_error, bool):
        findings.append(warning("malformed-is-error", "isError is not true or false", "$.isError"))
    if "is_error" in result:
        findings.append(
            warning("misspelt-is-error", "has the key is_error; the protocol's is isError", "$")
        )
    if not parts and not has_structured and not is_odd:
        findings.append(note("empty-answer", "the answer is empty", "$.content"))
    if is_odd:
        kind = result["resultType"]
        shown = f"“{visible(cut(kind, 40).text)}”" if isinstance(kind, str) else "not a string"
        words = f"resultType is {shown}, a kind of result that Signoff does not know"
        findings.append(error(UNKNOWN_RESULT_TYPE, words, "$.resultType"))
    copies = Copies()
    structured_flaw = ""
    if isinstance(structured, Flawed) and not structured.is_whole:
        structured_flaw = f"it cannot be read: {structured.flaw}"
        words = f"structuredContent cannot be read: {structured.flaw}"
        findings.append(error("unreadable-content", words, "$.structuredContent"))
    elif has_structured:
        if isinstance(structured, Flawed):
            findings.append(error("duplicate-key", structured.flaw, "$.structuredContent"))
            structured = dict(structured)
        copies = compare_copies(
            (part.text for part in parts if isinstance(part, TextPart)), structured
        )
        findings += copies.findings
        findings += surrogate_findings(structured, "$.structuredContent")
    return Answer(
        parts=parts,
        has_structured=has_structured,
        structured=structured,
        is_error=is_error is True,
        copies=copies,
        findings=tuple(findings),
        more_parts=max(0, len(blocks) - PART_LIMIT),
        structured_flaw=structured_flaw,
    )


def _checked_part(block: JsonValue, path: str, findings: list[Finding]) -> Part:
    part = _part(block, path, findings)
    if isinstance(block, dict) and not isinstance(part, UnknownPart):
        findings += block_findings(block, path)
    return part


def _part(block: JsonValue, path: str, findings: list[Finding]) -> Part:
    said = NOTHING_SAID

    def unknown(reason: str) -> UnknownPart:
        findings.append(error("unknown-content", reason, path))
        return UnknownPart(block, reason, said)

    if isinstance(block, Flawed):
        if not block.is_whole:
            reason = f"a content block that cannot be read: {block.flaw}"
            findings.append(error("unreadable-content", reason, path))
            return UnknownPart(dict(block), reason, said)
        findings.append(error("duplicate-key", block.flaw, path))
        block = dict(block)
    if not isinstance(block, dict):
        return unknown("a content block that is not an object")
    said = read_annotations(block, path, findings)
    kind = block.get("type")
    match kind:
        case "text":
            text = block.get("text")
            if isinstance(text, str):
                return TextPart(text, said)
            return unknown("a text block without text")
        case "image" | "audio":
            data = block.get("data")
            if not isinstance(data, str):
                return unknown(f"an {kind} block without data")
            mime = _string(block, "mimeType")
            if kind == "image":
                return ImagePart(data, mime, said)
            return AudioPart(data, mime, said)
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
                said,
            )
        case "resource":
            resource = block.get("resource")
            if not isinstance(resource, dict):
                return unknown("a resource block without a resource")
            uri, mime = _string(resource, "uri"), _string(resource, "mimeType")
            text, blob = resource.get("text"), resource.get("blob")
            if isinstance(text, str):
                return TextResourcePart(uri, mime, text, said)
            if isinstance(blob, str):
                return BlobResourcePart(uri, mime, blob, said)
            return unknown("an embedded resource with neither text nor blob")
        case str():
            return unknown(f"a content block of unknown type “{visible(cut(kind, 40).text)}”")
        case _:
            return unknown("a content block without a type")


def _string(block: dict[str, JsonValue], key: str) -> str:
    value = block.get(key)
    return value if isinstance(value, str) else ""
