"""Parts of results, read leniently from the raw JSON of calls, prompts and reads.

Spec 2025-11-25 and 2026-07-28, server/tools, "Tool Result": text, image, audio, resource_link and
resource blocks, structuredContent, isError. A block that breaks its shape becomes an UnknownPart
with a finding; it never hides the others.

Spec 2025-11-25 and 2026-07-28, server/prompts, "Getting a Prompt": `messages` with a role, user or
assistant, and one content block each.

Spec 2025-11-25 and 2026-07-28, server/resources, "Reading Resources": `resources/read` with the URI
answers with `contents`, each a text or a blob with a URI of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.json.parts import Flawed
from ...content.text import cut, shortened, visible
from ..findings.findings import Finding, error, note, warning
from .blocks import NOTHING_SAID as NOTHING_SAID
from .blocks import ROLES, block_findings, misspelt_findings, read_annotations, surrogate_findings
from .blocks import Annotations as Annotations
from .copies import Copies, compare_copies

PART_LIMIT = 100
UNKNOWN_RESULT_TYPE = "unknown-result-type"


@frozen
class TextPart:
    text: str
    annotations: Annotations = NOTHING_SAID


@frozen
class ImagePart:
    data: str
    mime: str
    annotations: Annotations = NOTHING_SAID


@frozen
class AudioPart:
    data: str
    mime: str
    annotations: Annotations = NOTHING_SAID


@frozen
class TextResourcePart:
    uri: str
    mime: str
    text: str
    annotations: Annotations = NOTHING_SAID


@frozen
class BlobResourcePart:
    uri: str
    mime: str
    blob: str
    annotations: Annotations = NOTHING_SAID


@frozen
class LinkPart:
    uri: str
    name: str
    title: str
    description: str
    mime: str
    size: JsonValue
    annotations: Annotations = NOTHING_SAID


@frozen
class UnknownPart:
    raw: JsonValue
    reason: str
    annotations: Annotations = NOTHING_SAID


Part = (
    TextPart | ImagePart | AudioPart | TextResourcePart | BlobResourcePart | LinkPart | UnknownPart
)


@frozen
class Answer:
    """A result, in parts. Strings are raw: the code that draws them sanitises them."""

    parts: tuple[Part, ...]
    has_structured: bool
    structured: JsonValue
    is_error: bool
    copies: Copies
    """How the text part that repeats structuredContent compares with it, if there is one."""
    findings: tuple[Finding, ...]
    more_parts: int = 0
    structured_flaw: str = ""
    """Why the structuredContent of the result cannot be validated; empty if it can, or is missing.
    """
    roles: tuple[str, ...] = ()
    """The role of each part, safe to show; only for the messages of a prompt."""

    def role(self, index: int) -> str:
        """Role of a part's message; empty if it has none."""
        return self.roles[index] if index < len(self.roles) else ""

    @property
    def is_of_unknown_kind(self) -> bool:
        """True if its resultType is none that Signoff knows, so that nothing is due in it."""
        return any(finding.code == UNKNOWN_RESULT_TYPE for finding in self.findings)


def read_answer(result: JsonValue) -> Answer | None:
    """Parts of a raw result; None if it is not an object and so no result at all."""
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
        findings.append(note("empty-answer", "the response is empty", "$.content"))
    if is_odd:
        kind = result["resultType"]
        shown = f"“{visible(cut(kind, 40).text)}”" if isinstance(kind, str) else "not a string"
        words = f"resultType is {shown}, an unknown kind of result"
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
            structured_flaw = "it has names twice, and readers take it for different values"
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
        reason = "a content block with a name twice, which readers take for different contents"
        return UnknownPart(dict(block), reason, said)
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


NO_ROLE = "no role"
_ROLE_SHOWN = 40


def read_messages(result: JsonValue) -> Answer | None:
    """The messages of a raw result, one part each; None if it is not an object."""
    if not isinstance(result, dict):
        return None
    messages = result.get("messages")
    findings: list[Finding] = []
    if "messages" not in result:
        if result.get("resultType", "complete") in (None, "complete"):
            findings.append(error("missing-messages", "the result has no messages", "$.messages"))
        messages = []
    elif not isinstance(messages, list):
        findings.append(error("malformed-messages", "messages is not an array", "$.messages"))
        messages = [messages]
    assert isinstance(messages, list)
    blocks = [one.get("content") if isinstance(one, dict) else one for one in messages]
    as_call: dict[str, JsonValue] = {"content": blocks}
    if "resultType" in result:
        as_call["resultType"] = result["resultType"]
    answer = read_answer(as_call)
    assert answer is not None
    findings += [_in_messages(one) for one in answer.findings]
    roles = [_role(one, at, findings) for at, one in enumerate(messages[:PART_LIMIT])]
    return replace(answer, findings=tuple(findings), roles=tuple(roles))


