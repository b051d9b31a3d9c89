"""What a frame is: by its bytes alone, whatever a server writes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.wire.frames import CLIENT, SERVER, SIGNOFF, Frame, FrameKind, HttpPart
from signoff.app.protocol.wire.reading import READ_WHOLE, FrameReading, read


def frame(raw: bytes, *, size: int = 0, http: HttpPart | None = None) -> Frame:
    return Frame(1, 0.0, 0.0, SERVER, raw, size or len(raw), 0, http)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', FrameReading(FrameKind.REQUEST, "ping", 1)),
        (b'{"jsonrpc":"2.0","id":"1","result":{}}', FrameReading(FrameKind.ANSWER, "", "1")),
        (
            b'{"jsonrpc":"2.0","id":1,"result":{"isError":true}}',
            FrameReading(FrameKind.ANSWER, "", 1, is_error=True),
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"error":{}}',
            FrameReading(FrameKind.ERROR, "", 1, is_error=True),
        ),
        (
            b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4}}',
            FrameReading(FrameKind.NOTIFICATION, "notifications/progress", None, about=4),
        ),
        (b"{}", FrameReading(FrameKind.NOISE, is_error=True)),
        (b"hello", FrameReading(FrameKind.NOISE, is_error=True)),
        (b"", FrameReading(FrameKind.NOISE, is_error=True)),
        (b'{"jsonrpc":"2.0","id":1', FrameReading(FrameKind.MALFORMED, is_error=True)),
        (b'{"jsonrpc":"2.0","id":true,"method":"x"}', FrameReading(FrameKind.REQUEST, "x", None)),
    ],
)
def test_what_a_line_is(raw: bytes, expected: FrameReading) -> None:
    assert read(frame(raw)) == expected


def test_a_status_and_a_note_are_no_messages() -> None:
    refused = frame(b"", http=HttpPart("404 Not Found", (), 3, 404))
    assert read(refused) == FrameReading(FrameKind.HTTP, "", 3, is_error=True)
    assert read(Frame(1, 0.0, 0.0, SIGNOFF, b"connection", 10)) == FrameReading(FrameKind.NOTE)


@pytest.mark.parametrize("is_id_last", [True, False])
def test_a_long_message_is_read_from_its_ends(is_id_last: bool) -> None:
    payload = {"text": "x" * READ_WHOLE, "id": 99, "method": "no"}
    body = {"jsonrpc": "2.0", "id": 7, "result": payload}
    if is_id_last:
        body = {"jsonrpc": "2.0", "result": payload, "id": 7}
    assert read(frame(json.dumps(body).encode())) == FrameReading(FrameKind.ANSWER, "", 7)


def test_of_a_message_that_was_cut_the_beginning_counts() -> None:
    raw = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"x":"yyy'
    assert read(frame(raw, size=10_000)) == FrameReading(FrameKind.REQUEST, "tools/call", 5)


@given(st.binary(max_size=300))
def test_no_bytes_break_it(raw: bytes) -> None:
    for size in (0, len(raw) + 1):
        one = frame(raw, size=size)
        assert read(one) == read(one)
        assert read(Frame(1, 0.0, 0.0, CLIENT, raw, size or len(raw))).kind in FrameKind
