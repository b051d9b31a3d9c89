"""Fields of content blocks, tools and icons that clients reject."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.answers.blocks import block_findings, surrogate_findings
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.tool_reading import read_tool

IMAGE: dict[str, Any] = {"type": "image", "data": "AAAA", "mimeType": "image/x-raw"}
RARE = ("image-not-for-models", "$.b.mimeType")
LINK: dict[str, Any] = {"type": "resource_link", "uri": "file:///a", "name": "a"}
TOOL: dict[str, Any] = {"name": "a", "inputSchema": {"type": "object"}}


def found(block: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in block_findings(block, "$.b")]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (IMAGE, [RARE]),
        (IMAGE | {"data": ""}, [("media-not-whole", "$.b.data")]),
        (IMAGE | {"data": "AAA"}, [RARE]),
        (IMAGE | {"data": "AA-_"}, [("malformed-block", "$.b.data")]),
        (IMAGE | {"data": "data:image/png;base64,AAAA"}, [("malformed-block", "$.b.data")]),
        (IMAGE | {"data": "https://example.com/a.png"}, [("malformed-block", "$.b.data")]),
        (IMAGE | {"data": "AAAA\nAAAA"}, [("malformed-block", "$.b.data")]),
        (IMAGE | {"mimeType": None}, [("malformed-block", "$.b.mimeType")]),
        ({"type": "audio", "data": "AAAA"}, [("malformed-block", "$.b.mimeType")]),
        (LINK, []),
        (LINK | {"size": 12}, []),
        (LINK | {"size": 12.0}, []),
        (LINK | {"size": "12 kB"}, [("malformed-block", "$.b.size")]),
        (LINK | {"size": True}, [("malformed-block", "$.b.size")]),
        (LINK | {"name": 5}, [("malformed-block", "$.b.name")]),
        (LINK | {"mime_type": "a/b"}, [("misspelt-key", "$.b")]),
        (LINK | {"mime_type": "a/b", "mimeType": "a/b"}, []),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "x"}}, []),
        (
            {"type": "resource", "resource": {"blob": "!"}},
            [("malformed-block", "$.b.resource.uri"), ("malformed-block", "$.b.resource.blob")],
        ),
    ],
)
def test_what_a_client_rejects(block: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert found(block) == expected


def test_a_block_that_is_unknown_is_reported_once() -> None:
    answer = read_answer({"content": [{"type": "resource_link"}, {"type": "image"}]})
    assert answer is not None
    assert [one.code for one in answer.findings] == ["unknown-content", "unknown-content"]


@given(st.binary(max_size=60))
def test_base64_is_never_reported(data: bytes) -> None:
    import base64

    codes = {code for code, _ in found(IMAGE | {"data": base64.b64encode(data).decode()})}
    assert "malformed-block" not in codes


@pytest.mark.slow
@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_text_that_utf8_can_carry_is_not_reported(value: Any) -> None:
    assert surrogate_findings(value, "$") == []
    assert [one.code for one in surrogate_findings([value, "a\ud83d"], "$")] == ["lone-surrogate"]
    assert surrogate_findings({"\udc00": value}, "$")


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ({}, []),
        ({"icons": [{"src": "https://a/b.png", "sizes": ["48x48"]}]}, []),
        ({"icons": {"src": "https://a/b.png"}}, ["malformed-icon"]),
        ({"icons": [{"sizes": ["48x48"]}]}, ["malformed-icon"]),
        ({"icons": [{"src": "https://a/b.png", "sizes": "48x48"}]}, ["malformed-icon"]),
        ({"icons": [{"src": "javascript:alert(1)"}]}, ["malformed-icon"]),
        ({"icons": [{"src": "b.png"}]}, ["malformed-icon"]),
        ({"_meta": []}, ["malformed-tool"]),
        ({"input_schema": {}}, []),
        ({"output_schema": {}}, ["misspelt-key"]),
        ({"description": "half \ud83d"}, ["hidden-characters", "lone-surrogate"]),
    ],
)
def test_what_is_odd_about_a_tool(more: dict[str, Any], codes: list[str]) -> None:
    assert [one.code for one in read_tool(0, TOOL | more).findings] == codes