def _role(message: JsonValue, at: int, findings: list[Finding]) -> str:
    """Safe to show."""
    role = message.get("role") if isinstance(message, dict) else None
    if isinstance(role, str) and role in ROLES:
        return role
    path = f"$.messages[{at}].role"
    if not isinstance(role, str):
        findings.append(warning("malformed-role", "a message has no role", path))
        return NO_ROLE
    shown = shortened(role, _ROLE_SHOWN)
    words = f"the role is “{shown}”, not user or assistant"
    findings.append(warning("malformed-role", words, path))
    return f"“{shown}”"


def _in_messages(finding: Finding) -> Finding:
    if not finding.path.startswith("$.content["):
        return replace(finding, path="$.messages") if finding.path == "$.content" else finding
    index, bracket, rest = finding.path.removeprefix("$.content").partition("]")
    return replace(finding, path=f"$.messages{index}{bracket}.content{rest}")


_URI_SHOWN: Final = 200
_OTHERS_TOLD: Final = 5


def read_contents(result: JsonValue, uri: str) -> Answer | None:
    """Read the contents of a raw result as parts; None if it is not an object.

    `uri` is the requested one. Contents of other URIs are findings: those below it may be the
    content of a folder.
    """
    if not isinstance(result, dict):
        return None
    contents = result.get("contents")
    findings: list[Finding] = []
    if "contents" not in result:
        if result.get("resultType", "complete") in (None, "complete"):
            findings.append(error("missing-contents", "the result has no contents", "$.contents"))
        contents = []
    elif not isinstance(contents, list):
        findings.append(error("malformed-contents", "contents is not an array", "$.contents"))
        contents = [contents]
    assert isinstance(contents, list)
    blocks: list[JsonValue] = [_as_block(one) for one in contents]
    as_call: dict[str, JsonValue] = {"content": blocks}
    if "resultType" in result:
        as_call["resultType"] = result["resultType"]
    answer = read_answer(as_call)
    assert answer is not None
    findings += [_in_contents(one) for one in answer.findings]
    findings += _about_both(contents)
    findings += _about_others(answer, uri)
    return replace(answer, findings=tuple(findings))


def _as_block(one: JsonValue) -> JsonValue:
    block: dict[str, JsonValue] = {"type": "resource", "resource": one}
    if not isinstance(one, Flawed):
        return block
    return Flawed(block | {"resource": dict(one)}, one.flaw, is_whole=one.is_whole)


def _in_contents(finding: Finding) -> Finding:
    if not finding.path.startswith("$.content["):
        return finding
    index, bracket, rest = finding.path.removeprefix("$.content").partition("]")
    return replace(finding, path=f"$.contents{index}{bracket}{rest.removeprefix('.resource')}")


def _about_both(contents: list[JsonValue]) -> list[Finding]:
    return [
        warning("text-and-blob", "has text and a blob; the text is shown", f"$.contents[{index}]")
        for index, one in enumerate(contents[:_OTHERS_TOLD])
        if isinstance(one, dict)
        and isinstance(one.get("text"), str)
        and one.get("blob") is not None
    ]


def _about_others(answer: Answer, uri: str) -> list[Finding]:
    found = []
    for index, part in enumerate(answer.parts):
        if not isinstance(part, TextResourcePart | BlobResourcePart) or part.uri == uri:
            continue
        shown = f"“{shortened(part.uri, _URI_SHOWN)}”"
        is_below = bool(uri) and part.uri.startswith(uri)
        words = f"came with the URI {shown}, " + (
            "which is below the one that was read" if is_below else "which was not requested"
        )
        make = note if is_below else warning
        found.append(make("other-uri", words, f"$.contents[{index}].uri"))
    if len(found) > _OTHERS_TOLD:
        more = f"{len(found) - _OTHERS_TOLD:,} more have other URIs"
        found[_OTHERS_TOLD:] = [warning("other-uri", more, "$.contents")]
    return found
