"""What belongs together on the wire, what a filter wants, and what may be shown of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonError
from signoff.app.protocol.wire.export import read_filter, wire_page
from signoff.app.protocol.wire.frames import BEGAN, CLIENT, SERVER, HttpPart, WireLog
from signoff.app.protocol.wire.rows import Showing, WireBook, frames_of_call, row_of

TOKEN = "ghp" + "_" + "a1B2" * 9


def message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def asked(identity: Any, method: str = "tools/call", **params: Any) -> bytes:
    return message(id=identity, method=method, params=params)


def book_of(log: WireLog) -> WireBook:
    book = WireBook(log)
    while book.is_behind:
        book.update(3)
    return book


def partners(book: WireBook) -> dict[int, int]:
    found = {frame.number: book.partner(frame) for frame in book.frames}
    return {number: other.number for number, other in found.items() if other is not None}


def test_requests_and_answers_of_both_sides_are_linked_by_type_and_value() -> None:
    log = WireLog()
    log.add(CLIENT, asked(1), 4)
    log.add(CLIENT, asked("1"), 5)
    log.add(SERVER, asked(1, "roots/list"))
    log.add(CLIENT, message(id=1, result={}))
    log.add(SERVER, message(id="1", result={}))
    log.add(SERVER, message(method="notifications/progress", params={"progressToken": 1}))
    log.add(SERVER, message(id=1, error={"code": 1, "message": "x"}))
    log.add(SERVER, message(id=1, result={}))
    log.add(SERVER, message(id=9, result={}))
    book = book_of(log)
    assert partners(book) == {1: 7, 7: 1, 2: 5, 5: 2, 3: 4, 4: 3, 6: 1, 8: 1}
    calls = {frame.number: book.call_of(frame) for frame in book.frames}
    assert calls == {1: 4, 2: 5, 3: 0, 4: 0, 5: 5, 6: 4, 7: 4, 8: 4, 9: 0}
    assert [book.method_of(frame) for frame in book.frames][3:5] == ["roots/list", "tools/call"]
    assert book.latency(book.frames[0]) == book.latency(book.frames[6])
    assert book.latency(book.frames[5]) is None


def test_the_messages_of_a_batch_and_of_a_mixed_line_are_found_by_their_ids() -> None:
    log = WireLog()
    log.add(CLIENT, asked(1), 4)
    log.add(CLIENT, asked(2), 5)
    log.add(CLIENT, asked(3), 6)
    batch = b"[" + message(id=2, result={}) + b"," + message(id=1, result={}) + b"]"
    log.add(SERVER, batch)
    log.add(SERVER, b"INFO " + message(id=3, result={}))
    book = book_of(log)
    assert partners(book) == {1: 4, 2: 4, 3: 5, 4: 2, 5: 3}
    assert book.call_of(book.frames[4]) == 6
    assert book.frames[3].raw == batch
    found = {call: [f.number for f, _ in frames_of_call(book.frames, call)] for call in (4, 5, 6)}
    assert found == {4: [1, 4], 5: [2, 4], 6: [3, 5]}


def test_an_answer_belongs_to_no_request_of_the_connection_before() -> None:
    log = WireLog()
    log.add(CLIENT, asked(1))
    log.note(f"{BEGAN}: started again")
    log.add(SERVER, message(id=1, result={}))
    assert partners(book_of(log)) == {}


def test_an_answer_that_says_is_error_has_a_word_for_it() -> None:
    log = WireLog()
    log.add(SERVER, message(id=1, result={"isError": True}))
    log.add(SERVER, message(id=1, result={}))
    book = book_of(log)
    rows = [row_of(frame, book, Showing(book)) for frame in book.frames]
    assert [row.kind for row in rows] == ["isError", "response"]


def test_a_status_is_about_its_request() -> None:
    log = WireLog()
    log.add(CLIENT, asked(1), 2, HttpPart("POST /mcp", (), 1))
    log.add(SERVER, b"", 0, HttpPart("404 Not Found", (), 1, 404))
    book = book_of(log)
    assert partners(book) == {2: 1}
    assert book.call_of(book.frames[1]) == 2


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 8))
def test_what_fell_out_of_the_ring_is_forgotten(ids: list[int], most: int) -> None:
    log = WireLog(frames=12)
    book = WireBook(log)
    for identity in ids:
        log.add(CLIENT if identity % 2 else SERVER, asked(identity))
        log.add(SERVER if identity % 2 else CLIENT, message(id=identity, result={}))
        book.update(most)
    while book.is_behind:
        book.update(most)
    assert [one.number for one in book.frames] == [one.number for one in log.since(0)]
    for frame in book.frames:
        other = book.partner(frame)
        assert other is None or abs(other.number - frame.number) == 1
    assert len(book._partners) <= 12


def test_a_reader_that_falls_behind_goes_on_with_what_is_kept() -> None:
    log = WireLog(frames=10)
    book = WireBook(log)
    for number in range(5):
        log.add(CLIENT, asked(number))
    book.update()
    for number in range(40):
        log.add(CLIENT, asked(number))
    while book.is_behind:
        book.update(4)
    assert [one.number for one in book.frames] == list(range(36, 46))
    assert all(book.at(one.number) is one for one in book.frames)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [1, 2, 3, 4]),
        ("method:call", [2, 3]),
        ("method:call from:server", [3]),
        ("call:7", [2, 3]),
        ("error", [3, 4]),
        ("ALPHA", [2]),
        ('alpha "arguments"', [2]),
        ("from:", [1, 2, 3, 4]),
        ("from:signoff", [1]),
        ("text:error", [3]),
        ("nowhere", []),
    ],
)
def test_a_filter_wants_what_it_says(text: str, expected: list[int]) -> None:
    log = WireLog()
    log.note(BEGAN)
    log.add(CLIENT, asked(1, name="t", arguments={"a": "alpha"}), 7)
    log.add(SERVER, message(id=1, error={"code": 1}))
    log.add(SERVER, b"noise")
    book, wanted = book_of(log), read_filter(text)
    assert [one.number for one in book.frames if wanted.matches(one, book)] == expected


@pytest.mark.parametrize("text", ["call:x", "call:-1", "from:nobody", "call:" + "9" * 30])
def test_a_filter_that_makes_no_sense_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"needs|must be"):
        read_filter(text)


def test_secrets_of_a_call_are_masked_in_what_comes_back() -> None:
    log = WireLog()
    log.add(CLIENT, asked(1, name="t", arguments={"pin_of_door": "swordfish-9"}))
    log.add(SERVER, message(id=1, result={"content": "it was swordfish-9"}))
    log.add(SERVER, f"key {TOKEN} was used".encode())
    log.add(SERVER, message(method="n", params={"a": 1}))
    book = book_of(log)
    schema: Any = {"properties": {"pin_of_door": {"type": "string", "format": "password"}}}
    showing = Showing(book, lambda tool: schema if tool == "t" else None)
    # The response first: it is known from its request.
    texts = [showing.text(frame) for frame in reversed(book.frames)]
    assert "swordfish" not in "".join(texts)
    assert TOKEN not in "".join(texts)
    assert texts[0].encode() == book.frames[3].raw
    assert texts[2] == (
        '{"jsonrpc":"2.0","id":1,"result":{"content":"it was [masked: 11 characters]"}}'
    )


@given(st.binary(max_size=120), st.text(max_size=30))
def test_no_bytes_break_the_page_and_none_becomes_markup(raw: bytes, text: str) -> None:
    log = WireLog()
    log.add(SERVER, raw + b"<script>alert(1)</script>\x1b[31m\xe2\x80\xae")
    log.add(SERVER, message(id=1, method=f"<b>{text}", params={text: f"</pre><img src=x>{text}"}))
    log.add(SERVER, b"", 0, HttpPart("200 </summary><script>", (("a<b>", "c<d>"),), 1, 200))
    book = book_of(log)
    showing = Showing(book)
    page = b"".join(wire_page(book.frames, book, showing, "<i>server")).decode()
    for forbidden in ("<script", "<img", "<b>", "<i>", "\x1b", "\u202e", "src=", "http://"):
        assert forbidden not in page.replace("&lt;img src=x&gt;", "")
    for frame in book.frames:
        assert row_of(frame, book, showing).number == frame.number
        try:
            showing.value(frame)
        except JsonError:
            assert frame.number != 2 or "\ud800" in text
