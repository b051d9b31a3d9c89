"""Reading a resource as a call: what is asked about, and what comes back.

Spec 2025-11-25 and 2026-07-28, server/resources, "Reading Resources": `resources/read` with the URI
answers with `contents`, each a text or a blob with a URI of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from signoff.app.core.answers.content import Answer, BlobResourcePart, TextResourcePart, read_answer
from signoff.app.core.findings import Finding, error, note, warning
from signoff.app.core.hints import Effect
from signoff.app.core.json_parts import Flawed
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.core.rpc import READ_METHOD
from signoff.app.core.text import cut, visible
from signoff.app.core.tools import ToolDefinition, read_tool

WHAT_IT_IS: Final = "reads a resource of this server"
NO_CLAIMS: Final = "nothing: no hints are given for reading a resource"
CAUTION: Final = "Reading should change nothing; nothing keeps a server from it."
NOT_FETCHED: Final = "the server is asked for it; Signoff itself fetches nothing"
NOTHING_SAID: Final = "nothing says what else a server does when it is read from"
ONLY_READS: Final = (
    "a read should change nothing, but no hint says so, and what is asked for can tell something"
)
_OF_HINTS: Final = ", so its hints are shown and not obeyed"
_URI_SHOWN: Final = 200
_OTHERS_TOLD: Final = 5


def reading(uri: str = "") -> ToolDefinition:
    """What stands for `resources/read` among the tools: Signoff's own, without any hint.

    A server may list a tool of that very name. Its raw entry has a name, and this one has none, so
    their digests differ, and with them everything that is approved, remembered and sent. `uri` is
    only for the title.
    """
    of_uri: JsonValue = {"type": "string"}
    schema: JsonValue = {
        "type": "object",
        "properties": {"uri": of_uri},
        "required": ["uri"],
        "additionalProperties": False,
    }
    entry = read_tool(0, {"name": READ_METHOD, "inputSchema": schema})
    return replace(
        entry,
        raw={"method": READ_METHOD},
        title=f"read {uri}".strip(),
        findings=(),
        method=READ_METHOD,
    )


def about_reading(verdict: Verdict, supposed: Verdict | None = None) -> Verdict:
    """A verdict on a read in words that fit: there is no definition that could say anything.

    `supposed` is what would be said of a tool that is read-only, given where the server is trusted:
    its read is asked about as such, and never strongly for want of a hint. It never runs for that:
    nothing claims that it changes nothing, and reading can give something away.
    """
    silence = Effect.UNDECLARED.meaning
    mild = (VerdictAnswer.ASK, VerdictAnswer.ALLOW)
    if verdict.answer is not VerdictAnswer.ASK or supposed is None or supposed.answer not in mild:
        reasons = [NOTHING_SAID if one == silence else one for one in verdict.reasons]
        # There are no hints that could be shown.
        return replace(verdict, reasons=tuple(one.removesuffix(_OF_HINTS) for one in reasons))
    is_asked = supposed.answer is VerdictAnswer.ASK
    # Why it would run is no reason to ask.
    rest = supposed.reasons if is_asked else supposed.reasons[1:]
    kept = [one.removesuffix(_OF_HINTS) for one in rest if one != Effect.READ_ONLY.meaning]
    return replace(
        supposed,
        answer=VerdictAnswer.ASK,
        strong=supposed.strong and is_asked,
        reasons=(*(kept if is_asked else ()), ONLY_READS, *(() if is_asked else kept)),
        reviews_result=verdict.reviews_result or supposed.reviews_result,
        depends=verdict.depends or supposed.depends,
        unjudged=verdict.unjudged,
    )


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
        short = cut(part.uri, _URI_SHOWN)
        shown = f"“{visible(short.text)}{'…' if short.is_cut else ''}”"
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
