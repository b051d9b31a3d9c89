"""What a person writes for the wire: read, refused with its place, never sent as something else."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.wire.composing import GIVEN, Miswritten, read_written, template
from tests.approved import approved

PROSE = approved("protocol")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_a_request_is_sent_as_written_with_an_id_of_signoff() -> None:
    written = read_written('{"id": 7, "method": "ping", "params": {"a": ["\\u202e", 1.0]}}')
    assert (written.is_request, written.is_call) == (True, False)
    PROSE.holds("composed: an id", written.id_words)
    assert written.message("signoff-raw-1") == {
        "jsonrpc": "2.0",
        "id": "signoff-raw-1",
        "method": "ping",
        "params": {"a": ["\u202e", 1.0]},
    }


def test_without_an_id_it_is_a_notification() -> None:
    written = read_written('{"jsonrpc": "2.0", "method": "notifications/x"}')
    assert not written.is_request
    assert written.message("x") == {"jsonrpc": "2.0", "method": "notifications/x"}


def test_the_text_to_begin_with_says_nothing_of_its_id() -> None:
    assert read_written(template()).id_words == ""
    meta = read_written(template(meta={"a/b": "2026-07-28"})).params
    assert meta == {"_meta": {"a/b": "2026-07-28"}}
    sent: dict[str, Any] = {"jsonrpc": "2.0", "id": 3, "method": "tools/call"}
    sent |= {"params": {"name": "t", "arguments": {"a": 1}, "_meta": {"x": 1}}}
    again = json.loads(template(sent))
    assert again["id"] == GIVEN
    assert again["params"] == {"name": "t", "arguments": {"a": 1}}
    assert read_written(template(sent)).is_call


@pytest.mark.parametrize(
    ("text", "words", "at"),
    [
        ('{"method": "ping",\n}', "line 2, column 1", 19),
        ("", "empty", 0),
        ("[1]", "a message must be an object", None),
        ('{"method": "a", "method": "b"}', "“method” is given twice", None),
        ('{"method": "a", "params": {"x": 1, "x": 2}}', "“x” is given twice", None),
        ('{"method": 1}', '"method" must be a string', None),
        ('{"jsonrpc": "1.0", "method": "a"}', '"jsonrpc" must be "2.0"', None),
        ('{"method": "a", "params": [1]}', '"params" must be an object', None),
        ('{"methd": "a"}', "“methd” is not a member of a message; did you mean method?", None),
        ('{"id": 1, "result": {}}', "responses cannot be sent from here", None),
        ('{"method": "a\u0000"}', "line 1", 13),
        ('{"method": "tools/call", "params": {"name": "t"}}', 'add an "id"', None),
        ('{"id": 1, "method": "tools/call"}', 'needs "name" in its params', None),
        ('{"id": 1, "method": "resources/read", "params": {"uri": 1}}', 'needs "uri"', None),
        (
            '{"id": 1, "method": "tools/call", "params": {"name": "t", "task": {}}}',
            "“task” cannot be sent with tools/call from here",
            None,
        ),
        (
            '{"id": 1, "method": "tools/call", "params": {"name": "t", "arguments": []}}',
            '"arguments" must be an object',
            None,
        ),
        (json.dumps({"method": "x" * 60_000}), "the limit is 50,000", None),
    ],
)
def test_what_is_wrong_is_said_and_where(text: str, words: str, at: int | None) -> None:
    with pytest.raises(Miswritten) as problem:
        read_written(text)
    assert words in str(problem.value)
    assert problem.value.at == at


@given(JSON)
def test_nothing_but_a_message_or_words_comes_of_any_json(value: object) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"v": value}}
    for one in (value, body):
        with contextlib.suppress(Miswritten):
            written = read_written(json.dumps(one))
            assert json.loads(json.dumps(written.message("i")))["method"] == written.method
