"""What comes back when a resource is read.

Spec 2025-11-25 and 2026-07-28, server/resources, "Reading Resources": `resources/read` with the URI
answers with `contents`, each a text or a blob with a URI of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.json.parts import Flawed
from ...content.text import shortened
from ..findings import Finding, error, note, warning
from .content import Answer, BlobResourcePart, TextResourcePart, read_answer

_URI_SHOWN: Final = 200
_OTHERS_TOLD: Final = 5


def read_contents(result: JsonValue, uri: str) -> Answer | None:
    """The contents of a raw result as parts; None where it is not an object.

    `uri` is the one that was asked for. Contents of other URIs are findings: below it they may be
    what is in a folder.
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
        if isinstance(one, dict) and isinstance(one.get("text"), str) and "blob" in one
    ]


def _about_others(answer: Answer, uri: str) -> list[Finding]:
    found = []
    for index, part in enumerate(answer.parts):
        if not isinstance(part, TextResourcePart | BlobResourcePart) or part.uri == uri:
            continue
        shown = f"“{shortened(part.uri, _URI_SHOWN)}”"
        is_below = bool(uri) and part.uri.startswith(uri)
        words = f"came with the URI {shown}, " + (
            "which is below the one that was read" if is_below else "which was not asked for"
        )
        make = note if is_below else warning
        found.append(make("other-uri", words, f"$.contents[{index}].uri"))
    if len(found) > _OTHERS_TOLD:
        more = f"{len(found) - _OTHERS_TOLD:,} more came with other URIs"
        found[_OTHERS_TOLD:] = [warning("other-uri", more, "$.contents")]
    return found
