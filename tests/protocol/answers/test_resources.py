"""The answer to `resources/read`, read as leniently as that of a call."""

from __future__ import annotations

import pytest

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer, about_reading
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.content import (
    BlobResourcePart,
    TextResourcePart,
    UnknownPart,
    read_contents,
)
from signoff.app.protocol.requests import SILENT, ResourceRead, ToolCall
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved

PROSE = approved("answers")

URI = "demo://a"


def codes(result: JsonValue) -> list[str]:
    answer = read_contents(result, URI)
    assert answer is not None
    return [finding.code for finding in answer.findings]


def test_texts_and_blobs_in_their_order() -> None:
    contents: JsonValue = [
        {"uri": URI, "mimeType": "text/plain", "text": "x"},
        {"uri": URI, "mimeType": "a/b", "blob": "AAE="},
    ]
    answer = read_contents({"contents": contents}, URI)
    assert answer is not None
    text, blob = answer.parts
    assert isinstance(text, TextResourcePart)
    assert (text.uri, text.mime, text.text) == (URI, "text/plain", "x")
    assert isinstance(blob, BlobResourcePart)
    assert (blob.uri, blob.mime, blob.blob) == (URI, "a/b", "AAE=")
    assert answer.findings == ()


@pytest.mark.parametrize("result", [None, [], "text", 5])
def test_what_is_no_object_is_no_answer(result: JsonValue) -> None:
    assert read_contents(result, URI) is None


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({}, ["missing-contents", "empty-answer"]),
        ({"contents": []}, ["empty-answer"]),
        ({"contents": "x"}, ["malformed-contents", "unknown-content"]),
        ({"contents": [{"uri": URI}]}, ["unknown-content"]),
        ({"contents": [{"uri": URI, "text": "a", "blob": "b"}]}, ["text-and-blob"]),
        ({"contents": [{"uri": "demo://b", "text": "a"}]}, ["other-uri"]),
        ({"contents": [{"text": "a"}]}, ["malformed-block", "other-uri"]),
        ({"contents": [], "resultType": "odd"}, ["unknown-result-type"]),
    ],
)
def test_what_breaks_its_shape_is_a_finding(result: JsonValue, expected: list[str]) -> None:
    assert codes(result) == expected


def test_a_part_that_breaks_its_shape_does_not_hide_the_others() -> None:
    answer = read_contents({"contents": [5, {"uri": URI, "text": "x"}]}, URI)
    assert answer is not None
    assert [type(part) for part in answer.parts] == [UnknownPart, TextResourcePart]
    assert answer.findings[0].path == "$.contents[0]"


def test_what_is_below_the_uri_is_noted_and_what_is_elsewhere_warned_of() -> None:
    contents: JsonValue = [
        {"uri": f"{URI}/inside", "text": ""},
        {"uri": "demo://\u202eelsewhere", "text": ""},
    ]
    answer = read_contents({"contents": contents}, URI)
    assert answer is not None
    below, other = answer.findings
    assert (below.severity.value, other.severity.value) == ("note", "warning")
    assert "<U+202E>" in other.message


def test_many_other_uris_are_counted() -> None:
    contents: JsonValue = [{"uri": f"x{number}", "text": ""} for number in range(50)]
    answer = read_contents({"contents": contents}, URI)
    assert answer is not None
    assert len(answer.findings) == 6
    assert answer.findings[-1].message == "45 more have other URIs"


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "resources/read"},
        {"name": "resources/read", "method": "resources/read"},
        {"method": "resources/read"},
        {"name": "resources/read", "inputSchema": SILENT.input_schema},
    ],
)
def test_no_entry_of_a_list_can_pass_for_it(entry: dict[str, JsonValue]) -> None:
    call, read = ToolCall(read_tool(0, entry)), ResourceRead(URI)
    one, other = (take_snapshot("server", each, {"uri": URI}) for each in (call, read))
    assert call.method != read.method
    assert one.digest != other.digest
    known = [(each.name, each.definition.digest) for each in (call, read)]
    assert known[0] != known[1]


def test_the_uri_in_the_title_changes_nothing_that_is_approved() -> None:
    assert ResourceRead("a").definition.digest == ResourceRead("b").definition.digest
    assert ResourceRead("demo://\u202ea").display_name == "read demo://<U+202E>a"


def test_a_verdict_speaks_of_reading() -> None:
    verdict = Verdict(VerdictAnswer.ASK, (SILENT.effect.meaning, "another reason"))
    first, second = about_reading(verdict).reasons
    PROSE.holds("verdict: about reading", first)
    assert second == "another reason"
