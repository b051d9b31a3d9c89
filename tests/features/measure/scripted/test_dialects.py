"""Dialects of models: what is read of a request, and that replies have the form of the API."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.running.judging import smallest
from signoff.app.features.measure.scripted.dialects import (
    EVENT_STREAM,
    Given,
    Offered,
    ScriptedCall,
    dialect_of,
)
from tests.tiers import examples

CALL = ScriptedCall("call_1", "probe_x", "", {"note": "word"})
OTHER = ScriptedCall("call_2", "probe_y", "group", {"note": "other"})
CHAT = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": [{"type": "text", "text": "please"}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "result"},
    ],
    "tools": [{"type": "function", "function": {"name": "probe_x", "parameters": {}}}],
}
RESPONSES = {
    "model": "m",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "please"}]},
        {"type": "function_call_output", "call_id": "call_1", "output": "result"},
    ],
    "tools": [
        {"type": "namespace", "name": "group", "tools": [{"name": "probe_x", "parameters": {}}]}
    ],
}
MESSAGES = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "please"},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "result"}],
        },
    ],
    "tools": [{"name": "probe_x", "input_schema": {}}],
}
GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "please"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "x", "response": "result"}}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "probe_x", "parameters": {}}]}],
}
CASES: dict[str, tuple[str, dict[str, Any], Offered]] = {
    "chat": ("/v1/chat/completions", CHAT, Offered("probe_x", "", {})),
    "responses": ("/v1/responses", RESPONSES, Offered("probe_x", "group", {})),
    "messages": ("/v1/messages", MESSAGES, Offered("probe_x", "", {})),
    "gemini": ("/v1beta/models/g:generateContent", GEMINI, Offered("probe_x", "", {})),
}


@pytest.mark.parametrize("name", CASES)
def test_a_request_has_its_tools_texts_and_answers(name: str) -> None:
    path, body, offered = CASES[name]
    dialect = dialect_of(path)
    assert dialect is not None
    request = dialect.read(path, body)
    assert request.offered == (offered,)
    assert request.text == "please"
    assert request.given == (Given("call_1", "result"),)
    assert not request.is_streamed


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("step", [(CALL,), (CALL, OTHER), "Done."])
@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_reply_has_the_call_or_the_text(name: str, step: Any, is_streamed: bool) -> None:
    path, body, _ = CASES[name]
    if is_streamed:
        path = path.replace(":generateContent", ":streamGenerateContent")
        body = {**body, "stream": True}
    dialect = dialect_of(path)
    assert dialect is not None
    reply = dialect.write(dialect.read(path, body), step)
    assert (reply.media_type == EVENT_STREAM) is is_streamed
    text = reply.body.decode()
    if is_streamed:
        data = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
        for one in data:
            assert one == "[DONE]" or isinstance(json.loads(one), dict)
    else:
        json.loads(text)
    if isinstance(step, str):
        assert step in text
        return
    for one in step:
        assert all(word in text for word in (one.name, one.call_id, one.arguments["note"]))


def test_calls_of_one_reply_are_numbered() -> None:
    """A host puts the parts of a stream together by their numbers."""
    replies = {}
    for name, (path, body, _) in CASES.items():
        dialect = dialect_of(path.replace(":generateContent", ":streamGenerateContent"))
        assert dialect is not None
        request = replace(dialect.read(path, body), is_streamed=True)
        text = dialect.write(request, (CALL, OTHER)).body.decode()
        lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
        replies[name] = [json.loads(line) for line in lines]
    (delta,) = [one["choices"][0]["delta"] for one in replies["chat"][:1]]
    assert [one["index"] for one in delta["tool_calls"]] == [0, 1]
    added = [one for one in replies["responses"] if one["type"] == "response.output_item.added"]
    assert [one["output_index"] for one in added] == [0, 1]
    assert len({one["item"]["id"] for one in added}) == 2
    numbers = [one["sequence_number"] for one in replies["responses"]]
    assert numbers == list(range(len(numbers)))
    starts = [one for one in replies["messages"] if one["type"] == "content_block_start"]
    assert [one["index"] for one in starts] == [0, 1]
    (candidate,) = replies["gemini"][0]["candidates"]
    assert [one["functionCall"]["name"] for one in candidate["content"]["parts"]] == [
        "probe_x",
        "probe_y",
    ]


def test_a_path_of_no_dialect_has_none_and_tokens_are_counted_for_both_apis() -> None:
    assert dialect_of("/v1/embeddings") is None
    assert dialect_of("/v1/chat/completions?api-version=1") is not None
    dialect = dialect_of("/v1beta/models/g:countTokens")
    assert dialect is not None
    reply = dialect.write(dialect.read("", {}), "Done.")
    assert json.loads(reply.body) == {"totalTokens": 10, "input_tokens": 10}


TITLED = {"type": "object", "properties": {"title": {"type": "string"}}}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"response_format": {"json_schema": {"schema": TITLED}}}),
        ("/v1/responses", {"text": {"format": {"type": "json_schema", "schema": TITLED}}}),
        ("/m/g:generateContent", {"generationConfig": {"responseJsonSchema": TITLED}}),
    ],
)
def test_the_wanted_schema_is_found_in_three_places(path: str, body: dict[str, Any]) -> None:
    dialect = dialect_of(path)
    assert dialect is not None
    assert dialect.read(path, body).wanted == TITLED


SMALLEST: dict[str, tuple[dict[str, Any], Any]] = {
    "title": ({"type": "STRING"}, ""),
    "score": ({"type": "number"}, 0),
    "sure": ({"type": "boolean"}, False),
    "kind": ({"enum": ["b", "a"]}, "b"),
    "parts": ({"type": ["array", "null"]}, []),
    "nothing": ({"type": "null"}, None),
}


def test_the_smallest_value_has_every_member() -> None:
    properties: Any = {name: schema for name, (schema, _) in SMALLEST.items()}
    wanted = {name: value for name, (_, value) in SMALLEST.items()}
    schema: Any = {"type": "OBJECT", "properties": properties}
    assert smallest(schema) == wanted


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "messages input tools role content contents parts type text".split()  # noqa: SIM905
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@examples(200)
@given(st.sampled_from(sorted(CASES)), st.dictionaries(st.text(max_size=10), JSON, max_size=5))
def test_no_body_breaks_a_dialect(name: str, body: dict[str, Any]) -> None:
    path = CASES[name][0]
    dialect = dialect_of(path)
    assert dialect is not None
    for one in (body, {**CASES[name][1], **body}):
        request = dialect.read(path, one)
        assert dialect.write(request, (CALL,)).body


@examples(100)
@given(JSON)
def test_no_schema_breaks_the_smallest_value(schema: Any) -> None:
    json.dumps(smallest(schema))
