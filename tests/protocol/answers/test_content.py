from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.answers.content import (
    PART_LIMIT,
    Answer,
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    TextPart,
    TextResourcePart,
    UnknownPart,
    read_answer,
)
from tests.content.json_values import json_values, nested

KINDS = ("text", "image", "audio", "resource_link", "resource", "video")
BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(KINDS) | json_values(),
        "text": st.text(max_size=8) | json_values(),
        "data": json_values(),
        "mimeType": json_values(),
        "uri": json_values(),
        "resource": json_values(st.sampled_from(("uri", "text", "blob", "mimeType"))),
    },
)
RESULTS = (
    st.fixed_dictionaries(
        {},
        optional={
            "content": st.lists(BLOCKS | json_values(), max_size=5) | json_values(),
            "structuredContent": json_values(),
            "isError": st.booleans() | json_values(),
            "is_error": json_values(),
            "resultType": st.just("complete") | json_values(),
        },
    )
    | json_values()
)


def read(**result: Any) -> Answer:
    answer = read_answer(result)
    assert answer is not None
    return answer


def codes(answer: Answer) -> list[str]:
    return [finding.code for finding in answer.findings]


def test_every_kind_of_part() -> None:
    answer = read(
        content=[
            {"type": "text", "text": "hello"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "title": "A",
                "description": "d",
                "mimeType": "text/plain",
                "size": 3,
            },
            {"type": "resource", "resource": {"uri": "x:1", "mimeType": "m", "text": "t"}},
            {"type": "resource", "resource": {"uri": "x:2", "mimeType": "m", "blob": "b"}},
        ],
        isError=True,
    )
    assert answer.parts == (
        TextPart("hello"),
        ImagePart("aGk=", "image/png"),
        AudioPart("aGk=", "audio/wav"),
        LinkPart("file:///a", "a", "A", "d", "text/plain", 3),
        TextResourcePart("x:1", "m", "t"),
        BlobResourcePart("x:2", "m", "b"),
    )
    assert answer.is_error
    assert codes(answer) == ["media-type-differs", "media-type-differs"]


@given(RESULTS)
def test_nothing_raises_and_no_block_is_lost(result: Any) -> None:
    answer = read_answer(result)
    if not isinstance(result, dict):
        assert answer is None
        return
    assert answer is not None
    blocks = result.get("content", [])
    if isinstance(blocks, list):
        assert len(answer.parts) + answer.more_parts == len(blocks)
    assert answer.has_structured == ("structuredContent" in result)
    assert answer.is_error == (result.get("isError") is True)
    for finding in answer.findings:
        assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs") for char in finding.message)
        assert finding.path.startswith("$")


@given(st.lists(BLOCKS | json_values(), max_size=5))
def test_a_block_that_is_not_understood_is_kept_with_a_finding(blocks: list[Any]) -> None:
    answer = read(content=blocks)
    unknown = [part for part in answer.parts if isinstance(part, UnknownPart)]
    assert [part.raw for part in unknown] == [
        block
        for block, part in zip(blocks, answer.parts, strict=True)
        if isinstance(part, UnknownPart)
    ]
    assert codes(answer).count("unknown-content") == len(unknown)


BROKEN: list[Any] = [
    *(None, "text", {}, {"text": "no type"}, {"type": "text"}, {"type": "text", "text": 5}),
    *({"type": "image"}, {"type": "audio", "data": None}, {"type": "resource_link"}),
    *({"type": "resource"}, {"type": "resource", "resource": {"uri": "x:1"}}),
    *({"type": "video", "data": "x"}, {"type": ["text"], "text": "x"}),
]


@pytest.mark.parametrize("block", BROKEN)
def test_a_broken_block_does_not_hide_its_neighbours(block: Any) -> None:
    answer = read(content=[{"type": "text", "text": "before"}, block, {"type": "text", "text": ""}])
    assert answer.parts[0] == TextPart("before")
    assert isinstance(answer.parts[1], UnknownPart)
    assert answer.parts[2] == TextPart("")
    assert [finding.path for finding in answer.findings] == ["$.content[1]"]


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({}, "missing-content"),
        ({}, "empty-answer"),
        ({"content": []}, "empty-answer"),
        ({"content": None}, "malformed-content"),
        ({"content": {"type": "text", "text": "x"}}, "malformed-content"),
        ({"content": [], "isError": "true"}, "malformed-is-error"),
        ({"content": [], "is_error": True}, "misspelt-is-error"),
        ({"content": [], "resultType": "partial\x1b"}, "unknown-result-type"),
    ],
)
def test_what_bends_the_contract_is_a_finding(result: Any, code: str) -> None:
    assert code in codes(read(**result))


def test_parts_past_the_limit_are_counted() -> None:
    answer = read(content=[{"type": "text", "text": str(n)} for n in range(PART_LIMIT + 7)])
    assert len(answer.parts) == PART_LIMIT
    assert answer.more_parts == 7


@given(json_values())
def test_a_faithful_text_copy_is_recognised(structured: Any) -> None:
    if not isinstance(structured, dict | list):
        return
    answer = read(
        content=[{"type": "text", "text": json.dumps(structured)}], structuredContent=structured
    )
    assert answer.copies.state == "same"
    assert answer.findings == ()


def test_a_text_copy_that_differs_says_where() -> None:
    answer = read(
        content=[{"type": "text", "text": '{"a": {"b": [1, 2]}}'}],
        structuredContent={"a": {"b": [1, 3]}},
    )
    assert answer.copies.state == "differs"
    assert [(finding.code, finding.path) for finding in answer.findings] == [
        ("text-copy-differs", "$.a.b[1]")
    ]


def test_prose_and_unreadable_json_are_no_copies() -> None:
    for text in ("done", "{not json", "[" * 100_000, "42"):
        answer = read(content=[{"type": "text", "text": text}], structuredContent={"a": 1})
        assert answer.copies.state == "none"
        assert codes(answer) == []


def test_a_structured_null_counts_as_structured() -> None:
    answer = read(content=[], structuredContent=None)
    assert answer.has_structured
    assert answer.structured is None
    assert "empty-answer" not in codes(answer)


def test_depth_is_no_matter() -> None:
    deep = nested(50_000)
    answer = read(content=[deep], structuredContent=deep, resultType=deep, isError=deep)
    assert isinstance(answer.parts[0], UnknownPart)
